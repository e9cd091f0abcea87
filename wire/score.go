package wire

import (
	"math"
	"strconv"
)

// maxScore is the longest that AppendScore writes:
// "-2.2250738585072014e-308".
const maxScore = 24

// AppendScore appends a double as Redis 7.0 replies it, C's "%.17g": 17
// significant digits, which tell every double from every other, without trailing
// zeros, and with an exponent if that is below -4 or above 16. So 0.1 is
// "0.10000000000000001" and 1e17 is "1e+17". The rest is "inf", "-inf", "-0" and
// "nan".
func AppendScore(dst []byte, f float64) []byte {
	switch {
	case math.IsInf(f, 1):
		return append(dst, "inf"...)
	case math.IsInf(f, -1):
		return append(dst, "-inf"...)
	case math.IsNaN(f):
		return append(dst, "nan"...)
	}
	// An integer of no more than 17 digits is its digits.
	if n := int64(f); -1e17 < f && f < 1e17 && float64(n) == f && (n != 0 || !math.Signbit(f)) {
		return strconv.AppendInt(dst, n, 10)
	}
	return strconv.AppendFloat(dst, f, 'g', 17, 64)
}
