package commands

import (
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"myredis/internal/config"
)

// scriptBench is an engine whose scripts are busy after a millisecond.
type scriptBench struct {
	t *testing.T
	e *Engine
}

func newScriptBench(t *testing.T) *scriptBench {
	cfg := config.Default()
	cfg.BusyReplyThreshold = 1
	return &scriptBench{t, New(cfg, nil, slog.New(slog.NewTextHandler(io.Discard, nil)))}
}

func (b *scriptBench) client() *Client {
	return b.e.Connect(nil, "tcp", "127.0.0.1:1", "127.0.0.1:2")
}

// do runs a command and returns its raw reply.
func (b *scriptBench) do(c *Client, args ...string) string {
	raw := make([][]byte, len(args))
	for i, arg := range args {
		raw[i] = []byte(arg)
	}
	c.Out.Truncate(0)
	b.e.Exec(c, raw)
	return string(c.Out.Buf)
}

const endless = "while true do end"

// While a script runs for long, others are told so, and can end it.
func TestBusyScriptCanBeKilled(t *testing.T) {
	for name, body := range map[string]string{
		"plain":     endless,
		"pcall":     "local f = function() while 1 do redis.call('ping') end end while 1 do pcall(f) end",
		"xpcall":    "while 1 do xpcall(function() " + endless + " end, function(e) return e end) end",
		"coroutine": "while 1 do coroutine.resume(coroutine.create(function() " + endless + " end)) end",
		"wrap":      "coroutine.wrap(function() " + endless + " end)()",
		"tail call": "local function f() return f() end return f()",
		"metatable": "local t = setmetatable({}, {__index = function() " + endless + " end}) return t.x",
	} {
		t.Run(name, func(t *testing.T) {
			b := newScriptBench(t)
			caller, other := b.client(), b.client()
			turns := 0
			b.e.OnBusy = func() {
				turns++
				require.Equal(t, "-"+string(errBusyScript)+"\r\n", b.do(other, "PING"))
				require.Equal(t, "-"+string(errBusyScript)+"\r\n", b.do(other, "EVAL", "return 1", "0"))
				require.Equal(t, "-"+string(errBusyScript)+"\r\n", b.do(other, "FUNCTION", "KILL"))
				require.Equal(t, "-"+string(errBusyScript)+"\r\n", b.do(other, "FUNCTION", "STATS"))
				require.Equal(t, "+OK\r\n", b.do(other, "MULTI"))
				require.Equal(t, "+OK\r\n", b.do(other, "DISCARD"))
				require.Equal(t, "+OK\r\n", b.do(other, "SCRIPT", "KILL"))
			}
			require.Regexp(t, `^-ERR Script killed by user with SCRIPT KILL\.\.\. script: \w{40}, on @user_script:1\.\r\n$`, b.do(caller, "EVAL", body, "0"))
			require.Equal(t, 1, turns)
			require.Equal(t, "+PONG\r\n", b.do(other, "PING"))
			require.Equal(t, ":1\r\n", b.do(caller, "EVAL", "return 1", "0"))
			require.Equal(t, "-"+string(errNotBusy)+"\r\n", b.do(other, "SCRIPT", "KILL"))
		})
	}
}

func TestBusyFunctionIsDescribedAndKilled(t *testing.T) {
	b := newScriptBench(t)
	caller, other := b.client(), b.client()
	b.do(caller, "FUNCTION", "LOAD", "#!lua name=lib\nredis.register_function('spin', function() "+endless+" end)")
	b.e.OnBusy = func() {
		require.Equal(t, "-"+string(errBusyFunction)+"\r\n", b.do(other, "PING"))
		require.Equal(t, "-"+string(errBusyFunction)+"\r\n", b.do(other, "SCRIPT", "KILL"))
		stats := b.do(other, "FUNCTION", "STATS")
		require.Contains(t, stats, "$4\r\nname\r\n$4\r\nspin\r\n$7\r\ncommand\r\n*3\r\n$5\r\nFCALL\r\n$4\r\nspin\r\n$1\r\n0\r\n$11\r\nduration_ms\r\n:")
		require.Equal(t, "+OK\r\n", b.do(other, "FUNCTION", "KILL"))
	}
	require.Equal(t, "-ERR Script killed by user with SCRIPT KILL... script: spin, on @user_function:2.\r\n", b.do(caller, "FCALL", "spin", "0"))
}

// spin takes some tens of milliseconds.
const spin = "for i = 1, 1000000 do end "

func TestBusyScriptThatHasWrittenCannotBeKilled(t *testing.T) {
	b := newScriptBench(t)
	caller, other := b.client(), b.client()
	turns := 0
	b.e.OnBusy = func() {
		turns++
		require.Equal(t, "-"+string(errUnkillable)+"\r\n", b.do(other, "SCRIPT", "KILL"))
	}
	require.Equal(t, "$4\r\ndone\r\n", b.do(caller, "EVAL", "redis.call('zadd', 'z', 1, 'a') "+spin+"return 'done'", "0"))
	require.Positive(t, turns)
}

// A client that waits for a key that a script has made gets it when the script
// has ended, whatever others do meanwhile, and as the script has left it.
func TestWaitersAreServedAfterTheScript(t *testing.T) {
	b := newScriptBench(t)
	caller, waiting, other := b.client(), b.client(), b.client()
	require.Empty(t, b.do(waiting, "BZPOPMIN", "z", "0"))
	b.e.OnBusy = func() {
		require.Contains(t, b.do(other, "HELLO", "2"), "proto")
		require.True(t, waiting.Blocked())
	}
	b.do(caller, "EVAL", "redis.call('zadd', 'z', 2, 'b') "+spin+"redis.call('zadd', 'z', 1, 'a')", "0")
	require.False(t, waiting.Blocked())
	require.Equal(t, "*3\r\n$1\r\nz\r\n$1\r\na\r\n$1\r\n1\r\n", string(waiting.Out.Buf))
}

// What may wait elsewhere gives up at once in a script.
func TestScriptsDoNotWait(t *testing.T) {
	b := newScriptBench(t)
	c := b.client()
	b.e.scripts.anyCommand = true
	require.Equal(t, "$5\r\nfalse\r\n", b.do(c, "EVAL", "return tostring(redis.call('bzpopmin', 'z', 0))", "0"))
	require.Zero(t, b.e.waiters.count)
}

// To a script no time passes, though it lets others in.
func TestTimeStandsStillInAScript(t *testing.T) {
	b := newScriptBench(t)
	caller, other := b.client(), b.client()
	var during []int64
	b.e.OnBusy = func() {
		b.e.Turn()
		b.do(other, "HELLO", "2")
		during = append(during, b.e.Keys.Now)
	}
	b.e.Keys.Gap = func() { during = append(during, b.e.Keys.Now) }
	b.do(caller, "EVAL", "redis.call('zcard', 'z') "+spin+spin+"redis.call('zcard', 'z')", "0")
	require.Greater(t, len(during), 2)
	require.Equal(t, during[0], during[len(during)-1])
	require.Greater(t, during[len(during)-2], during[0])
}

func TestScriptsChooseTheirOwnDatabase(t *testing.T) {
	b := newScriptBench(t)
	c := b.client()
	b.do(c, "SELECT", "3")
	require.Equal(t, ":1\r\n", b.do(c, "EVAL", "redis.call('zadd', 'k', 1, 'three') redis.call('select', 5) return redis.call('zadd', 'k', 1, 'five')", "0"))
	require.Equal(t, "*1\r\n$5\r\nthree\r\n", b.do(c, "ZRANGE", "k", "0", "-1"))
	b.do(c, "SELECT", "5")
	require.Equal(t, "*1\r\n$4\r\nfive\r\n", b.do(c, "EVAL", "return redis.call('zrange', 'k', 0, -1)", "0"))
}

