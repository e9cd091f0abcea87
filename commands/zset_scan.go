package commands

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"myredis/keyspace"
	"myredis/sortedset"
	"myredis/wire"
)

// zscan walks through a skiplist step by step. A listpack, which is small, it
// answers at once and in order.
func zscan(c *Call) error {
	cursor, ok := parseCursor(c.Args[2])
	if !ok {
		return errInvalidCursor
	}
	o := c.DB.Look(view(c.Args[1]))
	set, err := as[*sortedset.Set](o)
	if err != nil {
		return err
	}
	var found []sortedset.Item
	format := wire.AppendScore
	if set != nil { // as in Redis, nobody looks at the options when there is no such key
		opts, err := c.scanOptions(3, false)
		if err != nil {
			return err
		}
		if o.Encoding() == keyspace.Listpack {
			found, cursor = slices.Collect(set.All()), 0
			format = appendListpackScore
		} else {
			found, cursor = opts.zsteps(set, cursor)
		}
		found = slices.DeleteFunc(found, func(item sortedset.Item) bool { return !opts.matches(item.Member) })
	} else {
		cursor = 0
	}
	c.Array(2)
	c.BulkString(strconv.FormatUint(cursor, 10))
	c.Array(2 * len(found))
	for _, item := range found {
		c.BulkString(item.Member)
		var text [32]byte
		c.Bulk(format(text[:0], item.Score)) // a string in RESP3 too
	}
	return nil
}

// appendListpackScore appends a score as a listpack holds it: a whole number
// is an integer there, and ZSCAN shows all digits of it. The bound is that of
// Redis's double2ll.
func appendListpackScore(dst []byte, score float64) []byte {
	const bound = 1 << 62
	if -bound <= score && score <= bound && score == math.Trunc(score) {
		return strconv.AppendInt(dst, int64(score), 10)
	}
	return wire.AppendScore(dst, score)
}

// zsteps takes steps of the walk until count members are found.
func (o *scanOptions) zsteps(set *sortedset.Set, cursor uint64) (found []sortedset.Item, next uint64) {
	for {
		cursor = set.Scan(cursor, func(item sortedset.Item) { found = append(found, item) })
		if cursor == 0 || int64(len(found)) >= o.count {
			return found, cursor
		}
	}
}

func zrandmember(c *Call) error {
	if len(c.Args) == 2 {
		return c.randomMember()
	}
	count, err := c.int(2)
	if err != nil {
		return err
	}
	withScores := len(c.Args) == 4 && c.is(3, "WITHSCORES")
	switch {
	case count == math.MinInt64:
		return errorf("ERR value is out of range, value must between %d and %d", -math.MaxInt64, math.MaxInt64)
	case len(c.Args) > 3 && !withScores:
		return errSyntax
	case withScores && (count < -math.MaxInt64/2 || count > math.MaxInt64/2):
		return Error("ERR value is out of range")
	}
	set, err := look[*sortedset.Set](c, c.Args[1])
	if err != nil {
		return err
	}
	rng := c.Engine.Keys.Rand()
	switch {
	case set == nil || set.Len() == 0:
		c.Array(0)
		return nil
	case count < 0:
		return c.replyItems(randomItems(set, -count, rng), withScores)
	case count >= int64(set.Len()):
		// Redis answers the whole set from its end.
		return c.replyItems(set.ByRank(0, set.Len()-1, true), withScores)
	}
	return c.replyItems(distinctItems(set, int(count), rng), withScores)
}

func (c *Call) randomMember() error {
	set, err := look[*sortedset.Set](c, c.Args[1])
	if err != nil {
		return err
	}
	if set != nil {
		if item, ok := set.Random(c.Engine.Keys.Rand()); ok {
			c.BulkString(item.Member)
			return nil
		}
	}
	c.Null()
	return nil
}

// randomItems yields n random members of a set that has some, each independent of
// the others.
func randomItems(set *sortedset.Set, n int64, rng *rand.Rand) func(func(sortedset.Item) bool) {
	return func(yield func(sortedset.Item) bool) {
		for range n {
			if item, _ := set.Random(rng); !yield(item) {
				return
			}
		}
	}
}

// distinctItems yields n of a set's members, every choice of n being equally
// likely. It chooses ranks (Floyd's algorithm), so that what is not chosen
// costs nothing.
func distinctItems(set *sortedset.Set, n int, rng *rand.Rand) func(func(sortedset.Item) bool) {
	return func(yield func(sortedset.Item) bool) {
		chosen := make(map[int]bool, n)
		for last := set.Len() - n; last < set.Len(); last++ {
			rank := rng.IntN(last + 1)
			if chosen[rank] {
				rank = last
			}
			chosen[rank] = true
			if item, _ := set.At(rank); !yield(item) {
				return
			}
		}
	}
}
