package script

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"

	"myredis/internal/words"
	"myredis/wire"
)

// The debugger of scripts, as SCRIPT DEBUG SYNC and redis-cli --ldb have it: a
// script stops before lines and answers commands about itself.

// Session is a script that is run in the debugger.
type Session struct {
	// Ask shows what has been said since the last command and returns the
	// next one; ok is false when nobody is there any more, and the script
	// goes on by itself.
	Ask func(said []string) (command []string, ok bool)
	// Timeout is how long the script may run before it stops unasked.
	Timeout time.Duration

	s           *state
	source      []string
	said        []string
	breakpoints []int
	step        bool // stop at the next line; commands are shown until then
	called      bool // redis.breakpoint was
	answering   bool // a command of the debugger runs
	gone        bool
	line        int
	fn          *lua.LFunction // of the last line, and where in it
	pc          int
	since       time.Time // when it went on
	maxLen      int       // of what is shown; 0: no limit
	hinted      bool
}

const (
	maxBreakpoints = 64
	defaultShown   = 256
	leastShown     = 60
	valueDepth     = 10
)

// Debug runs a program of the given source in the debugger and appends its
// reply to out. It returns what was said since the last command.
func (in *Interpreter) Debug(p *Program, source string, inv *Invocation, d *Session, out *wire.Encoder) (said []string) {
	s := in.acquire()
	defer in.release(s)
	d.s, d.step, d.maxLen, d.since = s, true, defaultShown, time.Now()
	d.source = strings.Split(strings.TrimRight(source, "\r\n"), "\n")
	s.session = d
	defer func() { s.session = nil }()
	in.eval(s, p, inv, out)
	return d.said
}

func (d *Session) say(format string, args ...any) {
	d.said = append(d.said, fmt.Sprintf(format, args...))
}

// sayValue says something that may be long.
func (d *Session) sayValue(text string) {
	if d.maxLen > 0 && len(text) > d.maxLen {
		d.said = append(d.said, text[:d.maxLen]+" ...")
		if !d.hinted {
			d.hinted = true
			d.say("<hint> The above reply was trimmed. Use 'maxlen 0' to disable trimming.")
		}
		return
	}
	d.said = append(d.said, text)
}

// sayLine says a line of the source, with marks.
func (d *Session) sayLine(n int) {
	mark := "   "
	switch at := slices.Contains(d.breakpoints, n); {
	case n == d.line && at:
		mark = "->#"
	case n == d.line:
		mark = "-> "
	case at:
		mark = "  #"
	}
	text := "<out of range source code line>"
	if n >= 1 && n <= len(d.source) {
		text = d.source[n-1]
	}
	d.say("%s%-3d %s", mark, n, text)
}

// showsCommands reports whether commands that the script runs are shown.
func (d *Session) showsCommands() bool { return d != nil && d.step && !d.gone }

// instruction is called before each instruction.
func (d *Session) instruction() {
	if d.gone || d.answering {
		return
	}
	L := d.s.L.G.CurrentThread
	f, ok := frameAt(L, 0)
	if !ok || f.fn.Proto.SourceName != chunkOfScripts {
		return
	}
	line := f.line()
	fresh := f.fn != d.fn || line != d.line || f.pc <= d.pc
	d.fn, d.pc, d.line = f.fn, f.pc, line
	switch at := slices.Contains(d.breakpoints, line); {
	case fresh && (at || d.called):
		reason := "break point"
		if d.called {
			reason = "redis.breakpoint() called"
		}
		d.stop(L, reason)
	case fresh && d.step:
		d.stop(L, "step over")
	case time.Since(d.since) > d.Timeout:
		d.stop(L, "timeout reached, infinite loop?")
	}
}

// stop answers commands until one makes the script go on.
func (d *Session) stop(L *lua.LState, reason string) {
	d.step, d.called = false, false
	d.say("* Stopped at %d, stop reason = %s", d.line, reason)
	d.sayLine(d.line)
	for {
		said := d.said
		d.said = nil
		command, ok := d.Ask(said)
		if !ok {
			d.gone = true
			break
		}
		d.answering = true
		goOn := d.answer(L, command)
		d.answering = false
		if goOn {
			break
		}
	}
	d.since = time.Now()
}

