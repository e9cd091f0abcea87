package list

import (
	"math/bits"

	"myredis/internal/atom"
	"myredis/internal/cell"
)

// An entry is an element as it is stored: its cell, and behind it the size of
// the cell, to be read backwards. So a chunk can be walked from either end. The
// size is written in groups of seven bits, the lowest in the last byte; the
// highest bit of a byte says that more stand before it.
type entry struct {
	cell.Cell
	size int // of the cell and what follows it
}

func entryOf(a atom.Atom) entry {
	e := entry{Cell: cell.Of(a)}
	e.size = e.Size() + trailer(e.Size())
	return e
}

// trailer is how many bytes the size of a cell takes.
func trailer(cellSize int) int {
	if cellSize < 1<<7 {
		return 1
	}
	return (bits.Len(uint(cellSize)) + 6) / 7
}

// write fills b, whose length is the entry's size.
func (e *entry) write(b []byte) {
	n := e.Write(b)
	for i := len(b) - 1; i >= e.Size(); i-- {
		b[i] = byte(n & 0x7f)
		if n >>= 7; n > 0 {
			b[i] |= 0x80
		}
	}
}

// is reports whether b is the entry.
func (e *entry) is(b []byte) bool { return len(b) == e.size && e.Is(b[:e.Size()]) }

// sizeAt returns the size of the entry that b begins with.
func sizeAt(b []byte) int {
	n := cell.Size(b)
	return n + trailer(n)
}

// sizeBefore returns the size of the entry that b ends with.
func sizeBefore(b []byte) int {
	n, shift := 0, 0
	for i := len(b) - 1; ; i-- {
		n |= int(b[i]&0x7f) << shift
		if b[i] < 0x80 {
			return n + len(b) - i
		}
		shift += 7
	}
}

func read(b []byte) atom.Atom {
	a, _ := cell.Read(b)
	return a
}
