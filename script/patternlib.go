package script

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
)

const magic = "^$*+?.([%-"

// find is string.find and string.match.
func find(L *lua.LState, positions bool) int {
	src, pattern := checkString(L, 1), checkString(L, 2)
	start := max(fromEnd(optInteger(L, 3, 1), len(src))-1, 0)
	if start > int64(len(src)) {
		start = int64(len(src))
	}
	at := int(start)
	if positions && (lua.LVAsBool(L.Get(4)) || !strings.ContainsAny(pattern, magic)) {
		i := strings.Index(src[at:], pattern)
		if i < 0 {
			L.Push(lua.LNil)
			return 1
		}
		L.Push(lua.LNumber(at + i + 1))
		L.Push(lua.LNumber(at + i + len(pattern)))
		return 2
	}
	anchored := strings.HasPrefix(pattern, "^")
	first := 0
	if anchored {
		first = 1
	}
	m := &match{L: L, src: src, pattern: pattern}
	for ; at <= len(src); at++ {
		m.level = 0
		if e := m.at(at, first); e >= 0 {
			if !positions {
				return m.pushCaptures(at, e, true)
			}
			L.Push(lua.LNumber(at + 1))
			L.Push(lua.LNumber(e))
			return m.pushCaptures(at, e, false) + 2
		}
		if anchored {
			break
		}
	}
	L.Push(lua.LNil)
	return 1
}

func strFind(L *lua.LState) int  { return find(L, true) }
func strMatch(L *lua.LState) int { return find(L, false) }

// strGmatch returns an iterator. As in Lua 5.1, ^ is no anchor here.
func strGmatch(L *lua.LState) int {
	m := &match{L: L, src: checkString(L, 1), pattern: checkString(L, 2)}
	at := 0
	L.Push(L.NewFunction(func(L *lua.LState) int {
		m.L = L
		for ; at <= len(m.src); at++ {
			m.level = 0
			e := m.at(at, 0)
			if e < 0 {
				continue
			}
			s := at
			at = e
			if e == s {
				at++ // an empty match: go on after the next byte
			}
			return m.pushCaptures(s, e, true)
		}
		return 0
	}))
	return 1
}

// strGsub replaces matches by a string, the fields of a table or the results
// of a function.
func strGsub(L *lua.LState) int {
	src, pattern := checkString(L, 1), checkString(L, 2)
	replacement := L.Get(3)
	switch replacement.(type) {
	case lua.LString, lua.LNumber, *lua.LTable, *lua.LFunction:
	default:
		argError(L, 3, "string/function/table expected")
	}
	limit := optInt(L, 4, len(src)+1)
	first := 0
	if strings.HasPrefix(pattern, "^") {
		first = 1
	}
	m := &match{L: L, src: src, pattern: pattern}
	var out []byte
	n, at := 0, 0
	for n < limit {
		m.level = 0
		e := m.at(at, first)
		if e >= 0 {
			n++
			out = m.replace(out, replacement, at, e)
		}
		switch {
		case e > at:
			at = e
		case at < len(src):
			out = append(out, src[at])
			at++
		default:
			at = len(src) + 1
		}
		if at > len(src) || first == 1 {
			break
		}
		if len(out) > maxString {
			raise(L, "string length overflow")
		}
	}
	if at < len(src) {
		out = append(out, src[at:]...)
	}
	L.Push(lua.LString(out))
	L.Push(lua.LNumber(n))
	return 2
}

// replace appends what takes the place of the match from s to e.
func (m *match) replace(out []byte, replacement lua.LValue, s, e int) []byte {
	L := m.L
	var v lua.LValue
	switch r := replacement.(type) {
	case *lua.LFunction:
		L.Push(r)
		L.Call(m.pushCaptures(s, e, true), 1)
		v = L.Get(-1)
		L.Pop(1)
	case *lua.LTable:
		v = L.GetTable(r, m.capture(0, s, e))
	default:
		template, _ := text(r)
		return m.expand(out, template, s, e)
	}
	if lua.LVIsFalse(v) {
		return append(out, m.src[s:e]...)
	}
	said, ok := text(v)
	if !ok {
		raise(L, "invalid replacement value (a %s)", v.Type().String())
	}
	return append(out, said...)
}

// expand appends a template in which %1 stands for a capture and %0 for the
// match.
func (m *match) expand(out []byte, template string, s, e int) []byte {
	for i := 0; i < len(template); i++ {
		c := template[i]
		if c != escape {
			out = append(out, c)
			continue
		}
		i++
		switch {
		case i == len(template):
			out = append(out, 0) // the end of C's string
		case !isDigit(template[i]):
			out = append(out, template[i])
		case template[i] == '0':
			out = append(out, m.src[s:e]...)
		default:
			said, _ := text(m.capture(int(template[i]-'1'), s, e))
			out = append(out, said...)
		}
	}
	return out
}
