package script

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// openBase adds the basic functions that Redis leaves to scripts: not print,
// dofile, loadfile, module, require, nor those that its security releases have
// taken away: getfenv, setfenv, newproxy. They are not the interpreter's, which
// know nothing of read-only tables, convert otherwise than Lua, and word their
// errors otherwise.
func (s *state) openBase() {
	L := s.L
	s.next = L.NewFunction(s.baseNext)
	s.set(s.globals, map[string]lua.LGFunction{
		"assert": baseAssert, "collectgarbage": baseCollectGarbage, "error": s.baseError,
		"gcinfo": baseGCInfo, "getmetatable": s.baseGetMetatable, "ipairs": s.baseIpairs, "load": s.baseLoad,
		"loadstring": s.baseLoadString, "pairs": s.basePairs, "pcall": s.basePcall, "rawequal": baseRawEqual,
		"rawget": s.baseRawGet, "rawset": s.baseRawSet, "select": baseSelect, "setmetatable": s.baseSetMetatable,
		"tonumber": baseToNumber, "tostring": s.baseToString, "type": baseType, "unpack": s.baseUnpack, "xpcall": s.baseXpcall,
	})
	s.globals.RawSetString("next", s.next)
	s.globals.RawSetString("_VERSION", lua.LString("Lua 5.1"))
}

func baseAssert(L *lua.LState) int {
	checkAny(L, 1)
	if lua.LVIsFalse(L.Get(1)) {
		raise(L, "%s", optString(L, 2, "assertion failed!"))
	}
	return L.GetTop()
}

// baseCollectGarbage answers and does nothing: memory belongs to the process.
func baseCollectGarbage(L *lua.LState) int {
	options := []string{"collect", "stop", "restart", "count", "step", "setpause", "setstepmul"}
	which := checkOption(L, 1, "collect", options)
	optInt(L, 2, 0)
	switch options[which] {
	case "count":
		L.Push(lua.LNumber(heapSize() / 1024))
	case "step":
		L.Push(lua.LTrue)
	default:
		L.Push(lua.LNumber(0))
	}
	return 1
}

func baseGCInfo(L *lua.LState) int {
	L.Push(lua.LNumber(math.Floor(heapSize() / 1024)))
	return 1
}

// baseError raises a value. A string is told its place, at a level of the
// stack; where that is a Go function there is none to tell.
func (s *state) baseError(L *lua.LState) int {
	level := optInt(L, 2, 1)
	v := L.Get(1)
	if message, ok := text(v); ok && level > 0 {
		v = lua.LString(where(L, level) + message)
	}
	s.throw(L, v)
	return 0
}

// where is luaL_where: "chunk:line: " of the function at a level.
func where(L *lua.LState, level int) string {
	if f, ok := frameAt(L, level); ok {
		return fmt.Sprintf("%s:%d: ", f.fn.Proto.SourceName, f.line())
	}
	return ""
}

func (s *state) baseGetMetatable(L *lua.LState) int {
	v := checkAny(L, 1)
	meta := L.GetMetatable(v)
	if t, ok := v.(*lua.LTable); ok {
		if _, readonly := s.behind(t); readonly {
			meta = lua.LNil
			if own, ok := s.veiled[t]; ok {
				meta = own
			}
		}
	}
	L.Push(meta)
	return 1
}

func (s *state) baseSetMetatable(L *lua.LState) int {
	t := checkTable(L, 1)
	meta := L.Get(2)
	switch meta.(type) {
	case *lua.LTable, *lua.LNilType:
	default:
		argError(L, 2, "nil or table expected")
	}
	if none(L, 2) {
		argError(L, 2, "nil or table expected")
	}
	if old, ok := t.Metatable.(*lua.LTable); ok && old.RawGetString("__metatable") != lua.LNil {
		raise(L, "cannot change a protected metatable")
	}
	s.writable(L, t).Metatable = meta
	L.SetTop(1)
	return 1
}

func (s *state) baseNext(L *lua.LState) int {
	t, _ := s.behind(checkTable(L, 1))
	k, v := t.Next(L.Get(2))
	L.Push(k)
	if k == lua.LNil {
		return 1
	}
	L.Push(v)
	return 2
}

func (s *state) basePairs(L *lua.LState) int {
	t := checkTable(L, 1)
	L.Push(s.next)
	L.Push(t)
	L.Push(lua.LNil)
	return 3
}

func (s *state) baseIpairs(L *lua.LState) int {
	t := checkTable(L, 1)
	L.Push(ipairsStep)
	L.Push(t)
	L.Push(lua.LNumber(0))
	return 3
}

var ipairsStep = &lua.LFunction{IsG: true, GFunction: func(L *lua.LState) int {
	t := checkTable(L, 1)
	i := checkInt(L, 2) + 1
	v := t.RawGetInt(i)
	if v == lua.LNil {
		L.Push(lua.LNil)
		return 1
	}
	L.Push(lua.LNumber(i))
	L.Push(v)
	return 2
}}

func baseRawEqual(L *lua.LState) int {
	L.Push(lua.LBool(L.RawEqual(checkAny(L, 1), checkAny(L, 2))))
	return 1
}

func (s *state) baseRawGet(L *lua.LState) int {
	t, _ := s.behind(checkTable(L, 1))
	L.Push(t.RawGet(checkAny(L, 2)))
	return 1
}

func (s *state) baseRawSet(L *lua.LState) int {
	t := checkTable(L, 1)
	k, v := checkAny(L, 2), checkAny(L, 3)
	L.RawSet(s.writable(L, t), k, v)
	L.SetTop(1)
	return 1
}

