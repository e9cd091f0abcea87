package rdb

import (
	"encoding/binary"
	"iter"
	"math"

	"myredis/internal/atom"
)

// pack is a list in one string, of which it has been checked that it can be
// gone through.
type pack struct {
	n   int
	all iter.Seq[atom.Atom] // views
}

// entry reads what b begins with of a packed list: an element, and how many
// bytes it takes; 0 if b does not begin with one.
type entryReader func(b []byte) (a atom.Atom, size int)

// openPack goes through the entries in b once, to count and check them.
func openPack(b []byte, read entryReader, fault error) (pack, error) {
	p := pack{all: func(yield func(atom.Atom) bool) {
		for rest := b; len(rest) > 0; {
			a, size := read(rest)
			if size == 0 || !yield(a) {
				return
			}
			rest = rest[size:]
		}
	}}
	for rest := b; len(rest) > 0; p.n++ {
		_, size := read(rest)
		if size == 0 {
			return pack{}, fault
		}
		rest = rest[size:]
	}
	return p, nil
}

// openPlain returns the one element of a node of a list that is not packed.
func openPlain(b []byte) (pack, error) {
	if len(b) == 0 {
		return pack{}, errNode
	}
	return pack{n: 1, all: func(yield func(atom.Atom) bool) { yield(atom.Of(view(b))) }}, nil
}

// A listpack is a header, entries and a byte 255. The header is the size in
// bytes, 4 of them, and the number of entries in 2, 65535 for that many or
// more. An entry is its element, and the size of that, written so that it can
// be read backwards. An element begins with what it is:
//
//	0nnnnnnn            an integer of 7 bits
//	10nnnnnn            a string of n bytes
//	110nnnnn nnnnnnnn   an integer of 13 bits, two's complement
//	1110nnnn nnnnnnnn   a string of n bytes
//	11110000            4 bytes of length, and a string
//	11110001 to 0100    an integer of 2, 3, 4 or 8 bytes, two's complement
const (
	listpackHeader = 4 + 2
	packEnd        = 255
	manyEntries    = math.MaxUint16
)

// openListpack returns the elements of a listpack.
func openListpack(b []byte) (pack, error) {
	const least = listpackHeader + 1
	if len(b) < least || uint64(binary.LittleEndian.Uint32(b)) != uint64(len(b)) || b[len(b)-1] != packEnd {
		return pack{}, errListpack
	}
	p, err := openPack(b[listpackHeader:len(b)-1], readListpackEntry, errListpack)
	if n := int(binary.LittleEndian.Uint16(b[4:])); err == nil && n != manyEntries && n != p.n {
		err = errListpack
	}
	return p, err
}

func readListpackEntry(b []byte) (a atom.Atom, size int) {
	head, length, isInt := listpackHead(b)
	n := head + length
	if head == 0 || n < 0 || n > len(b) {
		return a, 0
	}
	switch {
	case !isInt:
		a = atom.Of(view(b[head:n]))
	case head == 2: // 13 bits
		a = atom.OfInt(int64(int16(uint16(b[0])<<11|uint16(b[1])<<3)) >> 3)
	case length == 0: // 7 bits
		a = atom.OfInt(int64(b[0]))
	default:
		a = atom.OfInt(littleInt(b[head:n]))
	}
	back := backSize(n)
	if n+back > len(b) || !endsWithBack(b[:n+back], n) {
		return a, 0
	}
	return a, n + back
}

// listpackHead tells of the element that b begins with how many bytes come
// before what it says, 0 if it is none, and how many that has.
func listpackHead(b []byte) (head, length int, isInt bool) {
	first := b[0]
	switch {
	case first < 0x80:
		return 1, 0, true
	case first < 0xc0:
		return 1, int(first & 0x3f), false
	case len(b) < 2:
		return 0, 0, false
	case first < 0xe0:
		return 2, 0, true
	case first < 0xf0:
		return 2, int(first&0xf)<<8 | int(b[1]), false
	case first == 0xf0 && len(b) >= 5:
		return 5, int(binary.LittleEndian.Uint32(b[1:])), false
	case first >= 0xf1 && first <= 0xf4:
		return 1, [...]int{2, 3, 4, 8}[first-0xf1], true
	}
	return 0, 0, false
}

// backSize is how many bytes it takes to write a size so that it can be read
// backwards, 7 bits in each. Redis takes a byte more than needed for the largest
// number of each length, and refuses a listpack that does not.
func backSize(n int) int {
	size := 1
	if n > 1<<7-1 {
		size++
		for most := 1<<14 - 1; n >= most; most = most<<7 | 0x7f {
			size++
		}
	}
	return size
}

// appendBack appends a size: the high bits first, and of its bytes those marked
// before which there is one more.
func appendBack(dst []byte, n int) []byte {
	for size := backSize(n); size > 0; size-- {
		b := byte(n >> (7 * (size - 1)) & 0x7f)
		if size < backSize(n) {
			b |= 0x80
		}
		dst = append(dst, b)
	}
	return dst
}

// endsWithBack reports whether the size that b ends with is n.
func endsWithBack(b []byte, n int) bool {
	const longest = 5
	said := 0
	for i := range min(longest, len(b)) {
		last := b[len(b)-1-i]
		said |= int(last&0x7f) << (7 * i)
		if last < 0x80 {
			return said == n
		}
	}
	return false
}

// listpack is a listpack being written.
type listpack struct {
	b []byte
	n int
}

// newListpack begins one in the room of b.
func newListpack(b []byte) listpack {
	return listpack{b: append(b[:0], make([]byte, listpackHeader)...)}
}

// bytes ends it.
func (l *listpack) bytes() []byte {
	l.b = append(l.b, packEnd)
	binary.LittleEndian.PutUint32(l.b, uint32(len(l.b)))
	binary.LittleEndian.PutUint16(l.b[4:], uint16(min(l.n, manyEntries)))
	return l.b
}

// add appends an element. What spells an integer is written as one.
func (l *listpack) add(a atom.Atom) {
	began := len(l.b)
	if n, ok := a.Int(); ok {
		l.b = appendListpackInt(l.b, n)
	} else {
		text, _ := a.Text()
		l.b = append(appendListpackLength(l.b, len(text)), text...)
	}
	l.b = appendBack(l.b, len(l.b)-began)
	l.n++
}

func appendListpackInt(dst []byte, n int64) []byte {
	switch {
	case 0 <= n && n < 1<<7:
		return append(dst, byte(n))
	case -1<<12 <= n && n < 1<<12:
		return append(dst, 0xc0|byte(n>>8)&0x1f, byte(n))
	case n == int64(int16(n)):
		return binary.LittleEndian.AppendUint16(append(dst, 0xf1), uint16(n))
	case -1<<23 <= n && n < 1<<23:
		return append(dst, 0xf2, byte(n), byte(n>>8), byte(n>>16))
	case n == int64(int32(n)):
		return binary.LittleEndian.AppendUint32(append(dst, 0xf3), uint32(n))
	}
	return binary.LittleEndian.AppendUint64(append(dst, 0xf4), uint64(n))
}

func appendListpackLength(dst []byte, n int) []byte {
	switch {
	case n < 1<<6:
		return append(dst, 0x80|byte(n))
	case n < 1<<12:
		return append(dst, 0xe0|byte(n>>8), byte(n))
	}
	return binary.LittleEndian.AppendUint32(append(dst, 0xf0), uint32(n))
}