// answer obeys a command.
func (d *Session) answer(L *lua.LState, command []string) (goOn bool) {
	switch word := strings.ToLower(command[0]); {
	case word == "s" || word == "step" || word == "n" || word == "next":
		d.step = true
		return true
	case word == "c" || word == "continue":
		return true
	case word == "a" || word == "abort":
		d.s.clock.kill("script aborted for user request")
		return true
	case word == "h" || word == "help":
		d.said = append(d.said, debuggerHelp...)
	case word == "l" || word == "list":
		around, context := d.line, 5
		if n := number1(command, 1); n > 0 {
			around = n
		}
		if len(command) > 2 {
			context = number1(command, 2)
		}
		d.list(around, context)
	case word == "w" || word == "whole":
		d.list(1, len(d.source))
	case (word == "p" || word == "print") && len(command) == 2:
		d.print(L, command[1])
	case word == "p" || word == "print":
		d.printAll(L)
	case word == "b" || word == "break":
		d.breakpoint(command)
	case word == "t" || word == "trace":
		d.trace(L)
	case word == "e" || word == "eval":
		d.eval(L, strings.Join(command[1:], " "))
	case (word == "r" || word == "redis") && len(command) > 1:
		d.redis(L, command[1:])
	case word == "m" || word == "maxlen":
		d.setMaxLen(command)
	default:
		d.say("<error> Unknown Redis Lua debugger command or wrong number of arguments.")
	}
	return false
}

var debuggerHelp = []string{
	"Redis Lua debugger help:",
	"[h]elp               Shows this.",
	"[s]tep, [n]ext       Runs the line and stops again.",
	"[c]ontinue           Runs up to the next breakpoint.",
	"[l]ist [line] [n]    Shows n lines of the script on either side of a line; 0 is the current one.",
	"[w]hole              Shows the script.",
	"[p]rint [var]        Shows a variable, or all local ones; KEYS and ARGV too.",
	"[b]reak [line]       Shows the breakpoints, or sets one; -line removes one, 0 all.",
	"[t]race              Shows who has called whom.",
	"[e]val <code>        Runs Lua code, which does not see local variables.",
	"[r]edis <command>    Runs a command.",
	"[m]axlen [len]       Limits what is shown of a value; 0 is no limit.",
	"[a]bort              Ends the script. What it has changed stays changed.",
	"",
	"Scripts can call redis.debug(), which says its arguments here, and",
	"redis.breakpoint(), which stops at the next line.",
}

// number1 is argument i as a number, 0 for anything else.
func number1(command []string, i int) int {
	if i >= len(command) {
		return 0
	}
	n, _ := strconv.Atoi(command[i])
	return n
}

func (d *Session) list(around, context int) {
	for n := range d.source {
		if n++; n >= around-context && n <= around+context {
			d.sayLine(n)
		}
	}
}

// locals calls fn for the local variables of the function at a level.
func (d *Session) locals(L *lua.LState, level int, fn func(name string, v lua.LValue)) bool {
	if _, ok := L.GetStack(level); !ok {
		return false
	}
	f, ok := frameAt(L, level)
	for i := 1; ok; i++ {
		name, there := f.fn.LocalName(i, f.pc)
		if !there {
			break
		}
		if !strings.HasPrefix(name, "(") {
			_, v := L.GetLocal(f.debug, i)
			fn(name, v)
		}
	}
	return true
}

func (d *Session) print(L *lua.LState, name string) {
	var found lua.LValue
	for level := 0; found == nil; level++ {
		if !d.locals(L, level, func(n string, v lua.LValue) {
			if n == name && found == nil {
				found = v
			}
		}) {
			break
		}
	}
	if found == nil && (name == "KEYS" || name == "ARGV") {
		found = d.s.globals.RawGetString(name)
	}
	if found == nil {
		d.say("No such variable.")
		return
	}
	d.sayValue("<value> " + d.describe(found))
}

