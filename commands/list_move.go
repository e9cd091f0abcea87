package commands

import (
	"bytes"
	"errors"

	"myredis/keyspace/list"
	"myredis/wire"
)

func lmove(c *Call) error {
	from, to, err := c.listEnds()
	if err != nil {
		return err
	}
	return c.move(from, to)
}

func rpoplpush(c *Call) error { return c.move(right, left) }

func blmove(c *Call) error {
	from, to, err := c.listEnds()
	if err != nil {
		return err
	}
	return c.bmove(from, to, 5)
}

func brpoplpush(c *Call) error { return c.bmove(right, left, 3) }

// listEnds parses the two ends of LMOVE.
func (c *Call) listEnds() (from, to listEnd, err error) {
	if from, err = c.listEnd(3); err == nil {
		to, err = c.listEnd(4)
	}
	return from, to, err
}

func (c *Call) move(from, to listEnd) error {
	done, err := c.moveElement(from, to)
	if !done && err == nil {
		c.Null()
	}
	return err
}

// bmove is move that waits; argument i is the timeout.
func (c *Call) bmove(from, to listEnd, i int) error {
	timeout, err := c.timeout(i)
	if err != nil {
		return err
	}
	done, err := c.moveElement(from, to)
	switch {
	case done || err != nil:
		return err
	case !c.mayBlock():
		c.Null() // but a null array when the time is over, as in Redis
		return nil
	}
	return c.block(c.Args[1:2], timeout, (*wire.Encoder).NullArray)
}

// moveElement reports whether there was an element to move.
func (c *Call) moveElement(from, to listEnd) (done bool, err error) {
	source, destination := c.Args[1], c.Args[2]
	l, err := find[*list.List](c, source)
	if err != nil || l == nil {
		return false, err
	}
	target, err := find[*list.List](c, destination)
	if errors.Is(err, errWrongType) {
		return false, errWrongDestination
	}
	if l.Len() == 0 {
		return false, nil // another worker has emptied it
	}
	i := 0
	if from.right {
		i = l.Len() - 1
	}
	element := bytes.Clone(l.At(i).Append(nil)) // it may be pushed to its own list
	c.Bulk(element)
	l.Delete(i, 1)
	c.listGrow(target, to, destination, [][]byte{element})
	c.listShrunk(l, from.pop, source)
	return true, nil
}
