package script

import (
	"fmt"
	"math"
	"strconv"

	lua "github.com/yuin/gopher-lua"
)

// jsonWriter makes JSON of Lua values.
type jsonWriter struct {
	s   *state
	L   *lua.LState
	j   *jsonSettings
	out []byte
}

func (s *state) jsonEncode(L *lua.LState, j *jsonSettings) int {
	if L.GetTop() != 1 {
		argError(L, 1, "expected 1 argument")
	}
	w := jsonWriter{s: s, L: L, j: j}
	w.value(L.Get(1), 0)
	L.Push(lua.LString(w.out))
	return 1
}

func (w *jsonWriter) refuse(v lua.LValue, reason string) {
	raise(w.L, "Cannot serialise %s: %s", v.Type().String(), reason)
}

func (w *jsonWriter) value(v lua.LValue, depth int) {
	if len(w.out) > maxString {
		raise(w.L, "string length overflow")
	}
	switch v := v.(type) {
	case lua.LString:
		w.string(string(v))
	case lua.LNumber:
		w.number(v)
	case lua.LBool:
		w.out = strconv.AppendBool(w.out, bool(v))
	case *lua.LTable:
		w.table(v, depth+1)
	case *lua.LNilType:
		w.out = append(w.out, "null"...)
	default:
		if v != lua.LValue(w.s.null) {
			w.refuse(v, "type not supported")
		}
		w.out = append(w.out, "null"...)
	}
}

func (w *jsonWriter) table(t *lua.LTable, depth int) {
	if depth > w.j.encodeDepth || depth > maxJSONDepth {
		raise(w.L, "Cannot serialise, excessive nesting (%d)", depth)
	}
	n := w.arrayLength(t)
	if n <= 0 {
		w.object(t, depth)
		return
	}
	t, _ = w.s.behind(t)
	w.out = append(w.out, '[')
	for i := 1; i <= n; i++ {
		if i > 1 {
			w.out = append(w.out, ',')
		}
		w.value(t.RawGet(lua.LNumber(i)), depth)
	}
	w.out = append(w.out, ']')
}

// arrayLength returns the highest number among the keys, or -1 for a table
// that has other keys, or too few for its length.
func (w *jsonWriter) arrayLength(t *lua.LTable) int {
	highest, items := 0, 0
	w.s.pairs(t, func(k, _ lua.LValue) bool {
		f, ok := k.(lua.LNumber)
		if !ok || f < 1 || math.Floor(float64(f)) != float64(f) {
			highest = -1
			return false
		}
		highest = max(highest, toInt(float64(f)))
		items++
		return true
	})
	if highest > 0 && w.j.sparseRatio > 0 && highest > items*w.j.sparseRatio && highest > w.j.sparseSafe {
		if !w.j.sparseConvert {
			w.refuse(t, "excessively sparse array")
		}
		return -1
	}
	return highest
}

func (w *jsonWriter) object(t *lua.LTable, depth int) {
	w.out = append(w.out, '{')
	first := true
	w.s.pairs(t, func(k, v lua.LValue) bool {
		if !first {
			w.out = append(w.out, ',')
		}
		first = false
		switch k := k.(type) {
		case lua.LNumber:
			w.out = append(w.out, '"')
			w.number(k)
			w.out = append(w.out, '"', ':')
		case lua.LString:
			w.string(string(k))
			w.out = append(w.out, ':')
		default:
			w.refuse(k, "table key must be a number or string")
		}
		w.value(v, depth)
		return true
	})
	w.out = append(w.out, '}')
}

func (w *jsonWriter) number(n lua.LNumber) {
	f := float64(n)
	if math.IsInf(f, 0) || math.IsNaN(f) {
		switch {
		case w.j.encodeInvalid == 0:
			w.refuse(n, "must not be NaN or Inf")
		case w.j.encodeInvalid == 2:
			w.out = append(w.out, "null"...)
			return
		case math.IsNaN(f):
			w.out = append(w.out, "nan"...)
			return
		}
	}
	w.out = appendNumber(w.out, f, w.j.precision)
}

// jsonEscapes are the characters that have a letter of their own.
var jsonEscapes = map[byte]string{
	'\b': `\b`, '\t': `\t`, '\n': `\n`, '\f': `\f`, '\r': `\r`, '"': `\"`, '/': `\/`, '\\': `\\`,
}

// string appends any bytes: what is no UTF-8 is passed on as it is.
func (w *jsonWriter) string(s string) {
	w.out = append(w.out, '"')
	for i := range len(s) {
		c := s[i]
		if c >= ' ' && c != '"' && c != '/' && c != '\\' && c != 0x7f {
			w.out = append(w.out, c)
		} else if e, ok := jsonEscapes[c]; ok {
			w.out = append(w.out, e...)
		} else {
			w.out = fmt.Appendf(w.out, `\u%04x`, c)
		}
	}
	w.out = append(w.out, '"')
}
