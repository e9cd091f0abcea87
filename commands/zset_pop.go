package commands

import (
	"myredis/sortedset"
	"myredis/wire"
)

// popEnd is one of the two ends that members are taken from.
type popEnd struct {
	event string
	pop   func(*sortedset.Set) (sortedset.Item, bool)
}

var (
	popLowest  = popEnd{"zpopmin", (*sortedset.Set).PopMin}
	popHighest = popEnd{"zpopmax", (*sortedset.Set).PopMax}
)

func zpopmin(c *Call) error { return c.zpop(popLowest) }

func zpopmax(c *Call) error { return c.zpop(popHighest) }

// zpop replies with a flat array, except in RESP3 when a count is given.
func (c *Call) zpop(from popEnd) error {
	n, pairs := int64(1), false
	switch len(c.Args) {
	case 2:
	case 3:
		var ok bool
		if n, ok = parseInt(c.Args[2]); !ok || n < 0 {
			return Error("ERR value is out of range, must be positive")
		}
		pairs = c.Proto >= 3
	default:
		return errSyntax
	}
	key := c.Args[1]
	set, err := find[*sortedset.Set](c, key)
	if err != nil {
		return err
	}
	if set == nil || n == 0 {
		c.Array(0)
		return nil
	}
	n = min(n, int64(set.Len()))
	if pairs {
		c.Array(int(n))
	} else {
		c.Array(int(2 * n))
	}
	c.popItems(from, int(n), pairs, set, key)
	return nil
}

// popItems removes n of the set's members and replies with them.
func (c *Call) popItems(from popEnd, n int, pairs bool, set *sortedset.Set, key []byte) {
	for range n {
		item, _ := from.pop(set)
		if pairs {
			c.Array(2)
		}
		c.BulkString(item.Member)
		c.Double(item.Score)
	}
	c.zsetShrunk(n, set, from.event, key)
}

func zmpop(c *Call) error {
	p, err := c.mpopArgs(1)
	if err != nil {
		return err
	}
	if done, err := c.mpop(p); done || err != nil {
		return err
	}
	c.NullArray()
	return nil
}

func bzmpop(c *Call) error {
	p, err := c.mpopArgs(2)
	if err != nil {
		return err
	}
	timeout, err := c.timeout(1) // as in Redis, the last of the arguments to be looked at
	if err != nil {
		return err
	}
	if done, err := c.mpop(p); done || err != nil {
		return err
	}
	return c.block(p.keys, timeout, (*wire.Encoder).NullArray)
}

// mpop takes from the first of the keys that there is, and reports whether
// there is one.
func (c *Call) mpop(p mpopArgs) (done bool, err error) {
	key, set, err := c.firstZSet(c.ready(p.keys))
	if err != nil || set == nil {
		return false, err
	}
	n := int(min(p.count, int64(set.Len())))
	c.Array(2)
	c.Bulk(key)
	c.Array(n)
	c.popItems(p.from, n, true, set, key)
	return true, nil
}

// firstZSet returns the first of the keys that holds members, and its set. An
// empty set is one that another worker has emptied during the look-up.
func (c *Call) firstZSet(keys [][]byte) (key []byte, set *sortedset.Set, err error) {
	for _, key := range keys {
		set, err := find[*sortedset.Set](c, key)
		if err != nil {
			return nil, nil, err
		}
		if set != nil && set.Len() > 0 {
			return key, set, nil
		}
	}
	return nil, nil, nil
}

func bzpopmin(c *Call) error { return c.bzpop(popLowest) }

func bzpopmax(c *Call) error { return c.bzpop(popHighest) }

func (c *Call) bzpop(from popEnd) error {
	last := len(c.Args) - 1
	timeout, err := c.timeout(last)
	if err != nil {
		return err
	}
	keys := c.Args[1:last]
	key, set, err := c.firstZSet(c.ready(keys))
	if err != nil {
		return err
	}
	if set == nil {
		return c.block(keys, timeout, (*wire.Encoder).NullArray)
	}
	c.Array(3)
	c.Bulk(key)
	c.popItems(from, 1, false, set, key)
	return nil
}

// mpopArgs are the arguments of ZMPOP.
type mpopArgs struct {
	keys  [][]byte
	from  popEnd
	count int64
}

// mpopArgs reads the arguments from the number of keys on.
func (c *Call) mpopArgs(at int) (p mpopArgs, err error) {
	n, ok := parseInt(c.Args[at])
	if !ok || n < 1 {
		return p, Error("ERR numkeys should be greater than 0")
	}
	rest := c.Args[at+1:]
	if n >= int64(len(rest)) {
		return p, errSyntax
	}
	p.keys, rest = rest[:n], rest[n:]
	switch {
	case equalFold(rest[0], "MIN"):
		p.from = popLowest
	case equalFold(rest[0], "MAX"):
		p.from = popHighest
	default:
		return p, errSyntax
	}
	p.count = 1
	if len(rest) >= 3 && equalFold(rest[1], "COUNT") {
		if p.count, ok = parseInt(rest[2]); !ok || p.count < 1 {
			return p, Error("ERR count should be greater than 0")
		}
		rest = rest[2:]
	}
	if len(rest) > 1 {
		return p, errSyntax
	}
	return p, nil
}
