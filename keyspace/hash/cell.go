package hash

import (
	"encoding/binary"
	"math/bits"
	"strings"
	"unsafe"

	"myredis/internal/atom"
)

// A packed hash is made of cells: field, value, field, value, each an atom. The
// first byte of a cell says what follows:
//
//	0 to 191     a text of so many bytes
//	192 to 200   an integer of 0 to 8 bytes, little-endian, two's complement
//	201          four bytes of length, and a text of 192 bytes or more
//
// Every text that spells an integer is kept as one, in the fewest bytes. So
// there is one cell for each string, and two strings are equal exactly if their
// cells are: a field is found by comparing bytes.
const (
	maxShort = 191
	intCell  = 192
	longCell = 201
)

// cell is an atom as it is stored: the head, and the text if it is one.
type cell struct {
	head [9]byte
	n    int // bytes of the head in use
	text string
}

func cellOf(a atom.Atom) (c cell) {
	if n, ok := a.Int(); ok {
		k := bytesOf(n)
		c.head[0] = byte(intCell + k)
		binary.LittleEndian.PutUint64(c.head[1:], uint64(n))
		c.n = 1 + k
		return c
	}
	c.text, _ = a.Text()
	if len(c.text) <= maxShort {
		c.head[0] = byte(len(c.text))
		c.n = 1
		return c
	}
	c.head[0] = longCell
	binary.LittleEndian.PutUint32(c.head[1:], uint32(len(c.text)))
	c.n = 5
	return c
}

func cellsOf(field, value atom.Atom) (f, v cell) { return cellOf(field), cellOf(value) }

// cellMax bounds the size of an atom's cell without looking for an integer.
func cellMax(a atom.Atom) int { return a.Len() + 5 }

// bytesOf returns the fewest bytes in which n and its sign fit; none for 0.
func bytesOf(n int64) int {
	if n == 0 {
		return 0
	}
	return bits.Len64(uint64(n^n>>63))/8 + 1
}

// size is how many bytes the cell takes.
func (c *cell) size() int { return c.n + len(c.text) }

// is reports whether b is the cell.
func (c *cell) is(b []byte) bool {
	return b[0] == c.head[0] && len(b) == c.size() && string(b[:c.n]) == string(c.head[:c.n]) && string(b[c.n:]) == c.text
}

// write puts the cell at the beginning of b and returns how long it is.
func (c *cell) write(b []byte) int {
	copy(b, c.head[:c.n])
	copy(b[c.n:], c.text)
	return c.size()
}

// cellSize returns how long the cell is that b begins with.
func cellSize(b []byte) int {
	switch k := int(b[0]); {
	case k <= maxShort:
		return 1 + k
	case k < longCell:
		return 1 + k - intCell
	}
	return 5 + int(binary.LittleEndian.Uint32(b[1:]))
}

// read returns the atom that b begins with, a view of b, and how long its cell
// is.
func read(b []byte) (a atom.Atom, size int) {
	size = cellSize(b)
	switch k := int(b[0]); {
	case k <= maxShort:
		return atom.Of(view(b[1:size])), size
	case k < longCell:
		var wide [8]byte
		copy(wide[:], b[1:size])
		unused := 64 - 8*(k-intCell)
		return atom.OfInt(int64(binary.LittleEndian.Uint64(wide[:])) << unused >> unused), size
	}
	return atom.Of(view(b[5:size])), size
}

func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// keep returns the atom's text as a string of its own.
func keep(a atom.Atom) string {
	if text, ok := a.Text(); ok {
		return strings.Clone(text)
	}
	return a.String()
}
