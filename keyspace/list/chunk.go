package list

import (
	"iter"
	"slices"
)

// chunk is a run of entries in one allocation without pointers. There can be
// room on both sides of them, so that neither end moves bytes when elements come
// and go there.
type chunk struct {
	buf []byte // what is before lo is room, as is the capacity behind
	lo  uint32
	n   uint32 // number of entries
}

// limit is the size up to which a chunk takes more entries (Redis:
// list-max-listpack-size -2). A single entry may be larger. It varies in tests.
var limit = 8 << 10

func (c *chunk) len() int { return int(c.n) }

// entries returns the bytes in use.
func (c *chunk) entries() []byte { return c.buf[c.lo:] }

// fits reports whether the chunk takes an entry of a size.
func (c *chunk) fits(size int) bool { return len(c.entries())+size <= limit }

// offset returns where the k-th entry begins; k may be the number of entries.
func (c *chunk) offset(k int) int {
	b := c.entries()
	if k <= c.len()/2 {
		at := 0
		for range k {
			at += sizeAt(b[at:])
		}
		return at
	}
	at := len(b)
	for range c.len() - k {
		at -= sizeBefore(b[:at])
	}
	return at
}

// insert puts an entry before the k-th.
func (c *chunk) insert(k int, e *entry) {
	e.write(c.splice(c.offset(k), 0, e.size))
	c.n++
}

// replace puts an entry in the place of one of another size.
func (c *chunk) replace(at, old int, e *entry) { e.write(c.splice(at, old, e.size)) }

// cut removes n entries from the k-th on.
func (c *chunk) cut(k, n int) {
	from := c.offset(k)
	to := len(c.entries())
	if k+n < c.len() {
		to = from
		for range n {
			to += sizeAt(c.entries()[to:])
		}
	}
	c.splice(from, to-from, 0)
	c.n -= uint32(n)
}

// remove removes entries that equal e, at most so many, the first or, from the
// back, the last ones. It returns how many those were.
func (c *chunk) remove(e *entry, most int, back bool) (removed int) {
	equal := 0
	for b := range c.forward(0) {
		if e.is(b) {
			equal++
		}
	}
	removed = min(equal, most)
	if removed == 0 {
		return 0
	}
	skip := 0
	if back {
		skip = equal - removed
	}
	entries, kept, met := c.entries(), 0, 0
	for b := range c.forward(0) {
		if e.is(b) {
			met++
			if met > skip && met <= skip+removed {
				continue
			}
		}
		kept += copy(entries[kept:], b)
	}
	c.splice(kept, len(entries)-kept, 0)
	c.n -= uint32(removed)
	return removed
}

// forward returns the entries from the k-th on.
func (c *chunk) forward(k int) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for b := c.entries()[c.offset(k):]; len(b) > 0; {
			size := sizeAt(b)
			if !yield(b[:size]) {
				return
			}
			b = b[size:]
		}
	}
}

// backward returns the entries from the k-th back to the first.
func (c *chunk) backward(k int) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for b := c.entries()[:c.offset(k+1)]; len(b) > 0; {
			size := sizeBefore(b)
			if !yield(b[len(b)-size:]) {
				return
			}
			b = b[:len(b)-size]
		}
	}
}

// splice makes place for so many bytes instead of others and returns it. It
// moves what stands on the shorter side, if there is room.
func (c *chunk) splice(at, old, size int) []byte {
	grow, behind := size-old, len(c.entries())-at-old
	front := at < behind
	switch {
	case front && grow <= int(c.lo):
		from := c.lo
		c.lo = uint32(int(from) - grow)
		copy(c.entries(), c.buf[from:int(from)+at])
	case !front && grow <= cap(c.buf)-len(c.buf):
		end := len(c.buf)
		tail := c.buf[end-behind:]
		c.buf = c.buf[:max(end, end+grow)]
		copy(c.buf[end+grow-behind:], tail)
		c.buf = c.buf[:end+grow]
	default:
		c.makeRoom(grow, front)
		return c.splice(at, old, size)
	}
	return c.entries()[at : at+size]
}

// makeRoom makes room for so many bytes at one side, and for more of them: half
// of the room that there is or, if that is not enough, of a larger allocation.
// That grows by a quarter at first, since there may be many small lists.
func (c *chunk) makeRoom(grow int, front bool) {
	used := len(c.entries())
	need := used + grow
	to := c.buf[:cap(c.buf)]
	if need > len(to) {
		more := need / 4
		if need > limit/16 {
			more = need / 2
		}
		to = slices.Grow([]byte(nil), max(need, min(need+more, limit)))
		to = to[:cap(to)]
	}
	room := len(to) - used
	lo := room / 2
	if front {
		lo = max(lo, grow)
	} else {
		lo = min(lo, room-grow)
	}
	copy(to[lo:], c.entries())
	c.buf, c.lo = to[:lo+used], uint32(lo)
}

// fit gives back room that is more than a little of what is used.
func (c *chunk) fit() {
	used := len(c.entries())
	if room := cap(c.buf) - used; room > 16 && room > used/8 {
		c.buf, c.lo = append([]byte(nil), c.entries()...), 0
	}
}

// shrink gives back room that is a multiple of what is used.
func (c *chunk) shrink() {
	if room := cap(c.buf) - len(c.entries()); room > 3*len(c.entries()) {
		c.fit()
	}
}

// split keeps the entries before the k-th and returns the others.
func (c *chunk) split(k int) chunk {
	at := c.offset(k)
	rest := chunk{buf: append([]byte(nil), c.entries()[at:]...), n: c.n - uint32(k)}
	c.buf = c.buf[:int(c.lo)+at]
	c.n = uint32(k)
	return rest
}

// join appends the entries of another chunk.
func (c *chunk) join(next *chunk) {
	copy(c.splice(len(c.entries()), 0, len(next.entries())), next.entries())
	c.n += next.n
}

// joins reports whether the chunk and the one behind it are better one.
func (c *chunk) joins(next *chunk) bool { return len(c.entries())+len(next.entries()) <= limit/2 }
