package keyspace

// deadlines is a four-ary heap of the keys that expire, the next one due
// first. Redis samples its volatile keys at random to find expired ones; a
// heap finds exactly those that are due, in order, so that a slice of expiry
// work is as long as it is told to be and no memory is held by keys that are
// already dead. An object knows its place, so that a deadline can be moved or
// dropped without a search. A later deadline than all others, the common case
// of SET EX with one TTL, is an append and one comparison.
type deadlines []*Object

const heapWidth = 4

func (h *deadlines) push(o *Object) {
	o.heapAt = int32(len(*h))
	*h = append(*h, o)
	h.up(len(*h) - 1)
}

func (h *deadlines) remove(o *Object) {
	i, last := int(o.heapAt), len(*h)-1
	moved := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	o.heapAt = -1
	if i == last {
		return
	}
	(*h)[i] = moved
	moved.heapAt = int32(i)
	h.fix(i)
}

func (h *deadlines) fix(i int) {
	if !h.down(i) {
		h.up(i)
	}
}

func (h deadlines) up(i int) {
	o := h[i]
	for i > 0 {
		parent := (i - 1) / heapWidth
		if h[parent].expireAt <= o.expireAt {
			break
		}
		h[i] = h[parent]
		h[i].heapAt = int32(i)
		i = parent
	}
	h[i] = o
	o.heapAt = int32(i)
}

func (h deadlines) down(i int) (moved bool) {
	o := h[i]
	for {
		first := i*heapWidth + 1
		if first >= len(h) {
			break
		}
		least := first
		for j := first + 1; j < len(h) && j < first+heapWidth; j++ {
			if h[j].expireAt < h[least].expireAt {
				least = j
			}
		}
		if h[least].expireAt >= o.expireAt {
			break
		}
		h[i] = h[least]
		h[i].heapAt = int32(i)
		i = least
		moved = true
	}
	h[i] = o
	o.heapAt = int32(i)
	return moved
}
