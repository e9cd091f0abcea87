package atom

import (
	"math"
	"strconv"
	"unsafe"
)

// Atom is a string of bytes. The zero value is the empty string.
type Atom struct {
	text    string
	n       int64
	integer bool // it is n, and text is empty
}

// Of returns the atom of a text, which may be a view of a buffer.
func Of(text string) Atom { return Atom{text: text} }

// OfInt returns the atom of an integer's decimal digits.
func OfInt(n int64) Atom { return Atom{n: n, integer: true} }

// Text returns the bytes as they are kept; ok is false when what is kept is an
// integer, which Int returns.
func (a Atom) Text() (text string, ok bool) { return a.text, !a.integer }

// Int returns the integer that the atom spells, if it does so in the one way in
// which an integer is written: no plus, no leading zero, no "-0", no blank,
// within 64 bits (Redis: util.c, string2ll).
func (a Atom) Int() (n int64, ok bool) {
	if a.integer {
		return a.n, true
	}
	return parse(a.text)
}

// Len returns the number of bytes.
func (a Atom) Len() int {
	if !a.integer {
		return len(a.text)
	}
	digits := 1
	for n := a.n / 10; n != 0; n /= 10 {
		digits++
	}
	if a.n < 0 {
		digits++
	}
	return digits
}

// Append appends the bytes to dst.
func (a Atom) Append(dst []byte) []byte {
	if a.integer {
		return strconv.AppendInt(dst, a.n, 10)
	}
	return append(dst, a.text...)
}

// String returns the bytes as a string, which for a text is a view too.
func (a Atom) String() string {
	if a.integer {
		return strconv.FormatInt(a.n, 10)
	}
	return a.text
}

// Digits is room for the digits of any integer.
type Digits [20]byte

// View is String that allocates nothing: the digits of an integer are written
// into the room given, and the string is good for as long as they are.
func (a Atom) View(room *Digits) string {
	if !a.integer {
		return a.text
	}
	b := strconv.AppendInt(room[:0], a.n, 10)
	return unsafe.String(unsafe.SliceData(b), len(b))
}

func parse(text string) (int64, bool) {
	digits, negative := text, false
	if len(text) > 0 && text[0] == '-' {
		digits, negative = text[1:], true
	}
	const most = 19 // digits of the largest integer
	if len(digits) == 0 || len(digits) > most || digits[0] == '0' && (len(digits) > 1 || negative) {
		return 0, false
	}
	var n uint64 // 19 digits do not overflow it
	for i := range len(digits) {
		d := digits[i] - '0'
		if d > 9 {
			return 0, false
		}
		n = n*10 + uint64(d)
	}
	switch {
	case negative && n <= 1<<63:
		return -int64(n), true
	case !negative && n <= math.MaxInt64:
		return int64(n), true
	}
	return 0, false
}
