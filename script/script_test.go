package script_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"myredis/script"
	"myredis/wire"
)

// host answers every command with its arguments, and ends a script after so
// many looks.
type host struct {
	patience int
	failed   []string
	logged   []string
	call     func(args [][]byte) (string, error)
}

func (h *host) Call(args [][]byte, proto int) ([]byte, error) {
	if h.call != nil {
		reply, err := h.call(args)
		return []byte(reply), err
	}
	e := wire.Encoder{Proto: proto}
	e.Array(len(args))
	for _, arg := range args {
		e.Bulk(arg)
	}
	return e.Buf, nil
}

func (h *host) Permitted(args [][]byte) (allowed, known bool) {
	return true, string(args[0]) != "nosuch"
}
func (h *host) Log(level int, text string) { h.logged = append(h.logged, fmt.Sprint(level, " ", text)) }
func (h *host) Interrupt() bool            { h.patience--; return h.patience < 0 }
func (h *host) Failed(text string, counted bool) {
	h.failed = append(h.failed, fmt.Sprint(counted, " ", text))
}

// run runs a script and returns its reply.
func run(t testing.TB, in *script.Interpreter, h *host, source string, args ...string) string {
	p, err := script.Compile(source)
	require.NoError(t, err, source)
	inv := &script.Invocation{Name: "sha", Host: h}
	for _, arg := range args {
		inv.Args = append(inv.Args, []byte(arg))
	}
	out := wire.Encoder{Proto: 2}
	in.Eval(p, inv, &out)
	return string(out.Buf)
}

const patient = 1 << 30

func TestScriptsCallTheHost(t *testing.T) {
	in := script.NewScripts("7.0.15")
	require.Equal(t, "*3\r\n$1\r\na\r\n$1\r\n1\r\n$3\r\n0.5\r\n", run(t, in, &host{patience: patient}, "return redis.call('a', 1, 0.5)"))
}

func TestTheHostIsToldOfErrors(t *testing.T) {
	in := script.NewScripts("7.0.15")
	h := &host{patience: patient, call: func(args [][]byte) (string, error) {
		if string(args[0]) == "refused" {
			return "", script.Error("NOPE not now")
		}
		return "-BAD it went wrong\r\n", nil
	}}
	for _, test := range []struct{ source, reply, failed string }{
		{"return redis.call('refused')", "-NOPE not now script: sha, on @user_script:1.\r\n", "true NOPE not now script: sha, on @user_script:1."},
		{"return redis.call('x')", "-BAD it went wrong script: sha, on @user_script:1.\r\n", "true BAD it went wrong script: sha, on @user_script:1."},
		{"return redis.pcall('x')", "-BAD it went wrong\r\n", "true BAD it went wrong"},
		{"return {err='MINE x'}", "-MINE x\r\n", "false MINE x"},
		{"return {{err='MINE x'}}", "*1\r\n-MINE x\r\n", "false MINE x"},
		{"error('x')", "-ERR user_script:1: x script: sha, on @user_script:1.\r\n", "false ERR user_script:1: x script: sha, on @user_script:1."},
	} {
		h.failed = nil
		require.Equal(t, test.reply, run(t, in, h, test.source), test.source)
		require.Equal(t, []string{test.failed}, h.failed, test.source)
	}
	h.failed = nil
	run(t, in, h, "redis.pcall('x') return 1")
	require.Empty(t, h.failed)
}

func TestScriptsLog(t *testing.T) {
	h := &host{patience: patient}
	run(t, script.NewScripts("7.0.15"), h, "redis.log(redis.LOG_NOTICE, 'a', 1, {}, 'b')")
	require.Equal(t, []string{"2 a 1 b"}, h.logged)
}

