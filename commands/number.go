package commands

import (
	"math"
	"strconv"
)

// parseInt reads an integer as Redis does (util.c, string2ll): digits with an
// optional minus, no plus, no leading zero, no blank, within 64 bits.
func parseInt(b []byte) (int64, bool) {
	if len(b) == 0 || len(b) > 20 {
		return 0, false
	}
	digits, negative := b, b[0] == '-'
	if negative {
		digits = b[1:]
	}
	if len(digits) == 0 || digits[0] == '0' && (len(digits) > 1 || negative) {
		return 0, false
	}
	var n uint64
	for _, ch := range digits {
		d := uint64(ch - '0')
		if d > 9 || n > (math.MaxUint64-d)/10 {
			return 0, false
		}
		n = n*10 + d
	}
	switch {
	case negative && n <= 1<<63:
		return -int64(n), true
	case !negative && n <= math.MaxInt64:
		return int64(n), true
	}
	return 0, false
}

// parseFloat reads a double as Redis does (strtod over the whole argument):
// decimal or hexadecimal, "inf" and "infinity" with a sign in any case; not a
// NaN, no blank, and nothing that over- or underflows.
func parseFloat(b []byte) (float64, bool) {
	if len(b) == 0 {
		return 0, false
	}
	if len(b) <= 15 {
		if n, ok := parseInt(b); ok {
			return float64(n), true
		}
	}
	s := view(b)
	nonzero := false // a digit other than 0 in the mantissa
	hex := false
mantissa:
	for i, ch := range b {
		switch {
		case ch == '_':
			return 0, false
		case (ch == 'x' || ch == 'X') && i > 0 && b[i-1] == '0':
			hex = true
		case ch == 'p' || ch == 'P', !hex && (ch == 'e' || ch == 'E'):
			break mantissa
		case ch >= '1' && ch <= '9', hex && (ch|0x20 >= 'a' && ch|0x20 <= 'f'):
			nonzero = true
		}
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && hex {
		// C takes a hexadecimal number without an exponent, Go does not.
		f, err = strconv.ParseFloat(s+"p0", 64)
	}
	if err != nil || math.IsNaN(f) || f == 0 && nonzero {
		return 0, false
	}
	return f, true
}
