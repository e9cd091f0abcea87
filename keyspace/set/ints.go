package set

import (
	"encoding/binary"
	"math"
	"slices"
)

// ints is a sorted list of integers, each in as many bytes (2, 4 or 8) as the
// largest of them needs: 1 million members below 2^31 take 4 MB and no
// pointer. The first byte is that width, the integers follow it, little-endian.
// An empty list may be nil.
//
// A search is a binary search; an insertion moves what is behind its place, as
// in Redis's intset. That is fast for the sizes at which Redis keeps sets this
// way (512 by default, 1 to 4 kB) and grows with the size above.
type ints []byte

func (l ints) width() int { return int(l[0]) }

func (l ints) len() int {
	if len(l) == 0 {
		return 0
	}
	return (len(l) - 1) / l.width()
}

func (l ints) at(i int) int64 {
	switch at := l[1+i*l.width():]; l[0] {
	case 2:
		return int64(int16(binary.LittleEndian.Uint16(at)))
	case 4:
		return int64(int32(binary.LittleEndian.Uint32(at)))
	default:
		return int64(binary.LittleEndian.Uint64(at))
	}
}

func (l ints) put(i int, n int64) {
	switch at := l[1+i*l.width():]; l[0] {
	case 2:
		binary.LittleEndian.PutUint16(at, uint16(n))
	case 4:
		binary.LittleEndian.PutUint32(at, uint32(n))
	default:
		binary.LittleEndian.PutUint64(at, uint64(n))
	}
}

// search returns the place of n, or the place where it belongs.
func (l ints) search(n int64) (i int, found bool) {
	lo, hi := 0, l.len()
	if hi > 0 && n > l.at(hi-1) { // integers often come in ascending order
		return hi, false
	}
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if l.at(mid) < n {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, lo < l.len() && l.at(lo) == n
}

func widthOf(n int64) int {
	switch {
	case n == int64(int16(n)):
		return 2
	case n == int64(int32(n)):
		return 4
	}
	return 8
}

// insert puts n at place i, where search says that it belongs.
func (l ints) insert(i int, n int64) ints {
	if len(l) == 0 {
		l = ints{byte(widthOf(n))}
	} else if w := widthOf(n); w > l.width() {
		l = l.widen(w)
	}
	w := l.width()
	l = l.reserve(len(l) + w)
	l = l[:len(l)+w]
	at := 1 + i*w
	copy(l[at+w:], l[at:len(l)-w])
	l.put(i, n)
	return l
}

func (l ints) remove(i int) ints {
	w := l.width()
	at := 1 + i*w
	l = slices.Delete(l, at, at+w)
	if cap(l) > 64 && len(l) < cap(l)/2 {
		l = slices.Clip(slices.Clone(l))
	}
	return l
}

// reserve makes room for a length of n bytes, and an eighth more: append would
// take up to twice of what is needed, which sets that have stopped growing
// would keep.
func (l ints) reserve(n int) ints {
	if n <= cap(l) {
		return l
	}
	const least = 16
	grown := make(ints, len(l), max(least, n+min(n/8, math.MaxInt32)))
	copy(grown, l)
	return grown
}

func (l ints) widen(w int) ints {
	wide := make(ints, 1+l.len()*w)
	wide[0] = byte(w)
	for i := range l.len() {
		wide.put(i, l.at(i))
	}
	return wide
}
