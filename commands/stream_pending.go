package commands

import (
	"math"

	"myredis/keyspace/stream"
	"myredis/wire"
)

// pendingArgs are the arguments of XPENDING that asks for single entries.
type pendingArgs struct {
	minIdle, count int64
	from, to       stream.ID
	consumer       []byte // nil: of all
}

func (c *Call) pendingArgs() (a pendingArgs, err error) {
	at := 3
	if c.is(3, "IDLE") {
		if a.minIdle, err = c.int(4); err != nil {
			return a, err
		}
		if len(c.Args) < 8 {
			return a, errSyntax
		}
		at = 5
	}
	if a.count, err = c.int(at + 2); err != nil {
		return a, err
	}
	if len(c.Args) > at+3 {
		a.consumer = c.Args[at+3]
	}
	a.from, a.to, err = c.interval(at, at+1)
	return a, err
}

func xpending(c *Call) error {
	var a pendingArgs
	summary := len(c.Args) == 3
	if !summary {
		if len(c.Args) < 6 || len(c.Args) > 9 {
			return errSyntax
		}
		var err error
		if a, err = c.pendingArgs(); err != nil {
			return err
		}
	}
	_, g, err := c.pendingGroup()
	switch {
	case err != nil:
		return err
	case summary:
		c.replyPendingSummary(g)
	default:
		c.replyPending(g, a)
	}
	return nil
}

// pendingGroup is lookGroup for a command that needs the group.
func (c *Call) pendingGroup() (*stream.Stream, *stream.Group, error) {
	s, g, err := c.lookGroup()
	if err == nil && g == nil {
		err = errorf("NOGROUP No such key '%s' or consumer group '%s'", cString(c.Args[1]), cString(c.Args[2]))
	}
	return s, g, err
}

// replyPendingSummary replies with how many entries are pending, the first and
// the last of them, and how many of them each consumer has.
func (c *Call) replyPendingSummary(g *stream.Group) {
	c.Array(4)
	c.Int(int64(g.Pending().Len()))
	if g.Pending().Len() == 0 {
		c.Null()
		c.Null()
		c.NullArray()
		return
	}
	c.replyID(g.Pending().First().ID)
	c.replyID(g.Pending().Last().ID)
	mark, n := c.Defer(), 0
	for _, consumer := range g.Consumers() {
		if pending := consumer.Pending().Len(); pending > 0 {
			c.Array(2)
			c.BulkString(consumer.Name)
			c.BulkInt(int64(pending))
			n++
		}
	}
	c.Resolve(mark, wire.KindArray, n)
}

// replyPending replies with pending entries.
func (c *Call) replyPending(g *stream.Group, a pendingArgs) {
	list := g.Pending()
	if a.consumer != nil {
		consumer := g.Consumer(view(a.consumer))
		if consumer == nil {
			c.Array(0)
			return
		}
		list = consumer.Pending()
	}
	mark, n, now := c.Defer(), 0, c.Now()
	for p := range list.From(a.from) {
		if int64(n) >= a.count || p.ID.After(a.to) {
			break
		}
		idle := now - p.Delivered
		if a.minIdle != 0 && idle < a.minIdle {
			continue
		}
		c.Array(4)
		c.replyID(p.ID)
		c.BulkString(p.Consumer.Name)
		c.Int(max(idle, 0))
		c.Int(p.Deliveries)
		n++
	}
	c.Resolve(mark, wire.KindArray, n)
}

// claim is what XCLAIM and XAUTOCLAIM do with pending entries.
type claim struct {
	stream    *stream.Stream
	group     *stream.Group
	consumer  *stream.Consumer // nil until there is something for it
	minIdle   int64
	delivered int64 // when they count as delivered
	retries   int64 // deliveries that they are to have; -1: one more than they had
	justID    bool  // of entries only the ID is answered, and it is no delivery
}

// keeps reports whether a pending entry stays with its consumer, because too
// little time has gone by since it was delivered.
func (a *claim) keeps(p *stream.Pending, now int64) bool {
	return p.Consumer != nil && a.minIdle != 0 && now-p.Delivered < a.minIdle
}

// claimEntry makes the consumer the owner of a pending entry and replies with
// it.
func (c *Call) claimEntry(a *claim, p *stream.Pending, e stream.Entry) {
	if a.consumer == nil {
		a.consumer = c.streamConsumer(a.group, c.Args[3], c.Args[1])
	}
	a.group.Give(p, a.consumer)
	p.Delivered = a.delivered
	switch {
	case a.retries >= 0:
		p.Deliveries = a.retries
	case !a.justID:
		p.Deliveries++
	}
	if a.justID {
		c.replyID(e.ID)
	} else {
		c.replyEntry(e)
	}
	c.Engine.dirty++
}

// forgetEntry takes a pending entry away that is not in the stream any more.
func (c *Call) forgetEntry(a *claim, p *stream.Pending) {
	a.group.Forget(p)
	c.Engine.dirty++
}

// minIdle parses the least time that an entry to be claimed has been idle.
func (c *Call) minIdle(command string) (int64, error) {
	n, ok := parseInt(c.Args[4])
	if !ok {
		return 0, errorf("ERR Invalid min-idle-time argument for %s", command)
	}
	return max(n, 0), nil
}

// claimArgs are the arguments of XCLAIM behind the group.
type claimArgs struct {
	claim
	ids   []stream.ID
	force bool // make pending what is not
	last  stream.ID
}

