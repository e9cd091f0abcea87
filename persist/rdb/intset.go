package rdb

import (
	"encoding/binary"
	"math"

	"myredis/internal/atom"
	"myredis/keyspace/set"
)

// An intset is sorted integers: how many bytes each has (2, 4 or 8), how many
// there are, in 4 bytes each, and the integers, little-endian.
const intsetHeader = 4 + 4

func readIntset(b []byte) (*set.Set, error) {
	if len(b) < intsetHeader {
		return nil, errIntset
	}
	width := int(binary.LittleEndian.Uint32(b))
	n := uint64(binary.LittleEndian.Uint32(b[4:]))
	b = b[intsetHeader:]
	if width != 2 && width != 4 && width != 8 || uint64(len(b)) != n*uint64(width) {
		return nil, errIntset
	}
	if n == 0 {
		return nil, errIntset
	}
	s := new(set.Set)
	for last := int64(math.MinInt64); len(b) > 0; b = b[width:] {
		i := littleInt(b[:width])
		if i <= last && s.Len() > 0 {
			return nil, errIntset
		}
		s.Add(atom.OfInt(i))
		last = i
	}
	return s, nil
}

// appendIntset appends a set of sorted integers, in the fewest bytes.
func appendIntset(dst []byte, s *set.Set) []byte {
	width := 2
	for m := range s.All() {
		switch n, _ := m.Int(); {
		case n != int64(int32(n)):
			width = 8
		case n != int64(int16(n)):
			width = max(width, 4)
		}
	}
	dst = binary.LittleEndian.AppendUint32(dst, uint32(width))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(s.Len()))
	for m := range s.All() {
		n, _ := m.Int()
		var wide [8]byte
		binary.LittleEndian.PutUint64(wide[:], uint64(n))
		dst = append(dst, wide[:width]...)
	}
	return dst
}
