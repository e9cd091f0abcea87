package wire

import "myredis/internal/words"

// An inline request is one line of words, for a person at telnet. A word may be
// quoted, wholly or in part:
//
//	"…"   with \n \r \t \b \a, \xHH for any byte, and \c for any other c
//	'…'   as it stands, but \' is a quote
//
// The closing quote must be followed by a blank or the end of the line.
//
// A word never gets longer by reading it, so words are written over the line
// that they are read from.

// inline parses the line at pos, and reports whether it was there.
func (d *Decoder) inline() bool {
	d.args = d.args[:0]
	n, ok := d.lineEnd('\n', errInlineTooLong)
	if !ok {
		return false
	}
	line := d.buf[d.pos : d.pos+n]
	if n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	if d.args, ok = appendWords(d.args, line); !ok {
		return d.fail(errUnbalancedQuotes)
	}
	d.step(n + 1)
	return true
}

// appendWords splits a line into words, overwriting it. ok is false when quotes
// do not balance.
func appendWords(words [][]byte, line []byte) (_ [][]byte, ok bool) {
	in, out := 0, 0
	for {
		for in < len(line) && isSpace(line[in]) {
			in++
		}
		if in == len(line) {
			return words, true
		}
		first := out
		if in, out, ok = word(line, in, out); !ok {
			return words, false
		}
		words = append(words, line[first:out:out])
	}
}

// word reads the word at line[in] into line[out:], where out <= in, and returns
// what follows each.
func word(line []byte, in, out int) (nextIn, nextOut int, ok bool) {
	for in < len(line) {
		switch c := line[in]; c {
		// Fewer than isSpace tells: in Redis \v and \f are blanks before a word
		// and letters within one.
		case ' ', '\n', '\r', '\t':
			return in + 1, out, true
		case '"':
			return doubleQuoted(line, in+1, out)
		case '\'':
			return singleQuoted(line, in+1, out)
		default:
			line[out] = c
			in, out = in+1, out+1
		}
	}
	return in, out, true
}

// doubleQuoted reads the rest of a word after its opening quote.
func doubleQuoted(line []byte, in, out int) (nextIn, nextOut int, ok bool) {
	for in < len(line) {
		c, size := line[in], 1
		switch {
		case c == '"':
			return closeQuote(line, in, out)
		case c == '\\' && in+1 < len(line):
			c, size = words.Unescape(line[in+1:])
			size++
		}
		line[out] = c
		in, out = in+size, out+1
	}
	return in, out, false
}

// singleQuoted reads the rest of a word after its opening quote.
func singleQuoted(line []byte, in, out int) (nextIn, nextOut int, ok bool) {
	for in < len(line) {
		c, size := line[in], 1
		switch {
		case c == '\'':
			return closeQuote(line, in, out)
		case c == '\\' && in+1 < len(line) && line[in+1] == '\'':
			c, size = '\'', 2
		}
		line[out] = c
		in, out = in+size, out+1
	}
	return in, out, false
}

// closeQuote ends a word at the quote line[in].
func closeQuote(line []byte, in, out int) (nextIn, nextOut int, ok bool) {
	in++
	return in, out, in == len(line) || isSpace(line[in])
}

// isSpace is C's isspace in the C locale.
func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }
