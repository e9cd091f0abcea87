package script

import (
	"errors"
	"runtime"
	"runtime/metrics"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"myredis/wire"
)

// Host is what a running script asks of the one who runs it.
type Host interface {
	// Call runs a command of the store and returns its reply, in RESP of the
	// given version, which is good until the next call. The error of a
	// command that may not be run is worded as a reply is ("ERR …"), and has
	// been accounted for, as have been errors in the reply.
	Call(args [][]byte, proto int) (reply []byte, err error)
	// Permitted reports whether the script's user may run the command, and
	// whether there is such a command.
	Permitted(args [][]byte) (allowed, known bool)
	Logger
	// Interrupt is called every so many instructions, at least several times
	// a millisecond. It may serve others meanwhile; when it returns true the
	// script ends.
	Interrupt() (kill bool)
	// Failed is told of each error in a script's reply. A counted one has
	// been accounted for by the command that it is the error of.
	Failed(text string, counted bool)
}

// Logger writes to the log of the process; the level is one of LogDebug …
// LogWarning.
type Logger interface {
	Log(level int, text string)
}

// Log levels, as redis.LOG_DEBUG … redis.LOG_WARNING have them.
const (
	LogDebug = iota
	LogVerbose
	LogNotice
	LogWarning
)

// Interpreter runs scripts. It keeps states of Lua ready: normally one, and
// as many as there are scripts that run at once where that happens (package
// server, workers). Its methods are for one goroutine at a time, but a Host
// may let another one in while it is asked something.
type Interpreter struct {
	idle    []*state
	random  lrand48
	version Version
	build   func(*Interpreter) *state
}

// Version is what scripts are told of the server's: "7.0.15".
type Version string

// number is 0xMMmmpp.
func (v Version) number() (n int) {
	for _, part := range strings.SplitN(string(v), ".", 3) {
		f, _ := parseNumber(part)
		n = n<<8 | int(f)&0xff
	}
	return n
}

// NewScripts returns an interpreter for EVAL: a program is a function without
// arguments, and KEYS and ARGV are global.
func NewScripts(v Version) *Interpreter {
	return &Interpreter{random: newLrand48(), version: v, build: newScriptState}
}

// NewFunctions returns an interpreter for libraries of functions, which are
// given their keys and arguments.
func NewFunctions(v Version) *Interpreter {
	return &Interpreter{random: newLrand48(), version: v, build: newFunctionState}
}

// acquire takes an idle state or makes one.
func (in *Interpreter) acquire() *state {
	if n := len(in.idle); n > 0 {
		s := in.idle[n-1]
		in.idle = in.idle[:n-1]
		return s
	}
	s := in.build(in)
	s.bytes = int64(allocated() - s.before)
	return s
}

// release keeps the state for later, unless something in it has broken.
func (in *Interpreter) release(s *state) {
	s.reset()
	if !s.broken {
		in.idle = append(in.idle, s)
	}
}

// Reset forgets the states, and with them whatever scripts have changed in
// them (settings of cjson).
func (in *Interpreter) Reset() { in.idle = nil }

// Memory returns how many bytes were allocated to make the states that are
// idle, the room for calls aside, which is as good as never used.
func (in *Interpreter) Memory() (bytes int64) {
	for _, s := range in.idle {
		bytes += s.bytes
	}
	return bytes
}

// Error is what is wrong with a program: worded as in a reply, of which the
// code (ERR) is left out.
type Error string

func (e Error) Error() string { return string(e) }

// Program is a compiled script for EVAL.
type Program struct {
	Flags Flags
	proto *lua.FunctionProto
}

// chunkOfScripts is how errors call a script's text.
const chunkOfScripts = "user_script"

// Compile prepares a script. Errors are worded as replies are, without "ERR ".
func Compile(source string) (*Program, error) {
	flags, length, err := shebang(source)
	if err != nil {
		return nil, err
	}
	// The end of the first line stays, to keep the numbers of lines.
	proto, err := compile(source[length:], chunkOfScripts)
	if err != nil {
		return nil, Error("Error compiling script (new function): " + err.Error())
	}
	return &Program{Flags: flags, proto: proto}, nil
}

// Invocation is one run of a script or function.
type Invocation struct {
	Name       string // how errors call it: the SHA1 or the function's name
	Keys, Args [][]byte
	Host       Host
}

// Eval runs a program and appends its reply to out.
func (in *Interpreter) Eval(p *Program, inv *Invocation, out *wire.Encoder) {
	s := in.acquire()
	defer in.release(s)
	in.eval(s, p, inv, out)
}

func (in *Interpreter) eval(s *state, p *Program, inv *Invocation, out *wire.Encoder) {
	L := s.L
	s.begin(inv)
	s.globals.RawSetString("KEYS", s.strings(inv.Keys))
	s.globals.RawSetString("ARGV", s.strings(inv.Args))
	L.Push(s.enter)
	L.Push(L.NewFunctionFromProto(p.proto))
	s.finish(L.PCall(1, 1, nil), out)
}

// strings makes an array of arguments.
func (s *state) strings(list [][]byte) *lua.LTable {
	t := s.L.CreateTable(len(list), 0)
	for _, b := range list {
		t.Append(lua.LString(b))
	}
	return t
}

// begin gives the state to an invocation.
func (s *state) begin(inv *Invocation) {
	s.inv = inv
	s.proto = 2
	s.place = place{}
	s.clock.reset()
}

// finish replies with the value on top of the stack, or with the error.
func (s *state) finish(err error, out *wire.Encoder) {
	if err == nil {
		r := replier{s: s, out: out}
		r.value(s.L.Get(-1), placesBefore)
		return
	}
	text, counted := s.fault(err)
	out.Error(text)
	s.inv.Host.Failed(text, counted)
}

// fault words the error that ended a script.
func (s *state) fault(err error) (text string, counted bool) {
	var fault *lua.ApiError
	if !errors.As(err, &fault) {
		return "ERR " + err.Error(), false
	}
	if fault.Type == lua.ApiErrorPanic {
		s.broken = true
	}
	v := fault.Object
	if s.clock.killed {
		v = lua.LString(s.clock.reason)
	}
	switch v := v.(type) {
	case *lua.LTable:
		text, counted = errorText(v)
	default:
		text = "ERR " + shown(v)
	}
	// Redis leaves line breaks in, which breaks the protocol.
	text = strings.TrimRight(text, "\r\n")
	if s.place.source != "" {
		text += " script: " + s.inv.Name + ", on " + s.place.source + ":" + numberText(float64(s.place.line)) + "."
	}
	return text, counted
}

// errorText takes the text out of an error table.
func errorText(t *lua.LTable) (string, bool) {
	said, ok := text(t.RawGetString("err"))
	if !ok {
		said = "(null)"
	}
	return said, t.RawGetString("ignore_error_stats_update") == lua.LTrue
}

// shown is what tostring makes of a value, its metatable aside.
func shown(v lua.LValue) string {
	if s, ok := text(v); ok {
		return s
	}
	return v.String()
}

// reset ends an invocation.
func (s *state) reset() {
	L := s.L
	s.inv = nil
	s.handler, s.guards, s.verbatim = nil, 0, false
	clear(s.nested)
	L.G.CurrentThread = L
	L.Env = s.env
	L.SetTop(0)
}

// allocated returns how many bytes the process has ever allocated.
func allocated() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.TotalAlloc
}

// heapSize returns the bytes of live and dead objects.
func heapSize() float64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return float64(sample[0].Value.Uint64())
}
