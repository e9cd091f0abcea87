package stream

// Trim says which entries are to go, the oldest first. The zero Trim keeps
// none.
type Trim struct {
	MaxLen int64 // how many entries are to stay; or, with ByID,
	MinID  ID    // the least ID that is to stay
	ByID   bool
	// Approx removes whole nodes only, which costs less, and so may leave
	// more than asked for.
	Approx bool
	Limit  int64 // with Approx: how many entries may go at most; 0: any number
}

// Trim removes entries from the beginning and returns how many. As in Redis, a
// node may be left without entries: if its last one has been deleted, and is
// all that is not older than MinID.
func (s *Stream) Trim(t Trim) (removed int64) {
	whole := 0
	for ; whole < len(s.nodes) && (t.ByID || s.length > t.MaxLen); whole++ {
		n := s.nodes[whole]
		entries := int64(n.live)
		if t.Limit > 0 && removed+entries > t.Limit {
			break
		}
		if !s.passes(n, t) {
			if !t.Approx {
				removed += s.trimNode(n, t)
			}
			break
		}
		s.length -= entries
		removed += entries
	}
	clear(s.nodes[:whole]) // or the slice would hold on to them
	s.nodes = s.nodes[whole:]
	if removed > 0 {
		s.findFirst()
	}
	return removed
}

// passes reports whether a node that is the first of what is left goes as a
// whole. Redis: a deleted entry that is still in the node counts, if it is the
// last.
func (s *Stream) passes(n *node, t Trim) bool {
	if t.ByID {
		return t.MinID.After(n.last)
	}
	return s.length-int64(n.live) >= t.MaxLen
}

// trimNode removes entries from the first node.
func (s *Stream) trimNode(n *node, t Trim) (removed int64) {
	if t.ByID {
		removed = n.trim(func(e Entry) bool { return !t.MinID.After(e.ID) })
	} else {
		surplus := s.length - t.MaxLen
		removed = n.trim(func(Entry) bool {
			surplus--
			return surplus < 0
		})
	}
	s.length -= removed
	return removed
}
