package script

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"
)

// The arguments of library functions, checked and refused in the words of
// Lua's auxiliary library (luaL_check…, luaL_opt…).

func none(L *lua.LState, n int) bool { return n > L.GetTop() }

func noneOrNil(L *lua.LState, n int) bool { return L.Get(n) == lua.LNil }

// typeName is the type of argument n as errors name it.
func typeName(L *lua.LState, n int) string {
	if none(L, n) {
		return "no value"
	}
	return L.Get(n).Type().String()
}

// raise raises an error with the place of the running function's caller before
// it (luaL_error): a place there is only if that is a Lua function.
func raise(L *lua.LState, format string, args ...any) {
	L.Error(lua.LString(where(L, 1)+fmt.Sprintf(format, args...)), 0)
}

// argError refuses argument n.
func argError(L *lua.LState, n int, problem string) {
	kind, name := calledAs(L)
	if kind == "method" {
		n-- // the receiver is not counted
		if n == 0 {
			raise(L, "calling '%s' on bad self (%s)", name, problem)
		}
	}
	raise(L, "bad argument #%d to '%s' (%s)", n, name, problem)
}

func typeError(L *lua.LState, n int, want string) {
	argError(L, n, fmt.Sprintf("%s expected, got %s", want, typeName(L, n)))
}

func checkAny(L *lua.LState, n int) lua.LValue {
	if none(L, n) {
		argError(L, n, "value expected")
	}
	return L.Get(n)
}

func checkTable(L *lua.LState, n int) *lua.LTable {
	t, ok := L.Get(n).(*lua.LTable)
	if !ok {
		typeError(L, n, "table")
	}
	return t
}

func checkFunction(L *lua.LState, n int) *lua.LFunction {
	f, ok := L.Get(n).(*lua.LFunction)
	if !ok {
		typeError(L, n, "function")
	}
	return f
}

// text returns a string, or a number's digits.
func text(v lua.LValue) (string, bool) {
	switch v := v.(type) {
	case lua.LString:
		return string(v), true
	case lua.LNumber:
		return numberText(float64(v)), true
	}
	return "", false
}

// number returns a number, or what a string says.
func number(v lua.LValue) (float64, bool) {
	switch v := v.(type) {
	case lua.LNumber:
		return float64(v), true
	case lua.LString:
		return parseNumber(string(v))
	}
	return 0, false
}

func checkString(L *lua.LState, n int) string {
	s, ok := text(L.Get(n))
	if !ok {
		typeError(L, n, "string")
	}
	return s
}

func optString(L *lua.LState, n int, otherwise string) string {
	if noneOrNil(L, n) {
		return otherwise
	}
	return checkString(L, n)
}

func checkNumber(L *lua.LState, n int) float64 {
	f, ok := number(L.Get(n))
	if !ok {
		typeError(L, n, "number")
	}
	return f
}

// checkInteger returns a lua_Integer, 64 bits.
func checkInteger(L *lua.LState, n int) int64 { return toInt64(checkNumber(L, n)) }

func optInteger(L *lua.LState, n int, otherwise int64) int64 {
	if noneOrNil(L, n) {
		return otherwise
	}
	return checkInteger(L, n)
}

// checkInt returns C's int.
func checkInt(L *lua.LState, n int) int { return toInt(checkNumber(L, n)) }

func optInt(L *lua.LState, n int, otherwise int) int {
	if noneOrNil(L, n) {
		return otherwise
	}
	return checkInt(L, n)
}

// checkOption returns which of the options argument n is.
func checkOption(L *lua.LState, n int, otherwise string, options []string) int {
	s := otherwise
	if otherwise == "" || !noneOrNil(L, n) {
		s = checkString(L, n)
	}
	for i, option := range options {
		if s == option {
			return i
		}
	}
	argError(L, n, fmt.Sprintf("invalid option '%s'", s))
	return 0
}
