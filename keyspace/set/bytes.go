package set

import (
	"unsafe"

	"myredis/internal/dict"
	"myredis/internal/heap"
)

// Bytes returns how much memory the set takes. The strings of a table are
// reckoned by so many members of it.
func (s *Set) Bytes(samples int) int {
	size := heap.Size(int(unsafe.Sizeof(*s)))
	if s.table == nil {
		return size + heap.Size(cap(s.ints))
	}
	strings, n := 0, 0
	for member := range s.table.All() {
		if n == samples {
			break
		}
		strings += heap.Size(len(member))
		n++
	}
	return size + heap.Size(int(unsafe.Sizeof(*s.table))) + s.table.Bytes() + int(float64(strings)*float64(s.Len())/float64(max(n, 1)))
}

// DictStats describes the table of a set that has one.
func (s *Set) DictStats() dict.Stats {
	if s.table == nil {
		return dict.Stats{}
	}
	return s.table.Stats()
}
