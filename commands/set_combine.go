package commands

import (
	"iter"

	"myredis/internal/atom"
	"myredis/keyspace"
	setkind "myredis/keyspace/set"
	"myredis/wire"
)

// combineSets is what a union, an intersection or a difference is: see package
// set.
type combineSets func([]*setkind.Set) iter.Seq[atom.Atom]

// sources looks up the sets of keys; a missing one is nil, which is empty. As
// in Redis every key is looked at, so that one of the wrong type is an error
// even if the result were empty without it.
func (c *Call) sources(keys [][]byte) ([]*setkind.Set, error) {
	sets := make([]*setkind.Set, len(keys))
	for i, key := range keys {
		var err error
		if sets[i], err = look[*setkind.Set](c, key); err != nil {
			return nil, err
		}
	}
	return sets, nil
}

func sinter(c *Call) error {
	sets, err := c.sources(c.Args[1:])
	if err != nil {
		return err
	}
	mark, n := c.Defer(), 0
	for m := range setkind.Intersection(sets) {
		c.replyAtom(m)
		n++
	}
	c.Resolve(mark, wire.KindSet, n)
	return nil
}

func sunion(c *Call) error { return c.replyCombined(setkind.Union) }

func sdiff(c *Call) error { return c.replyCombined(setkind.Difference) }

// replyCombined makes a set first, as Redis does: integers come out sorted.
func (c *Call) replyCombined(combine combineSets) error {
	sets, err := c.sources(c.Args[1:])
	if err != nil {
		return err
	}
	c.replyMembers(c.setOf(combine(sets)))
	return nil
}

func sinterstore(c *Call) error { return c.storeCombined(setkind.Intersection) }

func sunionstore(c *Call) error { return c.storeCombined(setkind.Union) }

func sdiffstore(c *Call) error { return c.storeCombined(setkind.Difference) }

// storeCombined puts the result in the place of whatever the destination holds,
// its deadline included. An empty result removes the key.
func (c *Call) storeCombined(combine combineSets) error {
	key := c.Args[1]
	sets, err := c.sources(c.Args[2:])
	if err != nil {
		return err
	}
	result := c.setOf(combine(sets))
	switch {
	case result.Len() > 0:
		c.DB.Put(view(key), keyspace.NewObject(keyspace.Set, setEncoding(result), result))
		c.changed(eventSet, c.Cmd.Name, key)
	case c.DB.Delete(view(key)):
		c.changed(eventGeneric, "del", key)
	}
	c.Int(int64(result.Len()))
	return nil
}

func sintercard(c *Call) error {
	numkeys, ok := parseInt(c.Args[1])
	if !ok || numkeys < 1 {
		return Error("ERR numkeys should be greater than 0")
	}
	if numkeys > int64(len(c.Args)-2) {
		return Error("ERR Number of keys can't be greater than number of args")
	}
	end := 2 + int(numkeys)
	limit := int64(0) // none
	for i := end; i < len(c.Args); i += 2 {
		if !c.is(i, "LIMIT") || i+1 == len(c.Args) {
			return errSyntax
		}
		if limit, ok = parseInt(c.Args[i+1]); !ok || limit < 0 {
			return Error("ERR LIMIT can't be negative")
		}
	}
	sets, err := c.sources(c.Args[2:end])
	if err != nil {
		return err
	}
	n := int64(0)
	for range setkind.Intersection(sets) {
		if n++; n == limit {
			break
		}
	}
	c.Int(n)
	return nil
}
