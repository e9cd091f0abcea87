package commands

import (
	"iter"

	"myredis/internal/atom"
	setkind "myredis/keyspace/set"
	"myredis/wire"
)

func spop(c *Call) error {
	key := c.Args[1]
	switch len(c.Args) {
	case 2:
	case 3:
		return c.popMembers()
	default:
		return errSyntax
	}
	s, err := find[*setkind.Set](c, key)
	if err != nil {
		return err
	}
	member, ok := s.Pop(c.Engine.Keys.Rand())
	if !ok {
		c.Null()
		return nil
	}
	c.replyAtom(member)
	c.setShrunk(1, s, "spop", key)
	return nil
}

// popMembers is SPOP with a count.
func (c *Call) popMembers() error {
	count, ok := parseInt(c.Args[2])
	if !ok || count < 0 {
		return errNotPositive
	}
	key := c.Args[1]
	s, err := c.findSet(key)
	if err != nil {
		return err
	}
	popped := min(count, int64(s.Len()))
	left := int64(s.Len()) - popped
	switch {
	case popped == 0:
		c.Set(0)
		return nil
	case left == 0:
		c.replyMembers(s.Set)
		*s.Set = setkind.Set{}
	case popped < left*popsPerMemberLeft:
		c.Set(int(popped))
		for range popped {
			member, _ := s.Pop(c.Engine.Keys.Rand())
			c.replyAtom(member)
		}
	default:
		c.keepMembers(s, left)
	}
	c.setShrunk(popped, s.Set, "spop", key)
	return nil
}

// popsPerMemberLeft is from how many members popped for each one left on it
// takes less to choose those that stay. It is Redis's number, because whoever
// asks for the encoding sees which way was taken.
const popsPerMemberLeft = 5

// keepMembers replies with all members of a set but n that stay. They make a
// set of their own, which may be one of integers where the old one was not.
func (c *Call) keepMembers(s setAt, n int64) {
	kept := new(setkind.Set)
	for range n {
		member, _ := s.Pop(c.Engine.Keys.Rand())
		c.setAdd(kept, member)
	}
	c.replyMembers(s.Set)
	*s.Set = *kept
	s.object.SetEncoding(setEncoding(kept))
}

const errNotPositive Error = "ERR value is out of range, must be positive"

func srandmember(c *Call) error {
	switch len(c.Args) {
	case 2:
		return c.randomSetMember()
	case 3:
	default:
		return errSyntax
	}
	count, err := c.sampleSize(2)
	if err != nil {
		return err
	}
	s, err := look[*setkind.Set](c, c.Args[1])
	if err != nil {
		return err
	}
	rng := c.Engine.Keys.Rand()
	if count >= 0 {
		c.replySample(s.Sample(int(min(count, int64(s.Len()))), rng))
		return nil
	}
	c.replySample(func(yield func(atom.Atom) bool) {
		for range -count {
			if member, ok := s.Random(rng); !ok || !yield(member) {
				return
			}
		}
	})
	return nil
}

func (c *Call) randomSetMember() error {
	s, err := look[*setkind.Set](c, c.Args[1])
	if err != nil {
		return err
	}
	if member, ok := s.Random(c.Engine.Keys.Rand()); ok {
		c.replyAtom(member)
	} else {
		c.Null()
	}
	return nil
}

// replySample replies with an array, also in RESP3: members may repeat.
func (c *Call) replySample(members iter.Seq[atom.Atom]) {
	mark, n := c.Defer(), 0
	for member := range members {
		if c.pointless() {
			break
		}
		c.replyAtom(member)
		n++
	}
	c.Resolve(mark, wire.KindArray, n)
}
