package commands

import (
	"iter"
	"math"

	"myredis/internal/atom"
	"myredis/keyspace/hash"
	"myredis/wire"
)

func hrandfield(c *Call) error {
	if len(c.Args) == 2 {
		return c.randomField()
	}
	count, err := c.sampleSize(2)
	if err != nil {
		return err
	}
	withValues := len(c.Args) == 4 && c.is(3, "WITHVALUES")
	switch {
	case len(c.Args) > 3 && !withValues:
		return errSyntax
	case withValues && (count < -math.MaxInt64/2 || count > math.MaxInt64/2):
		return Error("ERR value is out of range")
	}
	h, err := look[*hash.Hash](c, c.Args[1])
	if err != nil {
		return err
	}
	rng := c.Engine.Keys.Rand()
	switch {
	case count < 0:
		c.replyFields(h.Draw(-count, rng), withValues)
	case count >= int64(h.Len()):
		c.replyFields(h.All(), withValues)
	default:
		c.replyFields(h.Sample(int(count), rng), withValues)
	}
	return nil
}

// sampleSize parses argument i as how many elements are to be chosen at random:
// different ones, or, negative, with repetition.
func (c *Call) sampleSize(i int) (int64, error) {
	n, err := c.int(i)
	if err == nil && n == math.MinInt64 {
		err = errorf("ERR value is out of range, value must between %d and %d", -math.MaxInt64, math.MaxInt64)
	}
	return n, err
}

func (c *Call) randomField() error {
	h, err := look[*hash.Hash](c, c.Args[1])
	if err != nil {
		return err
	}
	for field := range h.Draw(1, c.Engine.Keys.Rand()) {
		c.replyAtom(field)
		return nil
	}
	c.Null()
	return nil
}

// replyFields replies with fields, and their values if asked for: in pairs in
// RESP3, one after the other in RESP2.
func (c *Call) replyFields(pairs iter.Seq2[atom.Atom, atom.Atom], withValues bool) {
	mark, n := c.Defer(), 0
	for field, value := range pairs {
		if c.pointless() {
			break
		}
		if withValues && c.Proto >= 3 {
			c.Array(2)
		}
		c.replyAtom(field)
		if withValues {
			c.replyAtom(value)
		}
		n++
	}
	c.Resolve(mark, wire.KindArray, c.itemElements(n, withValues))
}
