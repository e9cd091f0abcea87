package script

import (
	"math"
	"sort"

	lua "github.com/yuin/gopher-lua"
)

func (s *state) openTable() {
	s.open("table", map[string]lua.LGFunction{
		"concat": s.tableConcat, "foreach": s.tableForeach, "foreachi": s.tableForeachi, "getn": s.tableGetn,
		"insert": s.tableInsert, "maxn": s.tableMaxn, "remove": s.tableRemove, "setn": tableSetn, "sort": s.tableSort,
	})
}

func (s *state) tableConcat(L *lua.LState) int {
	t, _ := s.behind(checkTable(L, 1))
	separator := optString(L, 2, "")
	i := optInt(L, 3, 1)
	last := optInt(L, 4, t.Len())
	var joined []byte
	for ; i <= last; i++ {
		v := t.RawGetInt(i)
		switch v := v.(type) {
		case lua.LString:
			joined = append(joined, v...)
		case lua.LNumber:
			joined = appendNumber(joined, float64(v), shownDigits)
		default:
			raise(L, "invalid value (%s) at index %d in table for 'concat'", v.Type().String(), i)
		}
		if i < last {
			joined = append(joined, separator...)
		}
		if len(joined) > maxString {
			raise(L, "string length overflow")
		}
	}
	L.Push(lua.LString(joined))
	return 1
}

// each calls the function that is argument 2 until it returns something.
func each(L *lua.LState, k, v lua.LValue) (stop bool) {
	L.Push(L.Get(2))
	L.Push(k)
	L.Push(v)
	L.Call(2, 1)
	if L.Get(-1) != lua.LNil {
		return true
	}
	L.Pop(1)
	return false
}

func (s *state) tableForeach(L *lua.LState) int {
	t := checkTable(L, 1)
	checkFunction(L, 2)
	results := 0
	s.pairs(t, func(k, v lua.LValue) bool {
		if each(L, k, v) {
			results = 1
		}
		return results == 0
	})
	return results
}

func (s *state) tableForeachi(L *lua.LState) int {
	t, _ := s.behind(checkTable(L, 1))
	checkFunction(L, 2)
	n := t.Len()
	for i := 1; i <= n; i++ {
		if each(L, lua.LNumber(i), t.RawGetInt(i)) {
			return 1
		}
	}
	return 0
}

func (s *state) tableGetn(L *lua.LState) int {
	t, _ := s.behind(checkTable(L, 1))
	L.Push(lua.LNumber(t.Len()))
	return 1
}

func tableSetn(L *lua.LState) int {
	checkTable(L, 1)
	raise(L, "'setn' is obsolete")
	return 0
}

func (s *state) tableMaxn(L *lua.LState) int {
	highest := 0.0
	s.pairs(checkTable(L, 1), func(k, _ lua.LValue) bool {
		if f, ok := k.(lua.LNumber); ok {
			highest = math.Max(highest, float64(f))
		}
		return true
	})
	L.Push(lua.LNumber(highest))
	return 1
}

func (s *state) tableInsert(L *lua.LState) int {
	t := checkTable(L, 1)
	switch L.GetTop() {
	case 2:
		s.writable(L, t).Append(L.Get(2))
	case 3:
		at := checkInt(L, 2)
		s.writable(L, t)
		if n := t.Len(); at < 1 || at > n {
			s.put(L, t, at, L.Get(3))
		} else {
			t.Insert(at, L.Get(3))
		}
	default:
		raise(L, "wrong number of arguments to 'insert'")
	}
	return 0
}

// put sets an element by its number. The interpreter keeps arrays without
// gaps: an element far beyond the end is paid for with all those before it.
func (s *state) put(L *lua.LState, t *lua.LTable, i int, v lua.LValue) {
	if i > t.Len()+maxGap {
		raise(L, "table overflow")
	}
	t.RawSetInt(i, v)
}

// maxGap is how far beyond its end a table may be written to by the library.
const maxGap = 1 << 20

func (s *state) tableRemove(L *lua.LState) int {
	t := checkTable(L, 1)
	n := t.Len()
	at := optInt(L, 2, n)
	if at < 1 || at > n {
		return 0
	}
	L.Push(s.writable(L, t).Remove(at))
	return 1
}

// sorter orders values by a function, or by <.
type sorter struct {
	L      *lua.LState
	values []lua.LValue
	before lua.LValue
}

func (s *sorter) Len() int      { return len(s.values) }
func (s *sorter) Swap(i, j int) { s.values[i], s.values[j] = s.values[j], s.values[i] }

func (s *sorter) Less(i, j int) bool {
	L := s.L
	if s.before == lua.LNil {
		return s.less(s.values[i], s.values[j])
	}
	L.Push(s.before)
	L.Push(s.values[i])
	L.Push(s.values[j])
	L.Call(2, 1)
	less := lua.LVAsBool(L.Get(-1))
	L.Pop(1)
	return less
}

func (s *sorter) less(a, b lua.LValue) bool {
	kind, other := a.Type(), b.Type()
	if kind == other && (kind == lua.LTNumber || kind == lua.LTString || s.L.GetMetaField(a, "__lt") != lua.LNil) {
		return s.L.LessThan(a, b)
	}
	said := "attempt to compare " + kind.String() + " with " + other.String()
	s.L.Error(lua.LString(explainCompare(said)), 0)
	return false
}

func (s *state) tableSort(L *lua.LState) int {
	t := checkTable(L, 1)
	if !noneOrNil(L, 2) {
		checkFunction(L, 2)
	}
	s.writable(L, t)
	by := &sorter{L: L, before: L.Get(2), values: make([]lua.LValue, t.Len())}
	for i := range by.values {
		by.values[i] = t.RawGetInt(i + 1)
	}
	sort.Sort(by)
	for i, v := range by.values {
		t.RawSetInt(i+1, v)
	}
	return 0
}
