package commands

import (
	"iter"

	"myredis/keyspace"
	"myredis/sortedset"
)

// ZRANGE, its six older forms and ZRANGESTORE are one command: what their
// names fix is a rangeForm, and from there on there is one parser and one
// rangeQuery. ZCOUNT and ZREMRANGEBYRANK with their sisters know their kind of
// range from the name and have no options.

// rangeKind says by what a range is cut out of a set.
type rangeKind uint8

const (
	byAnything rangeKind = iota // not fixed: the options say
	byRank
	byScore
	byLex
)

// rangeForm is what the name of a command says.
type rangeForm struct {
	source  int // the argument that is the key
	kind    rangeKind
	reverse bool
	store   bool // the result is stored: there is no WITHSCORES
}

// rangeQuery is a range with its direction and the part of it that is wanted.
type rangeQuery struct {
	kind        rangeKind
	reverse     bool
	withScores  bool
	start, stop int64 // byRank
	scores      sortedset.ScoreRange
	members     sortedset.LexRange
	// LIMIT: a negative offset leaves nothing, a negative count everything.
	offset, count int64
}

func zrange(c *Call) error { return c.zrange(rangeForm{source: 1}) }

func zrevrange(c *Call) error { return c.zrange(rangeForm{source: 1, kind: byRank, reverse: true}) }

func zrangebyscore(c *Call) error { return c.zrange(rangeForm{source: 1, kind: byScore}) }

func zrevrangebyscore(c *Call) error {
	return c.zrange(rangeForm{source: 1, kind: byScore, reverse: true})
}

func zrangebylex(c *Call) error { return c.zrange(rangeForm{source: 1, kind: byLex}) }

func zrevrangebylex(c *Call) error {
	return c.zrange(rangeForm{source: 1, kind: byLex, reverse: true})
}

func (c *Call) zrange(form rangeForm) error {
	q, err := c.parseRange(form)
	if err != nil {
		return err
	}
	set, err := look[*sortedset.Set](c, c.Args[form.source])
	if err != nil {
		return err
	}
	if set == nil {
		c.Array(0)
		return nil
	}
	return c.replyItems(q.items(set), q.withScores)
}

func zrangestore(c *Call) error {
	form := rangeForm{source: 2, store: true}
	q, err := c.parseRange(form)
	if err != nil {
		return err
	}
	set, err := look[*sortedset.Set](c, c.Args[form.source])
	if err != nil {
		return err
	}
	result := newZSet(keyspace.Listpack)
	if set != nil {
		if q.kind == byRank {
			// The size is known: a long result is a skiplist from the start.
			first, last, ok := sortedset.Indexes(int(q.start), int(q.stop), set.Len())
			if ok && !c.zsetListpackHolds(last-first+1, 0) {
				result.object.SetEncoding(keyspace.Skiplist)
			}
		}
		for item := range q.items(set) {
			c.zsetAdd(result, item.Member, item.Score)
		}
	}
	return c.zsetStore(c.Args[1], result)
}

// parseRange reads the arguments after the key.
func (c *Call) parseRange(form rangeForm) (q rangeQuery, err error) {
	q = rangeQuery{kind: form.kind, reverse: form.reverse, count: -1}
	if err := q.parseOptions(c, form); err != nil {
		return q, err
	}
	min, max := c.Args[form.source+1], c.Args[form.source+2]
	if q.reverse && q.kind != byRank {
		min, max = max, min
	}
	switch q.kind {
	case byScore:
		q.scores, err = parseScoreRange(min, max)
	case byLex:
		q.members, err = parseLexRange(min, max)
	default:
		q.start, q.stop, err = parseRanks(min, max)
	}
	return q, err
}