// An error counts once, for the command that it is the error of; the script
// that ends with it has failed.
func TestErrorsInScriptsCountOnce(t *testing.T) {
	for _, test := range []struct {
		name, script, command           string
		calls, rejected, failed, ofEval int64
		code                            string
	}{
		{"raised", "return redis.call('select', 99)", "select", 1, 0, 1, 1, "ERR"},
		{"returned", "return redis.pcall('select', 99)", "select", 1, 0, 1, 1, "ERR"},
		{"handled", "redis.pcall('select', 99) return 1", "select", 1, 0, 1, 0, "ERR"},
		{"refused", "#!lua flags=no-writes\nreturn redis.call('zadd', 'z', 1, 'a')", "zadd", 0, 1, 0, 1, "ERR"},
		{"own", "return redis.error_reply('MINE it is')", "zadd", 0, 0, 0, 1, "MINE"},
		{"nested", "return {1, {err='MINE it is'}}", "zadd", 0, 0, 0, 1, "MINE"},
		{"thrown", "error('x')", "zadd", 0, 0, 0, 1, "ERR"},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newScriptBench(t)
			b.do(b.client(), "EVAL", test.script, "0")
			require.EqualValues(t, 1, b.e.Stats.ErrorReplies)
			require.Equal(t, map[string]int64{test.code: 1}, b.e.errors)
			stats := b.e.table[test.command].stats
			require.Equal(t, [3]int64{test.calls, test.rejected, test.failed}, [3]int64{stats.Calls, stats.Rejected, stats.Failed})
			require.Equal(t, test.ofEval, b.e.table["eval"].stats.Failed)
		})
	}
}

// A command of a script is shown after the script's own.
func TestMonitorsSeeWhatScriptsCall(t *testing.T) {
	b := newScriptBench(t)
	watcher, c := b.client(), b.client()
	b.do(watcher, "MONITOR")
	watcher.Out.Truncate(0)
	b.do(c, "EVAL", "return redis.call('zcard', 'z')", "0")
	lines := strings.Split(strings.TrimSpace(string(watcher.Out.Buf)), "\r\n")
	require.Len(t, lines, 2)
	require.Contains(t, lines[0], `[0 127.0.0.1:1] "EVAL"`)
	require.Contains(t, lines[1], `[0 lua] "zcard" "z"`)
}

// With several workers a script can begin inside of another one's look-up. Each
// has a state, a database and a place for replies of its own.
func TestScriptsInsideOfEachOther(t *testing.T) {
	b := newScriptBench(t)
	outer := b.client()
	b.do(outer, "ZADD", "z", "1", "a")
	depth := 0
	b.e.Keys.Gap = func() {
		if depth < 3 {
			depth++
			require.Equal(t, "*2\r\n:0\r\n$5\r\ninner\r\n", b.do(b.client(), "EVAL", "redis.call('select', 7) return {redis.call('zcard', 'z'), ARGV[1]}", "0", "inner"))
			depth--
		}
	}
	require.Equal(t, "*2\r\n:1\r\n$5\r\nouter\r\n", b.do(outer, "EVAL", "return {redis.call('zcard', 'z'), ARGV[1]}", "0", "outer"))
	require.Empty(t, b.e.scripts.running)
}

// What must not need more memory is judged by the script's own words.
func TestScriptsInNeedOfMemory(t *testing.T) {
	b := newScriptBench(t)
	c := b.client()
	b.e.overMemory = true
	for _, test := range []struct{ script, reply string }{
		{"return redis.call('zadd', 'z', 1, 'a')", "-" + string(errOOM) + " script: "},
		{"return redis.call('zcard', 'z')", ":0\r\n"},
		{"#!lua\nreturn 1", "-" + string(errOOM) + "\r\n"},
		{"#!lua flags=no-writes\nreturn redis.call('zcard', 'z')", ":0\r\n"},
		{"#!lua flags=allow-oom\nreturn redis.call('zadd', 'z', 1, 'a')", ":1\r\n"},
	} {
		require.Contains(t, b.do(c, "EVAL", test.script, "0"), test.reply, test.script)
	}
}

