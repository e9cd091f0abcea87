package commands

import (
	"myredis/keyspace/stream"
)

// xgroupRow is XGROUP, which makes and changes groups of consumers.
var xgroupRow = &Command{
	Name: "xgroup", Arity: -2, Group: GroupStream, Categories: CatNone, Since: "5.0.0", Summary: "Makes and changes groups of consumers.",
	Sub: []*Command{
		{
			Name: "create", Arity: -5, Flags: Write | DenyOOM, Group: GroupStream, Keys: []KeySpec{keyAt(2, RW|Insert)}, Run: xgroupCreate,
			Since: "5.0.0", Cost: "O(1)", Summary: "Makes a group.", Syntax: "key group id|$ [MKSTREAM] [ENTRIESREAD entries-read]",
		},
		{
			Name: "createconsumer", Arity: 5, Flags: Write | DenyOOM, Group: GroupStream, Keys: []KeySpec{keyAt(2, RW|Insert)}, Run: xgroupCreateconsumer,
			Since: "6.2.0", Cost: "O(1)", Summary: "Makes a consumer in a group.", Syntax: "key group consumer",
		},
		{
			Name: "delconsumer", Arity: 5, Flags: Write, Group: GroupStream, Keys: []KeySpec{keyAt(2, RW|Delete)}, Run: xgroupDelconsumer,
			Since: "5.0.0", Cost: "O(N) with N entries pending", Summary: "Removes a consumer from a group.", Syntax: "key group consumer",
		},
		{
			Name: "destroy", Arity: 4, Flags: Write, Group: GroupStream, Keys: []KeySpec{keyAt(2, RW|Delete)}, Run: xgroupDestroy,
			Since: "5.0.0", Cost: "O(N) with N entries pending", Summary: "Removes a group.", Syntax: "key group",
		},
		{
			Name: "setid", Arity: -5, Flags: Write, Group: GroupStream, Keys: []KeySpec{keyAt(2, RW|Update)}, Run: xgroupSetid,
			Since: "5.0.0", Cost: "O(1)", Summary: "Sets the ID of the last entry delivered.", Syntax: "key group id|$ [ENTRIESREAD entries-read]",
		},
	},
}

const (
	errBusyGroup   Error = "BUSYGROUP Consumer Group name already exists"
	errEntriesRead Error = "ERR value for ENTRIESREAD must be positive or -1"
	errXgroupKey   Error = "ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to use the MKSTREAM option to create an empty stream automatically."
)

// groupSettings are the options of XGROUP CREATE and SETID.
type groupSettings struct {
	mkStream bool
	read     int64
}

func (c *Call) groupSettings(mayCreate bool) (a groupSettings, err error) {
	a.read = stream.Unknown
	for i := 5; i < len(c.Args); i++ {
		switch {
		case mayCreate && c.is(i, "MKSTREAM"):
			a.mkStream = true
		case c.is(i, "ENTRIESREAD") && i+1 < len(c.Args):
			i++
			if a.read, err = c.int(i); err != nil {
				return a, err
			}
			if a.read < 0 && a.read != stream.Unknown {
				return a, errEntriesRead
			}
		default:
			return a, c.wrongSubcommand()
		}
	}
	return a, nil
}

// groupStream looks up the stream whose groups a command changes.
func (c *Call) groupStream() (*stream.Stream, error) {
	s, err := find[*stream.Stream](c, c.Args[2])
	if err == nil && s == nil {
		err = errXgroupKey
	}
	return s, err
}

// existingGroup looks up the group that a command changes.
func (c *Call) existingGroup() (*stream.Stream, *stream.Group, error) {
	s, err := c.groupStream()
	if err != nil {
		return nil, nil, err
	}
	g := s.Group(view(c.Args[3]))
	if g == nil {
		return nil, nil, errNoGroup(c.Args[2], c.Args[3])
	}
	return s, g, nil
}

func errNoGroup(key, group []byte) error {
	return errorf("NOGROUP No such consumer group '%s' for key name '%s'", cString(group), cString(key))
}

func xgroupCreate(c *Call) error {
	a, err := c.groupSettings(true)
	if err != nil {
		return err
	}
	key, group := c.Args[2], c.Args[3]
	s, err := find[*stream.Stream](c, key)
	switch {
	case err != nil:
		return err
	case s == nil && !a.mkStream:
		return errXgroupKey
	case len(c.Args) > 8:
		return c.wrongSubcommand()
	}
	var id stream.ID
	if string(cString(c.Args[4])) != "$" {
		if id, err = c.id(4); err != nil {
			return err
		}
	} else if s != nil {
		id = s.Last()
	}
	if s == nil {
		s = c.putStream(key)
		s.CreateGroup(view(group), id, a.read)
		c.changed(eventStream, "xgroup-create", key)
		return c.ok()
	}
	if !s.CreateGroup(view(group), id, a.read) {
		return errBusyGroup
	}
	c.noted("xgroup-create", key)
	return c.ok()
}

func xgroupSetid(c *Call) error {
	a, err := c.groupSettings(false)
	if err != nil {
		return err
	}
	s, g, err := c.existingGroup()
	if err != nil {
		return err
	}
	if len(c.Args) > 7 {
		return c.wrongSubcommand()
	}
	id := s.Last()
	if string(cString(c.Args[4])) != "$" {
		var open bool
		if id, open, err = c.intervalID(4, 0); err != nil || open {
			return errStreamID
		}
	}
	g.Last, g.Read = id, a.read
	c.noted("xgroup-setid", c.Args[2])
	return c.ok()
}

func xgroupDestroy(c *Call) error {
	key := c.Args[2]
	s, err := c.groupStream()
	if err != nil {
		return err
	}
	deleted := s.DeleteGroup(view(c.Args[3]))
	if deleted {
		c.noted("xgroup-destroy", key)
		c.Engine.waiters.touch(c.DB, key) // there is nothing left to wait for
	}
	c.truth(deleted)
	return nil
}

func xgroupCreateconsumer(c *Call) error {
	_, g, err := c.existingGroup()
	if err != nil {
		return err
	}
	_, created := g.CreateConsumer(view(c.Args[4]), c.Now())
	if created {
		c.noted("xgroup-createconsumer", c.Args[2])
	}
	c.truth(created)
	return nil
}

func xgroupDelconsumer(c *Call) error {
	_, g, err := c.existingGroup()
	if err != nil {
		return err
	}
	consumer := g.Consumer(view(c.Args[4]))
	if consumer == nil {
		c.Int(0)
		return nil
	}
	pending := consumer.Pending().Len()
	g.DeleteConsumer(consumer)
	c.noted("xgroup-delconsumer", c.Args[2])
	c.Int(int64(pending))
	return nil
}

// lookGroup looks up the group named by arguments 1 and 2; it is nil if there
// is no such group or no such key.
func (c *Call) lookGroup() (*stream.Stream, *stream.Group, error) {
	s, err := look[*stream.Stream](c, c.Args[1])
	if err != nil || s == nil {
		return nil, nil, err
	}
	return s, s.Group(view(c.Args[2])), nil
}

func xack(c *Call) error {
	_, g, err := c.lookGroup()
	if err != nil {
		return err
	}
	if g == nil { // as in Redis, nobody looks at the IDs when there is no such group
		c.Int(0)
		return nil
	}
	ids, err := c.ids(3)
	if err != nil {
		return err
	}
	acknowledged := int64(0)
	for _, id := range ids {
		if p := g.Pending().At(id); p != nil {
			g.Forget(p)
			acknowledged++
		}
	}
	c.Engine.dirty += acknowledged
	c.Int(acknowledged)
	return nil
}