func (q *rangeQuery) parseOptions(c *Call, form rangeForm) (err error) {
	free := form.kind == byAnything // the options say what other names fix
	for i := form.source + 3; i < len(c.Args); i++ {
		switch {
		case !form.store && c.is(i, "WITHSCORES"):
			q.withScores = true
		case c.is(i, "LIMIT") && i+2 < len(c.Args):
			if q.offset, err = c.int(i + 1); err != nil {
				return err
			}
			if q.count, err = c.int(i + 2); err != nil {
				return err
			}
			i += 2
		case free && !q.reverse && c.is(i, "REV"):
			q.reverse = true
		case free && q.kind == byAnything && c.is(i, "BYLEX"):
			q.kind = byLex
		case free && q.kind == byAnything && c.is(i, "BYSCORE"):
			q.kind = byScore
		default:
			return errSyntax
		}
	}
	if q.kind == byAnything {
		q.kind = byRank
	}
	// Redis takes LIMIT with a range of ranks when it limits nothing.
	if q.count != -1 && q.kind == byRank {
		return Error("ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX")
	}
	if q.withScores && q.kind == byLex {
		return Error("ERR syntax error, WITHSCORES not supported in combination with BYLEX")
	}
	return nil
}

func parseRanks(start, stop []byte) (first, last int64, err error) {
	first, okFirst := parseInt(start)
	last, okLast := parseInt(stop)
	if !okFirst || !okLast {
		return 0, 0, errNotInteger
	}
	return first, last, nil
}

// items returns what the query finds, in its direction.
func (q *rangeQuery) items(set *sortedset.Set) iter.Seq[sortedset.Item] {
	if q.kind == byRank {
		first, last, ok := sortedset.Indexes(int(q.start), int(q.stop), set.Len())
		if !ok {
			return noItems
		}
		return set.ByRank(first, last, q.reverse)
	}
	if q.offset >= int64(set.Len()) || q.count == 0 {
		return noItems
	}
	found := set.ByScore(q.scores, q.reverse, int(q.offset))
	if q.kind == byLex {
		found = set.ByLex(q.members, q.reverse, int(q.offset))
	}
	if q.count > 0 {
		return firstItems(q.count, found)
	}
	return found
}

func noItems(func(sortedset.Item) bool) {}

// firstItems returns the first n > 0 items of a sequence.
func firstItems(n int64, items iter.Seq[sortedset.Item]) iter.Seq[sortedset.Item] {
	return func(yield func(sortedset.Item) bool) {
		left := n
		items(func(item sortedset.Item) bool {
			left--
			return yield(item) && left > 0
		})
	}
}

func zcount(c *Call) error {
	r, err := parseScoreRange(c.Args[2], c.Args[3])
	if err != nil {
		return err
	}
	return c.zsetCount(func(set *sortedset.Set) int { return set.CountByScore(r) })
}

func zlexcount(c *Call) error {
	r, err := parseLexRange(c.Args[2], c.Args[3])
	if err != nil {
		return err
	}
	return c.zsetCount(func(set *sortedset.Set) int { return set.CountByLex(r) })
}

// zsetCount replies with a figure of the set at argument 1: 0 when there is none.
func (c *Call) zsetCount(figure func(*sortedset.Set) int) error {
	set, err := look[*sortedset.Set](c, c.Args[1])
	if err != nil {
		return err
	}
	n := 0
	if set != nil {
		n = figure(set)
	}
	c.Int(int64(n))
	return nil
}

func zremrangebyrank(c *Call) error {
	start, stop, err := parseRanks(c.Args[2], c.Args[3])
	if err != nil {
		return err
	}
	return c.zsetRemove(func(set *sortedset.Set) int {
		first, last, ok := sortedset.Indexes(int(start), int(stop), set.Len())
		if !ok {
			return 0
		}
		return set.RemoveByRank(first, last, nil)
	})
}

func zremrangebyscore(c *Call) error {
	r, err := parseScoreRange(c.Args[2], c.Args[3])
	if err != nil {
		return err
	}
	return c.zsetRemove(func(set *sortedset.Set) int { return set.RemoveByScore(r, nil) })
}

func zremrangebylex(c *Call) error {
	r, err := parseLexRange(c.Args[2], c.Args[3])
	if err != nil {
		return err
	}
	return c.zsetRemove(func(set *sortedset.Set) int { return set.RemoveByLex(r, nil) })
}

// zsetRemove replies with how many members remove has taken out of the set
// at argument 1. The event is named as the command.
func (c *Call) zsetRemove(remove func(*sortedset.Set) int) error {
	key := c.Args[1]
	set, err := find[*sortedset.Set](c, key)
	if err != nil {
		return err
	}
	removed := 0
	if set != nil {
		removed = remove(set)
		c.zsetShrunk(removed, set, c.Cmd.Name, key)
	}
	c.Int(int64(removed))
	return nil
}
