package transcript

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

var errUnbalanced = errors.New("unbalanced quotes")

// splitWords cuts a command line into arguments with redis-cli's quoting.
func splitWords(line string) ([]string, error) {
	var words []string
	for {
		line = strings.TrimLeft(line, " \t")
		if line == "" {
			return words, nil
		}
		word, rest, err := cutWord(line)
		if err != nil {
			return nil, err
		}
		words, line = append(words, word), rest
	}
}

// cutWord takes the first word of a line that does not start with a blank.
// A quote may open in the midst of a word, and must be followed by a blank.
func cutWord(line string) (word, rest string, err error) {
	var b strings.Builder
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case ' ', '\t':
			return b.String(), line[i:], nil
		case '"', '\'':
			text, rest, err := cutQuoted(line[i:])
			if err != nil {
				return "", "", err
			}
			if rest != "" && rest[0] != ' ' && rest[0] != '\t' {
				return "", "", errUnbalanced
			}
			b.WriteString(text)
			return b.String(), rest, nil
		default:
			b.WriteByte(line[i])
		}
	}
	return b.String(), "", nil
}

var escapes = map[byte]byte{'n': '\n', 'r': '\r', 't': '\t', 'b': '\b', 'a': '\a'}

// cutQuoted takes the quoted string that the line starts with.
func cutQuoted(line string) (text, rest string, err error) {
	var b strings.Builder
	mark := line[0]
	for i := 1; i < len(line); i++ {
		ch := line[i]
		switch {
		case ch == mark:
			return b.String(), line[i+1:], nil
		case ch != '\\' || i+1 == len(line) || mark == '\'' && line[i+1] != '\'':
			b.WriteByte(ch)
		default:
			i++
			if code, err := strconv.ParseUint(hexDigits(line[i:]), 16, 8); err == nil {
				b.WriteByte(byte(code))
				i += 2
			} else if control, ok := escapes[line[i]]; ok {
				b.WriteByte(control)
			} else {
				b.WriteByte(line[i])
			}
		}
	}
	return "", "", errUnbalanced
}

// hexDigits is the HH of an escape xHH, "" when it is none.
func hexDigits(escape string) string {
	if len(escape) < 3 || escape[0] != 'x' {
		return ""
	}
	return escape[1:3]
}

// parseRaw reads the quoted parts of a raw line, each perhaps repeated.
func parseRaw(line string) (string, error) {
	var b strings.Builder
	for {
		line = strings.TrimLeft(line, " \t")
		if line == "" {
			return b.String(), nil
		}
		if line[0] != '"' {
			return "", fmt.Errorf("raw bytes must be quoted: %s", line)
		}
		text, rest, err := cutQuoted(line)
		if err != nil {
			return "", err
		}
		times := 1
		if count, repeated := strings.CutPrefix(rest, "*"); repeated {
			count, rest, _ = strings.Cut(count, " ")
			if times, err = strconv.Atoi(count); err != nil || times < 0 {
				return "", fmt.Errorf("bad repetition: %s", count)
			}
		}
		b.WriteString(strings.Repeat(text, times))
		line = rest
	}
}
