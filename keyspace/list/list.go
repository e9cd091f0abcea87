package list

import (
	"iter"
	"slices"

	"myredis/internal/atom"
)

// List is a list. The zero value is an empty one.
//
// Between the chunks there are no links: they stand in a row by value, so that
// to look for a place is to add up numbers that lie side by side. A list of ten
// million elements has some 15 000 chunks, whose numbers are half a megabyte.
type List struct {
	row    row
	length int
}

// Len returns the number of elements.
func (l *List) Len() int {
	if l == nil {
		return 0
	}
	return l.length
}

// At returns the element at a place.
func (l *List) At(i int) atom.Atom {
	at, k := l.seek(i)
	c := l.row.at(at)
	return read(c.entries()[c.offset(k):])
}

// seek returns the chunk of a place, and which of its entries stands there.
func (l *List) seek(i int) (at, k int) {
	chunks := l.row.chunks()
	if i < 0 || i >= l.length {
		panic("list: there is no such place")
	}
	if i <= l.length/2 {
		for at = 0; i >= chunks[at].len(); at++ {
			i -= chunks[at].len()
		}
		return at, i
	}
	i = l.length - i
	for at = len(chunks) - 1; i > chunks[at].len(); at-- {
		i -= chunks[at].len()
	}
	return at, chunks[at].len() - i
}

// PushFront puts an element before all others.
func (l *List) PushFront(a atom.Atom) {
	e := entryOf(a)
	if l.length == 0 || !l.row.at(0).fits(e.size) {
		l.open(0, &e)
	}
	l.row.at(0).insert(0, &e)
	l.length++
}

// PushBack puts an element behind all others.
func (l *List) PushBack(a atom.Atom) {
	e := entryOf(a)
	last := l.row.len() - 1
	if last < 0 || !l.row.at(last).fits(e.size) {
		last++
		l.open(last, &e)
	}
	c := l.row.at(last)
	c.insert(c.len(), &e)
	l.length++
}

// open puts a new chunk into the row, for an entry. The one that was at that end
// takes no more of them. In a list of several chunks more are to be expected, but
// not that they stay: a stack may go up and down just there.
func (l *List) open(at int, e *entry) {
	var c chunk
	if l.length > 0 {
		l.row.at(min(at, l.row.len()-1)).fit()
		if e.size <= limit/16 {
			c.buf = make([]byte, 0, limit/16)
		}
	}
	l.row.insert(at, c)
}

// Insert puts an element before the one at a place, or behind all others if the
// place is Len.
func (l *List) Insert(i int, a atom.Atom) {
	switch i {
	case 0:
		l.PushFront(a)
		return
	case l.length:
		l.PushBack(a)
		return
	}
	e := entryOf(a)
	at, k := l.seek(i)
	if !l.row.at(at).fits(e.size) {
		at, k = l.divide(at, k, &e)
	}
	l.row.at(at).insert(k, &e)
	l.length++
}

// divide finds a chunk for an entry that is to stand before the k-th of a full
// one: that one's first part, or the one behind it, or a new one.
func (l *List) divide(at, k int, e *entry) (int, int) {
	if k > 0 {
		rest := l.row.at(at).split(k)
		l.row.insert(at+1, rest)
		at++
	}
	if at > 0 && l.row.at(at-1).fits(e.size) {
		return at - 1, l.row.at(at - 1).len()
	}
	if !l.row.at(at).fits(e.size) {
		l.row.insert(at, chunk{})
	}
	return at, 0
}

// Set replaces the element at a place.
func (l *List) Set(i int, a atom.Atom) {
	e := entryOf(a)
	at, k := l.seek(i)
	c := l.row.at(at)
	from := c.offset(k)
	old := sizeAt(c.entries()[from:])
	if c.len() == 1 || c.fits(e.size-old) {
		c.replace(from, old, &e)
		l.row.tidy(at)
		return
	}
	l.Delete(i, 1)
	l.Insert(i, a)
}

// Delete removes n elements from a place on.
func (l *List) Delete(i, n int) {
	if n == 0 {
		return
	}
	from, k := l.seek(i)
	l.length -= n
	if k > 0 { // the rear of a chunk, or a part of its middle
		c := l.row.at(from)
		m := min(n, c.len()-k)
		c.cut(k, m)
		n -= m
		from++
	}
	to := from
	for n > 0 && n >= l.row.at(to).len() {
		n -= l.row.at(to).len()
		to++
	}
	if n > 0 {
		l.row.at(to).cut(0, n)
	}
	if from < to {
		l.row.delete(from, to)
	}
	l.row.tidy(from)
	l.row.tidy(from - 1)
}

// Remove removes elements that equal a, at most so many, the first or, from the
// back, the last ones. It returns how many those were.
func (l *List) Remove(a atom.Atom, most int, back bool) (removed int) {
	e := entryOf(a)
	for c := range l.order(back) {
		removed += c.remove(&e, most-removed, back)
		if removed == most {
			break
		}
	}
	if removed > 0 {
		l.length -= removed
		l.row.compact()
	}
	return removed
}

// order returns the chunks from the front or from the back.
func (l *List) order(back bool) iter.Seq[*chunk] {
	return func(yield func(*chunk) bool) {
		for i := range l.row.len() {
			if back {
				i = l.row.len() - 1 - i
			}
			if !yield(l.row.at(i)) {
				return
			}
		}
	}
}

// Forward returns the elements from a place on. The place may be Len.
func (l *List) Forward(i int) iter.Seq[atom.Atom] {
	return func(yield func(atom.Atom) bool) {
		if i == l.Len() {
			return
		}
		at, k := l.seek(i)
		for ; at < l.row.len(); at++ {
			for b := range l.row.at(at).forward(k) {
				if !yield(read(b)) {
					return
				}
			}
			k = 0
		}
	}
}

// Backward returns the elements from a place back to the first. The place may be
// -1.
func (l *List) Backward(i int) iter.Seq[atom.Atom] {
	return func(yield func(atom.Atom) bool) {
		if i < 0 {
			return
		}
		at, k := l.seek(i)
		for {
			for b := range l.row.at(at).backward(k) {
				if !yield(read(b)) {
					return
				}
			}
			if at--; at < 0 {
				return
			}
			k = l.row.at(at).len() - 1
		}
	}
}

// Index returns the first place of an element that equals a.
func (l *List) Index(a atom.Atom) (i int, ok bool) {
	for i := range l.Matches(a, l.Len(), false) {
		return i, true
	}
	return 0, false
}

// Matches returns the places of the elements that equal a, among the first or,
// from the back, the last so many.
func (l *List) Matches(a atom.Atom, among int, back bool) iter.Seq[int] {
	return func(yield func(int) bool) {
		if l.Len() == 0 {
			return
		}
		e, met := entryOf(a), 0
		for c := range l.order(back) {
			entries := c.forward(0)
			if back {
				entries = c.backward(c.len() - 1)
			}
			for b := range entries {
				if met == among {
					return
				}
				i := met
				if back {
					i = l.length - 1 - met
				}
				if e.is(b) && !yield(i) {
					return
				}
				met++
			}
		}
	}
}

// Clone returns an independent list of the same elements.
func (l *List) Clone() *List {
	c := &List{length: l.length}
	c.row.all = slices.Clone(l.row.chunks())
	for i := range c.row.all {
		chunk := &c.row.all[i]
		chunk.buf, chunk.lo = slices.Clone(chunk.entries()), 0
	}
	return c
}