// claimArgs reads IDs, as many as there are, and then options.
func (c *Call) claimArgs() (a claimArgs, err error) {
	if a.minIdle, err = c.minIdle("XCLAIM"); err != nil {
		return a, err
	}
	i := 5
	for ; i < len(c.Args); i++ {
		id, ok := parseStreamID(c.Args[i], 0)
		if !ok {
			break
		}
		a.ids = append(a.ids, id)
	}
	a.retries, a.delivered = -1, -1
	for ; i < len(c.Args); i++ {
		n, err := c.claimOption(&a, i)
		if err != nil {
			return a, err
		}
		i += n
	}
	// Redis: -1 counts as nothing, and a time in the future as the present.
	if a.delivered < 0 || a.delivered > c.Now() {
		a.delivered = c.Now()
	}
	return a, nil
}

// claimOption reads the option at argument i, and returns how many arguments
// belong to it.
func (c *Call) claimOption(a *claimArgs, i int) (n int, err error) {
	more := i+1 < len(c.Args)
	switch {
	case c.is(i, "FORCE"):
		a.force = true
		return 0, nil
	case c.is(i, "JUSTID"):
		a.justID = true
		return 0, nil
	case more && c.is(i, "IDLE"):
		var idle int64
		idle, err = c.claimNumber(i, "IDLE")
		a.delivered = c.Now() - idle
	case more && c.is(i, "TIME"):
		a.delivered, err = c.claimNumber(i, "TIME")
	case more && c.is(i, "RETRYCOUNT"):
		a.retries, err = c.claimNumber(i, "RETRYCOUNT")
	case more && c.is(i, "LASTID"):
		a.last, err = c.id(i + 1)
	default:
		return 0, errorf("ERR Unrecognized XCLAIM option '%s'", cString(c.Args[i]))
	}
	return 1, err
}

// claimNumber parses the number behind an option.
func (c *Call) claimNumber(i int, option string) (int64, error) {
	n, ok := parseInt(c.Args[i+1])
	if !ok {
		return 0, errorf("ERR Invalid %s option argument for XCLAIM", option)
	}
	return n, nil
}

func xclaim(c *Call) error {
	s, g, err := c.pendingGroup()
	if err != nil {
		return err
	}
	a, err := c.claimArgs()
	if err != nil {
		return err
	}
	a.stream, a.group = s, g
	if a.last.After(g.Last) {
		g.Last = a.last
		c.Engine.dirty++
	}
	mark, n := c.Defer(), 0
	for _, id := range a.ids {
		p := g.Pending().At(id)
		e, there := s.Entry(id)
		switch {
		case !there && p != nil:
			c.forgetEntry(&a.claim, p)
		case there && p == nil && a.force:
			p = g.Expect(id)
		}
		if there && p != nil && !a.keeps(p, c.Now()) {
			c.claimEntry(&a.claim, p, e)
			n++
		}
	}
	c.Resolve(mark, wire.KindArray, n)
	return nil
}

// autoclaimArgs are the arguments of XAUTOCLAIM behind the group.
type autoclaimArgs struct {
	claim
	from  stream.ID
	count int64
}

func (c *Call) autoclaimArgs() (a autoclaimArgs, err error) {
	if a.minIdle, err = c.minIdle("XAUTOCLAIM"); err != nil {
		return a, err
	}
	if a.from, err = c.intervalStart(5); err != nil {
		return a, err
	}
	a.count, a.retries, a.delivered = 100, -1, c.Now()
	for i := 6; i < len(c.Args); i++ {
		switch {
		case c.is(i, "COUNT") && i+1 < len(c.Args):
			const most = math.MaxInt64 / 16
			i++
			var ok bool
			if a.count, ok = parseInt(c.Args[i]); !ok || a.count < 1 || a.count > most {
				return a, Error("ERR COUNT must be > 0")
			}
		case c.is(i, "JUSTID"):
			a.justID = true
		default:
			return a, errSyntax
		}
	}
	return a, nil
}

func xautoclaim(c *Call) error {
	a, err := c.autoclaimArgs()
	if err != nil {
		return err
	}
	if a.stream, a.group, err = c.pendingGroup(); err != nil {
		return err
	}
	claimed, gone, next := a.choose(c.Now())
	for _, p := range gone {
		c.forgetEntry(&a.claim, p)
	}
	c.Array(3)
	c.replyID(next)
	c.Array(len(claimed))
	for _, p := range claimed {
		e, _ := a.stream.Entry(p.ID)
		c.claimEntry(&a.claim, p, e)
	}
	c.Array(len(gone))
	for _, p := range gone {
		c.replyID(p.ID)
	}
	return nil
}

// choose looks for pending entries to be claimed, and for those that are not in
// the stream any more, up to a number of both together, and of a number of
// entries at most. The next search is to begin at next; 0-0 is the end.
func (a *autoclaimArgs) choose(now int64) (claimed, gone []*stream.Pending, next stream.ID) {
	const looks = 10 // for each entry wanted
	left, attempts := a.count, a.count*looks
	for p := range a.group.Pending().From(a.from) {
		if left == 0 || attempts == 0 {
			return claimed, gone, p.ID
		}
		attempts--
		_, there := a.stream.Entry(p.ID)
		switch {
		case !there:
			gone = append(gone, p)
		case a.keeps(p, now):
			continue
		default:
			claimed = append(claimed, p)
		}
		left--
	}
	return claimed, gone, stream.ID{}
}
