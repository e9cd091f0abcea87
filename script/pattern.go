package script

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// Lua's patterns: a backtracking matcher over bytes in the C locale. The
// interpreter's own compiles each pattern to instructions before each use,
// and differs in what it refuses.

const (
	maxCaptures = 32 // LUA_MAXCAPTURES

	captureOpen     = -1
	capturePosition = -2

	escape = '%'

	maxMatchDepth = 100_000
)

// match is an attempt to match a pattern somewhere in a text.
type match struct {
	L        *lua.LState
	src      string
	pattern  string
	level    int // captures so far, open or closed
	depth    int // of at within at
	captures [maxCaptures]struct{ start, length int }
}

// at matches pattern[p:] with src[s:] and returns the end of the match, or -1.
func (m *match) at(s, p int) int {
	if m.depth++; m.depth > maxMatchDepth {
		raise(m.L, "pattern too complex") // Redis would run out of stack
	}
	defer m.leave()
	for p < len(m.pattern) {
		switch m.pattern[p] {
		case '(':
			if p+1 < len(m.pattern) && m.pattern[p+1] == ')' {
				return m.open(s, p+2, capturePosition)
			}
			return m.open(s, p+1, captureOpen)
		case ')':
			return m.close(s, p+1)
		case escape:
			if p+1 < len(m.pattern) {
				switch c := m.pattern[p+1]; {
				case c == 'b':
					if s = m.balanced(s, p+2); s < 0 {
						return -1
					}
					p += 4
					continue
				case c == 'f':
					end, ok := m.frontier(s, p+2)
					if !ok {
						return -1
					}
					p = end
					continue
				case isDigit(c):
					if s = m.back(s, c); s < 0 {
						return -1
					}
					p += 2
					continue
				}
			}
		case '$':
			if p+1 == len(m.pattern) {
				if s == len(m.src) {
					return s
				}
				return -1
			}
		}
		end := m.classEnd(p)
		suffix := byte(0)
		if end < len(m.pattern) {
			suffix = m.pattern[end]
		}
		switch suffix {
		case '?':
			if m.one(s, p, end) {
				if e := m.at(s+1, end+1); e >= 0 {
					return e
				}
			}
			p = end + 1
		case '*':
			return m.most(s, p, end, 0)
		case '+':
			return m.most(s, p, end, 1)
		case '-':
			return m.least(s, p, end)
		default:
			if !m.one(s, p, end) {
				return -1
			}
			s, p = s+1, end
		}
	}
	return s
}

func (m *match) leave() { m.depth-- }

// classEnd returns where the single item that begins at p ends.
func (m *match) classEnd(p int) int {
	c := m.pattern[p]
	p++
	switch c {
	case escape:
		if p == len(m.pattern) {
			raise(m.L, "%s", "malformed pattern (ends with '%')")
		}
		return p + 1
	case '[':
		if p < len(m.pattern) && m.pattern[p] == '^' {
			p++
		}
		for first := true; first || p >= len(m.pattern) || m.pattern[p] != ']'; first = false {
			if p >= len(m.pattern) {
				raise(m.L, "malformed pattern (missing ']')")
			}
			c := m.pattern[p]
			p++
			if c == escape && p < len(m.pattern) {
				p++
			}
		}
		return p + 1
	}
	return p
}

// one reports whether the byte at s is what the item pattern[p:end] stands
// for.
func (m *match) one(s, p, end int) bool {
	if s >= len(m.src) {
		return false
	}
	c := m.src[s]
	switch m.pattern[p] {
	case '.':
		return true
	case escape:
		return inClass(c, m.pattern[p+1])
	case '[':
		return m.inSet(c, p, end-1)
	}
	return m.pattern[p] == c
}

// inSet reports whether c is in the set from the bracket at p to that at end.
func (m *match) inSet(c byte, p, end int) bool {
	in := true
	p++
	if m.pattern[p] == '^' {
		in = false
		p++
	}
	for ; p < end; p++ {
		switch {
		case m.pattern[p] == escape:
			p++
			if inClass(c, m.pattern[p]) {
				return in
			}
		case p+2 < end && m.pattern[p+1] == '-':
			if m.pattern[p] <= c && c <= m.pattern[p+2] {
				return in
			}
			p += 2
		case m.pattern[p] == c:
			return in
		}
	}
	return !in
}

