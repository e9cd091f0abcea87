package glob

// How a match stays cheap.
//
// Each element of a pattern but the star takes exactly one byte of the name. So
// when the rest of a pattern fails after its latest star, only that star need
// try another length: were an earlier star to take more, the latest would only
// begin further right, at a place already tried. One saved position replaces
// the recursion over all stars, whose time grows exponentially with their
// number (Redis: CVE-2022-36021), and a match costs at most
// len(pattern)*len(name) steps.

// Text is what patterns and names are made of.
type Text interface{ ~string | ~[]byte }

// Match reports whether the whole name matches the pattern. With nocase the
// letters A to Z match either case, except after a backslash inside brackets.
//
// The rules are those of Redis 7.0's stringmatchlen, to the letter: a range may
// be given backwards, bytes above 127 come before the others in a range, and
// the empty name matches only the empty pattern, not "*".
func Match[P, N Text](pattern P, name N, nocase bool) bool {
	if len(name) == 0 {
		return len(pattern) == 0
	}
	p, n := 0, 0
	star, starName := -1, 0 // after the latest star: what follows it, and where that was last tried
	for n < len(name) {
		if p < len(pattern) && pattern[p] == '*' {
			if p = skipStars(pattern, p); p == len(pattern) {
				return true
			}
			star, starName = p, n
		}
		if p < len(pattern) {
			if next, ok := matchOne(pattern, p, name[n], nocase); ok {
				p = next
				n++
				continue
			}
		}
		if star < 0 {
			return false
		}
		starName++
		p, n = star, starName
	}
	return skipStars(pattern, p) == len(pattern)
}

// IsLiteral reports whether the pattern has nothing special in it, so that it
// matches only the name equal to it.
func IsLiteral[P Text](pattern P) bool {
	for i := range len(pattern) {
		switch pattern[i] {
		case '*', '?', '[', '\\':
			return false
		}
	}
	return true
}

func skipStars[P Text](pattern P, p int) int {
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p
}

// matchOne matches the element that begins at pattern[p], which is no star,
// against one byte, and returns where the next element begins.
func matchOne[P Text](pattern P, p int, c byte, nocase bool) (next int, ok bool) {
	switch pattern[p] {
	case '?':
		return p + 1, true
	case '[':
		return matchClass(pattern, p+1, c, nocase)
	case '\\':
		if p+1 < len(pattern) {
			p++
		}
	}
	return p + 1, equal(pattern[p], c, nocase)
}

// matchClass is matchOne inside brackets; pattern[p] follows the opening one.
func matchClass[P Text](pattern P, p int, c byte, nocase bool) (next int, ok bool) {
	negated := p < len(pattern) && pattern[p] == '^'
	if negated {
		p++
	}
	found := false
	for p < len(pattern) && pattern[p] != ']' {
		switch {
		case pattern[p] == '\\' && p+1 < len(pattern):
			found = found || pattern[p+1] == c
			p += 2
		case p+2 < len(pattern) && pattern[p+1] == '-':
			found = found || inRange(pattern[p], pattern[p+2], c, nocase)
			p += 3
		default:
			found = found || equal(pattern[p], c, nocase)
			p++
		}
	}
	return min(p+1, len(pattern)), found != negated
}

// inRange orders bytes as the signed char of C that Redis compares. The ends
// are put in order before the case is folded, as there.
func inRange(lo, hi, c byte, nocase bool) bool {
	if int8(lo) > int8(hi) {
		lo, hi = hi, lo
	}
	if nocase {
		lo, hi, c = lower(lo), lower(hi), lower(c)
	}
	return int8(lo) <= int8(c) && int8(c) <= int8(hi)
}

func equal(a, b byte, nocase bool) bool {
	return a == b || nocase && lower(a) == lower(b)
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + ('a' - 'A')
	}
	return c
}
