package script

import (
	"math"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// openString adds the string library and the metatable of strings, by which
// s:upper() works, and arithmetic on strings that say a number.
func (s *state) openString() {
	t := s.open("string", map[string]lua.LGFunction{
		"byte": strByte, "char": strChar, "dump": strDump, "find": strFind, "format": strFormat, "gmatch": strGmatch,
		"gfind": strGmatch, "gsub": strGsub, "len": strLen, "lower": strLower, "match": strMatch, "rep": strRep,
		"reverse": strReverse, "sub": strSub, "upper": strUpper,
	})
	meta := s.L.CreateTable(0, 8)
	meta.RawSetString("__index", s.freeze(t))
	s.set(meta, map[string]lua.LGFunction{
		"__add": arithmetic(func(a, b float64) float64 { return a + b }),
		"__sub": arithmetic(func(a, b float64) float64 { return a - b }),
		"__mul": arithmetic(func(a, b float64) float64 { return a * b }),
		"__div": arithmetic(func(a, b float64) float64 { return a / b }),
		"__mod": arithmetic(modulo),
		"__pow": arithmetic(math.Pow),
		"__unm": func(L *lua.LState) int {
			f, ok := number(L.Get(1))
			if !ok {
				raise(L, "%s", explainArithmetic(L, 1))
			}
			L.Push(lua.LNumber(-f))
			return 1
		},
	})
	// Redis leaves this table open to change, by which a script could trick
	// another one.
	s.L.SetMetatable(lua.LString(""), meta)
	shown := s.L.CreateTable(0, 1)
	shown.RawSetString("__index", meta.RawGetString("__index"))
	meta.RawSetString("__metatable", s.freeze(shown))
}

// arithmetic is an operator on operands of which one is a string; the other
// may be something that has the operator itself.
func arithmetic(op func(a, b float64) float64) lua.LGFunction {
	return func(L *lua.LState) int {
		a, aOK := number(L.Get(1))
		b, bOK := number(L.Get(2))
		if !aOK || !bOK {
			return arithmeticObject(L)
		}
		L.Push(lua.LNumber(op(a, b)))
		return 1
	}
}

// arithmeticObject asks the other operand, which is a string's right
// neighbour.
func arithmeticObject(L *lua.LState) int {
	other := L.Get(2)
	if _, isString := other.(lua.LString); !isString {
		if f, ok := frameAt(L, 1); ok {
			if event, ok := arithmeticEvents[f.current().op()]; ok {
				if fn := L.GetMetaField(other, event); fn != lua.LNil {
					L.Insert(fn, 1)
					L.Call(2, 1)
					return 1
				}
			}
		}
	}
	raise(L, "%s", explainArithmetic(L, 1))
	return 0
}

var arithmeticEvents = map[int]string{
	lua.OP_ADD: "__add", lua.OP_SUB: "__sub", lua.OP_MUL: "__mul", lua.OP_DIV: "__div", lua.OP_MOD: "__mod", lua.OP_POW: "__pow",
}

func modulo(a, b float64) float64 { return a - math.Floor(a/b)*b }

// fromEnd makes a position that counts from the end, as negative ones do, count
// from the beginning.
func fromEnd(i int64, length int) int64 {
	if i < 0 {
		i += int64(length) + 1
	}
	return max(i, 0)
}

func strByte(L *lua.LState) int {
	s := checkString(L, 1)
	i := fromEnd(optInteger(L, 2, 1), len(s))
	j := fromEnd(optInteger(L, 3, i), len(s))
	i, j = max(i, 1), min(j, int64(len(s)))
	if i > j {
		return 0
	}
	if j-i+1 >= maxResults {
		raise(L, "string slice too long")
	}
	for _, c := range []byte(s[i-1 : j]) {
		L.Push(lua.LNumber(c))
	}
	return int(j - i + 1)
}

func strChar(L *lua.LState) int {
	n := L.GetTop()
	b := make([]byte, n)
	for i := range b {
		c := checkInt(L, i+1)
		if c < 0 || c > 255 {
			argError(L, i+1, "invalid value")
		}
		b[i] = byte(c)
	}
	L.Push(lua.LString(b))
	return 1
}

// strDump returns something that is no program: as in Redis, where compiled
// code cannot be loaded.
func strDump(L *lua.LState) int {
	checkFunction(L, 1)
	L.Push(lua.LString("\x1bLua"))
	return 1
}

func strLen(L *lua.LState) int {
	L.Push(lua.LNumber(len(checkString(L, 1))))
	return 1
}

func strLower(L *lua.LState) int { return mapBytes(L, 'A', 'Z') }
func strUpper(L *lua.LState) int { return mapBytes(L, 'a', 'z') }

// mapBytes changes the case of the letters of a range.
func mapBytes(L *lua.LState, low, high byte) int {
	b := []byte(checkString(L, 1))
	for i, c := range b {
		if low <= c && c <= high {
			b[i] = c ^ 0x20
		}
	}
	L.Push(lua.LString(b))
	return 1
}

func strRep(L *lua.LState) int {
	s, n := checkString(L, 1), checkInt(L, 2)
	if n <= 0 || s == "" {
		L.Push(lua.LString(""))
		return 1
	}
	if n > maxString/len(s) {
		raise(L, "resulting string too large") // Redis would try, and end
	}
	L.Push(lua.LString(strings.Repeat(s, n)))
	return 1
}

func strReverse(L *lua.LState) int {
	s := checkString(L, 1)
	b := make([]byte, len(s))
	for i := range len(s) {
		b[len(s)-1-i] = s[i]
	}
	L.Push(lua.LString(b))
	return 1
}

func strSub(L *lua.LState) int {
	s := checkString(L, 1)
	i := max(fromEnd(checkInteger(L, 2), len(s)), 1)
	j := min(fromEnd(optInteger(L, 3, -1), len(s)), int64(len(s)))
	if i > j {
		L.Push(lua.LString(""))
		return 1
	}
	L.Push(lua.LString(s[i-1 : j]))
	return 1
}
