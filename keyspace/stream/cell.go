package stream

import (
	"encoding/binary"
	"unsafe"

	"myredis/internal/atom"
)

// A cell is a string among the bytes of a node. It begins with a number, whose
// lowest bit says what the others are: 0, the length of the bytes that follow;
// 1, an integer that the string spells, the sign in its lowest bit. Numbers are
// as package binary writes them, seven bits to a byte.

// maxInteger is the first integer too large for a cell.
const maxInteger = 1 << 61

// view is b as a string without a copy.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// appendCell appends a string's cell to dst, and returns how many bytes the
// string takes in one of Redis's listpacks.
func appendCell(dst, text []byte) (_ []byte, listpack int) {
	n, ok := atom.Of(view(text)).Int()
	switch {
	case !ok:
		listpack = listpackTextSize(len(text))
	case -maxInteger <= n && n < maxInteger:
		return binary.AppendUvarint(dst, uint64(n<<1^n>>63)<<1|1), listpackIntSize(n)
	default:
		listpack = listpackIntSize(n)
	}
	dst = binary.AppendUvarint(dst, uint64(len(text))<<1)
	return append(dst, text...), listpack
}

// readCell returns the string whose cell b begins with, as a view, and what is
// behind it.
func readCell(b []byte) (a atom.Atom, rest []byte) {
	head, n := binary.Uvarint(b)
	b = b[n:]
	if head&1 == 1 {
		return atom.OfInt(int64(head>>2) ^ -int64(head>>1&1)), b
	}
	size := head >> 1
	return atom.Of(view(b[:size])), b[size:]
}

// listpackTextSize returns how many bytes a string that spells no integer takes
// in a listpack (listpack.c): its length, itself, and the length of both, for
// those who come from the other end.
func listpackTextSize(size int) int {
	switch {
	case size < 1<<6:
		size++
	case size < 1<<12:
		size += 2
	default:
		size += 5
	}
	switch {
	case size < 1<<7:
		return size + 1
	case size < 1<<14-1:
		return size + 2
	case size < 1<<21-1:
		return size + 3
	case size < 1<<28-1:
		return size + 4
	}
	return size + 5
}

// listpackIntSize is listpackTextSize of an integer.
func listpackIntSize(n int64) int {
	switch {
	case 0 <= n && n < 1<<7:
		return 2
	case -1<<12 <= n && n < 1<<12:
		return 3
	case -1<<15 <= n && n < 1<<15:
		return 4
	case -1<<23 <= n && n < 1<<23:
		return 5
	case -1<<31 <= n && n < 1<<31:
		return 6
	}
	return 10
}
