package hash

import (
	"encoding/binary"
	"iter"
	"math"
	"math/bits"
	"unsafe"

	"myredis/internal/atom"
	"myredis/internal/cell"
)

// packed is the layout of a packed hash: a header and cells, field and value by
// turns, in one allocation without pointers.
//
//	bytes 0 to 3   size in bytes, header included; 0: this is a table
//	bytes 4 and 5  number of fields; 65535: that many or more
//
// A *Hash points to its first byte. How much room there is behind that is not
// written down, it follows from the size; so a hash that grows moves when it
// crosses from one room to the next, which is why Set returns it.
type packed []byte

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

func (h *Hash) size() int { return int(binary.LittleEndian.Uint32(h.header[:])) }

// packed returns the bytes of a packed hash; of no hash, an empty one's.
func (h *Hash) packed() packed {
	if h == nil {
		return make(packed, headerSize, room(headerSize))
	}
	n := h.size()
	return unsafe.Slice((*byte)(unsafe.Pointer(h)), room(n))[:n]
}

// hash returns the hash that p is, in the room that belongs to its size.
func (p packed) hash() *Hash {
	if cap(p) != room(len(p)) {
		p = p.withRoom(len(p))
	}
	binary.LittleEndian.PutUint32(p, uint32(len(p)))
	return (*Hash)(unsafe.Pointer(unsafe.SliceData(p)))
}

// withRoom returns a copy that can grow to a size without moving.
func (p packed) withRoom(size int) packed {
	c := make(packed, len(p), room(size))
	copy(c, p)
	return c
}

// cells returns the cells, field and value by turns.
func (p packed) cells() []byte { return p[headerSize:] }

func (p packed) len() int {
	if n := int(binary.LittleEndian.Uint16(p[4:])); n < manyFields {
		return n
	}
	n := 0
	for range p.pairs() {
		n++
	}
	return n
}

func (p packed) setLen(n int) { binary.LittleEndian.PutUint16(p[4:], uint16(min(n, manyFields))) }

// find returns where a field's cell begins among the cells, and its value's.
func (p packed) find(field *cell.Cell) (at, value int, ok bool) {
	b := p.cells()
	for at < len(b) {
		value = at + cell.Size(b[at:])
		if field.Is(b[at:value]) {
			return at, value, true
		}
		at = value + cell.Size(b[value:])
	}
	return 0, 0, false
}

func (p packed) get(field atom.Atom) (value atom.Atom, ok bool) {
	f := cell.Of(field)
	_, at, ok := p.find(&f)
	if ok {
		value, _ = cell.Read(p.cells()[at:])
	}
	return value, ok
}

// set gives a field a value. If that needs more room than there is, it makes
// room for so many bytes more that are to come after it.
func (p packed) set(field, value *cell.Cell, coming int) (_ packed, added bool) {
	if _, at, found := p.find(field); found {
		p = p.replace(at, cell.Size(p.cells()[at:]), value.Size(), coming)
		value.Write(p.cells()[at:])
		return p, false
	}
	n, at := p.len(), len(p.cells())
	p = p.replace(at, 0, field.Size()+value.Size(), coming)
	b := p.cells()[at:]
	value.Write(b[field.Write(b):])
	p.setLen(n + 1)
	return p, true
}

// setAll is set for n pairs, whose cells have so many bytes.
func (p packed) setAll(n int, pair func(i int) (field, value atom.Atom), coming int) (_ packed, added int) {
	for i := range n {
		field, value := cellsOf(pair(i))
		coming -= field.Size() + value.Size()
		var isNew bool
		if p, isNew = p.set(&field, &value, coming); isNew {
			added++
		}
	}
	return p, added
}

func (p packed) delete(field atom.Atom) (_ packed, deleted bool) {
	f := cell.Of(field)
	at, value, found := p.find(&f)
	if !found {
		return p, false
	}
	n := p.len()
	p = p.replace(at, value+cell.Size(p.cells()[value:])-at, 0, 0)
	p.setLen(n - 1)
	return p, true
}

// replace makes place for so many bytes among the cells instead of others. If
// there is not enough room, it makes so much more than needed.
func (p packed) replace(at, old, size, more int) packed {
	was, now := len(p), len(p)+size-old
	if now > cap(p) {
		p = p.withRoom(now + more)
	}
	p = p[:max(was, now)]
	copy(p.cells()[at+size:], p[:was].cells()[at+old:])
	return p[:now]
}

// pairs yields where each field's cell begins.
func (p packed) pairs() iter.Seq[int] {
	return func(yield func(int) bool) {
		b := p.cells()
		for at := 0; at < len(b); {
			if !yield(at) {
				return
			}
			at += cell.Size(b[at:])
			at += cell.Size(b[at:])
		}
	}
}

// pair returns the field and the value whose cells begin at a place.
func (p packed) pair(at int) (field, value atom.Atom) {
	b := p.cells()[at:]
	field, n := cell.Read(b)
	value, _ = cell.Read(b[n:])
	return field, value
}

func cellsOf(field, value atom.Atom) (f, v cell.Cell) { return cell.Of(field), cell.Of(value) }

// cellMax bounds the size of an atom's cell without looking for an integer.
func cellMax(a atom.Atom) int { return a.Len() + cell.MaxHead }
