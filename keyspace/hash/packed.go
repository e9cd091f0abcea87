package hash

import (
	"encoding/binary"
	"iter"
	"math"
	"math/bits"
	"unsafe"

	"myredis/internal/atom"
)

// A packed hash is one allocation without pointers: the header of a Hash and
// the cells behind it. The room it has is not written down, it follows from the
// size; so a hash that grows moves when it crosses from one room size to the
// next, which is why Set returns it.
//
//	bytes 0 to 3   size in bytes, header included; 0: this is a table
//	bytes 4 and 5  number of fields; 65535: that many or more
const (
	headerSize = 6
	manyFields = math.MaxUint16
)

// maxPacked bounds the size in bytes (Redis: LISTPACK_MAX_SAFETY_LIMIT). It
// varies in a test.
var maxPacked = 1 << 30

// room returns how many bytes are allocated for a size: multiples of 8, of 16
// above 32, and above 256 of an eighth of the next lower power of two. These are
// sizes that Go's allocator has classes for, and few enough that growth by small
// steps seldom copies.
func room(size int) int {
	step := 8
	switch {
	case size > 256:
		step = 1 << (bits.Len(uint(size-1)) - 4)
	case size > 32:
		step = 16
	}
	return (size + step - 1) &^ (step - 1)
}

// packed returns the hash of the given size whose header and cells are yet to
// be written.
func packed(size int) *Hash {
	h := (*Hash)(unsafe.Pointer(unsafe.SliceData(make([]byte, room(size)))))
	h.setSize(size)
	return h
}

func (h *Hash) size() int { return int(binary.LittleEndian.Uint32(h.header[:])) }

func (h *Hash) setSize(n int) { binary.LittleEndian.PutUint32(h.header[:], uint32(n)) }

func (h *Hash) setCount(n int) {
	binary.LittleEndian.PutUint16(h.header[4:], uint16(min(n, manyFields)))
}

// cells returns the cells, fields and values by turns.
func (h *Hash) cells() []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(h)), h.size())[headerSize:]
}

func (h *Hash) packedLen() int {
	n := int(binary.LittleEndian.Uint16(h.header[4:]))
	if n < manyFields {
		return n
	}
	n = 0
	for range h.pairs() {
		n++
	}
	return n
}

// find returns where a field's cell begins and its value's cell.
func (h *Hash) find(field *cell) (at, value int, ok bool) {
	b := h.cells()
	for at < len(b) {
		value = at + cellSize(b[at:])
		if field.is(b[at:value]) {
			return at, value, true
		}
		at = value + cellSize(b[value:])
	}
	return 0, 0, false
}

func (h *Hash) packedGet(field atom.Atom) (value atom.Atom, ok bool) {
	f := cellOf(field)
	_, at, ok := h.find(&f)
	if ok {
		value, _ = read(h.cells()[at:])
	}
	return value, ok
}

// packedSet is Set where there is room for the field and the value.
func (h *Hash) packedSet(field, value atom.Atom) (_ *Hash, added bool) {
	f, v := cellOf(field), cellOf(value)
	_, at, found := h.find(&f)
	if found {
		h = h.replace(at, cellSize(h.cells()[at:]), v.size())
		v.write(h.cells()[at:])
		return h, false
	}
	n := h.packedLen()
	at = len(h.cells())
	h = h.replace(at, 0, f.size()+v.size())
	b := h.cells()[at:]
	v.write(b[f.write(b):])
	h.setCount(n + 1)
	return h, true
}

func (h *Hash) packedDelete(field atom.Atom) (_ *Hash, deleted bool) {
	f := cellOf(field)
	at, value, found := h.find(&f)
	if !found {
		return h, false
	}
	n := h.packedLen()
	h = h.replace(at, value+cellSize(h.cells()[value:])-at, 0)
	h.setCount(n - 1)
	return h, true
}

// replace puts room for so many bytes in the place of others, whose place and
// number are given.
func (h *Hash) replace(at, old, size int) *Hash {
	b, was := h.cells(), h.size()
	now := was + size - old
	to := h
	if room(now) != room(was) {
		to = packed(now)
		to.header = h.header
		to.setSize(now)
		copy(to.cells(), b[:at])
	} else {
		to.setSize(max(now, was))
	}
	copy(to.cells()[at+size:], b[at+old:])
	to.setSize(now)
	return to
}

// pairs yields where each field's cell begins.
func (h *Hash) pairs() iter.Seq[int] {
	return func(yield func(int) bool) {
		b := h.cells()
		for at := 0; at < len(b); {
			if !yield(at) {
				return
			}
			at += cellSize(b[at:])
			at += cellSize(b[at:])
		}
	}
}

// pair returns the field and the value whose cells begin at a place.
func (h *Hash) pair(at int) (field, value atom.Atom) {
	b := h.cells()[at:]
	field, n := read(b)
	value, _ = read(b[n:])
	return field, value
}
