package report

import (
	"math"
	"strconv"
)

// scale maps values to positions.
type scale struct {
	min, max float64
	from, to float64
	log      bool
}

func (s scale) at(v float64) float64 {
	low, high := s.min, s.max
	if s.log {
		v, low, high = math.Log10(max(v, s.min)), math.Log10(low), math.Log10(high)
	}
	return s.from + (v-low)/(high-low)*(s.to-s.from)
}

// ticks are round values within the scale: about n.
func (s scale) ticks(n int) (values []float64) {
	if s.log {
		for e := math.Floor(math.Log10(s.min)); e <= math.Ceil(math.Log10(s.max)); e++ {
			if v := math.Pow(10, e); v >= s.min*0.999 && v <= s.max*1.001 {
				values = append(values, v)
			}
		}
		if len(values) >= 2 {
			return values
		}
		return []float64{s.min, s.max}
	}
	step := round((s.max - s.min) / float64(n))
	for v := math.Ceil(s.min/step) * step; v <= s.max+step*1e-9; v += step {
		values = append(values, math.Round(v/step)*step)
	}
	return values
}

// round returns the least of 1, 2 and 5 times a power of ten that is not below
// v.
func round(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 2, 5} {
		if v <= m*power*1.0001 {
			return m * power
		}
	}
	return 10 * power
}

// number shows a value in at most four figures.
func number(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v):
		return "–"
	case a >= 100 || v == math.Trunc(v):
		return strconv.FormatFloat(v, 'f', 0, 64)
	case a >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	default:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
}

// tick shows a round value.
func tick(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
