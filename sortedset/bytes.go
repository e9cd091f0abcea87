package sortedset

import (
	"unsafe"

	"myredis/internal/dict"
	"myredis/internal/heap"
)

// treeFill is how full the nodes of the tree are, in hundredths: 69 when
// members come in any order, and half when their scores only rise.
const treeFill = 60

// Bytes returns how much memory the set takes. The members' strings are
// reckoned by so many of them, and the tree by how full it usually is.
func (s *Set) Bytes(samples int) int {
	strings, n := 0, 0
	for member := range s.scores.All() {
		if n == samples {
			break
		}
		strings += heap.Size(len(member))
		n++
	}
	tree := s.Len() * int(unsafe.Sizeof(Item{})) * 100 / treeFill
	const root = 200 // the tree itself and its first node
	return heap.Size(int(unsafe.Sizeof(*s))) + root + s.scores.Bytes() + tree + int(float64(strings)*float64(s.Len())/float64(max(n, 1)))
}

// DictStats describes the table of scores.
func (s *Set) DictStats() dict.Stats { return s.scores.Stats() }
