package list

import (
	"unsafe"

	"myredis/internal/heap"
)

// Bytes returns how much memory the list takes.
func (l *List) Bytes() int {
	n := heap.Size(int(unsafe.Sizeof(*l))) + heap.Size(cap(l.row.all)*int(unsafe.Sizeof(chunk{})))
	for i := range l.row.len() {
		n += heap.Size(cap(l.row.at(i).buf))
	}
	return n
}

// Chunks returns in how many pieces the elements are kept.
func (l *List) Chunks() int { return l.row.len() }
