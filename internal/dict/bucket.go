package dict

import "math/bits"

// tag returns the byte by which a bucket recognises a hash. It takes the high
// bits, because elements of one bucket share low ones. 0 means an empty slot.
func tag(h uint64) uint8 {
	if t := uint8(h >> 56); t != 0 {
		return t
	}
	return 1
}

// len returns the number of elements in this bucket, its chain not included.
func (b *bucket[V]) len() int {
	return (bits.Len64(b.tags) + 7) / 8
}

// find looks for a key in a chain and returns where it is, or nil.
func find[V any](b *bucket[V], key string, t uint8) (*bucket[V], int) {
	const low7 = 0x7f7f7f7f7f7f7f7f
	want := uint64(t) * 0x0101010101010101
	for ; b != nil; b = b.next {
		// The high bit of each byte of hit says that the byte of x is zero.
		// The shorter formula errs on bytes above a zero, and would take an
		// empty slot for a match of the empty key.
		x := b.tags ^ want
		hit := ^((x&low7 + low7) | x | low7)
		for ; hit != 0; hit &= hit - 1 {
			i := bits.TrailingZeros64(hit) / 8
			if b.slots[i&(bucketSlots-1)].key == key {
				return b, i
			}
		}
	}
	return nil, 0
}

// append takes the first empty slot of a chain for a tag, which may need another
// overflow bucket, and returns where it is.
func (d *Dict[V]) append(b *bucket[V], t uint8) (*bucket[V], int) {
	depth := 0
	for b.next != nil {
		b = b.next
		depth++
	}
	i := b.len()
	if i == bucketSlots {
		b.next = new(bucket[V])
		b = b.next
		i = 0
		if depth == len(d.longer) {
			d.longer = append(d.longer, 0)
		}
		d.longer[depth]++
	}
	b.tags |= uint64(t) << (8 * i)
	return b, i
}

// remove empties slot i of bucket b of a chain, and moves the chain's last
// element there.
func (d *Dict[V]) remove(head, b *bucket[V], i int) {
	last, before, depth := b, (*bucket[V])(nil), 0
	if b.next != nil || b != head {
		last = head
		for ; last.next != nil; last = last.next {
			before = last
			depth++
		}
	}
	j := last.len() - 1
	b.slots[i] = last.slots[j]
	last.slots[j] = slot[V]{}
	t := last.tags >> (8 * j)
	last.tags &^= 0xff << (8 * j)
	if last != b || i != j {
		b.tags = b.tags&^(0xff<<(8*i)) | t<<(8*i)
	}
	if j == 0 && before != nil {
		d.truncate(before, bucketSlots, depth-1)
	}
}

// grow adds a bucket and moves to it what belongs there.
func (d *Dict[V]) grow() {
	n := d.buckets
	d.reserve(n)
	from, to := d.bucket(n-1<<d.level), d.bucket(n)
	bit := uint64(1) << d.level
	d.buckets++
	if d.buckets == 2<<d.level {
		d.level++
	}

	// Those that stay move up to fill the gaps: (w, k) is where the next goes.
	w, k, wDepth := from, 0, 0
	for r := from; r != nil; r = r.next {
		tags := r.tags
		for i := range r.len() {
			s, t := r.slots[i], uint8(tags>>(8*i))
			if d.hash(s.key)&bit != 0 {
				b, j := d.append(to, t)
				b.slots[j] = s
				continue
			}
			if k == bucketSlots {
				w, k = w.next, 0
				wDepth++
			}
			w.slots[k] = s
			w.tags = w.tags&^(0xff<<(8*k)) | uint64(t)<<(8*k)
			k++
		}
	}
	d.truncate(w, k, wDepth)
}

// truncate ends a chain after k elements of its bucket b, whose depth is given.
func (d *Dict[V]) truncate(b *bucket[V], k, depth int) {
	clear(b.slots[k:])
	b.tags &= 1<<(8*k) - 1
	next := b.next
	b.next = nil
	for ; next != nil; next = next.next {
		depth++
		d.longer[depth-1]--
	}
	for n := len(d.longer); n > 0 && d.longer[n-1] == 0; n-- {
		d.longer = d.longer[:n-1]
	}
}

// shrink removes the last bucket and moves its elements to the bucket they came
// from.
func (d *Dict[V]) shrink() {
	d.buckets--
	n := d.buckets
	if n < 1<<d.level {
		d.level--
	}
	from, to := d.bucket(n), d.bucket(n-1<<d.level)
	for r := from; r != nil; r = r.next {
		for i := range r.len() {
			b, j := d.append(to, uint8(r.tags>>(8*i)))
			b.slots[j] = r.slots[i]
		}
	}
	d.truncate(from, 0, 0)
	d.release(n)
}

// reserve makes room for bucket n.
func (d *Dict[V]) reserve(n int) {
	switch last := len(d.segments) - 1; {
	case n < last*segmentBuckets+len(d.segments[last]):
	case n < segmentBuckets:
		s := make([]bucket[V], 2*n)
		copy(s, d.segments[0])
		d.segments[0] = s
	default:
		d.segments = append(d.segments, make([]bucket[V], segmentBuckets))
	}
}

// release lets go of memory after bucket n was removed, half a segment late so
// that a table which swings about a boundary does not allocate each time.
func (d *Dict[V]) release(n int) {
	last := len(d.segments) - 1
	if last > 0 {
		if n <= last*segmentBuckets-segmentBuckets/2 {
			d.segments[last] = nil
			d.segments = d.segments[:last]
		}
		return
	}
	if size := len(d.segments[0]); n <= size/4 {
		s := make([]bucket[V], size/2)
		copy(s, d.segments[0])
		d.segments[0] = s
	}
}