func baseSelect(L *lua.LState) int {
	n := L.GetTop()
	if s, ok := L.Get(1).(lua.LString); ok && strings.HasPrefix(string(s), "#") {
		L.Push(lua.LNumber(n - 1))
		return 1
	}
	i := checkInt(L, 1)
	switch {
	case i < 0:
		i += n
	case i > n:
		i = n
	}
	if i < 1 {
		argError(L, 1, "index out of range")
	}
	return n - i
}

func baseToNumber(L *lua.LState) int {
	base := optInt(L, 2, 10)
	if base == 10 {
		if f, ok := number(checkAny(L, 1)); ok {
			L.Push(lua.LNumber(f))
		} else {
			L.Push(lua.LNil)
		}
		return 1
	}
	digits := checkString(L, 1)
	if base < 2 || base > 36 {
		argError(L, 2, "base out of range")
	}
	if n, ok := parseBase(digits, base); ok {
		L.Push(lua.LNumber(n))
	} else {
		L.Push(lua.LNil)
	}
	return 1
}

// parseBase reads an integer in a base as strtoul does, which takes a sign and
// for base 16 a prefix.
func parseBase(digits string, base int) (float64, bool) {
	digits, _, _ = strings.Cut(digits, "\x00")
	digits = strings.Trim(digits, blanks)
	negative := strings.HasPrefix(digits, "-")
	if negative || strings.HasPrefix(digits, "+") {
		digits = digits[1:]
	}
	if base == 16 && len(digits) > 2 && digits[0] == '0' && digits[1]|0x20 == 'x' {
		digits = digits[2:]
	}
	if strings.ContainsAny(digits, "+-_") {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, base, 64)
	if err != nil && n != math.MaxUint64 {
		return 0, false
	}
	if negative {
		n = -n
	}
	return float64(n), true
}

func (s *state) baseToString(L *lua.LState) int {
	v := checkAny(L, 1)
	if op := L.GetMetaField(v, "__tostring"); op != lua.LNil {
		L.Push(op)
		L.Push(v)
		L.Call(1, 1)
		return 1
	}
	L.Push(lua.LString(s.toString(v)))
	return 1
}

func (s *state) toString(v lua.LValue) string {
	if v == lua.LValue(s.null) {
		return "userdata: (nil)"
	}
	return shown(v)
}

func baseType(L *lua.LState) int {
	L.Push(lua.LString(checkAny(L, 1).Type().String()))
	return 1
}

func (s *state) baseUnpack(L *lua.LState) int {
	t, _ := s.behind(checkTable(L, 1))
	i := optInt(L, 2, 1)
	end := optInt(L, 3, t.Len())
	if i > end {
		return 0
	}
	n := end - i + 1
	if n+L.GetTop() > maxResults {
		raise(L, "too many results to unpack")
	}
	for ; i <= end; i++ {
		L.Push(t.RawGetInt(i))
	}
	return n
}

// basePcall differs from Lua's: of an error table as redis.call raises it only
// the text is returned, as it was when such errors were strings.
func (s *state) basePcall(L *lua.LState) int {
	if none(L, 1) {
		return failed(L, lua.LString("attempt to call a boolean value")) // as it happens in Redis
	}
	if v := uncallable(L, 1); v != nil {
		return failed(L, lua.LString("attempt to call a "+v.Type().String()+" value"))
	}
	if fault := s.protect(L, nil); fault != nil {
		v := fault.Object
		if t, ok := v.(*lua.LTable); ok {
			if said := L.GetField(t, "err"); lua.LVCanConvToString(said) {
				v = said
			}
		}
		return failed(L, v)
	}
	L.Insert(lua.LTrue, 1)
	return L.GetTop()
}

func (s *state) baseXpcall(L *lua.LState) int {
	checkAny(L, 2)
	handler, _ := L.Get(2).(*lua.LFunction)
	L.SetTop(1)
	if v := uncallable(L, 1); v != nil {
		return failed(L, lua.LString("attempt to call a "+v.Type().String()+" value"))
	}
	if fault := s.protect(L, handler); fault != nil {
		return failed(L, fault.Object)
	}
	L.Insert(lua.LTrue, 1)
	return L.GetTop()
}

// uncallable returns argument n if it cannot be called.
func uncallable(L *lua.LState, n int) lua.LValue {
	v := L.Get(n)
	if _, ok := v.(*lua.LFunction); ok || L.GetMetaField(v, "__call") != lua.LNil {
		return nil
	}
	return v
}

func failed(L *lua.LState, v lua.LValue) int {
	L.Push(lua.LFalse)
	L.Push(v)
	return 2
}

func (s *state) baseLoadString(L *lua.LState) int {
	source := checkString(L, 1)
	return s.load(L, source, optString(L, 2, source))
}

func (s *state) baseLoad(L *lua.LState) int {
	reader := checkFunction(L, 1)
	name := optString(L, 2, "=(load)")
	var source strings.Builder
	for {
		L.Push(reader)
		L.Call(0, 1)
		piece := L.Get(-1)
		L.Pop(1)
		if piece == lua.LNil {
			break
		}
		part, ok := text(piece)
		if !ok {
			raise(L, "reader function must return a string")
		}
		if part == "" {
			break
		}
		source.WriteString(part)
	}
	return s.load(L, source.String(), name)
}

func (s *state) load(L *lua.LState, source, name string) int {
	proto, err := compile(source, chunkName(name))
	if err != nil {
		L.Push(lua.LNil)
		L.Push(lua.LString(err.Error()))
		return 2
	}
	f := L.NewFunctionFromProto(proto)
	f.Env = s.env
	L.Push(f)
	return 1
}
