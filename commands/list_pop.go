package commands

import (
	"iter"

	"myredis/internal/atom"
	"myredis/keyspace/list"
	"myredis/wire"
)

func lpop(c *Call) error { return c.pop(left) }

func rpop(c *Call) error { return c.pop(right) }

// pop replies with an element or, when a count is given, with an array.
func (c *Call) pop(from listEnd) error {
	n, counted := int64(1), len(c.Args) > 2
	switch {
	case len(c.Args) > 3:
		return errorf("ERR wrong number of arguments for '%s' command", c.Cmd.full)
	case counted:
		var ok bool
		if n, ok = parseInt(c.Args[2]); !ok || n < 0 {
			return errNotPositive
		}
	}
	l, err := find[*list.List](c, c.Args[1])
	switch {
	case err != nil:
		return err
	case counted && l == nil:
		c.NullArray()
	case counted && n == 0:
		c.Array(0)
	case counted:
		c.Array(int(min(n, int64(l.Len()))))
		c.popElements(from, n, l, c.Args[1])
	case l == nil:
		c.Null()
	default:
		c.popElements(from, 1, l, c.Args[1])
	}
	return nil
}

// popElements removes so many elements, or all if there are not so many, and
// replies with them.
func (c *Call) popElements(from listEnd, most int64, l *list.List, key []byte) {
	n := int(min(most, int64(l.Len())))
	if from.right {
		c.elements(l.Backward(l.Len()-1), n)
		l.Delete(l.Len()-n, n)
	} else {
		c.elements(l.Forward(0), n)
		l.Delete(0, n)
	}
	c.listShrunk(l, from.pop, key)
}

// elements replies with the first n elements of a sequence.
func (c *Call) elements(seq iter.Seq[atom.Atom], n int) {
	for e := range seq {
		if n == 0 {
			return
		}
		n--
		c.replyAtom(e)
	}
}

// firstList returns the first of the keys that holds elements, and its list. An
// empty list is one that another worker has emptied during the look-up.
func (c *Call) firstList(keys [][]byte) (key []byte, l *list.List, err error) {
	for _, key := range keys {
		l, err := find[*list.List](c, key)
		if err != nil {
			return nil, nil, err
		}
		if l.Len() > 0 {
			return key, l, nil
		}
	}
	return nil, nil, nil
}

func blpop(c *Call) error { return c.bpop(left) }

func brpop(c *Call) error { return c.bpop(right) }

func (c *Call) bpop(from listEnd) error {
	last := len(c.Args) - 1
	timeout, err := c.timeout(last)
	if err != nil {
		return err
	}
	keys := c.Args[1:last]
	key, l, err := c.firstList(c.ready(keys))
	if err != nil {
		return err
	}
	if l == nil {
		return c.block(keys, timeout, (*wire.Encoder).NullArray)
	}
	c.Array(2)
	c.Bulk(key)
	c.popElements(from, 1, l, key)
	return nil
}

func lmpop(c *Call) error {
	p, err := c.lmpopArgs(1)
	if err != nil {
		return err
	}
	if done, err := c.popFromFirst(p); done || err != nil {
		return err
	}
	c.NullArray()
	return nil
}

func blmpop(c *Call) error {
	p, err := c.lmpopArgs(2)
	if err != nil {
		return err
	}
	timeout, err := c.timeout(1) // as in Redis, the last of the arguments to be looked at
	if err != nil {
		return err
	}
	if done, err := c.popFromFirst(p); done || err != nil {
		return err
	}
	return c.block(p.keys, timeout, (*wire.Encoder).NullArray)
}

// popFromFirst takes from the first of the keys that there is, and reports
// whether there is one.
func (c *Call) popFromFirst(p lmpopArgs) (done bool, err error) {
	key, l, err := c.firstList(c.ready(p.keys))
	if err != nil || l == nil {
		return false, err
	}
	c.Array(2)
	c.Bulk(key)
	c.Array(int(min(p.count, int64(l.Len()))))
	c.popElements(p.from, p.count, l, key)
	return true, nil
}

// lmpopArgs are the arguments of LMPOP.
type lmpopArgs struct {
	keys  [][]byte
	from  listEnd
	count int64
}

// lmpopArgs reads the arguments from the number of keys on.
func (c *Call) lmpopArgs(at int) (p lmpopArgs, err error) {
	n, ok := parseInt(c.Args[at])
	if !ok || n < 1 {
		return p, Error("ERR numkeys should be greater than 0")
	}
	if n >= int64(len(c.Args)-at-1) {
		return p, errSyntax
	}
	where := at + 1 + int(n)
	p.keys = c.Args[at+1 : where]
	if p.from, err = c.listEnd(where); err != nil {
		return p, err
	}
	p.count = 1
	rest := c.Args[where+1:]
	if len(rest) >= 2 && equalFold(rest[0], "COUNT") {
		if p.count, ok = parseInt(rest[1]); !ok || p.count < 1 {
			return p, Error("ERR count should be greater than 0")
		}
		rest = rest[2:]
	}
	if len(rest) > 0 {
		return p, errSyntax
	}
	return p, nil
}
