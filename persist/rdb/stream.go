package rdb

import (
	"encoding/binary"
	"iter"
	"slices"

	"myredis/internal/atom"
	"myredis/keyspace/stream"
)

// A stream is nodes, each an ID and a listpack; what it remembers; and its
// groups. The elements of a listpack are
//
//	how many entries there are, how many were deleted but are still written,
//	the number of fields that most entries have, their names, 0
//	and for each entry
//	    flags, and how far its ID is from the node's, in both parts
//	    the number of fields and name and value by turns, or the values alone
//	    how many elements that were
//
// Deleted entries are not written: the nodes here do not keep them.
const (
	flagDeleted = 1
	flagNamed   = 2 // the fields have the node's names
)

func (e *Encoder) appendStream(dst []byte, s *stream.Stream) []byte {
	var nodes []byte
	n := uint64(0)
	for first, entries := range s.Runs() {
		nodes = e.AppendString(nodes, appendRawID(nil, first))
		nodes = e.appendPacked(nodes, packEntries(e.packed, first, entries))
		n++
	}
	dst = append(appendLength(dst, n), nodes...)
	dst = appendLength(dst, uint64(s.Len()))
	for _, id := range []stream.ID{s.Last(), s.First(), s.MaxDeleted()} {
		dst = appendID(dst, id)
	}
	dst = appendLength(dst, uint64(s.Added()))
	dst = appendLength(dst, uint64(len(s.Groups())))
	for _, g := range s.Groups() {
		dst = e.appendGroup(dst, g)
	}
	return dst
}

// appendID appends an ID as two lengths.
func appendID(dst []byte, id stream.ID) []byte { return appendLength(appendLength(dst, id.MS), id.Seq) }

// appendRawID appends an ID in a form whose order is the IDs'.
func appendRawID(dst []byte, id stream.ID) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(dst, id.MS), id.Seq)
}

// packEntries makes the listpack of a node. Its names are the first entry's.
func packEntries(room []byte, first stream.ID, entries iter.Seq[stream.Entry]) []byte {
	l := newListpack(room)
	integer := func(n int64) { l.add(atom.OfInt(n)) }
	live := int64(0)
	var names []atom.Atom
	for e := range entries {
		if live == 0 {
			names = fieldNames(e)
		}
		live++
	}
	integer(live)
	integer(0)
	integer(int64(len(names)))
	for _, name := range names {
		l.add(name)
	}
	integer(0)
	for e := range entries {
		began := l.n
		named := slices.Equal(fieldNames(e), names)
		if named {
			integer(flagNamed)
		} else {
			integer(0)
		}
		integer(int64(e.ID.MS - first.MS))
		integer(int64(e.ID.Seq - first.Seq))
		if !named {
			integer(int64(e.Len()))
		}
		for name, value := range e.Pairs() {
			if !named {
				l.add(name)
			}
			l.add(value)
		}
		integer(int64(l.n - began))
	}
	return l.bytes()
}

func fieldNames(e stream.Entry) []atom.Atom {
	names := make([]atom.Atom, 0, e.Len())
	for name := range e.Pairs() {
		names = append(names, name)
	}
	return names
}

// appendGroup appends a group: what is pending, and then, by their IDs, for
// whom.
func (e *Encoder) appendGroup(dst []byte, g *stream.Group) []byte {
	dst = e.AppendString(dst, bytesOf(g.Name))
	dst = appendLength(appendID(dst, g.Last), uint64(g.Read))
	dst = appendLength(dst, uint64(g.Pending().Len()))
	for p := range g.Pending().From(stream.ID{}) {
		dst = binary.LittleEndian.AppendUint64(appendRawID(dst, p.ID), uint64(p.Delivered))
		dst = appendLength(dst, uint64(p.Deliveries))
	}
	dst = appendLength(dst, uint64(len(g.Consumers())))
	for _, c := range g.Consumers() {
		dst = e.AppendString(dst, bytesOf(c.Name))
		dst = binary.LittleEndian.AppendUint64(dst, uint64(c.Seen))
		dst = appendLength(dst, uint64(c.Pending().Len()))
		for p := range c.Pending().From(stream.ID{}) {
			dst = appendRawID(dst, p.ID)
		}
	}
	return dst
}
