package rdb

import (
	"encoding/binary"
	"slices"
	"strconv"

	"myredis/internal/atom"
	"myredis/keyspace"
	"myredis/keyspace/stream"
)

// stream reads a stream. Before 7.0 none remembered how many entries had been
// added, and groups not how many they had read.
func (d *Decoder) stream(kind byte) (*keyspace.Object, error) {
	s := new(stream.Stream)
	nodes, err := d.count()
	if err != nil {
		return nil, err
	}
	for range nodes {
		if err := d.streamNode(s); err != nil {
			return nil, err
		}
	}
	if err := d.memory(s, kind); err != nil {
		return nil, err
	}
	groups, err := d.count()
	if err != nil {
		return nil, err
	}
	for range groups {
		if err := d.group(s, kind); err != nil {
			return nil, err
		}
	}
	return keyspace.NewObject(keyspace.Stream, keyspace.StreamEncoding, s), nil
}

// memory reads what a stream remembers.
func (d *Decoder) memory(s *stream.Stream, kind byte) error {
	n, err := d.counts(3)
	if err != nil {
		return err
	}
	last := stream.ID{MS: n[1], Seq: n[2]}
	if n[0] != uint64(s.Len()) || s.Len() > 0 && s.Last().After(last) {
		return errStream
	}
	s.SetLast(last)
	s.SetAdded(s.Len())
	if kind == typeStream2 {
		if n, err = d.counts(5); err != nil {
			return err
		}
		s.SetMaxDeleted(stream.ID{MS: n[2], Seq: n[3]}) // behind the first ID, which follows from the entries
		s.SetAdded(int64(n[4]))
	}
	return nil
}

// counts reads n lengths.
func (d *Decoder) counts(n int) (list []uint64, err error) {
	for range n {
		count, err := d.count()
		if err != nil {
			return nil, err
		}
		list = append(list, count)
	}
	return list, nil
}

// rawID reads an ID of 16 bytes.
func (d *Decoder) rawID() (stream.ID, error) {
	b, err := d.take(16)
	if err != nil {
		return stream.ID{}, err
	}
	return parseRawID(b), nil
}

func parseRawID(b []byte) stream.ID {
	return stream.ID{MS: binary.BigEndian.Uint64(b), Seq: binary.BigEndian.Uint64(b[8:])}
}

// streamNode reads a node and appends its entries.
func (d *Decoder) streamNode(s *stream.Stream) error {
	id, err := d.string()
	if err != nil {
		return err
	}
	if len(id) != 16 {
		return errStream
	}
	first := parseRawID(id)
	b, err := d.string()
	if err != nil {
		return err
	}
	p, err := openListpack(b)
	if err != nil {
		return err
	}
	c := cursor{rest: slices.Collect(p.all)}
	written := c.int() + c.int()
	names := c.texts(c.int())
	if c.int() != 0 || written < 0 || written > int64(p.n) {
		return errStream
	}
	limits := stream.Limits{Entries: 1} // the first entry begins a node, the others do not
	for range written {
		entry, flags := c.entry(names)
		entry.id.MS += first.MS
		entry.id.Seq += first.Seq
		switch {
		case c.bad || len(entry.pairs) == 0 || stream.Size(entry.pairs) > stream.MaxEntryBytes:
			return errStream
		case flags&flagDeleted != 0:
			continue
		case !entry.id.After(s.Last()):
			return errStream
		}
		s.Append(entry.id, entry.pairs, limits)
		limits = stream.Limits{}
	}
	if c.bad || len(c.rest) > 0 {
		return errStream
	}
	return nil
}

// cursor takes elements of a listpack one after the other. It goes bad when
// there is none, or another than asked for.
type cursor struct {
	rest []atom.Atom
	bad  bool
}

func (c *cursor) next() (a atom.Atom) {
	if len(c.rest) == 0 {
		c.bad = true
		return a
	}
	a, c.rest = c.rest[0], c.rest[1:]
	return a
}

func (c *cursor) int() int64 {
	n, ok := c.next().Int()
	c.bad = c.bad || !ok
	return n
}

// texts takes n elements as text, which may be views.
func (c *cursor) texts(n int64) [][]byte {
	if n < 0 || n > int64(len(c.rest)) {
		c.bad = true
		return nil
	}
	list := make([][]byte, n)
	for i := range list {
		a := c.next()
		if text, ok := a.Text(); ok {
			list[i] = bytesOf(text)
		} else {
			m, _ := a.Int()
			list[i] = strconv.AppendInt(nil, m, 10)
		}
	}
	return list
}

// streamEntry is an entry with its fields and values by turns.
type streamEntry struct {
	id    stream.ID
	pairs [][]byte
}

// entry takes an entry, whose ID is how far it is from the node's.
func (c *cursor) entry(names [][]byte) (e streamEntry, flags int64) {
	left := len(c.rest)
	flags = c.int()
	e.id = stream.ID{MS: uint64(c.int()), Seq: uint64(c.int())}
	if flags&flagNamed == 0 {
		fields := c.int()
		c.bad = c.bad || fields < 0 || fields > int64(len(c.rest))
		if !c.bad {
			e.pairs = c.texts(2 * fields)
		}
	} else {
		for i, value := range c.texts(int64(len(names))) {
			e.pairs = append(e.pairs, names[i], value)
		}
	}
	elements := int64(left - len(c.rest))
	c.bad = c.int() != elements || c.bad
	return e, flags
}

// group reads a group of consumers.
func (d *Decoder) group(s *stream.Stream, kind byte) error {
	name, err := d.string()
	if err != nil {
		return err
	}
	n, err := d.counts(2)
	if err != nil {
		return err
	}
	last := stream.ID{MS: n[0], Seq: n[1]}
	read := s.Position(last)
	if kind == typeStream2 {
		count, err := d.count()
		if err != nil {
			return err
		}
		read = int64(count)
	}
	if !s.CreateGroup(view(name), last, read) {
		return errDuplicate
	}
	g := s.Group(view(name))
	if err := d.pending(g); err != nil {
		return err
	}
	consumers, err := d.count()
	if err != nil {
		return err
	}
	for range consumers {
		if err := d.consumer(g); err != nil {
			return err
		}
	}
	for p := range g.Pending().From(stream.ID{}) {
		if p.Consumer == nil {
			return errStream
		}
	}
	return nil
}

// pending reads what is pending in a group, not yet for whom.
func (d *Decoder) pending(g *stream.Group) error {
	n, err := d.count()
	if err != nil {
		return err
	}
	for range n {
		id, err := d.rawID()
		if err != nil {
			return err
		}
		delivered, err := d.int(8)
		if err != nil {
			return err
		}
		deliveries, err := d.count()
		if err != nil {
			return err
		}
		if g.Pending().At(id) != nil {
			return errDuplicate
		}
		p := g.Expect(id)
		p.Delivered, p.Deliveries = delivered, int64(deliveries)
	}
	return nil
}

func (d *Decoder) consumer(g *stream.Group) error {
	name, err := d.string()
	if err != nil {
		return err
	}
	seen, err := d.int(8)
	if err != nil {
		return err
	}
	c, created := g.CreateConsumer(view(name), seen)
	if !created {
		return errDuplicate
	}
	n, err := d.count()
	if err != nil {
		return err
	}
	for range n {
		id, err := d.rawID()
		if err != nil {
			return err
		}
		p := g.Pending().At(id)
		if p == nil || p.Consumer != nil {
			return errStream
		}
		g.Give(p, c)
	}
	return nil
}
