package commands

import (
	"iter"
	"math"

	"myredis/internal/atom"
	"myredis/keyspace/list"
	"myredis/wire"
)

func llen(c *Call) error {
	l, err := look[*list.List](c, c.Args[1])
	if err != nil {
		return err
	}
	c.Int(int64(l.Len()))
	return nil
}

// place is the place in a list that an index means, which from the end is
// counted from -1; ok is false when there is none.
func place(l *list.List, index int64) (i int, ok bool) {
	n := int64(l.Len())
	if index < 0 {
		index += n
	}
	return int(index), 0 <= index && index < n
}

// lindex, as in Redis, does not mind what the index is when there is no list.
func lindex(c *Call) error {
	l, err := look[*list.List](c, c.Args[1])
	if err != nil {
		return err
	}
	if l == nil {
		c.Null()
		return nil
	}
	index, err := c.int(2)
	if err != nil {
		return err
	}
	if i, ok := place(l, index); ok {
		c.replyAtom(l.At(i))
	} else {
		c.Null()
	}
	return nil
}

func lset(c *Call) error {
	key := c.Args[1]
	l, err := find[*list.List](c, key)
	switch {
	case err != nil:
		return err
	case l == nil:
		return errNoSuchKey
	}
	index, err := c.int(2)
	if err != nil {
		return err
	}
	i, ok := place(l, index)
	if !ok {
		return errOutOfRange
	}
	l.Set(i, argAtom(c.Args[3]))
	c.changed(eventList, "lset", key)
	return c.ok()
}

// listRange parses arguments 2 and 3 as the first and the last place of a
// range.
func (c *Call) listRange() (start, stop int64, err error) {
	if start, err = c.int(2); err == nil {
		stop, err = c.int(3)
	}
	return start, stop, err
}

// within returns the part of a range that a list has: where it begins, and how
// many elements it is.
func within(l *list.List, start, stop int64) (from, n int) {
	length := int64(l.Len())
	if start < 0 {
		start = max(0, start+length)
	}
	if stop < 0 {
		stop += length
	}
	stop = min(stop, length-1)
	if start > stop {
		return 0, 0
	}
	return int(start), int(stop - start + 1)
}

func lrange(c *Call) error {
	start, stop, err := c.listRange()
	if err != nil {
		return err
	}
	l, err := look[*list.List](c, c.Args[1])
	if err != nil {
		return err
	}
	from, n := within(l, start, stop)
	c.Array(n)
	if n > 0 {
		c.elements(l.Forward(from), n)
	}
	return nil
}

func ltrim(c *Call) error {
	start, stop, err := c.listRange()
	if err != nil {
		return err
	}
	key := c.Args[1]
	l, err := find[*list.List](c, key)
	if err != nil {
		return err
	}
	if l == nil {
		return c.ok()
	}
	from, n := within(l, start, stop)
	l.Delete(from+n, l.Len()-from-n)
	l.Delete(0, from)
	c.listShrunk(l, "ltrim", key)
	return c.ok()
}

func linsert(c *Call) error {
	after := c.is(2, "AFTER")
	if !after && !c.is(2, "BEFORE") {
		return errSyntax
	}
	key := c.Args[1]
	l, err := find[*list.List](c, key)
	if err != nil {
		return err
	}
	if l == nil {
		c.Int(0)
		return nil
	}
	i, ok := l.Index(argAtom(c.Args[3]))
	if !ok {
		c.Int(-1)
		return nil
	}
	if after {
		i++
	}
	l.Insert(i, argAtom(c.Args[4]))
	c.changed(eventList, "linsert", key)
	c.Int(int64(l.Len()))
	return nil
}

func lrem(c *Call) error {
	count, err := c.int(2)
	if err != nil {
		return err
	}
	key := c.Args[1]
	l, err := find[*list.List](c, key)
	if err != nil {
		return err
	}
	if l == nil {
		c.Int(0)
		return nil
	}
	most := count
	switch {
	case count == 0, count == math.MinInt64:
		most = math.MaxInt64
	case count < 0:
		most = -count
	}
	removed := l.Remove(argAtom(c.Args[3]), int(most), count < 0)
	if removed > 0 {
		c.listShrunk(l, "lrem", key)
	}
	c.Int(int64(removed))
	return nil
}

// lposArgs are the options of LPOS.
type lposArgs struct {
	rank    int64 // of the first match that is asked for
	back    bool  // matches are counted from the end
	counted bool  // an array of them is asked for, of count; 0: of all
	count   int64
	maxlen  int64 // elements to look at; 0: all
}

// lposArgs reads the arguments from the options on.
func (c *Call) lposArgs() (p lposArgs, err error) {
	p.rank = 1
	var ok bool
	for i := 3; i < len(c.Args); i += 2 {
		switch {
		case i+1 == len(c.Args):
			return p, errSyntax
		case c.is(i, "RANK"):
			if p.rank, err = c.int(i + 1); err != nil {
				return p, err
			}
			if p.rank == 0 {
				return p, Error("ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... or use negative to start from the end of the list")
			}
		case c.is(i, "COUNT"):
			p.counted = true
			if p.count, ok = parseInt(c.Args[i+1]); !ok || p.count < 0 {
				return p, Error("ERR COUNT can't be negative")
			}
		case c.is(i, "MAXLEN"):
			if p.maxlen, ok = parseInt(c.Args[i+1]); !ok || p.maxlen < 0 {
				return p, Error("ERR MAXLEN can't be negative")
			}
		default:
			return p, errSyntax
		}
	}
	if p.rank < 0 {
		p.rank, p.back = -p.rank, true
	}
	return p, nil
}

func lpos(c *Call) error {
	p, err := c.lposArgs()
	if err != nil {
		return err
	}
	l, err := look[*list.List](c, c.Args[1])
	if err != nil {
		return err
	}
	element := argAtom(c.Args[2])
	if p.counted {
		mark := c.Defer()
		n := 0
		for i := range p.find(l, element) {
			c.Int(int64(i))
			n++
		}
		c.Resolve(mark, wire.KindArray, n)
		return nil
	}
	for i := range p.find(l, element) {
		c.Int(int64(i))
		return nil
	}
	c.Null()
	return nil
}

// find returns the places that are asked for.
func (p *lposArgs) find(l *list.List, element atom.Atom) iter.Seq[int] {
	among := l.Len()
	if p.maxlen > 0 {
		among = int(min(p.maxlen, int64(among)))
	}
	return func(yield func(int) bool) {
		met := int64(0)
		for i := range l.Matches(element, among, p.back) {
			met++
			if met < p.rank {
				continue
			}
			if !yield(i) || p.count > 0 && met-p.rank+1 == p.count {
				return
			}
		}
	}
}
