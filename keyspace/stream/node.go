package stream

import (
	"bytes"
	"encoding/binary"
	"iter"
	"slices"

	"myredis/internal/atom"
)

// node is a run of entries, one behind the other in one allocation:
//
//	the names of the first entry's fields, a cell each
//	the entries, each of them
//	    the number of bytes that follow
//	    how much later than the first one it is: milliseconds, and the
//	    difference of the numbers within them, which may be negative
//	    0: the fields have the node's names, and their values follow
//	    n: n fields follow, name and value by turns
//
// Entries that are deleted leave no bytes, but are counted, as Redis counts
// them: they fill a node up.
type node struct {
	first, last ID // of all that ever were in it
	data        []byte
	names       uint32 // where the names end
	begin       uint32 // where the entries begin; before that they have been trimmed
	fields      int32  // how many names there are
	live, dead  int32  // entries that are there, and that were
	listpack    uint32 // size of the listpack that Redis would have, counters left out
}

// Limits say when a node is full. Zero is no limit.
type Limits struct{ Bytes, Entries int64 }

// maxNodeBytes is the limit where none is set (Redis: STREAM_LISTPACK_MAX_SIZE).
const maxNodeBytes = 1 << 30

// listpackFrame is what a listpack has besides its elements: a header and an
// end, and in a stream's also the mark behind the names.
const listpackFrame = 6 + 1 + 2

// newNode returns a node for an entry to be appended to.
func newNode(id ID, pairs [][]byte) *node {
	n := &node{first: id, fields: int32(len(pairs) / 2)}
	n.data = n.appendCells(nil, pairs, 2)
	n.listpack += listpackFrame + uint32(listpackIntSize(int64(n.fields)))
	n.names = uint32(len(n.data))
	n.begin = n.names
	return n
}

// appendCells appends the cells of each step-th text to dst, and counts what
// they take in a listpack.
func (n *node) appendCells(dst []byte, texts [][]byte, step int) []byte {
	for i := 0; i < len(texts); i += step {
		var size int
		dst, size = appendCell(dst, texts[i])
		n.listpack += uint32(size)
	}
	return dst
}

// named reports whether the fields of an entry have the node's names.
func (n *node) named(pairs [][]byte) bool {
	if int(n.fields) != len(pairs)/2 {
		return false
	}
	names := n.data[:n.names]
	for i := 0; i < len(pairs); i += 2 {
		var room [64]byte
		cell, _ := appendCell(room[:0], pairs[i])
		if !bytes.HasPrefix(names, cell) {
			return false
		}
		names = names[len(cell):]
	}
	return true
}

// full reports whether an entry of so many bytes must go to another node
// (t_stream.c, streamAppendItem).
func (n *node) full(size int, limits Limits) bool {
	most := limits.Bytes
	if most == 0 || most > maxNodeBytes {
		most = maxNodeBytes
	}
	counters := listpackIntSize(int64(n.live)) + listpackIntSize(int64(n.dead))
	return int64(n.listpack)+int64(counters+size) >= most ||
		limits.Entries > 0 && int64(n.live)+int64(n.dead) >= limits.Entries
}

// append adds an entry that is greater than all that there are.
func (n *node) append(id ID, pairs [][]byte) {
	var room [256]byte
	ms, seq := id.MS-n.first.MS, int64(id.Seq-n.first.Seq)
	body := binary.AppendUvarint(room[:0], ms)
	body = binary.AppendVarint(body, seq)
	fields := len(pairs) / 2
	elements := 3 + fields // in Redis's listpack: flags, milliseconds, number and the values
	if n.named(pairs) {
		body = append(body, 0)
		body = n.appendCells(body, pairs[1:], 2)
	} else {
		body = binary.AppendUvarint(body, uint64(fields))
		body = n.appendCells(body, pairs, 1)
		n.listpack += uint32(listpackIntSize(int64(fields)))
		elements += 1 + fields
	}
	n.listpack += uint32(listpackIntSize(0) + listpackIntSize(int64(ms)) + listpackIntSize(seq) + listpackIntSize(int64(elements)))
	n.data = binary.AppendUvarint(n.data, uint64(len(body)))
	n.data = append(n.data, body...)
	n.live++
	n.last = id
}

