package hash

import (
	"unsafe"

	"myredis/internal/dict"
	"myredis/internal/heap"
)

// Bytes returns how much memory the hash takes. The strings of a table are
// reckoned by so many fields of it.
func (h *Hash) Bytes(samples int) int {
	switch {
	case h == nil:
		return 0
	case h.Packed():
		return heap.Size(room(h.size()))
	}
	table := h.table()
	strings, n := 0, 0
	for field, value := range table.All() {
		if n == samples {
			break
		}
		strings += heap.Size(len(field)) + heap.Size(len(value))
		n++
	}
	return heap.Size(int(unsafe.Sizeof(spread{}))) + table.Bytes() + int(float64(strings)*float64(table.Len())/float64(max(n, 1)))
}

// DictStats describes the table of a hash that is not packed.
func (h *Hash) DictStats() dict.Stats {
	if h.Packed() {
		return dict.Stats{}
	}
	return h.table().Stats()
}