func (d *Session) printAll(L *lua.LState) {
	n := 0
	d.locals(L, 0, func(name string, v lua.LValue) {
		n++
		d.sayValue("<value> " + name + " = " + d.describe(v))
	})
	if n == 0 {
		d.say("No local variables in the current context.")
	}
}

func (d *Session) breakpoint(command []string) {
	if len(command) == 1 {
		if len(d.breakpoints) == 0 {
			d.say("No breakpoints set. Use 'b <line>' to add one.")
			return
		}
		d.say("%d breakpoints set:", len(d.breakpoints))
		for _, n := range d.breakpoints {
			d.sayLine(n)
		}
		return
	}
	for _, arg := range command[1:] {
		n, err := strconv.Atoi(arg)
		at := slices.Index(d.breakpoints, max(n, -n))
		switch {
		case err != nil:
			d.say("Invalid argument:'%s'", arg)
		case n == 0:
			d.breakpoints = nil
			d.say("All breakpoints removed.")
		case n < 0 && at < 0:
			d.say("No breakpoint in the specified line.")
		case n < 0:
			d.breakpoints = slices.Delete(d.breakpoints, at, at+1)
			d.say("Breakpoint removed.")
		case len(d.breakpoints) == maxBreakpoints:
			d.say("Too many breakpoints set.")
		case n > len(d.source):
			d.say("Wrong line number.")
		default:
			if at < 0 {
				d.breakpoints = append(d.breakpoints, n)
			}
			d.list(n, 1)
		}
	}
}

func (d *Session) trace(L *lua.LState) {
	for level := 0; ; level++ {
		dbg, ok := L.GetStack(level)
		if !ok {
			return
		}
		f, ok := frameAt(L, level)
		if !ok || f.fn.Proto.SourceName != chunkOfScripts {
			continue
		}
		name := "top level"
		if _, err := L.GetInfo("n", dbg, lua.LNil); err == nil && level > 0 || f.fn.Proto.LineDefined > 0 {
			if dbg.Name != "" && f.fn.Proto.LineDefined > 0 {
				name = dbg.Name
			}
		}
		from := "From"
		if level == 0 {
			from = "In"
		}
		d.say("%s %s:", from, name)
		d.sayLine(f.line())
	}
}

// eval runs code, as an expression if it is one.
func (d *Session) eval(L *lua.LState, code string) {
	proto, err := compile("return "+code, "ldb_eval")
	if err != nil {
		if proto, err = compile(code, "ldb_eval"); err != nil {
			d.say("<error> %s", err)
			return
		}
	}
	f := L.NewFunctionFromProto(proto)
	f.Env = d.s.env
	if v, ok := d.call(L, f); ok {
		d.sayValue("<retval> " + d.describe(v))
	}
}

// call calls a function in the middle of whatever runs.
func (d *Session) call(L *lua.LState, fn lua.LValue, args ...lua.LValue) (result lua.LValue, ok bool) {
	d.s.guards++
	defer func() { d.s.guards-- }()
	L.Push(d.s.enter)
	L.Push(fn)
	for _, arg := range args {
		L.Push(arg)
	}
	if err := L.PCall(1+len(args), 1, nil); err != nil {
		v := err.(*lua.ApiError).Object
		if t, isTable := v.(*lua.LTable); isTable {
			v = t.RawGetString("err")
		}
		d.say("<error> %s", shown(v))
		return nil, false
	}
	result = L.Get(-1)
	L.Pop(1)
	return result, true
}

// redis runs a command as the script would, which shows it and its reply.
func (d *Session) redis(L *lua.LState, command []string) {
	args := make([]lua.LValue, len(command))
	for i, arg := range command {
		args[i] = lua.LString(arg)
	}
	d.step = true
	d.call(L, L.NewFunction(func(L *lua.LState) int { return d.s.command(L, false) }), args...)
	d.step = false
}

func (d *Session) setMaxLen(command []string) {
	if len(command) == 2 {
		d.hinted = true
		d.maxLen = number1(command, 1)
		if d.maxLen != 0 {
			d.maxLen = max(d.maxLen, leastShown)
		}
	}
	if d.maxLen > 0 {
		d.say("<value> replies are truncated at %d bytes.", d.maxLen)
	} else {
		d.say("<value> replies are unlimited.")
	}
}

