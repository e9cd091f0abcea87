package commands

import (
	"bytes"
	"math"
	"slices"

	"myredis/keyspace/stream"
	"myredis/wire"
)

const (
	errUnbalancedStreams Error = "ERR Unbalanced XREAD list of streams: for each stream key an ID or '$' must be specified."
	errGroupInXread      Error = "ERR The GROUP option is only supported by XREADGROUP. You called XREAD instead."
	errNoAckInXread      Error = "ERR The NOACK option is only supported by XREADGROUP. You called XREAD instead."
	errNoGroupOption     Error = "ERR Missing GROUP option for XREADGROUP"
	errDollarInGroup     Error = "ERR The $ ID is meaningless in the context of XREADGROUP: you want to read the history of this consumer by specifying a proper ID, or use the > ID to get new messages. The $ ID would just return an empty result set."
	errNewInXread        Error = "ERR The > ID can be specified only when calling XREADGROUP using the GROUP <group> <consumer> option."
	errGroupGone         Error = "NOGROUP the consumer group this client was blocked on no longer exists"
	errStreamGone        Error = "UNBLOCKED the stream key no longer exists"
)

// blockedCount is how many entries a client that has waited is given at most,
// if it has not said how many.
const blockedCount = 1000

func xread(c *Call) error { return c.readStreams(false) }

func xreadgroup(c *Call) error { return c.readStreams(true) }

// readArgs are the arguments of XREAD and XREADGROUP.
type readArgs struct {
	grouped         bool // it is XREADGROUP
	group, consumer []byte
	noAck           bool
	count           int64 // 0: all
	timeout         int64 // -1: does not wait
	streams         int   // the argument where the keys begin
	keys, ids       [][]byte
}

// source is a stream to be read.
type source struct {
	key      []byte
	stream   *stream.Stream // nil: there is no such key
	group    *stream.Group
	consumer *stream.Consumer
	after    stream.ID
	history  bool // what is pending for the consumer
}

// readStreams replies with what there is in any of the streams, or waits.
// Waiting, it is run again for one key at a time, and in another way.
func (c *Call) readStreams(grouped bool) error {
	a, err := c.readArgs(grouped)
	if err != nil {
		return err
	}
	if b := c.Client.blocked; b != nil {
		return c.readAgain(a, b.ready)
	}
	sources := make([]source, len(a.keys))
	for i := range sources {
		if sources[i], err = c.source(a, i); err != nil {
			return err
		}
	}
	switch {
	case c.replySources(a, sources):
	case a.timeout >= 0:
		return c.blockAs(a.waiting(c.Args, sources), a.keys, a.timeout, (*wire.Encoder).NullArray)
	default:
		c.NullArray()
	}
	return nil
}

func (c *Call) readArgs(grouped bool) (a readArgs, err error) {
	a.grouped, a.timeout = grouped, -1
	for i := 1; i < len(c.Args) && a.streams == 0; i++ {
		n, err := c.readOption(&a, i)
		if err != nil {
			return a, err
		}
		i += n
	}
	rest := c.Args[max(a.streams, 1):]
	switch n := len(rest) / 2; {
	case a.streams == 0:
		return a, errSyntax
	case len(rest)%2 == 1:
		return a, errUnbalancedStreams
	case grouped && a.group == nil:
		return a, errNoGroupOption
	default:
		a.keys, a.ids = rest[:n], rest[n:]
	}
	return a, nil
}

// readOption reads the option at argument i, and returns how many arguments
// belong to it.
func (c *Call) readOption(a *readArgs, i int) (n int, err error) {
	more := len(c.Args) - 1 - i
	switch {
	case c.is(i, "BLOCK") && more > 0:
		if c.Client.script {
			return 0, errorf("ERR %s command is not allowed with BLOCK option from scripts", c.Args[0])
		}
		a.timeout, err = c.milliseconds(i + 1)
		return 1, err
	case c.is(i, "COUNT") && more > 0:
		a.count, err = c.int(i + 1)
		a.count = max(a.count, 0)
		return 1, err
	case c.is(i, "STREAMS") && more > 0:
		a.streams = i + 1
		return 0, nil
	case c.is(i, "GROUP") && more > 1:
		if !a.grouped {
			return 0, errGroupInXread
		}
		a.group, a.consumer = c.Args[i+1], c.Args[i+2]
		return 2, nil
	case c.is(i, "NOACK"):
		if !a.grouped {
			return 0, errNoAckInXread
		}
		a.noAck = true
		return 0, nil
	}
	return 0, errSyntax
}

// source looks the i-th stream up.
func (c *Call) source(a readArgs, i int) (src source, err error) {
	src.key = a.keys[i]
	if src.stream, err = look[*stream.Stream](c, src.key); err != nil {
		return src, err
	}
	if a.grouped {
		if src.stream != nil {
			src.group = src.stream.Group(view(a.group))
		}
		if src.group == nil {
			return src, errorf("NOGROUP No such key '%s' or consumer group '%s' in XREADGROUP with GROUP option", cString(src.key), cString(a.group))
		}
	}
	id, ok := stream.ID{}, true
	switch text := string(cString(a.ids[i])); {
	case text == "$" && a.grouped:
		return src, errDollarInGroup
	case text == "$" && src.stream != nil:
		id = src.stream.Last()
	case text == "$":
	case text == ">" && !a.grouped:
		return src, errNewInXread
	case text == ">":
		id = stream.Max
	default:
		if id, ok = parseStreamID(a.ids[i], 0); !ok {
			return src, errStreamID
		}
	}
	src.after = id
	src.after = id
	src.history = a.grouped && id != stream.Max // as in Redis, where the greatest ID is another name of ">"
	return src, nil
}

