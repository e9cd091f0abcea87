package cell

import (
	"encoding/binary"
	"math/bits"
	"unsafe"

	"myredis/internal/atom"
)

// The first byte of a cell says what follows:
//
//	0 to 127     nothing: it is this integer
//	128 to 191   a text of 0 to 63 bytes
//	192 to 223   one byte; with five bits of the first an integer of 13 bits
//	226 to 232   an integer of 2 to 8 bytes, little-endian, two's complement
//	233          two bytes of length, and a text of 64 to 65535 bytes
//	234          eight bytes of length, and a longer text
//
// Every text that spells an integer is kept as one, in the fewest bytes. So
// there is one cell for each string, and two strings are equal exactly if their
// cells are.
const (
	shortText  = 128
	mediumInt  = 192
	wideInt    = 224 // and the number of bytes
	mediumText = 233
	longText   = 234

	mediumFrom = 64      // bytes of the shortest medium text
	longFrom   = 1 << 16 // bytes of the shortest long text
	mediumBits = 13
)

// MaxHead is how many bytes a text's cell is longer than the text, at most.
const MaxHead = 9

// Cell is an atom as it is stored: the head, and the text if it is one.
type Cell struct {
	head [9]byte
	n    int // bytes of the head in use
	text string
}

// Of returns the atom's cell, which is a view of it.
func Of(a atom.Atom) (c Cell) {
	if n, ok := a.Int(); ok {
		c.integer(n)
		return c
	}
	c.text, _ = a.Text()
	switch n := len(c.text); {
	case n < mediumFrom:
		c.head[0] = byte(shortText + n)
		c.n = 1
	case n < longFrom:
		c.head[0] = mediumText
		binary.LittleEndian.PutUint16(c.head[1:], uint16(n))
		c.n = 3
	default:
		c.head[0] = longText
		binary.LittleEndian.PutUint64(c.head[1:], uint64(n))
		c.n = 9
	}
	return c
}

func (c *Cell) integer(n int64) {
	// The bits of n and of its sign.
	switch width := 1 + bits.Len64(uint64(n^n>>63)); {
	case n >= 0 && width <= 8:
		c.head[0] = byte(n)
		c.n = 1
	case width <= mediumBits:
		c.head[0], c.head[1] = mediumInt|byte(n>>8)&31, byte(n)
		c.n = 2
	default:
		k := (width + 7) / 8
		c.head[0] = byte(wideInt + k)
		binary.LittleEndian.PutUint64(c.head[1:], uint64(n))
		c.n = 1 + k
	}
}

// Size is how many bytes the cell takes.
func (c *Cell) Size() int { return c.n + len(c.text) }

// Is reports whether b is the cell.
func (c *Cell) Is(b []byte) bool {
	return b[0] == c.head[0] && len(b) == c.Size() && string(b[:c.n]) == string(c.head[:c.n]) && string(b[c.n:]) == c.text
}

// Write puts the cell at the beginning of b and returns how long it is.
func (c *Cell) Write(b []byte) int {
	copy(b, c.head[:c.n])
	copy(b[c.n:], c.text)
	return c.Size()
}

// Size returns how long the cell is that b begins with.
func Size(b []byte) int {
	switch k := int(b[0]); {
	case k < shortText:
		return 1
	case k < mediumInt:
		return 1 + k - shortText
	case k < wideInt:
		return 2
	case k < mediumText:
		return 1 + k - wideInt
	case k == mediumText:
		return 3 + int(binary.LittleEndian.Uint16(b[1:]))
	}
	return 9 + int(binary.LittleEndian.Uint64(b[1:]))
}

// Read returns the atom that b begins with, a view of b, and how long its cell
// is.
func Read(b []byte) (a atom.Atom, size int) {
	size = Size(b)
	switch k := int(b[0]); {
	case k < shortText:
		return atom.OfInt(int64(k)), size
	case k < mediumInt:
		return atom.Of(view(b[1:size])), size
	case k < wideInt:
		return atom.OfInt(signed(uint64(k)<<8|uint64(b[1]), mediumBits)), size
	case k < mediumText:
		var wide [8]byte
		copy(wide[:], b[1:size])
		return atom.OfInt(signed(binary.LittleEndian.Uint64(wide[:]), 8*(size-1))), size
	case k == mediumText:
		return atom.Of(view(b[3:size])), size
	}
	return atom.Of(view(b[9:size])), size
}

// signed is the integer in the lowest bits of n.
func signed(n uint64, width int) int64 { return int64(n) << (64 - width) >> (64 - width) }

func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