// close gives back the room that a node which is full keeps for more.
func (n *node) close() { n.data = slices.Clone(n.data) }

func (n *node) clone() *node {
	c := *n
	c.data = slices.Clone(n.data)
	return &c
}

// entry returns the entry whose bytes begin at a place, and where the next
// one's do.
func (n *node) entry(at int) (e Entry, next int) {
	size, k := binary.Uvarint(n.data[at:])
	next = at + k + int(size)
	b := n.data[at+k : next]
	ms, k := binary.Uvarint(b)
	b = b[k:]
	seq, k := binary.Varint(b)
	b = b[k:]
	fields, k := binary.Uvarint(b)
	e = Entry{ID: ID{n.first.MS + ms, n.first.Seq + uint64(seq)}, cells: b[k:], fields: int(fields)}
	if fields == 0 {
		e.names, e.fields = n.data[:n.names], int(n.fields)
	}
	return e, next
}

// entries yields all entries in order, each with where its bytes begin.
func (n *node) entries() iter.Seq2[int, Entry] {
	return func(yield func(int, Entry) bool) {
		for at := int(n.begin); at < len(n.data); {
			e, next := n.entry(at)
			if !yield(at, e) {
				return
			}
			at = next
		}
	}
}

// backward yields all entries from the last to the first.
func (n *node) backward() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		places := make([]int, 0, n.live)
		for at := range n.entries() {
			places = append(places, at)
		}
		for _, at := range slices.Backward(places) {
			if e, _ := n.entry(at); !yield(e) {
				return
			}
		}
	}
}

// find returns where the bytes of an entry begin and end.
func (n *node) find(id ID) (at, end int, ok bool) {
	for at, e := range n.entries() {
		if c := e.ID.Compare(id); c >= 0 {
			_, end = n.entry(at)
			return at, end, c == 0
		}
	}
	return 0, 0, false
}

// delete removes the entry whose bytes are between two places.
func (n *node) delete(at, end int) {
	n.data = slices.Delete(n.data, at, end)
	n.live--
	n.dead++
}

// trim removes entries from the first on while keep is false of them, and
// returns how many. Their bytes stay until the node goes.
func (n *node) trim(keep func(Entry) bool) (removed int64) {
	begin := len(n.data)
	for at, e := range n.entries() {
		if keep(e) {
			begin = at
			break
		}
		removed++
	}
	n.begin = uint32(begin)
	n.live -= int32(removed)
	n.dead += int32(removed)
	return removed
}

// Entry is an entry of a stream, a view of it.
type Entry struct {
	ID     ID
	fields int
	names  []byte // cells of the names, when cells has the values alone
	cells  []byte
}

// Len returns the number of fields.
func (e Entry) Len() int { return e.fields }

// Pairs yields the fields and their values, in the order in which they were
// added. A field may be there more than once.
func (e Entry) Pairs() iter.Seq2[atom.Atom, atom.Atom] {
	return func(yield func(field, value atom.Atom) bool) {
		names, cells := e.names, e.cells
		for range e.fields {
			var field, value atom.Atom
			if e.names != nil {
				field, names = readCell(names)
			} else {
				field, cells = readCell(cells)
			}
			value, cells = readCell(cells)
			if !yield(field, value) {
				return
			}
		}
	}
}

// Size returns how many bytes the fields and values of an entry have together.
func Size(pairs [][]byte) (size int) {
	for _, text := range pairs {
		size += len(text)
	}
	return size
}

// MaxEntryBytes is how many bytes the fields and values of an entry may have
// together. A node with the largest entry still has places of 32 bits.
const MaxEntryBytes = maxNodeBytes
