package script

import (
	"errors"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// jsonReader makes Lua values of JSON.
type jsonReader struct {
	s     *state
	L     *lua.LState
	j     *jsonSettings
	src   string
	at    int
	depth int
	token jsonToken
}

// jsonToken is a word of JSON; an error's kind says what is wrong.
type jsonToken struct {
	kind  string // as errors name it
	value lua.LValue
	at    int
	bad   bool
}

// Kinds of tokens as cjson's errors name them.
const (
	jsonObjectBegin = "T_OBJ_BEGIN"
	jsonObjectEnd   = "T_OBJ_END"
	jsonArrayBegin  = "T_ARR_BEGIN"
	jsonArrayEnd    = "T_ARR_END"
	jsonString      = "T_STRING"
	jsonNumber      = "T_NUMBER"
	jsonBoolean     = "T_BOOLEAN"
	jsonNull        = "T_NULL"
	jsonColon       = "T_COLON"
	jsonComma       = "T_COMMA"
	jsonEnd         = "T_END"
)

var jsonSymbols = map[byte]string{
	'{': jsonObjectBegin, '}': jsonObjectEnd, '[': jsonArrayBegin, ']': jsonArrayEnd, ':': jsonColon, ',': jsonComma,
}

func (s *state) jsonDecode(L *lua.LState, j *jsonSettings) int {
	if L.GetTop() != 1 {
		argError(L, 1, "expected 1 argument")
	}
	r := jsonReader{s: s, L: L, j: j, src: checkString(L, 1)}
	if len(r.src) >= 2 && (r.src[0] == 0 || r.src[1] == 0) {
		raise(L, "JSON parser does not support UTF-16 or UTF-32")
	}
	r.next()
	v := r.value()
	r.next()
	r.want(jsonEnd, "the end")
	L.Push(v)
	return 1
}

func (r *jsonReader) peek(ahead int) byte {
	if r.at+ahead < len(r.src) {
		return r.src[r.at+ahead]
	}
	return 0
}

// next reads a token. A zero byte ends the text.
func (r *jsonReader) next() {
	for c := r.peek(0); c == ' ' || c == '\t' || c == '\n' || c == '\r'; c = r.peek(0) {
		r.at++
	}
	c := r.peek(0)
	r.token = jsonToken{at: r.at}
	rest := r.src[min(r.at, len(r.src)):]
	switch {
	case c == 0:
		r.token.kind = jsonEnd
	case jsonSymbols[c] != "":
		r.token.kind = jsonSymbols[c]
		r.at++
	case c == '"':
		r.string()
	case c == '-' || isDigit(c):
		if !r.j.decodeInvalid && strictlyInvalid(rest) {
			r.bad("invalid number")
			return
		}
		r.number(rest)
	case strings.HasPrefix(rest, "true"):
		r.word(jsonBoolean, lua.LTrue, 4)
	case strings.HasPrefix(rest, "false"):
		r.word(jsonBoolean, lua.LFalse, 5)
	case strings.HasPrefix(rest, "null"):
		// A table cannot hold nil.
		r.word(jsonNull, r.s.null, 4)
	case strings.IndexByte("iInN+", c) >= 0 && r.j.decodeInvalid && strictlyInvalid(rest):
		r.number(rest)
	default:
		r.bad("invalid token")
	}
}

func (r *jsonReader) word(kind string, v lua.LValue, n int) {
	r.token.kind, r.token.value = kind, v
	r.at += n
}

func (r *jsonReader) bad(what string) {
	r.token = jsonToken{kind: what, at: r.at, bad: true}
}

// want refuses the token if it is of another kind.
func (r *jsonReader) want(kind, what string) {
	if r.token.kind != kind || r.token.bad {
		raise(r.L, "Expected %s but found %s at character %d", what, r.token.kind, r.token.at+1)
	}
}

func (r *jsonReader) is(kind string) bool { return r.token.kind == kind && !r.token.bad }

// strictlyInvalid reports whether what C reads as a number is none to JSON:
// hexadecimal, leading zeros or plus, infinity and NaN.
func strictlyInvalid(s string) bool {
	if s[0] == '+' {
		return true
	}
	s = strings.TrimPrefix(s, "-")
	if s == "" {
		return false
	}
	if s[0] == '0' {
		return len(s) > 1 && (s[1]|0x20 == 'x' || isDigit(s[1]))
	}
	if s[0] <= '9' {
		return false
	}
	lower := strings.ToLower(s[:min(len(s), 3)])
	return lower == "inf" || lower == "nan"
}

func (r *jsonReader) number(rest string) {
	f, n := numberPrefix(rest)
	if n == 0 {
		r.bad("invalid number")
		return
	}
	r.word(jsonNumber, lua.LNumber(f), n)
}

// numberPrefix reads the number that a text begins with, as strtod does, and
// returns its length.
func numberPrefix(s string) (f float64, n int) {
	i := 0
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		i++
	}
	for _, word := range []string{"infinity", "inf", "nan"} {
		if len(s)-i >= len(word) && strings.EqualFold(s[i:i+len(word)], word) {
			f, _ = parseNumber(s[:i+len(word)])
			return f, i + len(word)
		}
	}
	digit, exponent := isDigit, byte('e')
	if len(s)-i > 2 && s[i] == '0' && s[i+1]|0x20 == 'x' && isHex(s[i+2]) {
		i += 2
		digit, exponent = isHex, 'p'
	}
	digits := 0
	run := func() {
		for i < len(s) && digit(s[i]) {
			i++
			digits++
		}
	}
	run()
	if i < len(s) && s[i] == '.' {
		i++
		run()
	}
	if digits == 0 {
		return 0, 0
	}
	if e := i; e < len(s) && s[e]|0x20 == exponent {
		e++
		if e < len(s) && (s[e] == '-' || s[e] == '+') {
			e++
		}
		if e < len(s) && isDigit(s[e]) {
			for e < len(s) && isDigit(s[e]) {
				e++
			}
			i = e
		}
	}
	f, err := strconv.ParseFloat(withExponent(s[:i], exponent), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, 0
	}
	return f, i
}