// ready reports whether there is something to answer: history always is, even
// if nothing is in it.
func (src *source) ready() bool {
	if src.history {
		return true
	}
	if src.group != nil {
		src.after = src.group.Last
	}
	if src.stream == nil || !src.stream.Last().After(src.after) {
		return false
	}
	top, ok := src.stream.Top()
	return ok && top.After(src.after)
}

// waiting returns the arguments to be run again with: what was the last entry
// at first stays so.
func (a *readArgs) waiting(args [][]byte, sources []source) [][]byte {
	args = slices.Clone(args)
	for i, src := range sources {
		if string(cString(a.ids[i])) == "$" {
			args[a.streams+len(a.keys)+i] = src.after.Append(nil)
		}
	}
	return args
}

// readAgain serves a client that waits, because a key has changed. Redis: an
// entry that came and is gone again ends the waiting too, with an empty reply;
// who waits as a consumer does not wait longer than there is the group.
func (c *Call) readAgain(a readArgs, key []byte) error {
	i := slices.IndexFunc(a.keys, func(k []byte) bool { return bytes.Equal(k, key) })
	src := source{key: a.keys[i]}
	if o := c.DB.Peek(view(key)); o != nil {
		src.stream, _ = o.Value.(*stream.Stream)
	}
	switch {
	case src.stream == nil && a.grouped:
		return errStreamGone
	case src.stream == nil:
		return errBlocked
	case a.grouped:
		if src.group = src.stream.Group(view(a.group)); src.group == nil {
			return errGroupGone
		}
		src.after = src.group.Last
	default:
		src.after, _ = parseStreamID(a.ids[i], 0)
	}
	if !src.stream.Last().After(src.after) {
		return errBlocked
	}
	if a.count == 0 {
		a.count = blockedCount
	}
	if c.Proto >= 3 {
		c.Map(1)
	} else {
		c.Array(1)
	}
	c.replySource(a, &src)
	return nil
}

// replySources replies with the entries of the streams that have any, and
// reports whether one has.
func (c *Call) replySources(a readArgs, sources []source) bool {
	mark, n := c.Defer(), 0
	for i := range sources {
		if src := &sources[i]; src.ready() {
			c.replySource(a, src)
			n++
		}
	}
	switch {
	case n == 0:
		c.Truncate(int(mark))
	case c.Proto >= 3:
		c.Resolve(mark, wire.KindMap, n)
	default:
		c.Resolve(mark, wire.KindArray, n)
	}
	return n > 0
}

// replySource replies with the entries of a stream, in RESP3 as the value of
// its key.
func (c *Call) replySource(a readArgs, src *source) {
	if a.count == 0 {
		a.count = math.MaxInt64
	}
	if c.Proto < 3 {
		c.Array(2)
	}
	c.Bulk(src.key)
	if a.grouped {
		src.consumer = c.streamConsumer(src.group, a.consumer, src.key)
		c.Engine.dirty++
	}
	if src.history {
		c.replyHistory(src, a.count)
	} else {
		c.replyNew(src, a)
	}
}

// streamConsumer returns the consumer of a name, who is there now.
func (c *Call) streamConsumer(g *stream.Group, name, key []byte) *stream.Consumer {
	consumer, created := g.CreateConsumer(view(name), c.Now())
	if created {
		c.noted("xgroup-createconsumer", key)
	}
	consumer.Seen = c.Now()
	return consumer
}

// replyNew replies with entries after an ID, and delivers them to the consumer
// if there is one.
func (c *Call) replyNew(src *source, a readArgs) {
	from, _ := src.after.Next()
	g, now := src.group, c.Now()
	c.replyEntries(func(yield func(stream.Entry) bool) {
		for e := range src.stream.Range(from, stream.Max) {
			if g != nil {
				src.stream.Advance(g, e.ID)
				if !a.noAck {
					g.Assign(e.ID, src.consumer, now)
				}
			}
			if !yield(e) {
				return
			}
		}
	}, a.count)
}

// replyHistory replies with what is pending for a consumer after an ID. Of an
// entry that is gone only the ID is left.
func (c *Call) replyHistory(src *source, count int64) {
	from, _ := src.after.Next()
	mark, n := c.Defer(), 0
	for p := range src.consumer.Pending().From(from) {
		if e, ok := src.stream.Entry(p.ID); ok {
			c.replyEntry(e)
			p.Delivered = c.Now()
			p.Deliveries++
		} else {
			c.Array(2)
			c.replyID(p.ID)
			c.NullArray()
		}
		if n++; int64(n) == count {
			break
		}
	}
	c.Resolve(mark, wire.KindArray, n)
}
