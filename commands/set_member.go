package commands

import (
	"myredis/internal/atom"
	setkind "myredis/keyspace/set"
)

func sadd(c *Call) error {
	key := c.Args[1]
	s, err := c.findSet(key)
	if err != nil {
		return err
	}
	c.Int(c.setGrow(s, key, c.Args[2:]))
	return nil
}

func srem(c *Call) error {
	key := c.Args[1]
	s, err := find[*setkind.Set](c, key)
	if err != nil {
		return err
	}
	removed := int64(0)
	for _, member := range c.Args[2:] {
		if s.Remove(argAtom(member)) {
			removed++
		}
	}
	c.setShrunk(removed, s, "srem", key)
	c.Int(removed)
	return nil
}

func smove(c *Call) error {
	from, to := c.Args[1], c.Args[2]
	source, target := c.DB.Find(view(from)), c.DB.Find(view(to))
	if source == nil { // then the destination may hold anything, as in Redis
		c.Int(0)
		return nil
	}
	s, err := as[*setkind.Set](source)
	if err != nil {
		return err
	}
	t, err := as[*setkind.Set](target)
	if err != nil {
		return err
	}
	if s == t {
		c.truth(s.Has(argAtom(c.Args[3])))
		return nil
	}
	if !s.Remove(argAtom(c.Args[3])) {
		c.Int(0)
		return nil
	}
	c.setShrunk(1, s, "srem", from)
	c.setGrow(setAt{t, target}, to, c.Args[3:])
	c.Int(1)
	return nil
}

func scard(c *Call) error {
	s, err := look[*setkind.Set](c, c.Args[1])
	if err != nil {
		return err
	}
	c.Int(int64(s.Len()))
	return nil
}

func sismember(c *Call) error {
	s, err := look[*setkind.Set](c, c.Args[1])
	if err != nil {
		return err
	}
	c.truth(s.Has(argAtom(c.Args[2])))
	return nil
}

func smismember(c *Call) error {
	s, err := look[*setkind.Set](c, c.Args[1])
	if err != nil {
		return err
	}
	members := c.Args[2:]
	c.Array(len(members))
	for _, member := range members {
		c.truth(s.Has(argAtom(member)))
	}
	return nil
}

func smembers(c *Call) error {
	s, err := look[*setkind.Set](c, c.Args[1])
	if err != nil {
		return err
	}
	c.replyMembers(s)
	return nil
}

// sscan walks through a set step by step; sorted integers are a single step.
func sscan(c *Call) error {
	cursor, ok := parseCursor(c.Args[2])
	if !ok {
		return errInvalidCursor
	}
	s, err := look[*setkind.Set](c, c.Args[1])
	if err != nil {
		return err
	}
	var found []atom.Atom
	if s == nil { // as in Redis, nobody looks at the options when there is no such key
		cursor = 0
	} else {
		opts, err := c.scanOptions(3, false)
		if err != nil {
			return err
		}
		for seen := int64(0); ; {
			cursor = s.Scan(cursor, func(m atom.Atom) {
				seen++
				if opts.matchesAtom(m) {
					found = append(found, m)
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
