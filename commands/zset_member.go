package commands

import "myredis/sortedset"

func zcard(c *Call) error {
	set, err := look[*sortedset.Set](c, c.Args[1])
	if err != nil {
		return err
	}
	n := 0
	if set != nil {
		n = set.Len()
	}
	c.Int(int64(n))
	return nil
}

func zscore(c *Call) error {
	set, err := look[*sortedset.Set](c, c.Args[1])
	if err != nil {
		return err
	}
	c.replyScore(set, c.Args[2])
	return nil
}

func zmscore(c *Call) error {
	set, err := look[*sortedset.Set](c, c.Args[1])
	if err != nil {
		return err
	}
	members := c.Args[2:]
	c.Array(len(members))
	for _, member := range members {
		c.replyScore(set, member)
	}
	return nil
}

// replyScore replies with a member's score; the set may be nil.
func (c *Call) replyScore(set *sortedset.Set, member []byte) {
	if set != nil {
		if score, ok := set.Score(view(member)); ok {
			c.Double(score)
			return
		}
	}
	c.Null()
}

func zrank(c *Call) error { return c.zrank(false) }

func zrevrank(c *Call) error { return c.zrank(true) }

func (c *Call) zrank(reverse bool) error {
	set, err := look[*sortedset.Set](c, c.Args[1])
	if err != nil {
		return err
	}
	if set != nil {
		if rank, ok := set.Rank(view(c.Args[2])); ok {
			if reverse {
				rank = set.Len() - 1 - rank
			}
			c.Int(int64(rank))
			return nil
		}
	}
	c.Null()
	return nil
}

func zrem(c *Call) error {
	key := c.Args[1]
	set, err := find[*sortedset.Set](c, key)
	if err != nil {
		return err
	}
	removed := 0
	if set != nil {
		for _, member := range c.Args[2:] {
			if _, ok := set.Remove(view(member)); ok {
				removed++
			}
		}
		c.zsetShrunk(removed, set, "zrem", key)
	}
	c.Int(int64(removed))
	return nil
}
