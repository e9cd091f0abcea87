package rdb

import (
	"fmt"
	"math"

	"myredis/internal/atom"
	"myredis/keyspace"
	"myredis/keyspace/hash"
	"myredis/keyspace/list"
	"myredis/keyspace/set"
	"myredis/keyspace/stream"
	"myredis/sortedset"
	"myredis/wire"
)

// Dump returns what DUMP answers: the type of the value, the value, and the
// trailer.
func (e *Encoder) Dump(o *keyspace.Object) []byte {
	return Seal(e.AppendValue([]byte{typeOf(o)}, o))
}

// typeOf returns the type as which a value is written. A value that reports a
// compact encoding is written in it.
func typeOf(o *keyspace.Object) byte {
	packed := o.Encoding() == keyspace.Listpack
	switch o.Kind() {
	case keyspace.String:
		return typeString
	case keyspace.List:
		return typeListOfListpacks
	case keyspace.Set:
		if o.Encoding() == keyspace.Intset {
			return typeSetIntset
		}
		return typeSet
	case keyspace.ZSet:
		if packed {
			return typeZSetListpack
		}
		return typeZSet
	case keyspace.Hash:
		if packed {
			return typeHashListpack
		}
		return typeHash
	case keyspace.Stream:
		return typeStream2
	}
	panic("rdb: a kind of value that cannot be written: " + o.Kind().String())
}

// AppendValue appends a value without its type.
func (e *Encoder) AppendValue(dst []byte, o *keyspace.Object) []byte {
	switch v := o.Value.(type) {
	case int64:
		return e.appendAtom(dst, atom.OfInt(v))
	case []byte:
		return e.AppendString(dst, v)
	case *hash.Hash:
		return e.appendHash(dst, o, v)
	case *list.List:
		return e.appendList(dst, v)
	case *set.Set:
		return e.appendSet(dst, o, v)
	case *sortedset.Set:
		return e.appendZSet(dst, o, v)
	case *stream.Stream:
		return e.appendStream(dst, v)
	}
	panic(fmt.Sprintf("rdb: a value that cannot be written: %T", o.Value))
}

func (e *Encoder) appendHash(dst []byte, o *keyspace.Object, h *hash.Hash) []byte {
	if typeOf(o) == typeHashListpack {
		l := newListpack(e.packed)
		for field, value := range h.All() {
			l.add(field)
			l.add(value)
		}
		return e.appendPacked(dst, l.bytes())
	}
	dst = appendLength(dst, uint64(h.Len()))
	for field, value := range h.All() {
		dst = e.appendAtom(e.appendAtom(dst, field), value)
	}
	return dst
}

// Of a list, Redis writes the nodes that it consists of. Here they are made for
// it: as large as its own are by default if elements come in order.
const (
	nodeSize   = 8 << 10
	largeEntry = 1 << 30 // Redis: packed_threshold
)

func (e *Encoder) appendList(dst []byte, l *list.List) []byte {
	const overhead = 8 // what Redis reckons that an entry takes beside its bytes
	var nodes []byte
	n := uint64(0)
	lp := newListpack(e.packed)
	flush := func() {
		if lp.n > 0 {
			nodes = e.AppendString(append(nodes, nodePacked), lp.bytes())
			lp = newListpack(lp.b)
			n++
		}
	}
	for a := range l.Forward(0) {
		switch size := a.Len(); {
		case size >= largeEntry:
			flush()
			nodes = e.appendAtom(append(nodes, nodePlain), a)
			n++
			continue
		case len(lp.b)+1+size+overhead > nodeSize:
			flush()
		}
		lp.add(a)
	}
	flush()
	e.packed = keep(lp.b)
	return append(appendLength(dst, n), nodes...)
}

func (e *Encoder) appendSet(dst []byte, o *keyspace.Object, s *set.Set) []byte {
	if typeOf(o) == typeSetIntset {
		return e.appendPacked(dst, appendIntset(e.packed[:0], s))
	}
	dst = appendLength(dst, uint64(s.Len()))
	for m := range s.All() {
		dst = e.appendAtom(dst, m)
	}
	return dst
}

// appendZSet writes the members of a large set from the last to the first, as
// Redis does for its own way of reading them.
func (e *Encoder) appendZSet(dst []byte, o *keyspace.Object, s *sortedset.Set) []byte {
	if typeOf(o) == typeZSetListpack {
		l := newListpack(e.packed)
		var room [32]byte
		for item := range s.All() {
			l.add(atom.Of(item.Member))
			l.add(scoreAtom(item.Score, room[:0]))
		}
		return e.appendPacked(dst, l.bytes())
	}
	dst = appendLength(dst, uint64(s.Len()))
	for item := range s.ByRank(0, s.Len()-1, true) {
		dst = appendDouble(e.AppendString(dst, bytesOf(item.Member)), item.Score)
	}
	return dst
}

// scoreAtom returns a score as a packed set has it: whole ones within half of
// the range of integers are integers.
func scoreAtom(f float64, room []byte) atom.Atom {
	const most = math.MaxInt64 / 2
	if n := int64(f); -most <= f && f <= most && float64(n) == f {
		return atom.OfInt(n)
	}
	return atom.Of(view(wire.AppendScore(room, f)))
}

// appendPacked appends a packed value, which was made in the scratch room.
func (e *Encoder) appendPacked(dst, b []byte) []byte {
	dst = e.AppendString(dst, b)
	e.packed = keep(b)
	return dst
}
