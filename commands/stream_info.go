package commands

import (
	"math"

	"myredis/keyspace/stream"
)

// xinfoRow is XINFO, which describes streams.
var xinfoRow = &Command{
	Name: "xinfo", Arity: -2, Group: GroupStream, Categories: CatNone, Since: "5.0.0", Summary: "Describes streams.",
	Sub: []*Command{
		{
			Name: "consumers", Arity: 4, Flags: ReadOnly, Group: GroupStream, Keys: []KeySpec{keyAt(2, RO|Access)}, Run: xinfoConsumers,
			Since: "5.0.0", Cost: "O(N) with N consumers", Summary: "Describes the consumers of a group.", Syntax: "key group",
			Tips: []string{"nondeterministic_output"},
		},
		{
			Name: "groups", Arity: 3, Flags: ReadOnly, Group: GroupStream, Keys: []KeySpec{keyAt(2, RO|Access)}, Run: xinfoGroups,
			Since: "5.0.0", Cost: "O(N) with N groups", Summary: "Describes the groups of a stream.", Syntax: "key",
		},
		{
			Name: "stream", Arity: -3, Flags: ReadOnly, Group: GroupStream, Keys: []KeySpec{keyAt(2, RO|Access)}, Run: xinfoStream,
			Since: "5.0.0", Cost: "O(N) with N entries answered", Summary: "Describes a stream.", Syntax: "key [FULL [COUNT count]]",
		},
	},
}

// infoStream looks up the stream that is to be described.
func (c *Call) infoStream() (*stream.Stream, error) {
	s, err := look[*stream.Stream](c, c.Args[2])
	if err == nil && s == nil {
		err = errNoSuchKey
	}
	return s, err
}

// fullCount reads the options of XINFO STREAM: whether to tell everything, and
// of how many entries.
func (c *Call) fullCount() (full bool, count int64, err error) {
	count = 10
	switch len(c.Args) {
	case 3:
		return false, count, nil
	case 4, 6:
		if !c.is(3, "FULL") {
			return false, 0, c.wrongSubcommand()
		}
		full = true
	default:
		return false, 0, c.wrongSubcommand()
	}
	if len(c.Args) == 6 {
		if !c.is(4, "COUNT") {
			return false, 0, c.wrongSubcommand()
		}
		n, err := c.int(5)
		if err != nil {
			return false, 0, err
		}
		if n == 0 {
			count = math.MaxInt64
		} else if n > 0 {
			count = n
		}
	}
	return full, count, nil
}

func xinfoStream(c *Call) error {
	s, err := c.infoStream()
	if err != nil {
		return err
	}
	full, count, err := c.fullCount()
	if err != nil {
		return err
	}
	if full {
		c.Map(9)
	} else {
		c.Map(10)
	}
	c.field("length", int(s.Len()))
	c.field("radix-tree-keys", s.Nodes())
	c.field("radix-tree-nodes", s.RadixNodes())
	c.fieldID("last-generated-id", s.Last())
	c.fieldID("max-deleted-entry-id", s.MaxDeleted())
	c.field("entries-added", int(s.Added()))
	c.fieldID("recorded-first-entry-id", s.First())
	if full {
		c.BulkString("entries")
		c.replyEntries(s.Range(stream.ID{}, stream.Max), count)
		c.BulkString("groups")
		c.Array(len(s.Groups()))
		for _, g := range s.Groups() {
			c.replyGroupInFull(s, g, count)
		}
		return nil
	}
	c.field("groups", len(s.Groups()))
	c.BulkString("first-entry")
	c.replyEntryOrNull(s, s.First())
	c.BulkString("last-entry")
	top, _ := s.Top()
	c.replyEntryOrNull(s, top)
	return nil
}

// fieldID replies with a name and an ID.
func (c *Call) fieldID(name string, id stream.ID) {
	c.BulkString(name)
	c.replyID(id)
}

func (c *Call) replyEntryOrNull(s *stream.Stream, id stream.ID) {
	if e, ok := s.Entry(id); ok {
		c.replyEntry(e)
	} else {
		c.Null()
	}
}

// replyProgress replies with the names and values of how far a group has come.
func (c *Call) replyProgress(s *stream.Stream, g *stream.Group) {
	c.fieldID("last-delivered-id", g.Last)
	c.BulkString("entries-read")
	c.intOrNull(g.Read, g.Read != stream.Unknown)
	c.BulkString("lag")
	c.intOrNull(s.Lag(g))
}

// intOrNull replies with a number if it is known.
func (c *Call) intOrNull(n int64, known bool) {
	if known {
		c.Int(n)
	} else {
		c.Null()
	}
}

// replyGroupInFull replies with all about a group, and up to count of its
// pending entries and of those of each consumer.
func (c *Call) replyGroupInFull(s *stream.Stream, g *stream.Group, count int64) {
	c.Map(7)
	c.BulkString("name")
	c.BulkString(g.Name)
	c.replyProgress(s, g)
	c.replyPendingInFull(g.Pending(), count, true)
	c.BulkString("consumers")
	c.Array(len(g.Consumers()))
	for _, consumer := range g.Consumers() {
		c.Map(4)
		c.BulkString("name")
		c.BulkString(consumer.Name)
		c.field("seen-time", int(consumer.Seen))
		c.replyPendingInFull(consumer.Pending(), count, false)
	}
}

// replyPendingInFull replies with names and values of how many entries are
// pending, and what is known of up to count of them.
func (c *Call) replyPendingInFull(list stream.PendingList, count int64, owners bool) {
	c.field("pel-count", list.Len())
	c.BulkString("pending")
	n := int(min(count, int64(list.Len())))
	c.Array(n)
	for p := range list.From(stream.ID{}) {
		if n--; n < 0 {
			return
		}
		if owners {
			c.Array(4)
		} else {
			c.Array(3)
		}
		c.replyID(p.ID)
		if owners {
			c.BulkString(p.Consumer.Name)
		}
		c.Int(p.Delivered)
		c.Int(p.Deliveries)
	}
}

func xinfoGroups(c *Call) error {
	s, err := c.infoStream()
	if err != nil {
		return err
	}
	c.Array(len(s.Groups()))
	for _, g := range s.Groups() {
		c.Map(6)
		c.BulkString("name")
		c.BulkString(g.Name)
		c.field("consumers", len(g.Consumers()))
		c.field("pending", g.Pending().Len())
		c.replyProgress(s, g)
	}
	return nil
}

func xinfoConsumers(c *Call) error {
	s, err := c.infoStream()
	if err != nil {
		return err
	}
	g := s.Group(view(c.Args[3]))
	if g == nil {
		return errNoGroup(c.Args[2], c.Args[3])
	}
	c.Array(len(g.Consumers()))
	for _, consumer := range g.Consumers() {
		c.Map(3)
		c.BulkString("name")
		c.BulkString(consumer.Name)
		c.field("pending", consumer.Pending().Len())
		c.field("idle", int(max(c.Now()-consumer.Seen, 0)))
	}
	return nil
}
