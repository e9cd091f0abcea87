package geohash

// The bounds of positions.
const (
	LonMax = 180.0
	LatMax = 85.05112878
)

// maxStep is the step of stored positions.
const maxStep = 26

// Point is a position in degrees.
type Point struct{ Lon, Lat float64 }

// Valid reports whether the point can be stored. A NaN cannot.
func (p Point) Valid() bool {
	return -LonMax <= p.Lon && p.Lon <= LonMax && -LatMax <= p.Lat && p.Lat <= LatMax
}

// cell is one of 4^step rectangles. The zero cell, with no step, is none.
type cell struct {
	bits uint64
	step uint
}

// span is a range of degrees.
type span struct{ min, max float64 }

func (s span) size() float64 { return s.max - s.min }

var (
	lonSpan = span{-LonMax, LonMax}
	latSpan = span{-LatMax, LatMax}
)

func encode(p Point, lon, lat span, step uint) cell {
	part := func(degrees float64, s span) uint32 {
		return uint32((degrees - s.min) / s.size() * float64(uint64(1)<<step))
	}
	return cell{interleave(part(p.Lat, lat), part(p.Lon, lon)), step}
}

// Encode returns the number of the cell that a valid point is stored as.
func Encode(p Point) uint64 { return encode(p, lonSpan, latSpan, maxStep).bits }

// area is the rectangle of a cell.
type area struct{ lon, lat span }

func (c cell) area() area {
	row, column := deinterleave(c.bits)
	return area{part(column, lonSpan, c.step), part(row, latSpan, c.step)}
}

// part is the i-th of 2^step parts of a range. The arithmetic of i wraps at 32
// bits, as it does in Redis when a score is no cell's number.
func part(i uint32, s span, step uint) span {
	edge := func(i uint32) float64 {
		offset := float64(float64(i) / float64(uint64(1)<<step) * s.size())
		return s.min + offset
	}
	return span{edge(i), edge(i + 1)}
}

// Decode returns the middle of the cell that a score is the number of. Any score
// gives a valid point.
func Decode(score float64) Point {
	a := cell{bits: toUint64(score), step: maxStep}.area()
	middle := func(s span, most float64) float64 { return max(-most, min((s.min+s.max)/2, most)) }
	return Point{middle(a.lon, LonMax), middle(a.lat, LatMax)}
}

// toUint64 is C's conversion as it comes out on amd64, for scores that are no
// cell's number too; Go leaves it to the machine.
func toUint64(f float64) uint64 {
	const half = 1 << 63
	switch {
	case f < -half:
		return half
	case f < half:
		return uint64(int64(f))
	case f < 2*half:
		return uint64(int64(f-half)) ^ half
	}
	return 0
}

// Text returns the geohash of a position as other software writes it
// (geohash.org): it divides the world from pole to pole. The last of its eleven
// characters is always 0.
func Text(p Point) string {
	const alphabet = "0123456789bcdefghjkmnpqrstuvwxyz"
	bits := encode(p, lonSpan, span{-90, 90}, maxStep).bits
	text := [11]byte{10: alphabet[0]}
	for i := range 10 {
		text[i] = alphabet[bits>>(52-5*(i+1))&31]
	}
	return string(text[:])
}

// interleave takes bits from row and column in turns; the column's are the higher
// of each pair.
func interleave(row, column uint32) uint64 { return spread(row) | spread(column)<<1 }

func deinterleave(bits uint64) (row, column uint32) { return gather(bits), gather(bits >> 1) }

// spread puts a zero before each bit.
func spread(half uint32) uint64 {
	x := uint64(half)
	x = (x | x<<16) & 0x0000ffff0000ffff
	x = (x | x<<8) & 0x00ff00ff00ff00ff
	x = (x | x<<4) & 0x0f0f0f0f0f0f0f0f
	x = (x | x<<2) & 0x3333333333333333
	return (x | x<<1) & everyOther
}

// gather takes every second bit.
func gather(x uint64) uint32 {
	x &= everyOther
	x = (x | x>>1) & 0x3333333333333333
	x = (x | x>>2) & 0x0f0f0f0f0f0f0f0f
	x = (x | x>>4) & 0x00ff00ff00ff00ff
	x = (x | x>>8) & 0x0000ffff0000ffff
	return uint32(x | x>>16)
}

// everyOther are the bits of the row.
const everyOther = 0x5555555555555555

// neighbor is the cell so many columns east and rows north, each -1, 0 or 1. The
// world is round in both directions, for cells. A position on the last meridian
// or parallel is in a column or row of its own, from which only a step leads back.
func (c cell) neighbor(east, north int) cell {
	row, column := deinterleave(c.bits)
	return cell{interleave(c.move(row, north), c.move(column, east)), c.step}
}

func (c cell) move(i uint32, by int) uint32 {
	if by == 0 {
		return i
	}
	return (i + uint32(by)) & (1<<c.step - 1)
}

// scores returns the range of stored positions inside of the cell; end is not
// included.
func (c cell) scores() Range {
	shift := 2 * (maxStep - c.step)
	return Range{c.bits << shift, (c.bits + 1) << shift}
}
