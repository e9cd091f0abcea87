package script

import (
	"bytes"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"myredis/wire"
)

// replies turns a reply in RESP into Lua values. What it reads comes from the
// store itself and is not doubted.
type replies struct {
	s    *state
	data []byte
}

// line takes a line off the data, without its kind.
func (r *replies) line() []byte {
	end := bytes.IndexByte(r.data, '\r')
	line := r.data[1:end]
	r.data = r.data[end+2:]
	return line
}

func (r *replies) length() int {
	n, _ := strconv.Atoi(view(r.line()))
	return n
}

func (r *replies) bytes(n int) []byte {
	b := r.data[:n]
	r.data = r.data[n+2:]
	return b
}

// value reads one reply. Null is false for a script in RESP2 and nil in RESP3.
func (r *replies) value() lua.LValue {
	switch kind := r.data[0]; kind {
	case ':':
		n, _ := strconv.ParseInt(view(r.line()), 10, 64)
		return lua.LNumber(n)
	case '$':
		n := r.length()
		if n < 0 {
			return lua.LFalse
		}
		return lua.LString(r.bytes(n))
	case '+':
		return r.table("ok", lua.LString(r.line()))
	case '-':
		return counted(errorTable(r.s.L, withCode(string(r.line()))))
	case '*', '>':
		return r.array()
	case '_':
		r.line()
		return lua.LNil
	case '#':
		return lua.LBool(string(r.line()) == "t")
	case ',':
		f, _ := parseNumber(string(r.line()))
		return r.table("double", lua.LNumber(f))
	case '(':
		return r.table("big_number", lua.LString(r.line()))
	case '=':
		return r.verbatim()
	case '%':
		return r.table("map", r.pairs())
	case '~':
		return r.table("set", r.members())
	case '|': // said about the reply that follows; scripts are not shown it
		r.pairs()
		return r.value()
	}
	panic("script: a reply of unknown kind " + strconv.QuoteRune(rune(r.data[0])))
}

func (r *replies) table(field string, v lua.LValue) lua.LValue {
	t := r.s.L.CreateTable(0, 1)
	t.RawSetString(field, v)
	return t
}

func (r *replies) array() lua.LValue {
	n := r.length()
	if n < 0 {
		return lua.LFalse
	}
	t := r.s.L.CreateTable(n, 0)
	for i := range n {
		t.RawSetInt(i+1, r.value())
	}
	return t
}

func (r *replies) pairs() lua.LValue {
	n := r.length()
	t := r.s.L.CreateTable(0, n)
	for range n {
		k := r.value()
		r.s.L.RawSet(t, k, r.value())
	}
	return t
}

func (r *replies) members() lua.LValue {
	n := r.length()
	t := r.s.L.CreateTable(0, n)
	for range n {
		r.s.L.RawSet(t, r.value(), lua.LTrue)
	}
	return t
}

func (r *replies) verbatim() lua.LValue {
	b := r.bytes(r.length())
	t := r.s.L.CreateTable(0, 2)
	t.RawSetString("string", lua.LString(b[4:]))
	t.RawSetString("format", lua.LString(b[:3]))
	return r.table("verbatim_string", t)
}

// withCode is an error as error tables have it: a text without a code gets ERR
// (script_lua.c, luaPushErrorBuff).
func withCode(text string) string {
	code, said, found := strings.Cut(text, " ")
	if !found {
		code, said = "ERR", text
	}
	return code + " " + strings.Trim(said, "\r\n")
}

// replier turns Lua values into a reply (script_lua.c, luaReplyToRedisReply).
type replier struct {
	s   *state
	out *wire.Encoder
}

// Redis's conversion keeps what it has still to do on Lua's stack, whose size
// is what bounds the depth of a reply: an array takes one place, a map three.
const (
	stackPlaces  = 8000 // LUAI_MAXCSTACK
	placesAhead  = 4    // asked for before each value
	placesBefore = 2    // taken by the script's result and the error handler
	mapPlaces    = 3
	setPlaces    = 3
)

func (r *replier) value(v lua.LValue, place int) {
	if place+placesAhead > stackPlaces {
		r.error("ERR reached lua stack limit", false)
		return
	}
	switch v := v.(type) {
	case lua.LString:
		r.out.BulkString(string(v))
	case lua.LNumber:
		r.out.Int(toInt64(float64(v)))
	case lua.LBool:
		switch {
		case r.s.proto >= 3:
			r.out.Bool(bool(v))
		case bool(v):
			r.out.Int(1)
		default:
			r.out.Null()
		}
	case *lua.LTable:
		r.table(v, place)
	default:
		r.out.Null()
	}
}

func (r *replier) error(text string, counted bool) {
	text = strings.TrimRight(text, "\r\n")
	r.out.Error(text)
	r.s.inv.Host.Failed(text, counted)
}

// table replies with what a table's one field says it is, or with an array.
// Metatables are not asked.
func (r *replier) table(t *lua.LTable, place int) {
	t, _ = r.s.behind(t)
	if _, ok := t.RawGetString("err").(lua.LString); ok {
		r.error(errorText(t))
		return
	}
	if ok, isStatus := t.RawGetString("ok").(lua.LString); isStatus {
		status, _, _ := strings.Cut(string(ok), "\x00")
		r.out.Simple(status)
		return
	}
	if f, ok := t.RawGetString("double").(lua.LNumber); ok {
		r.out.Double(float64(f))
		return
	}
	if digits, ok := t.RawGetString("big_number").(lua.LString); ok {
		r.out.BigNumber(strings.NewReplacer("\r", " ", "\n", " ").Replace(string(digits)))
		return
	}
	if verbatim, ok := t.RawGetString("verbatim_string").(*lua.LTable); ok {
		format, isText := verbatim.RawGetString("format").(lua.LString)
		said, isText2 := verbatim.RawGetString("string").(lua.LString)
		if isText && isText2 {
			r.out.Verbatim(string(format), string(said))
			return
		}
	}
	if m, ok := t.RawGetString("map").(*lua.LTable); ok {
		r.many(m, wire.KindMap, place+mapPlaces)
		return
	}
	if set, ok := t.RawGetString("set").(*lua.LTable); ok {
		r.many(set, wire.KindSet, place+setPlaces)
		return
	}
	r.array(t, place)
}

func (r *replier) array(t *lua.LTable, place int) {
	n := 0
	for t.RawGetInt(n+1) != lua.LNil {
		n++
	}
	r.out.Array(n)
	for i := 1; i <= n; i++ {
		r.value(t.RawGetInt(i), place+1)
	}
}

// many replies with the keys of a table and, for a map, their values.
func (r *replier) many(t *lua.LTable, kind wire.Kind, place int) {
	mark, n := r.out.Defer(), 0
	r.s.pairs(t, func(k, v lua.LValue) bool {
		r.value(k, place)
		if kind == wire.KindMap {
			r.value(v, place)
		}
		n++
		return true
	})
	r.out.Resolve(mark, kind, n)
}
