package words

import (
	"fmt"
	"strconv"
	"strings"
)

// blanks are what C's isspace says yes to.
const blanks = " \t\n\v\f\r"

// Split splits a line into words at blanks. Words may be quoted: in double
// quotes \n \r \t \b \a and \xff stand for bytes and a backslash before
// anything else for that; in single quotes only \' does. It reports false when
// a quote is not closed, or not followed by a blank.
func Split(line string) (args []string, ok bool) {
	line, _, _ = strings.Cut(line, "\x00") // where a line of C ends
	for {
		line = strings.TrimLeft(line, blanks)
		if line == "" {
			return args, true
		}
		var word string
		if word, line, ok = cutWord(line); !ok {
			return nil, false
		}
		args = append(args, word)
	}
}

// cutWord takes the first word off a line that begins with one. A quote inside
// a word begins a quoted part and its end ends the word: a"b c" is one word.
func cutWord(line string) (word, rest string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case ' ', '\n', '\r', '\t':
			return b.String(), line[i:], true
		case '"', '\'':
			part, rest, ok := cutQuoted(line[i+1:], line[i])
			b.WriteString(part)
			return b.String(), rest, ok
		default:
			b.WriteByte(line[i])
		}
	}
	return b.String(), "", true
}

// cutQuoted takes a quoted part off a line that begins after its first quote.
func cutQuoted(line string, quote byte) (part, rest string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == quote:
			rest := line[i+1:]
			return b.String(), rest, rest == "" || strings.IndexByte(blanks, rest[0]) >= 0
		case line[i] == '\\' && quote == '"' && i+1 < len(line):
			c, n := unescape(line[i+1:])
			b.WriteByte(c)
			i += n
		case line[i] == '\\' && quote == '\'' && strings.HasPrefix(line[i+1:], "'"):
			b.WriteByte('\'')
			i++
		default:
			b.WriteByte(line[i])
		}
	}
	return "", "", false
}

// unescape returns the byte that what follows a backslash stands for, and how
// long that is.
func unescape(s string) (c byte, n int) {
	switch s[0] {
	case 'n':
		return '\n', 1
	case 'r':
		return '\r', 1
	case 't':
		return '\t', 1
	case 'b':
		return '\b', 1
	case 'a':
		return '\a', 1
	case 'x':
		if len(s) >= 3 && isHex(s[1]) && isHex(s[2]) {
			n, _ := strconv.ParseUint(s[1:3], 16, 8)
			return byte(n), 3
		}
	}
	return s[0], 1
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// Quote returns s in double quotes, so that Split gives it back.
func Quote(s string) string {
	b := []byte{'"'}
	for i := range len(s) {
		switch c := s[i]; c {
		case '\\', '"':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, `\n`...)
		case '\r':
			b = append(b, `\r`...)
		case '\t':
			b = append(b, `\t`...)
		case '\a':
			b = append(b, `\a`...)
		case '\b':
			b = append(b, `\b`...)
		default:
			if c < ' ' || c > '~' {
				b = fmt.Appendf(b, `\x%02x`, c)
			} else {
				b = append(b, c)
			}
		}
	}
	return string(append(b, '"'))
}