// commandRun shows a command before it is run.
func (d *Session) commandRun(args [][]byte) {
	const most = 10
	line := "<redis>"
	for i, arg := range args {
		if i == most {
			line += fmt.Sprintf(" ... (%d more)", len(args)-i-1)
			break
		}
		line += " " + string(arg)
	}
	d.said = append(d.said, line)
}

func (d *Session) commandReplied(reply []byte) {
	r := replies{data: reply}
	d.sayValue("<reply> " + string(r.describe(nil)))
}

func (d *Session) commandRefused(text string) {
	d.say("<error> %s", strings.TrimPrefix(text, "ERR "))
}

// debug is redis.debug.
func (s *state) debug(L *lua.LState) int {
	if d := s.session; d != nil {
		var said []string
		for i := 1; i <= L.GetTop(); i++ {
			said = append(said, d.describe(L.Get(i)))
		}
		d.say("<debug> line %d: %s", d.line, strings.Join(said, ", "))
	}
	return 0
}

// breakpoint is redis.breakpoint. It says whether there is a debugger.
func (s *state) breakpoint(L *lua.LState) int {
	if s.session != nil {
		s.session.called = true
	}
	L.Push(lua.LBool(s.session != nil))
	return 1
}

// describe is a value as the debugger shows it.
func (d *Session) describe(v lua.LValue) string { return d.describeAt(v, 0) }

func (d *Session) describeAt(v lua.LValue, depth int) string {
	if depth == valueDepth {
		return "<max recursion level reached! Nested table?>"
	}
	switch v := v.(type) {
	case lua.LString:
		return string(words.AppendQuoted(nil, string(v)))
	case lua.LNumber:
		return string(appendNumber(nil, float64(v), 6))
	case lua.LBool, *lua.LNilType:
		return v.String()
	case *lua.LTable:
		return d.describeTable(v, depth+1)
	case *lua.LFunction:
		return fmt.Sprintf(`"function@%p"`, v)
	}
	return fmt.Sprintf(`"%s@%p"`, v.Type(), v)
}

// describeTable leaves out the keys of an array.
func (d *Session) describeTable(t *lua.LTable, depth int) string {
	var array, full []string
	isArray := true
	d.s.pairs(t, func(k, v lua.LValue) bool {
		isArray = isArray && k == lua.LValue(lua.LNumber(len(array)+1))
		said := d.describeAt(v, depth)
		array = append(array, said)
		full = append(full, "["+d.describeAt(k, depth)+"]="+said)
		return true
	})
	if !isArray {
		array = full
	}
	return "{" + strings.Join(array, "; ") + "}"
}

// describe appends a reply as the debugger shows it.
func (r *replies) describe(dst []byte) []byte {
	switch kind := r.data[0]; kind {
	case ':', '(':
		return append(dst, r.line()...)
	case '+', '-':
		return words.AppendQuoted(dst, string(kind)+string(r.line()))
	case '$', '=':
		n := r.length()
		if n < 0 {
			return append(dst, "NULL"...)
		}
		return words.AppendQuoted(dst, string(r.bytes(n)))
	case '_':
		r.line()
		return append(dst, "(null)"...)
	case '#':
		if string(r.line()) == "t" {
			return append(dst, "#true"...)
		}
		return append(dst, "#false"...)
	case ',':
		return append(append(dst, "(double) "...), r.line()...)
	case '*', '>':
		return r.describeMany(dst, "[", "", "]")
	case '~':
		return r.describeMany(dst, "~(", "", ")")
	case '%':
		return r.describeMany(dst, "{", " => ", "}")
	}
	r.line()
	return dst
}

func (r *replies) describeMany(dst []byte, open, pair, end string) []byte {
	n := r.length()
	if n < 0 {
		return append(dst, "NULL"...)
	}
	dst = append(dst, open...)
	for i := range n {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = r.describe(dst)
		if pair != "" {
			dst = r.describe(append(dst, pair...))
		}
	}
	return append(dst, end...)
}
