package list

import "slices"

// row is the chunks in their order. There can be room on both sides of them, as
// in a chunk.
type row struct {
	all []chunk
	lo  int // what is before is room
}

func (r *row) chunks() []chunk { return r.all[r.lo:] }

func (r *row) len() int { return len(r.all) - r.lo }

func (r *row) at(i int) *chunk { return &r.all[r.lo+i] }

// insert puts a chunk before the i-th. It moves those on the shorter side.
func (r *row) insert(i int, c chunk) {
	n := r.len()
	if 2*i < n {
		if r.lo == 0 {
			room := n/2 + 1
			r.all, r.lo = append(make([]chunk, room, room+n), r.all...), room
		}
		r.lo--
		copy(r.chunks(), r.chunks()[1:i+1])
		*r.at(i) = c
		return
	}
	if len(r.all) == cap(r.all) && r.lo > n/2 {
		copy(r.all, r.chunks())
		clear(r.all[n:])
		r.all, r.lo = r.all[:n], 0
	}
	r.all = slices.Insert(r.all, r.lo+i, c)
}

// delete removes the chunks from one to before another.
func (r *row) delete(from, to int) {
	if from == 0 {
		clear(r.chunks()[:to])
		r.lo += to
	} else {
		r.all = slices.Delete(r.all, r.lo+from, r.lo+to)
	}
	r.fit()
}

// fit gives back room when there is much more of it than of chunks.
func (r *row) fit() {
	if cap(r.all) > 4*r.len()+8 {
		r.all, r.lo = append([]chunk(nil), r.chunks()...), 0
	}
}

// tidy looks after a chunk that has become smaller: it joins a neighbour if both
// together are far from full, or gives back room. The chunks at the ends of
// several keep theirs, they grow and shrink all the time, unless a single large
// element has left it.
func (r *row) tidy(i int) {
	if i < 0 || i >= r.len() {
		return
	}
	for left := max(0, i-1); left <= i && left+1 < r.len(); left++ {
		if c, next := r.at(left), r.at(left+1); c.joins(next) {
			c.join(next)
			r.delete(left+1, left+2)
			i = left
		}
	}
	atEnd := r.len() > 1 && (i == 0 || i == r.len()-1)
	if c := r.at(i); !atEnd || cap(c.buf) > limit {
		c.shrink()
	}
}

// compact looks after all chunks, of which some may have no entries.
func (r *row) compact() {
	kept := r.all[:r.lo]
	for _, c := range r.chunks() {
		switch last := len(kept) - 1; {
		case c.n == 0:
		case last >= r.lo && kept[last].joins(&c):
			kept[last].join(&c)
		default:
			c.shrink()
			kept = append(kept, c)
		}
	}
	clear(r.all[len(kept):])
	r.all = kept
	r.fit()
}