// inClass reports whether c is in a class such as %a; an upper-case letter
// stands for the opposite, anything but a class's letter for itself.
func inClass(c, class byte) bool {
	var in bool
	switch class | 0x20 {
	case 'a':
		in = isLetter(c)
	case 'c':
		in = c < ' ' || c == 0x7f
	case 'd':
		in = isDigit(c)
	case 'l':
		in = 'a' <= c && c <= 'z'
	case 'p':
		in = '!' <= c && c <= '~' && !isLetter(c) && !isDigit(c)
	case 's':
		in = strings.IndexByte(blanks, c) >= 0
	case 'u':
		in = 'A' <= c && c <= 'Z'
	case 'w':
		in = isLetter(c) || isDigit(c)
	case 'x':
		in = isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f'
	case 'z':
		in = c == 0
	default:
		return class == c
	}
	if !isLetter(class) {
		return class == c
	}
	return in == ('a' <= class)
}

// most takes as many as it can, and fewer where the rest does not match.
func (m *match) most(s, p, end, atLeast int) int {
	n := 0
	for m.one(s+n, p, end) {
		n++
	}
	for ; n >= atLeast; n-- {
		if e := m.at(s+n, end+1); e >= 0 {
			return e
		}
	}
	return -1
}

func (m *match) least(s, p, end int) int {
	for {
		if e := m.at(s, end+1); e >= 0 {
			return e
		}
		if !m.one(s, p, end) {
			return -1
		}
		s++
	}
}

func (m *match) open(s, p, what int) int {
	if m.level >= maxCaptures {
		raise(m.L, "too many captures")
	}
	m.captures[m.level].start, m.captures[m.level].length = s, what
	m.level++
	e := m.at(s, p)
	if e < 0 {
		m.level--
	}
	return e
}

func (m *match) close(s, p int) int {
	for l := m.level - 1; l >= 0; l-- {
		if m.captures[l].length == captureOpen {
			m.captures[l].length = s - m.captures[l].start
			e := m.at(s, p)
			if e < 0 {
				m.captures[l].length = captureOpen
			}
			return e
		}
	}
	raise(m.L, "invalid pattern capture")
	return -1
}

// balanced matches %bxy.
func (m *match) balanced(s, p int) int {
	if p+1 >= len(m.pattern) {
		raise(m.L, "unbalanced pattern")
	}
	open, end := m.pattern[p], m.pattern[p+1]
	if s >= len(m.src) || m.src[s] != open {
		return -1
	}
	for depth := 1; s+1 < len(m.src); {
		s++
		switch m.src[s] {
		case end:
			if depth--; depth == 0 {
				return s + 1
			}
		case open:
			depth++
		}
	}
	return -1
}

// frontier matches %f[set] and returns the end of the set.
func (m *match) frontier(s, p int) (end int, ok bool) {
	if p >= len(m.pattern) || m.pattern[p] != '[' {
		raise(m.L, "%s", "missing '[' after '%f' in pattern")
	}
	end = m.classEnd(p)
	var before, at byte
	if s > 0 {
		before = m.src[s-1]
	}
	if s < len(m.src) {
		at = m.src[s]
	}
	return end, !m.inSet(before, p, end-1) && m.inSet(at, p, end-1)
}

// back matches what an earlier capture has matched.
func (m *match) back(s int, digit byte) int {
	l := int(digit - '1')
	if l < 0 || l >= m.level || m.captures[l].length == captureOpen {
		raise(m.L, "invalid capture index")
	}
	if n := m.captures[l].length; n >= 0 {
		if strings.HasPrefix(m.src[s:], m.src[m.captures[l].start:m.captures[l].start+n]) {
			return s + n
		}
	}
	return -1
}

// capture returns what capture l has matched in the match from s to e; without
// captures the whole is the first.
func (m *match) capture(l, s, e int) lua.LValue {
	if l >= m.level {
		if l != 0 {
			raise(m.L, "invalid capture index")
		}
		return lua.LString(m.src[s:e])
	}
	switch start, n := m.captures[l].start, m.captures[l].length; n {
	case captureOpen:
		raise(m.L, "unfinished capture")
		return nil
	case capturePosition:
		return lua.LNumber(start + 1)
	default:
		return lua.LString(m.src[start : start+n])
	}
}

// pushCaptures pushes all captures, or the whole match when there are none and
// it is wanted.
func (m *match) pushCaptures(s, e int, whole bool) int {
	n := m.level
	if n == 0 && whole {
		n = 1
	}
	for l := range n {
		m.L.Push(m.capture(l, s, e))
	}
	return n
}
