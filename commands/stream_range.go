package commands

import (
	"iter"
	"math"

	"myredis/keyspace/stream"
	"myredis/wire"
)

func xrange(c *Call) error { return c.xrange(2, 3, (*stream.Stream).Range) }

func xrevrange(c *Call) error { return c.xrange(3, 2, (*stream.Stream).Backward) }

// xrange answers the entries between the IDs in two arguments.
func (c *Call) xrange(start, end int, walk func(s *stream.Stream, from, to stream.ID) iter.Seq[stream.Entry]) error {
	from, to, err := c.interval(start, end)
	if err != nil {
		return err
	}
	count := int64(math.MaxInt64)
	for i := 4; i < len(c.Args); i += 2 {
		if !c.is(i, "COUNT") || i+1 == len(c.Args) {
			return errSyntax
		}
		if count, err = c.int(i + 1); err != nil {
			return err
		}
	}
	s, err := look[*stream.Stream](c, c.Args[1])
	switch {
	case err != nil:
		return err
	case s == nil:
		c.Array(0)
	case count <= 0:
		c.NullArray()
	default:
		c.replyEntries(walk(s, from, to), count)
	}
	return nil
}

// replyEntries replies with up to count entries.
func (c *Call) replyEntries(entries iter.Seq[stream.Entry], count int64) {
	mark, n := c.Defer(), 0
	for e := range entries {
		c.replyEntry(e)
		if n++; int64(n) == count {
			break
		}
	}
	c.Resolve(mark, wire.KindArray, n)
}
