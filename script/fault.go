package script

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// Errors.
//
// Everything that is raised in Lua passes raise on its way, at the place where
// it happened: the stack is still there, to say in Lua's words what went wrong
// and where (Redis adds "script: <name>, on @user_script:<line>." to an error
// that ends a script).

// place is where an error happened.
type place struct {
	source string
	line   int
}

// raise is the interpreter's Panic: the value that is raised is on top of the
// stack.
func (s *state) raise(L *lua.LState) {
	v := L.Get(-1)
	if message, ok := v.(lua.LString); ok && !s.verbatim {
		v = lua.LString(explain(L, string(message)))
	}
	s.verbatim = false
	if handler := s.handler; handler != nil {
		// As in Lua a handler sees the stack of the error, and is not called
		// for an error of its own.
		s.handler = nil
		L.Push(handler)
		L.Push(v)
		L.Call(1, 1)
		v = L.Get(-1)
	}
	if s.guards == 0 {
		s.place = placeOf(L)
	}
	panic(&lua.ApiError{Type: lua.ApiErrorRun, Object: v, StackTrace: " "}) // no need for the trace, which is dear
}

// placeOf returns the line of the Lua function that runs, or that has called
// the Go function that runs.
func placeOf(L *lua.LState) place {
	for level := range 2 {
		if f, ok := frameAt(L, level); ok {
			return place{"@" + f.fn.Proto.SourceName, f.line()}
		}
	}
	return place{}
}

// throw raises a value as it is.
func (s *state) throw(L *lua.LState, v lua.LValue) {
	s.verbatim = true
	L.Error(v, 0)
}

// errorTable is an error as redis.pcall returns it: its text begins with a
// code.
func errorTable(L *lua.LState, text string) *lua.LTable {
	t := L.CreateTable(0, 2)
	t.RawSetString("err", lua.LString(text))
	return t
}

// counted marks an error that has been accounted for by the one who made it.
func counted(t *lua.LTable) *lua.LTable {
	t.RawSetString("ignore_error_stats_update", lua.LTrue)
	return t
}

// fail raises an error table whose text is given without a code.
func (s *state) fail(L *lua.LState, text string) int {
	s.throw(L, errorTable(L, "ERR "+text))
	return 0
}

// explain puts an error of the interpreter into Lua's words.
func explain(L *lua.LState, message string) string {
	at, said := splitPosition(message)
	has := func(prefix string) bool { return strings.HasPrefix(said, prefix) }
	switch {
	case has("attempt to call a non-function"):
		said = explainCall(L)
	case has("attempt to index a non-table"):
		said = explainIndex(L, said)
	case has("cannot perform "), has("__unm undefined"):
		said = explainArithmetic(L, 0)
	case has("__len undefined"):
		said = explainLength(L)
	case has("attempt to compare "):
		said = explainCompare(said)
	case has("registry overflow"):
		said = "stack overflow"
	case has("too many recursions in gettable"):
		said = "loop in gettable"
	case has("too many recursions in settable"):
		said = "loop in settable"
	}
	return at + said
}

// splitPosition takes the "chunk:line: " off a message.
func splitPosition(message string) (at, said string) {
	colon := strings.Index(message, ": ")
	if colon < 0 || strings.IndexByte(message[:colon], ':') < 0 {
		return "", message
	}
	return message[:colon+2], message[colon+2:]
}

func explainCall(L *lua.LState) string {
	f, ok := frameAt(L, 0)
	if !ok {
		return "attempt to call a nil value"
	}
	i := f.current()
	switch i.op() {
	case lua.OP_CALL, lua.OP_TAILCALL:
		return f.operand(L, "call", i.a())
	case lua.OP_TFORLOOP:
		return "attempt to call a " + f.value(L, i.a()).Type().String() + " value"
	}
	return "attempt to call a nil value"
}

func explainIndex(L *lua.LState, said string) string {
	kind := "nil"
	if open := strings.IndexByte(said, '('); open >= 0 {
		if end := strings.IndexByte(said[open:], ')'); end > 0 {
			kind = said[open+1 : open+end]
		}
	}
	f, ok := frameAt(L, 0)
	if !ok {
		return "attempt to index a " + kind + " value"
	}
	i := f.current()
	register := i.b()
	switch i.op() {
	case lua.OP_SETTABLE, lua.OP_SETTABLEKS:
		register = i.a()
	case lua.OP_GETTABLE, lua.OP_GETTABLEKS, lua.OP_SELF:
	default:
		return "attempt to index a " + kind + " value"
	}
	if v := f.value(L, register); v.Type().String() == kind {
		return describe(&f, "index", register, v)
	}
	return "attempt to index a " + kind + " value"
}

// explainArithmetic names the operand that is no number, in the Lua function
// at a level of the stack.
func explainArithmetic(L *lua.LState, level int) string {
	f, ok := frameAt(L, level)
	if !ok {
		return "attempt to perform arithmetic on a nil value"
	}
	i := f.current()
	register := i.b()
	if i.op() != lua.OP_UNM {
		if _, isNumber := number(f.value(L, register)); isNumber {
			register = i.c()
		}
	}
	return f.operand(L, "perform arithmetic on", register)
}

func explainLength(L *lua.LState) string {
	f, ok := frameAt(L, 0)
	if !ok {
		return "attempt to get length of a nil value"
	}
	return f.operand(L, "get length of", f.current().b())
}

func explainCompare(said string) string {
	words := strings.Fields(said) // attempt to compare A with B
	if len(words) == 6 && words[3] == words[5] {
		return "attempt to compare two " + words[3] + " values"
	}
	return said
}
