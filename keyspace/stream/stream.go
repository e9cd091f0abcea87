package stream

import (
	"iter"
	"slices"
)

// Stream is a log of entries and the groups that read it. The zero Stream is
// empty.
type Stream struct {
	nodes  []*node // in the order of their entries
	length int64

	first, last ID // of the first entry that is there; of the last that ever was
	deleted     ID
	added       int64

	groups []*Group // by name
}

// Len returns the number of entries.
func (s *Stream) Len() int64 { return s.length }

// First returns the ID of the first entry, 0-0 when there is none.
func (s *Stream) First() ID { return s.first }

// Last returns the greatest ID that an entry has had: the next one's must be
// greater. SetLast may have set it to another.
func (s *Stream) Last() ID { return s.last }

// MaxDeleted returns the greatest ID that was removed by Delete.
func (s *Stream) MaxDeleted() ID { return s.deleted }

// Added returns how many entries have ever been added.
func (s *Stream) Added() int64 { return s.added }

// SetLast makes an ID the last one. It must not be less than Top's.
func (s *Stream) SetLast(id ID) { s.last = id }

// SetAdded changes what Added returns.
func (s *Stream) SetAdded(n int64) { s.added = n }

// SetMaxDeleted changes what MaxDeleted returns.
func (s *Stream) SetMaxDeleted(id ID) { s.deleted = id }

// Append adds an entry of fields and values by turns, at least one of each. Its
// ID must be after the last one; to pass another is a programmer's mistake and
// panics. The limits decide whether it begins a new node.
func (s *Stream) Append(id ID, pairs [][]byte, limits Limits) {
	if !id.After(s.last) {
		panic("stream: an ID that is not after the last")
	}
	s.tail(id, pairs, limits).append(id, pairs)
	s.last = id
	s.length++
	s.added++
	if s.length == 1 {
		s.first = id
	}
}

// tail returns the node that an entry goes to.
func (s *Stream) tail(id ID, pairs [][]byte, limits Limits) *node {
	if len(s.nodes) > 0 {
		n := s.nodes[len(s.nodes)-1]
		if !n.full(Size(pairs), limits) {
			return n
		}
		n.close()
	}
	n := newNode(id, pairs)
	s.nodes = append(s.nodes, n)
	return n
}

// node returns the place of the last node that begins no later than an ID; -1
// when all begin later.
func (s *Stream) node(id ID) int {
	i, found := slices.BinarySearchFunc(s.nodes, id, func(n *node, id ID) int { return n.first.Compare(id) })
	if found {
		return i
	}
	return i - 1
}

// Entry returns the entry of an ID, if there is one.
func (s *Stream) Entry(id ID) (e Entry, ok bool) {
	if i := s.node(id); i >= 0 {
		if at, _, ok := s.nodes[i].find(id); ok {
			e, _ = s.nodes[i].entry(at)
			return e, true
		}
	}
	return Entry{}, false
}

// Top returns the ID of the last entry that is there.
func (s *Stream) Top() (id ID, ok bool) {
	for e := range s.Backward(ID{}, Max) {
		return e.ID, true
	}
	return ID{}, false
}

// Range yields the entries from one ID to another, both included.
func (s *Stream) Range(from, to ID) iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for _, n := range s.nodes[max(0, s.node(from)):] {
			for _, e := range n.entries() {
				switch {
				case from.After(e.ID):
				case e.ID.After(to) || !yield(e):
					return
				}
			}
		}
	}
}

// Backward yields the entries from one ID to another, both included, the last
// first.
func (s *Stream) Backward(from, to ID) iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for _, n := range slices.Backward(s.nodes[:s.node(to)+1]) {
			for e := range n.backward() {
				switch {
				case e.ID.After(to):
				case from.After(e.ID) || !yield(e):
					return
				}
			}
		}
	}
}

// Runs yields the entries node by node, with the ID that the node began with.
// [Stream.Append] puts them into the same nodes again if Limits of one entry
// come with the first of each, and none with the others.
func (s *Stream) Runs() iter.Seq2[ID, iter.Seq[Entry]] {
	return func(yield func(ID, iter.Seq[Entry]) bool) {
		for _, n := range s.nodes {
			entries := func(yield func(Entry) bool) {
				for _, e := range n.entries() {
					if !yield(e) {
						return
					}
				}
			}
			if n.live > 0 && !yield(n.first, entries) {
				return
			}
		}
	}
}

// Delete removes the entry of an ID and reports whether there was one.
func (s *Stream) Delete(id ID) bool {
	i := s.node(id)
	if i < 0 {
		return false
	}
	n := s.nodes[i]
	at, end, ok := n.find(id)
	if !ok {
		return false
	}
	n.delete(at, end)
	if n.live == 0 {
		s.nodes = slices.Delete(s.nodes, i, i+1)
	}
	s.length--
	if id.After(s.deleted) {
		s.deleted = id
	}
	if id == s.first {
		s.findFirst()
	}
	return true
}

// findFirst looks for the first entry again.
func (s *Stream) findFirst() {
	s.first = ID{}
	for e := range s.Range(ID{}, Max) {
		s.first = e.ID
		break
	}
}

// Clone returns a stream that shares nothing with this one.
func (s *Stream) Clone() *Stream {
	c := *s
	c.nodes = make([]*node, len(s.nodes))
	for i, n := range s.nodes {
		c.nodes[i] = n.clone()
	}
	c.groups = make([]*Group, len(s.groups))
	for i, g := range s.groups {
		c.groups[i] = g.clone()
	}
	return &c
}