// withExponent adds to a hexadecimal number the exponent that Go wants.
func withExponent(s string, exponent byte) string {
	if exponent == 'p' && !strings.ContainsAny(s, "pP") {
		return s + "p0"
	}
	return s
}

func isHex(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

var jsonUnescapes = map[byte]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 't': '\t', 'n': '\n', 'f': '\f', 'r': '\r'}

func (r *jsonReader) string() {
	start := r.at
	r.at++
	var out []byte
	for {
		c := r.peek(0)
		switch {
		case c == 0:
			r.bad("unexpected end of string")
			return
		case c == '"':
			r.at++
			r.token = jsonToken{kind: jsonString, value: lua.LString(out), at: start}
			return
		case c != '\\':
			out = append(out, c)
			r.at++
			continue
		}
		if r.peek(1) == 'u' {
			text, n := r.unicode()
			if n == 0 {
				r.bad("invalid unicode escape code")
				return
			}
			out = append(out, text...)
			r.at += n
			continue
		}
		plain, ok := jsonUnescapes[r.peek(1)]
		if !ok {
			r.bad("invalid escape code")
			return
		}
		out = append(out, plain)
		r.at += 2
	}
}

// unicode reads \uXXXX, or two of them that stand for one character, and
// returns its UTF-8 and how long it was written; 0 for a mistake.
func (r *jsonReader) unicode() (text string, n int) {
	code := r.hex4(2)
	if code < 0 {
		return "", 0
	}
	n = len(`\uXXXX`)
	if code&0xf800 == 0xd800 {
		if code&0x400 != 0 || r.peek(n) != '\\' || r.peek(n+1) != 'u' {
			return "", 0
		}
		low := r.hex4(n + 2)
		if low < 0 || low&0xfc00 != 0xdc00 {
			return "", 0
		}
		code = (code&0x3ff)<<10 | low&0x3ff
		code += 0x10000
		n *= 2
	}
	return string(rune(code)), n
}

func (r *jsonReader) hex4(ahead int) int {
	code := 0
	for i := range 4 {
		c := r.peek(ahead + i)
		if !isHex(c) {
			return -1
		}
		d := int(c - '0')
		if !isDigit(c) {
			d = int(c|0x20-'a') + 10
		}
		code = code<<4 | d
	}
	return code
}

func (r *jsonReader) value() lua.LValue {
	switch {
	case r.is(jsonString), r.is(jsonNumber), r.is(jsonBoolean), r.is(jsonNull):
		return r.token.value
	case r.is(jsonObjectBegin):
		return r.object()
	case r.is(jsonArrayBegin):
		return r.array()
	}
	r.want("", "value")
	return nil
}

func (r *jsonReader) descend() {
	r.depth++
	if r.depth > r.j.decodeDepth || r.depth > maxJSONDepth {
		raise(r.L, "Found too many nested data structures (%d) at character %d", r.depth, r.at)
	}
}

func (r *jsonReader) object() lua.LValue {
	r.descend()
	t := r.L.CreateTable(0, 0)
	r.next()
	for !r.is(jsonObjectEnd) {
		r.want(jsonString, "object key string")
		key := r.token.value
		r.next()
		r.want(jsonColon, "colon")
		r.next()
		t.RawSet(key, r.value())
		r.next()
		if r.is(jsonObjectEnd) {
			break
		}
		r.want(jsonComma, "comma or object end")
		r.next()
		if r.is(jsonObjectEnd) {
			r.want(jsonString, "object key string")
		}
	}
	r.depth--
	return t
}

func (r *jsonReader) array() lua.LValue {
	r.descend()
	t := r.L.CreateTable(0, 0)
	r.next()
	if r.is(jsonArrayEnd) {
		r.depth--
		return t
	}
	for i := 1; ; i++ {
		t.RawSetInt(i, r.value())
		r.next()
		if r.is(jsonArrayEnd) {
			r.depth--
			return t
		}
		r.want(jsonComma, "comma or array end")
		r.next()
	}
}
