package geohash

import "math"

// Sine, cosine and arc sine that agree with C's (glibc) in all but about one of a
// thousand results, and are one bit off there. Of Go's every third to seventh is
// off, and a distance that is stored shows it.
//
// The functions go from the nearest multiple of 1/128, where the values are
// known twice as exactly as a float64 holds, by a short series; what is lost on
// the way is added up beside the result.

// double is the unrounded sum of two floats, the second one far smaller.
type double struct{ hi, lo float64 }

func sum(a, b float64) double {
	hi := a + b
	part := hi - a
	return double{hi, (a - (hi - part)) + (b - part)}
}

func product(a, b float64) double {
	hi := a * b
	return double{hi, math.FMA(a, b, -hi)}
}

func (a double) plus(b double) double {
	s := sum(a.hi, b.hi)
	return sum(s.hi, s.lo+a.lo+b.lo)
}

func (a double) times(b double) double {
	p := product(a.hi, b.hi)
	return sum(p.hi, p.lo+float64(a.hi*b.lo)+float64(a.lo*b.hi))
}

func (a double) over(n float64) double {
	q := a.hi / n
	return sum(q, (math.FMA(-q, n, a.hi)+a.lo)/n)
}

func (a double) negative() double { return double{-a.hi, -a.lo} }

// pi is Pi: what a float64 holds of it, and the rest.
var pi = double{math.Pi, 1.2246467991473532e-16}

const gridStep = 1.0 / 128

// grid has the sines and cosines of multiples of gridStep up to a quarter turn.
var grid = makeGrid()

type sineCosine struct{ sin, cos double }

func makeGrid() (table [203]sineCosine) {
	// The series of both, at gridStep; then the angles are added up.
	step := sineCosine{cos: double{hi: 1}}
	for n, term := 1, (double{hi: gridStep}); n < 20; n++ {
		if n%2 == 1 {
			step.sin = step.sin.plus(term)
		} else {
			step.cos = step.cos.plus(term)
		}
		term = term.times(double{hi: gridStep}).over(float64(n + 1))
		if n%2 == 1 {
			term = term.negative()
		}
	}
	table[0].cos.hi = 1
	for k := range len(table) - 1 {
		a := table[k]
		table[k+1] = sineCosine{
			sin: a.sin.times(step.cos).plus(a.cos.times(step.sin)),
			cos: a.cos.times(step.cos).plus(a.sin.times(step.sin).negative()),
		}
	}
	return table
}

// near returns the grid's entry next to an angle between 0 and a quarter turn, and
// the way from there, with the sine less itself and the cosine less 1 of that.
func near(x double) (at *sineCosine, rest, sinRest, cosRest float64) {
	k := math.Round(x.hi * (1 / gridStep))
	rest = x.hi - k*gridStep
	sq := rest * rest
	sinRest = rest * sq * (-1.0/6 + sq*(1.0/120-sq/5040))
	cosRest = sq * (-1.0/2 + sq*(1.0/24-sq/720))
	return &grid[int(k)], rest, sinRest, cosRest
}

func sinQuarter(x double) double {
	at, rest, sinRest, cosRest := near(x)
	p := product(at.cos.hi, rest)
	s := sum(at.sin.hi, p.hi)
	s.lo += p.lo + at.sin.lo + at.cos.lo*rest + at.cos.hi*(sinRest+x.lo) + at.sin.hi*cosRest
	return s
}

func cosQuarter(x double) double {
	at, rest, sinRest, cosRest := near(x)
	p := product(-at.sin.hi, rest)
	s := sum(at.cos.hi, p.hi)
	s.lo += p.lo + at.cos.lo - at.sin.lo*rest - at.sin.hi*(sinRest+x.lo) + at.cos.hi*cosRest
	return s
}

// supplement is half a turn less x.
func supplement(x float64) double {
	s := sum(pi.hi, -x)
	s.lo += pi.lo
	return s
}

// sin is the sine of at most half a turn in either direction.
func sin(x float64) float64 {
	a := math.Abs(x)
	angle := double{hi: a}
	if a > math.Pi/2 {
		angle = supplement(a)
	}
	s := sinQuarter(angle)
	return math.Copysign(s.hi+s.lo, x)
}

// cos is the cosine of at most half a turn in either direction.
func cos(x float64) float64 {
	a := math.Abs(x)
	if a > math.Pi/2 {
		c := cosQuarter(supplement(a))
		return -(c.hi + c.lo)
	}
	c := cosQuarter(double{hi: a})
	return c.hi + c.lo
}

// asin is the arc sine of a number between 0 and 1.
func asin(y float64) float64 {
	if y < 0.9 {
		a := asinNear(y)
		return a.hi + a.lo
	}
	// Where the arc sine is steep, it is a quarter turn less twice the arc sine
	// of half the chord that is left.
	half := (1 - y) / 2
	root := math.Sqrt(half)
	a := asinNear(root)
	if root > 0 {
		a.lo += math.FMA(-root, root, half) / (2 * root) / math.Sqrt(1-half)
	}
	s := sum(pi.hi/2, -2*a.hi)
	return s.hi + (s.lo + pi.lo/2 - 2*a.lo)
}

// asinNear corrects an arc sine by how far its sine is off.
func asinNear(y float64) double {
	a := math.Asin(y)
	s := sinQuarter(double{hi: a})
	return double{a, ((y - s.hi) - s.lo) / math.Sqrt(1-float64(y*y))}
}
