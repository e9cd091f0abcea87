package commands

import (
	"math/big"
	"strings"
)

// Redis adds floating-point increments in C's long double, which on x86 has a
// mantissa of 64 bits, and prints them with up to 17 digits after the point
// (util.c, ld2string with LD_STR_HUMAN). A big.Float of 64 bits rounds in the
// same way.
const longDoubleBits = 64

// Long doubles reach 2^16384; what is larger is an infinity.
const longDoubleMaxExp = 16384

// parseLongDouble reads a number as strtold does; an infinity is read and a NaN
// is not. An empty text is no number.
func parseLongDouble(b []byte) (*big.Float, bool) {
	s := view(b)
	if len(b) == 0 || len(b) > 256 || strings.ContainsAny(s, "_ \t\n\v\f\r\x00") {
		return nil, false
	}
	unsigned := strings.TrimLeft(s, "+-")
	switch strings.ToLower(unsigned) {
	case "inf", "infinity":
		if len(s)-len(unsigned) > 1 {
			return nil, false
		}
		return new(big.Float).SetInf(s[0] == '-'), true
	}
	base := 10
	if len(unsigned) > 1 && unsigned[0] == '0' && (unsigned[1] == 'x' || unsigned[1] == 'X') {
		base = 0
	} else if strings.ContainsAny(s, "pP") {
		return nil, false
	}
	f, _, err := big.ParseFloat(s, base, longDoubleBits, big.ToNearestEven)
	if err != nil || f.IsInf() || f.MantExp(nil) > longDoubleMaxExp {
		return nil, false
	}
	return f, true
}

// addLongDouble adds an increment to a number, both as text, and prints the
// sum. Absent is zero.
func addLongDouble(number, increment []byte) ([]byte, error) {
	a := new(big.Float).SetPrec(longDoubleBits)
	if number != nil {
		var ok bool
		if a, ok = parseLongDouble(number); !ok {
			return nil, errNotFloat
		}
	}
	b, ok := parseLongDouble(increment)
	if !ok {
		return nil, errNotFloat
	}
	if a.IsInf() || b.IsInf() {
		return nil, Error("ERR increment would produce NaN or Infinity")
	}
	sum := new(big.Float).SetPrec(longDoubleBits).Add(a, b)
	if sum.MantExp(nil) > longDoubleMaxExp {
		return nil, Error("ERR increment would produce NaN or Infinity")
	}
	return appendLongDouble(nil, sum), nil
}

// appendLongDouble prints up to 17 digits after the point, without zeros at the
// end.
func appendLongDouble(dst []byte, f *big.Float) []byte {
	text := f.Text('f', 17)
	text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	if text == "-0" {
		text = "0"
	}
	return append(dst, text...)
}
