package words

import (
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
			c, n := Unescape(line[i+1:])
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

// Unescape returns the byte that what follows a backslash stands for, and how
// long that is. There must be something.
func Unescape[T string | []byte](s T) (c byte, n int) {
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
		if len(s) >= 3 {
			high, ok1 := unhex(s[1])
			low, ok2 := unhex(s[2])
			if ok1 && ok2 {
				return high<<4 | low, 3
			}
		}
	}
	return s[0], 1
}

func unhex(c byte) (digit byte, ok bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10, true
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}

// Quote returns s in double quotes, so that Split gives it back.
func Quote(s string) string { return string(AppendQuoted(nil, s)) }

// AppendQuoted appends s as [Quote] gives it: as redis-cli, MONITOR and
// redis.conf show a string (sds.c, sdscatrepr).
func AppendQuoted[T string | []byte](dst []byte, s T) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for i := range len(s) {
		switch c := s[i]; c {
		case '\\', '"':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\t':
			dst = append(dst, `\t`...)
		case '\a':
			dst = append(dst, `\a`...)
		case '\b':
			dst = append(dst, `\b`...)
		default:
			if c < ' ' || c > '~' {
				dst = append(dst, '\\', 'x', hex[c>>4], hex[c&0xf])
			} else {
				dst = append(dst, c)
			}
		}
	}
	return append(dst, '"')
}

// Wrap breaks text into lines of at most width bytes, where words allow it.
func Wrap(text string, width int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
