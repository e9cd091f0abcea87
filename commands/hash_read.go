package commands

import (
	"strconv"

	"myredis/internal/atom"
	"myredis/keyspace/hash"
)

func hget(c *Call) error {
	h, err := look[*hash.Hash](c, c.Args[1])
	if err != nil {
		return err
	}
	c.replyField(h, c.Args[2])
	return nil
}

func hmget(c *Call) error {
	h, err := look[*hash.Hash](c, c.Args[1])
	if err != nil {
		return err
	}
	fields := c.Args[2:]
	c.Array(len(fields))
	for _, field := range fields {
		c.replyField(h, field)
	}
	return nil
}

// replyField replies with a field's value.
func (c *Call) replyField(h *hash.Hash, field []byte) {
	if value, ok := h.Get(argAtom(field)); ok {
		c.replyAtom(value)
	} else {
		c.Null()
	}
}

func hexists(c *Call) error {
	h, err := look[*hash.Hash](c, c.Args[1])
	if err != nil {
		return err
	}
	_, ok := h.Get(argAtom(c.Args[2]))
	c.truth(ok)
	return nil
}

func hlen(c *Call) error {
	h, err := look[*hash.Hash](c, c.Args[1])
	if err != nil {
		return err
	}
	c.Int(int64(h.Len()))
	return nil
}

func hstrlen(c *Call) error {
	h, err := look[*hash.Hash](c, c.Args[1])
	if err != nil {
		return err
	}
	value, _ := h.Get(argAtom(c.Args[2]))
	c.Int(int64(value.Len()))
	return nil
}

func hgetall(c *Call) error {
	h, err := look[*hash.Hash](c, c.Args[1])
	if err != nil {
		return err
	}
	c.Map(h.Len())
	for field, value := range h.All() {
		c.replyAtom(field)
		c.replyAtom(value)
	}
	return nil
}

func hkeys(c *Call) error {
	return c.replyHalf(func(field, _ atom.Atom) atom.Atom { return field })
}

func hvals(c *Call) error {
	return c.replyHalf(func(_, value atom.Atom) atom.Atom { return value })
}

// replyHalf replies with one half of each pair of a hash.
func (c *Call) replyHalf(half func(field, value atom.Atom) atom.Atom) error {
	h, err := look[*hash.Hash](c, c.Args[1])
	if err != nil {
		return err
	}
	c.Array(h.Len())
	for field, value := range h.All() {
		c.replyAtom(half(field, value))
	}
	return nil
}

// hscan walks through a hash step by step; a packed one is a single step.
func hscan(c *Call) error {
	cursor, ok := parseCursor(c.Args[2])
	if !ok {
		return errInvalidCursor
	}
	h, err := look[*hash.Hash](c, c.Args[1])
	if err != nil {
		return err
	}
	var found []atom.Atom // fields and values by turns
	if h == nil {         // as in Redis, nobody looks at the options when there is no such key
		cursor = 0
	} else {
		opts, err := c.scanOptions(3, false)
		if err != nil {
			return err
		}
		for seen := int64(0); ; {
			cursor = h.Scan(cursor, func(field, value atom.Atom) {
				seen++
				if opts.matchesAtom(field) {
					found = append(found, field, value)
				}
			})
			if cursor == 0 || seen >= opts.count {
				break
			}
		}
	}
	c.replyScan(cursor, found)
	return nil
}

// matchesAtom is matches for what a collection holds.
func (o *scanOptions) matchesAtom(a atom.Atom) bool {
	var digits atom.Digits
	return o.matches(a.View(&digits))
}

// replyScan replies with the cursor of the next step and what was found in this
// one.
func (c *Call) replyScan(cursor uint64, found []atom.Atom) {
	c.Array(2)
	c.BulkString(strconv.FormatUint(cursor, 10))
	c.Array(len(found))
	for _, a := range found {
		c.replyAtom(a)
	}
}
