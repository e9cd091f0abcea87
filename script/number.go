package script

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// Lua numbers are C doubles that C's library reads and prints; Go's differs in
// both directions (underscores, octal, hexadecimal, the digits of 0.1+0.2), so
// nothing here is left to the interpreter's own conversions.

const blanks = " \t\n\v\f\r"

// parseNumber reads a whole text as Lua coerces it to a number (strtod):
// decimal or hexadecimal, blanks around it allowed; "inf" and "nan" too.
func parseNumber(s string) (float64, bool) {
	s, _, _ = strings.Cut(s, "\x00") // the end of C's string
	s = strings.Trim(s, blanks)
	if s == "" || strings.IndexByte(s, '_') >= 0 {
		return 0, false
	}
	digits := strings.TrimLeft(s, "+-")
	if len(s)-len(digits) > 1 {
		return 0, false
	}
	if len(digits) > 2 && digits[0] == '0' && digits[1]|0x20 == 'x' && !strings.ContainsAny(digits, "pP") {
		s += "p0" // Go wants the exponent that C leaves out
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, false
	}
	return f, true
}

// Precisions of printing: what tostring and .. use (LUAI_NUMFMT), and what
// keeps every double apart.
const (
	shownDigits = 14
	exactDigits = 17
)

// appendNumber appends f as C's printf does with "%.<precision>g".
func appendNumber(dst []byte, f float64, precision int) []byte {
	switch {
	case f == math.Trunc(f) && math.Abs(f) < 1e14 && (f != 0 || !math.Signbit(f)):
		return strconv.AppendInt(dst, int64(f), 10)
	case math.IsNaN(f) && math.Signbit(f):
		return append(dst, "-nan"...)
	case math.IsNaN(f):
		return append(dst, "nan"...)
	case math.IsInf(f, 1):
		return append(dst, "inf"...)
	case math.IsInf(f, -1):
		return append(dst, "-inf"...)
	}
	return strconv.AppendFloat(dst, f, 'g', precision, 64)
}

// numberText is a number as tostring shows it.
func numberText(f float64) string {
	var text [32]byte
	return string(appendNumber(text[:0], f, shownDigits))
}

// toInt64 is C's conversion of a double to a 64-bit integer as x86 does it:
// what does not fit is the smallest integer.
func toInt64(f float64) int64 {
	if f >= -(1<<63) && f < 1<<63 {
		return int64(f)
	}
	return math.MinInt64
}

// toUint64 is C's conversion of a double to an unsigned 64-bit integer as x86
// does it.
func toUint64(f float64) uint64 {
	if f < 1<<63 {
		return uint64(toInt64(f))
	}
	return uint64(toInt64(f-1<<63)) ^ 1<<63
}

// toInt is the conversion to C's int that luaL_checkint makes: by way of 64
// bits, of which the lower half is kept.
func toInt(f float64) int { return int(int32(toInt64(f))) }