// What takes a process's memory or stack elsewhere ends in an error, and the
// next script runs as if nothing had happened.
func TestGreedyScriptsEndInErrors(t *testing.T) {
	script.LimitStrings(t, 8<<20)
	in := script.NewScripts("7.0.15")
	for source, want := range map[string]string{
		"return string.rep('x', 2^30)":                                                                                                     "resulting string too large",
		"return ('x'):rep(1e9):rep(1e9)":                                                                                                   "resulting string too large",
		"local s = 'x' for i = 1, 100 do s = s .. s end":                                                                                   "string length overflow",
		"return string.gsub(('a'):rep(1e6), 'a', ('b'):rep(10))":                                                                           "string length overflow",
		"local function f() return 1 + f() end return f()":                                                                                 "stack overflow",
		"local t = setmetatable({}, {__index = function(t, k) return t[k] end}) return t.x":                                                "stack overflow",
		"local t = {} setmetatable(t, {__index = t}) return t.x":                                                                           "loop in gettable",
		"local function f() return coroutine.wrap(function() return f() end)() end return f()":                                             "C stack overflow",
		"return unpack({}, 1, 1e8)":                                                                                                        "too many results to unpack",
		"return string.byte(('x'):rep(1e6), 1, -1)":                                                                                        "string slice too long",
		"return string.find(('a'):rep(3e5), ('a?'):rep(3e5))":                                                                              "pattern too complex",
		"cjson.decode_max_depth(2^31-1) return cjson.decode(('['):rep(1e6))":                                                               "Found too many nested data structures",
		"cjson.encode_max_depth(2^31-1) local t = {} for i = 1, 1e5 do t = {t} end return cjson.encode(t)":                                 "excessive nesting",
		"return cmsgpack.unpack(('\\145'):rep(1e6))":                                                                                       "stack overflow (too many return values",
		"return assert(loadstring(('('):rep(1e5)))":                                                                                        "too many syntax levels",
		"return assert(loadstring('return 1' .. ('+1'):rep(1e5)))":                                                                         "too many syntax levels",
		"return assert(loadstring('x = a' .. ('.b'):rep(1e5)))":                                                                            "too many syntax levels",
		"return assert(loadstring('if a then ' .. ('elseif b then '):rep(1e5) .. 'end'))":                                                  "too many syntax levels",
		"return assert(loadstring('f(' .. ('1,'):rep(300) .. '1)'))":                                                                       "too complex",
		"return assert(loadstring('local ' .. ('a,'):rep(300) .. 'a'))":                                                                    "local variables",
		"local t = {} for i = 1, 50000 do t[i] = \"'\" .. i .. \"',\" end return assert(loadstring('return {' .. table.concat(t) .. '}'))": "constant table overflow",
	} {
		reply := run(t, in, &host{patience: patient}, source)
		require.Equal(t, "-", reply[:1], source)
		require.Contains(t, reply, want, source)
		require.Equal(t, ":1\r\n", run(t, in, &host{patience: patient}, "return 1"))
	}
	many := "local c = {} for i = 1, 5000 do c[i] = coroutine.create(function() coroutine.yield() end) coroutine.resume(c[i]) end return #c"
	require.Equal(t, ":5000\r\n", run(t, in, &host{patience: patient}, many))
}

func TestKilledScriptsCannotGoOn(t *testing.T) {
	in := script.NewScripts("7.0.15")
	for _, source := range []string{
		"while true do end",
		"while true do pcall(function() while true do end end) end",
		"while true do coroutine.resume(coroutine.create(function() while true do end end)) end",
		"table.sort({3, 2, 1}, function() while true do end end)",
		"string.gsub('abc', '.', function() while true do end end)",
		"local t = setmetatable({}, {__tostring = function() while true do end end}) return tostring(t)",
	} {
		require.Equal(t, "-ERR Script killed by user with SCRIPT KILL... script: sha, on @user_script:1.\r\n", run(t, in, &host{patience: 3}, source), source)
		require.Equal(t, ":1\r\n", run(t, in, &host{patience: patient}, "return 1"))
	}
}

// Nothing that a script does is seen by the next one.
func TestScriptsLeaveNothingBehind(t *testing.T) {
	in := script.NewScripts("7.0.15")
	h := &host{patience: patient}
	run(t, in, h, "redis.setresp(3) pcall(function() string.x = 1 end) KEYS[1] = 'left' ARGV.x = 'left' getmetatable('').__index = nil")
	require.Equal(t, "*4\r\n$-1\r\n:0\r\n$3\r\nnil\r\n$1\r\nX\r\n", run(t, in, h, "return {false, #KEYS, tostring(ARGV.x), ('x'):upper()}"))
	run(t, in, h, "cjson.encode_number_precision(3)")
	require.Equal(t, "$4\r\n3.14\r\n", run(t, in, h, "return cjson.encode(3.14159)")) // as in Redis
	in.Reset()
	require.Equal(t, "$7\r\n3.14159\r\n", run(t, in, h, "return cjson.encode(3.14159)"))
}

func TestErrorsOfPrograms(t *testing.T) {
	for source, want := range map[string]string{
		"return +":            "Error compiling script (new function): user_script:1: unexpected symbol near '+'",
		"\n\nx = = 1":         "Error compiling script (new function): user_script:3: unexpected symbol near '='",
		"for i = 1 do end":    "Error compiling script (new function): user_script:1: ',' expected near 'do'",
		"return 'a\nb'":       "Error compiling script (new function): user_script:1: unfinished string near ''a'",
		"if x then\n\nreturn": "Error compiling script (new function): user_script:3: 'end' expected (to close 'if' at line 1) near '<eof>'",
		"goto x":              "Error compiling script (new function): user_script:1: '=' expected near 'x'",
		"#!lua":               "Invalid script shebang",
		"#!lua 'x\n":          "Invalid engine in script shebang",
		"#!js\n":              "Unexpected engine in script shebang: #!js",
		"#!lua flags=x\n":     "Unexpected flag in script shebang: x",
		"#!lua x=y\n":         "Unknown lua shebang option: x=y",
	} {
		_, err := script.Compile(source)
		require.EqualError(t, err, want, source)
	}
}

func TestDeclaredFlags(t *testing.T) {
	for source, want := range map[string]script.Flags{
		"return 1":                             script.Undeclared,
		"#!lua\n":                              0,
		"#!lua flags=\n":                       0,
		"#!lua flags=no-writes\n":              script.NoWrites,
		"#!lua flags=allow-oom,allow-stale\n":  script.AllowOOM | script.AllowStale,
		"#!lua \"flags=no-cluster\"\nreturn 1": script.NoCluster,
	} {
		flags, err := script.DeclaredFlags(source)
		require.NoError(t, err, source)
		require.Equal(t, want, flags, source)
	}
	require.Equal(t, []string{"no-writes", "allow-cross-slot-keys"}, (script.NoWrites | script.AllowCrossSlot).Names())
}

// A library's functions share its variables, in each state that they are
// called in: a second one, which exists when functions run inside of each
// other, loads it for itself.
func TestFunctionsInSeveralStates(t *testing.T) {
	in := script.NewFunctions("7.0.15")
	h := &host{patience: patient}
	lib, err := in.Load("#!lua name=lib\nlocal n = 0\nredis.log(redis.LOG_WARNING, 'loaded')\nredis.register_function('count', function() n = n + 1 if n == 1 then redis.call('again') end return n end)", h)
	require.NoError(t, err)
	require.Equal(t, []string{"3 loaded"}, h.logged)
	count := func(h *host) string {
		out := wire.Encoder{Proto: 2}
		in.CallFunction(lib.Functions[0], &script.Invocation{Name: "count", Host: h}, &out)
		return string(out.Buf)
	}
	inner := ""
	h.call = func([][]byte) (string, error) {
		inner = count(&host{patience: patient})
		return "+OK\r\n", nil
	}
	require.Equal(t, ":1\r\n", count(h))
	require.Equal(t, ":1\r\n", inner)
	in.Forget(lib)
	require.Equal(t, ":1\r\n", count(&host{patience: patient}))
}

func TestLibrariesThatDoNotLoad(t *testing.T) {
	in := script.NewFunctions("7.0.15")
	for code, want := range map[string]string{
		"x":                               "Missing library metadata",
		"#!lua name=a":                    "Invalid library metadata",
		"#!lua\n":                         "Library name was not given",
		"#!lua name=a b=c\n":              "Invalid metadata value given: b=c",
		"#!lua name=a-b\n":                "Library names can only contain letters, numbers, or underscores(_) and must be at least one character long",
		"#!py name=a\n":                   "Engine 'py' not found",
		"#!lua name=a\nx =":               "Error compiling function: user_function:2: unexpected symbol near '<eof>'",
		"#!lua name=a\n":                  "No functions registered",
		"#!lua name=a\nx = 1":             "Error registering functions: ERR user_function:2: Attempt to modify a readonly table",
		"#!lua name=a\nwhile true do end": "Error registering functions: ERR FUNCTION LOAD timeout",
	} {
		_, err := in.Load(code, &host{})
		require.EqualError(t, err, want, code)
	}
}

// FuzzScripts looks for programs that end in anything but a reply.
func FuzzScripts(f *testing.F) {
	for _, source := range []string{
		"return 1", "local t = {1, x = 2, [3] = {}} return t", "for i = 1, 3 do if i > 2 then break end end", "return ('x'):rep(3) .. 1 .. {}",
		"local function f(...) return select('#', ...), arg end return f(1)", "return pcall(error, {err = 'x'})", "return string.format('%5.2f', 1)",
		"repeat local x = 1 until x", "return function() return ... end", "goto x", "return cjson.decode('[1]')", "return #'\\065' == 1 and not nil",
	} {
		f.Add(source)
	}
	in := script.NewScripts("7.0.15")
	f.Fuzz(func(t *testing.T, source string) {
		p, err := script.Compile(source)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		out := wire.Encoder{Proto: 2}
		in.Eval(p, &script.Invocation{Name: "sha", Host: &host{patience: 100}}, &out)
		require.NotEmpty(t, out.Buf)
		require.False(t, strings.Contains(string(out.Buf), "runtime error"), "%s: %q", source, out.Buf)
	})
}

func ExampleInterpreter_Eval() {
	in := script.NewScripts("7.0.15")
	p, err := script.Compile("return redis.call('GREET', KEYS[1], ARGV[1])")
	if err != nil {
		panic(err)
	}
	var out wire.Encoder
	in.Eval(p, &script.Invocation{Name: "example", Keys: [][]byte{[]byte("k")}, Args: [][]byte{[]byte("v")}, Host: &host{patience: patient}}, &out)
	fmt.Printf("%q\n", out.Buf)
	// Output: "*3\r\n$5\r\nGREET\r\n$1\r\nk\r\n$1\r\nv\r\n"
}
