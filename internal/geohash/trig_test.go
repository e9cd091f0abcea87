package geohash

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

const bigBits = 300

func newBig(f float64) *big.Float { return new(big.Float).SetPrec(bigBits).SetFloat64(f) }

// bigSeries is the sine (from 1) or the cosine (from 0) of x, by its series.
func bigSeries(x *big.Float, from int) *big.Float {
	term, total := newBig(1), newBig(0)
	for n := range 80 {
		if n%2 == from {
			if n/2%2 == 0 {
				total.Add(total, term)
			} else {
				total.Sub(total, term)
			}
		}
		term.Mul(term, x)
		term.Quo(term, newBig(float64(n+1)))
	}
	return total
}

// ulps is how far a float is from the truth, in units of its last place.
func ulps(got float64, want *big.Float) float64 {
	unit := math.Nextafter(math.Abs(got), math.Inf(1)) - math.Abs(got)
	off := new(big.Float).SetPrec(bigBits).Sub(newBig(got), want)
	f, _ := off.Quo(off, newBig(unit)).Float64()
	return math.Abs(f)
}

// Half a unit would be perfect. That the next bits are right too is what makes
// the results agree with another library's.
const allowed = 0.5 + 1.0/64

func TestSineAndCosine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.OneOf(rapid.Float64Range(-math.Pi, math.Pi), rapid.Float64Range(-1e-5, 1e-5), rapid.Float64Range(1.57, 1.5709)).Draw(t, "x")
		if x == 0 {
			return
		}
		require.LessOrEqual(t, ulps(sin(x), bigSeries(newBig(x), 1)), allowed)
		if math.Abs(math.Abs(x)-math.Pi/2) > 0.08 { // no latitude that has a cell comes nearer to a pole
			require.LessOrEqual(t, ulps(cos(x), bigSeries(newBig(x), 0)), allowed)
		}
	})
	require.Zero(t, sin(0))
	require.EqualValues(t, 1, cos(0))
}

// The arc sine is right when the sines of the two floats half a unit away
// enclose the argument.
func TestArcSine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		y := rapid.OneOf(rapid.Float64Range(0, 1), rapid.Float64Range(1e-12, 1e-5), rapid.Float64Range(0.8999, 0.9001), rapid.Float64Range(0.999999, 1)).Draw(t, "y")
		if y == 0 || y == 1 {
			return
		}
		a := asin(y)
		reach := newBig((math.Nextafter(a, 2) - a) * allowed)
		low := new(big.Float).SetPrec(bigBits).Sub(newBig(a), reach)
		high := new(big.Float).SetPrec(bigBits).Add(newBig(a), reach)
		require.LessOrEqual(t, bigSeries(low, 1).Cmp(newBig(y)), 0)
		if a < math.Pi/2 { // the sine falls again beyond
			require.GreaterOrEqual(t, bigSeries(high, 1).Cmp(newBig(y)), 0)
		}
	})
	require.Zero(t, asin(0))
	require.Equal(t, math.Pi/2, asin(1))
}
