package hyperloglog

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// Conversions to float64 around products keep them from being fused with the
// addition that follows, which would round once where Redis rounds twice.

// histogram is how many registers have each value.
type histogram [registerMax + 1]int

// estimate is algorithm 6 of Ertl's paper.
func (h *histogram) estimate() uint64 {
	const m = registers
	z := float64(m * tau(float64(m-h[patternBits+1])/m))
	for n := patternBits; n >= 1; n-- {
		z += float64(h[n])
		z *= 0.5
	}
	z += float64(m * sigma(float64(h[0])/m))
	const alpha = 0.721347520444481703680 // 0.5/ln(2)
	e := math.Round(alpha * m * m / z)
	if math.IsInf(e, 1) {
		return 1 << 63 // registers that no elements could make; what C makes of infinity
	}
	return uint64(e)
}

func sigma(x float64) float64 {
	if x == 1 {
		return math.Inf(1)
	}
	y, z := 1.0, x
	for {
		x *= x
		before := z
		z += float64(x * y)
		y += y
		if z == before {
			return z
		}
	}
}

func tau(x float64) float64 {
	if x == 0 || x == 1 {
		return 0
	}
	y, z := 1.0, 1-x
	for {
		x = math.Sqrt(x)
		before := z
		y *= 0.5
		z -= float64(float64((1-x)*(1-x)) * y)
		if z == before {
			return z / 3
		}
	}
}

// pattern is the register that an element belongs to, and what it would raise it
// to.
func pattern(element []byte) (index int, run uint8) {
	h := murmur64A(element, 0xadc83b19)
	rest := h>>indexBits | 1<<patternBits
	return int(h & (registers - 1)), uint8(bits.TrailingZeros64(rest) + 1)
}

// murmur64A is Austin Appleby's MurmurHash2, in its version for 64-bit machines.
func murmur64A(b []byte, seed uint64) uint64 {
	const m, r = 0xc6a4a7935bd1e995, 47
	h := seed ^ uint64(len(b))*m
	for ; len(b) >= 8; b = b[8:] {
		k := binary.LittleEndian.Uint64(b) * m
		k ^= k >> r
		h = (h ^ k*m) * m
	}
	if len(b) > 0 {
		var tail [8]byte
		copy(tail[:], b)
		h = (h ^ binary.LittleEndian.Uint64(tail[:])) * m
	}
	h ^= h >> r
	h *= m
	return h ^ h>>r
}
