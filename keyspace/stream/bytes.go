package stream

import (
	"unsafe"

	"myredis/internal/heap"
)

// Bytes returns how much memory the stream takes. Its nodes are reckoned by so
// many of them and the last, which may have room for more.
func (s *Stream) Bytes(samples int) int {
	size := heap.Size(int(unsafe.Sizeof(*s))) + heap.Size(cap(s.nodes)*int(unsafe.Sizeof((*node)(nil))))
	if n := len(s.nodes); n > 0 {
		some := s.nodes[:min(samples, n-1)]
		bytes := 0
		for _, node := range some {
			bytes += node.bytes()
		}
		size += s.nodes[n-1].bytes() + int(float64(bytes)*float64(n-1)/float64(max(len(some), 1)))
	}
	size += heap.Size(cap(s.groups) * int(unsafe.Sizeof((*Group)(nil))))
	for _, g := range s.groups {
		size += g.bytes()
	}
	return size
}

func (n *node) bytes() int { return heap.Size(int(unsafe.Sizeof(*n))) + heap.Size(cap(n.data)) }

// perPlace is what a pending entry takes in a list of them: its place, in nodes
// that are rarely full.
const perPlace = 12

func (g *Group) bytes() int {
	size := heap.Size(int(unsafe.Sizeof(*g))) + heap.Size(len(g.Name))
	size += g.pending.Len() * (heap.Size(int(unsafe.Sizeof(Pending{}))) + 2*perPlace)
	for _, c := range g.consumers {
		size += heap.Size(int(unsafe.Sizeof(*c))) + heap.Size(len(c.Name))
	}
	return size
}
