package script

import (
	"fmt"
	"math"

	lua "github.com/yuin/gopher-lua"
)

// The library cjson (Lua CJSON 2.1.0).

// jsonSettings are what a script can change of it, for itself and those after
// it.
type jsonSettings struct {
	sparseConvert bool
	sparseRatio   int
	sparseSafe    int
	encodeDepth   int
	decodeDepth   int
	encodeInvalid int // numbers that JSON has not: 0 refused, 1 written, 2 null
	decodeInvalid bool
	precision     int
	keepBuffer    bool
}

func defaultJSON() jsonSettings {
	return jsonSettings{
		sparseRatio: 2, sparseSafe: 10, encodeDepth: 1000, decodeDepth: 1000, decodeInvalid: true, precision: shownDigits,
		keepBuffer: true,
	}
}

// maxJSONDepth is what Lua's stack has room for, whatever the settings.
const maxJSONDepth = 7990

func (s *state) openJSON() {
	s.globals.RawSetString("cjson", s.newJSON(&s.json))
}

// newJSON makes the library's table with settings of its own.
func (s *state) newJSON(j *jsonSettings) *lua.LTable {
	t := s.L.CreateTable(0, 16)
	s.set(t, map[string]lua.LGFunction{
		"encode":                  func(L *lua.LState) int { return s.jsonEncode(L, j) },
		"decode":                  func(L *lua.LState) int { return s.jsonDecode(L, j) },
		"encode_sparse_array":     j.setSparse,
		"encode_max_depth":        func(L *lua.LState) int { return setDepth(L, &j.encodeDepth) },
		"decode_max_depth":        func(L *lua.LState) int { return setDepth(L, &j.decodeDepth) },
		"encode_number_precision": j.setPrecision,
		"encode_keep_buffer":      j.setKeepBuffer,
		"encode_invalid_numbers":  j.setEncodeInvalid,
		"decode_invalid_numbers":  j.setDecodeInvalid,
		"new": func(L *lua.LState) int {
			own := defaultJSON()
			L.Push(s.newJSON(&own))
			return 1
		},
	})
	t.RawSetString("null", s.null)
	t.RawSetString("_NAME", lua.LString("cjson"))
	t.RawSetString("_VERSION", lua.LString("2.1.0"))
	return t
}

func atMost(L *lua.LState, n int) {
	if L.GetTop() > n {
		argError(L, n+1, "found too many arguments")
	}
}

// setInt changes a setting if argument n is given, and returns it.
func setInt(L *lua.LState, n int, setting *int, low, high int) {
	if !noneOrNil(L, n) {
		v := int(checkInteger(L, n))
		if v < low || v > high {
			argError(L, 1, fmt.Sprintf("expected integer between %d and %d", low, high))
		}
		*setting = v
	}
	L.Push(lua.LNumber(*setting))
}

// setOption changes a setting to one of some words, of which true stands for
// the one at number yes and false for the first.
func setOption(L *lua.LState, n int, setting *int, words []string, yes int) {
	if !noneOrNil(L, n) {
		if b, ok := L.Get(n).(lua.LBool); ok {
			*setting = 0
			if b {
				*setting = yes
			}
		} else {
			*setting = checkOption(L, n, "", words)
		}
	}
	if *setting == 0 || *setting == yes {
		L.Push(lua.LBool(*setting != 0))
	} else {
		L.Push(lua.LString(words[*setting]))
	}
}

func setBool(L *lua.LState, n int, setting *bool) {
	v := 0
	if *setting {
		v = 1
	}
	setOption(L, n, &v, []string{"off", "on"}, 1)
	*setting = v == 1
}

func (j *jsonSettings) setSparse(L *lua.LState) int {
	atMost(L, 3)
	L.SetTop(3)
	setBool(L, 1, &j.sparseConvert)
	setInt(L, 2, &j.sparseRatio, 0, math.MaxInt32)
	setInt(L, 3, &j.sparseSafe, 0, math.MaxInt32)
	return 3
}

func setDepth(L *lua.LState, depth *int) int {
	atMost(L, 1)
	L.SetTop(1)
	setInt(L, 1, depth, 1, math.MaxInt32)
	return 1
}

func (j *jsonSettings) setPrecision(L *lua.LState) int {
	atMost(L, 1)
	L.SetTop(1)
	setInt(L, 1, &j.precision, 1, shownDigits)
	return 1
}

func (j *jsonSettings) setKeepBuffer(L *lua.LState) int {
	atMost(L, 1)
	L.SetTop(1)
	setBool(L, 1, &j.keepBuffer)
	return 1
}

func (j *jsonSettings) setEncodeInvalid(L *lua.LState) int {
	atMost(L, 1)
	L.SetTop(1)
	setOption(L, 1, &j.encodeInvalid, []string{"off", "on", "null"}, 1)
	return 1
}

func (j *jsonSettings) setDecodeInvalid(L *lua.LState) int {
	atMost(L, 1)
	L.SetTop(1)
	setBool(L, 1, &j.decodeInvalid)
	return 1
}
