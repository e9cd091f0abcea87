package stream

import (
	"slices"
	"strings"
)

// Group is consumers who share the entries of a stream: each entry is delivered
// to one of them.
type Group struct {
	Name string
	Last ID // the last entry that was delivered
	// Read is how many of the entries that were ever added are no later than
	// Last; Unknown if that cannot be told.
	Read int64

	pending   PendingList
	consumers []*Consumer // by name
}

// Unknown is the number of entries read by a group of which it is not known.
const Unknown = -1

// Consumer is a member of a group.
type Consumer struct {
	Name string
	Seen int64 // when it last asked for something, in Unix milliseconds

	pending PendingList
}

// Pending returns what was delivered to the group and not acknowledged.
func (g *Group) Pending() PendingList { return g.pending }

// Pending returns what was delivered to the consumer and not acknowledged.
func (c *Consumer) Pending() PendingList { return c.pending }

// Groups returns the groups by name. The slice is the stream's own.
func (s *Stream) Groups() []*Group { return s.groups }

func (s *Stream) findGroup(name string) (int, bool) {
	return slices.BinarySearchFunc(s.groups, name, func(g *Group, name string) int { return strings.Compare(g.Name, name) })
}

// Group returns the group of a name, or nil.
func (s *Stream) Group(name string) *Group {
	if i, ok := s.findGroup(name); ok {
		return s.groups[i]
	}
	return nil
}

// CreateGroup makes a group that is to read what comes after an ID, unless
// there is one of that name. The name may be a view.
func (s *Stream) CreateGroup(name string, last ID, read int64) (created bool) {
	i, ok := s.findGroup(name)
	if ok {
		return false
	}
	g := &Group{Name: strings.Clone(name), Last: last, Read: read, pending: newPendingList()}
	s.groups = slices.Insert(s.groups, i, g)
	return true
}

// DeleteGroup removes a group and all that is known of it.
func (s *Stream) DeleteGroup(name string) (deleted bool) {
	i, ok := s.findGroup(name)
	if ok {
		s.groups = slices.Delete(s.groups, i, i+1)
	}
	return ok
}

// Consumers returns the consumers by name. The slice is the group's own.
func (g *Group) Consumers() []*Consumer { return g.consumers }

func (g *Group) findConsumer(name string) (int, bool) {
	return slices.BinarySearchFunc(g.consumers, name, func(c *Consumer, name string) int { return strings.Compare(c.Name, name) })
}

// Consumer returns the consumer of a name, or nil.
func (g *Group) Consumer(name string) *Consumer {
	if i, ok := g.findConsumer(name); ok {
		return g.consumers[i]
	}
	return nil
}

// CreateConsumer returns the consumer of a name; one that is made is first seen
// at the instant given. The name may be a view.
func (g *Group) CreateConsumer(name string, now int64) (c *Consumer, created bool) {
	i, ok := g.findConsumer(name)
	if ok {
		return g.consumers[i], false
	}
	c = &Consumer{Name: strings.Clone(name), Seen: now, pending: newPendingList()}
	g.consumers = slices.Insert(g.consumers, i, c)
	return c, true
}

// DeleteConsumer removes a consumer with what is pending for it.
func (g *Group) DeleteConsumer(c *Consumer) {
	for p := range c.pending.From(ID{}) {
		g.pending.remove(p)
	}
	if i, ok := g.findConsumer(c.Name); ok {
		g.consumers = slices.Delete(g.consumers, i, i+1)
	}
}

// Assign makes an entry pending for a consumer, whoever it was pending for, as
// delivered to it for the first time.
func (g *Group) Assign(id ID, c *Consumer, now int64) *Pending {
	p := g.pending.At(id)
	if p == nil {
		p = &Pending{ID: id}
		g.pending.add(p)
	}
	g.Give(p, c)
	p.Delivered, p.Deliveries = now, 1
	return p
}

// Expect makes an entry pending that was not, for nobody yet: Give must follow.
func (g *Group) Expect(id ID) *Pending {
	p := &Pending{ID: id, Deliveries: 1}
	g.pending.add(p)
	return p
}

// Give makes another consumer the one that a pending entry is pending for.
func (g *Group) Give(p *Pending, c *Consumer) {
	if p.Consumer == c {
		return
	}
	if p.Consumer != nil {
		p.Consumer.pending.remove(p)
	}
	p.Consumer = c
	c.pending.add(p)
}

// Forget ends the pending of an entry: it has been acknowledged, or is gone.
func (g *Group) Forget(p *Pending) {
	g.pending.remove(p)
	p.Consumer.pending.remove(p)
}

func (g *Group) clone() *Group {
	c := &Group{Name: g.Name, Last: g.Last, Read: g.Read, pending: newPendingList()}
	for _, from := range g.consumers {
		to := &Consumer{Name: from.Name, Seen: from.Seen, pending: newPendingList()}
		c.consumers = append(c.consumers, to)
		for p := range from.pending.From(ID{}) {
			q := *p
			q.Consumer = to
			to.pending.add(&q)
			c.pending.add(&q)
		}
	}
	return c
}

// Advance notes that a group has been given the entry of an ID, the first after
// its last. It counts the entry as read as long as no entry after it has been
// deleted, and otherwise tells the number by what the stream knows.
func (s *Stream) Advance(g *Group, id ID) {
	if g.Read != Unknown && !s.holesFrom(id) {
		g.Read++
	} else if s.added > 0 {
		g.Read = s.Position(id)
	}
	g.Last = id
}

// Lag returns how many entries a group has not been given yet, if that is
// known.
func (s *Stream) Lag(g *Group) (n int64, known bool) {
	read := g.Read
	switch {
	case s.added == 0:
		return 0, true
	case read == Unknown || s.holesFrom(g.Last):
		read = s.Position(g.Last)
	}
	return s.added - read, read != Unknown
}

// holesFrom reports whether an entry of an ID or a later one may have been
// deleted. Of those deleted only the greatest is known.
func (s *Stream) holesFrom(id ID) bool {
	return s.length > 0 && !s.deleted.IsZero() && !s.first.After(s.deleted) && !id.After(s.deleted)
}

// Position returns how many of the entries ever added are no later than an ID.
// It is known of the last one, and before or at the first one, unless an entry
// that came later was deleted (t_stream.c,
// streamEstimateDistanceFromFirstEverEntry).
func (s *Stream) Position(id ID) int64 {
	last, first := id.Compare(s.last), id.Compare(s.first)
	switch {
	case s.added == 0:
		return 0
	case s.length == 0 && last <= 0, last == 0:
		return s.added
	case last > 0:
		return Unknown
	case !s.deleted.IsZero() && !s.first.After(s.deleted):
		return Unknown
	case first < 0:
		return s.added - s.length
	case first == 0:
		return s.added - s.length + 1
	}
	return Unknown
}
