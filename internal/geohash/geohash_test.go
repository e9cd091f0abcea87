package geohash

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var (
	anyPoint = rapid.Custom(func(t *rapid.T) Point {
		return Point{rapid.Float64Range(-LonMax, LonMax).Draw(t, "lon"), rapid.Float64Range(-LatMax, LatMax).Draw(t, "lat")}
	})
	// moderate is away from the poles and the meridian of 180 degrees, where Redis
	// covers areas as they are.
	moderate = rapid.Custom(func(t *rapid.T) Point {
		return Point{rapid.Float64Range(-90, 90).Draw(t, "lon"), rapid.Float64Range(-60, 60).Draw(t, "lat")}
	})
)

// degree is a constant, which Go rounds once, where C divides a rounded Pi.
func TestDegree(t *testing.T) {
	half, turn := math.Pi, 180.0
	require.Equal(t, half/turn, float64(degree))
}

// bisect is the definition of a cell's number: half of what is left, and half of
// that, longitude and latitude in turns.
func bisect(p Point) (bits uint64) {
	lon, lat := lonSpan, latSpan
	halve := func(degrees float64, s *span) uint64 {
		if middle := (s.min + s.max) / 2; degrees >= middle {
			s.min = middle
			return 1
		} else {
			s.max = middle
			return 0
		}
	}
	for range maxStep {
		bits = bits<<2 | halve(p.Lon, &lon)<<1 | halve(p.Lat, &lat)
	}
	return bits
}

func TestEncodeIsBisection(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyPoint.Draw(t, "p")
		if p.Lon == LonMax || p.Lat == LatMax {
			return // in a row of their own
		}
		// Both have rounding of their own at the edge of a cell: the middle of
		// the cell is the same in both.
		middle := Decode(float64(Encode(p)))
		require.Equal(t, bisect(middle), Encode(middle))
		require.Equal(t, Encode(p), Encode(middle))
		require.InDelta(t, p.Lon, middle.Lon, 2*LonMax/(1<<maxStep))
		require.InDelta(t, p.Lat, middle.Lat, 2*LatMax/(1<<maxStep))
	})
}

func TestInterleave(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		row, column := rapid.Uint32().Draw(t, "row"), rapid.Uint32().Draw(t, "column")
		var naive uint64
		for i := range 32 {
			naive |= uint64(row>>i&1)<<(2*i) | uint64(column>>i&1)<<(2*i+1)
		}
		require.Equal(t, naive, interleave(row, column))
		gotRow, gotColumn := deinterleave(naive)
		require.Equal(t, row, gotRow)
		require.Equal(t, column, gotColumn)
	})
}

// Any score is decoded to a valid point, and one that Go's conversions leave to
// the machine to what C makes of it on amd64.
func TestDecodeAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		require.True(t, Decode(rapid.Float64().Draw(t, "score")).Valid())
	})
	for _, c := range []struct {
		score float64
		bits  uint64
	}{{-1, math.MaxUint64}, {1 << 63, 1 << 63}, {math.Inf(1), 0}, {math.Inf(-1), 1 << 63}, {1e300, 0}, {-1e300, 1 << 63}, {0.9, 0}, {-0.9, 0}} {
		require.Equal(t, c.bits, toUint64(c.score), c.score)
	}
}

// What is in a shape is in one of its ranges, and in one only.
func TestRangesCoverTheShape(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Shape{Center: moderate.Draw(t, "center"), Unit: 1, Box: rapid.Bool().Draw(t, "box")}
		size := rapid.OneOf(rapid.Float64Range(0, 10), rapid.Float64Range(10, 10_000), rapid.Float64Range(10_000, 1_000_000))
		if s.Box {
			s.Width, s.Height = 2*size.Draw(t, "width"), 2*size.Draw(t, "height")
		} else {
			s.Radius = size.Draw(t, "radius")
		}
		ranges := s.Ranges()
		require.LessOrEqual(t, len(ranges), 9)
		reach := max(s.Radius, s.Width/2, s.Height/2) / earthRadius / degree * 1.1
		for range 50 {
			// A point as it would be stored, in the shape or not far from it.
			p := Point{
				s.Center.Lon + reach*rapid.Float64Range(-2, 2).Draw(t, "lon"),
				s.Center.Lat + reach*rapid.Float64Range(-1, 1).Draw(t, "lat"),
			}
			if !p.Valid() {
				continue
			}
			bits := Encode(p)
			in := 0
			for _, r := range ranges {
				if r.Min <= bits && bits < r.End {
					in++
				}
			}
			require.LessOrEqual(t, in, 1)
			if _, ok := s.Contains(Decode(float64(bits))); ok {
				require.Equal(t, 1, in, "%v", p)
			}
		}
	})
}

// A search of the whole world looks at each quarter of it once.
func TestWholeWorld(t *testing.T) {
	const quarter = 1 << 50
	for _, center := range []Point{{0, 0}, {-100, 50}, {LonMax, LatMax}} {
		s := Shape{Center: center, Unit: 1000, Radius: 30_000}
		seen := map[Range]bool{}
		for _, r := range s.Ranges() {
			require.False(t, seen[r])
			seen[r] = true
			require.EqualValues(t, quarter, r.End-r.Min)
		}
		require.Len(t, seen, 4)
	}
}

func TestDistance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := anyPoint.Draw(t, "a"), anyPoint.Draw(t, "b"), anyPoint.Draw(t, "c")
		ab := Distance(a, b)
		require.Zero(t, Distance(a, a))
		require.InDelta(t, ab, Distance(b, a), 1e-6*(1+ab))
		require.LessOrEqual(t, ab, math.Pi*earthRadius)
		require.LessOrEqual(t, ab, (Distance(a, c)+Distance(c, b))*(1+1e-9)+1e-3)
	})
	// The other end of the world, where rounding could ask for an arc sine of more
	// than one.
	for lat := 0.0; lat < LatMax; lat += 0.01 {
		d := Distance(Point{-90, lat}, Point{90, -lat})
		require.InDelta(t, math.Pi*earthRadius, d, 1)
	}
}

func TestText(t *testing.T) {
	require.Equal(t, "sqc8b49rny0", Text(Decode(3479099956230698)))
}