func TestFlagsOfScripts(t *testing.T) {
	b := newScriptBench(t)
	args := func(words ...string) (raw [][]byte) {
		for _, w := range words {
			raw = append(raw, []byte(w))
		}
		return raw
	}
	eval, sha := b.e.table["eval"], b.e.table["evalsha"]
	require.Equal(t, eval.Flags, b.e.scriptFlags(eval, args("eval", "return 1", "0")))
	require.Equal(t, eval.Flags&^(MayReplicate|Stale)|Write|DenyOOM, b.e.scriptFlags(eval, args("eval", "#!lua\nreturn 1", "0")))
	require.Equal(t, eval.Flags&^MayReplicate, b.e.scriptFlags(eval, args("eval", "#!lua flags=no-writes,allow-stale\nreturn 1", "0")))
	require.Equal(t, sha.Flags, b.e.scriptFlags(sha, args("evalsha", strings.Repeat("0", 40), "0")))
	name := b.do(b.client(), "SCRIPT", "LOAD", "#!lua flags=no-writes,allow-oom\nreturn 1")[5:45]
	require.Equal(t, sha.Flags&^(MayReplicate|Stale), b.e.scriptFlags(sha, args("evalsha", name, "0")))
}

func BenchmarkScriptOfTwoCalls(b *testing.B) {
	e := New(config.Default(), nil, slog.New(slog.NewTextHandler(io.Discard, nil)))
	c := e.Connect(nil, "tcp", "127.0.0.1:1", "127.0.0.1:2")
	args := [][]byte{[]byte("EVAL"), []byte("redis.call('zadd', KEYS[1], 1, ARGV[1]) return redis.call('zcard', KEYS[1])"), []byte("1"), []byte("z"), []byte("a")}
	b.ReportAllocs()
	for b.Loop() {
		c.Out.Truncate(0)
		e.Exec(c, args)
	}
}

// A client that goes away in the middle of debugging leaves its script to run
// to the end; others are served while it stands still.
func TestLeavingTheDebugger(t *testing.T) {
	b := newScriptBench(t)
	c, other := b.client(), b.client()
	require.Equal(t, "-"+string(errDebugForked)+"\r\n", b.do(c, "SCRIPT", "DEBUG", "YES"))
	require.Equal(t, "+OK\r\n", b.do(c, "SCRIPT", "DEBUG", "SYNC"))
	require.Equal(t, "-"+string(errDebugSHA)+"\r\n", b.do(c, "EVALSHA", strings.Repeat("0", 40), "0"))
	require.Contains(t, b.do(c, "EVAL", "redis.call('zadd', 'z', 1, 'a')\nredis.call('zadd', 'z', 1, 'b')", "0"), "Stopped at 1")
	require.Equal(t, ":0\r\n", b.do(other, "ZCARD", "z"))
	require.Contains(t, b.do(c, "step"), "Stopped at 2")
	require.Equal(t, ":1\r\n", b.do(other, "EVAL", "return redis.call('zcard', 'z')", "0"))
	b.e.Disconnect(c)
	require.Equal(t, ":2\r\n", b.do(other, "ZCARD", "z"))
	require.Empty(t, b.e.scripts.running)
}

func TestAbortingInTheDebugger(t *testing.T) {
	b := newScriptBench(t)
	c := b.client()
	b.do(c, "SCRIPT", "DEBUG", "SYNC")
	require.Contains(t, b.do(c, "EVAL", "while true do pcall(error) end", "0"), "Stopped at 1")
	require.Contains(t, b.do(c, "continue"), "timeout reached, infinite loop?")
	require.Equal(t, "*1\r\n+<endsession>\r\n-ERR script aborted for user request script: e5dffec9ae73529be9f075d6a1f9e35f3e59968c, on @user_script:1.\r\n", b.do(c, "abort"))
	require.True(t, c.Closing)
}

func TestErrorsBeforeDebugging(t *testing.T) {
	b := newScriptBench(t)
	c := b.client()
	b.do(c, "SCRIPT", "DEBUG", "SYNC")
	require.Equal(t, "*1\r\n+<endsession>\r\n-ERR Error compiling script (new function): user_script:1: unexpected symbol near '+'\r\n", b.do(c, "EVAL", "return +", "0"))
	require.True(t, c.Closing)
}

// The end of the process does not wait for a script, even if it has written.
func TestStoppingScripts(t *testing.T) {
	b := newScriptBench(t)
	c := b.client()
	b.e.OnBusy = b.e.StopScripts
	require.Contains(t, b.do(c, "EVAL", "redis.call('zadd', 'z', 1, 'a') "+endless, "0"), "-ERR Script killed")
}
