package sortedset

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// However scores lie, a rank takes few probes: a handful where interpolation
// works, never more than bisection and the attempt.
func TestProbes(t *testing.T) {
	const n = 100_000
	rng := rand.New(rand.NewPCG(1, 1))
	bisection := bits.Len(n / walk)
	for _, c := range []struct {
		name  string
		score func(i int) float64
		most  int
	}{
		{"tickets", func(i int) float64 { return float64(i) }, 7},
		{"even", func(int) float64 { return rng.Float64() }, 7},
		{"equal", func(int) float64 { return 1 }, bisection},
		{"powers", func(i int) float64 { return math.Pow(2, float64(i%2000-1000)) }, interpolations + bisection},
		{"outliers", func(i int) float64 {
			switch i {
			case 0:
				return math.Inf(-1)
			case 1:
				return math.MaxFloat64
			case 2:
				return math.Inf(1)
			}
			return float64(i)
		}, interpolations + bisection},
		{"two clusters", func(i int) float64 { return float64(i%2)*1e15 + float64(i) }, interpolations + bisection},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := New()
			for i := range n {
				s.Add(fmt.Sprint(i), c.score(i))
			}
			first, _ := s.Min()
			last, _ := s.Max()
			for range 500 {
				want := 1 + rng.IntN(n-1)
				pivot, _ := s.At(want)
				end, item, probes := s.bracket(pivot, first, last)
				require.LessOrEqual(t, probes, c.most)
				require.GreaterOrEqual(t, end, want)
				require.LessOrEqual(t, end-want, walk)
				at, _ := s.At(end)
				require.Equal(t, at, item)
			}
		})
	}
}
