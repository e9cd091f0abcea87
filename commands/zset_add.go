package commands

import (
	"math"

	"myredis/keyspace"
	"myredis/sortedset"
)

// zaddOptions are the words that may precede the first score.
type zaddOptions struct{ nx, xx, gt, lt, ch, incr bool }

func zadd(c *Call) error { return c.zadd(zaddOptions{}) }

// zincrby is ZADD INCR, and as in Redis takes the words of ZADD for what they
// are there: ZINCRBY k NX m lacks a score.
func zincrby(c *Call) error { return c.zadd(zaddOptions{incr: true}) }

func (c *Call) zadd(opts zaddOptions) error {
	pairs, err := opts.parse(c)
	if err != nil {
		return err
	}
	var room [16]float64 // so that few scores need no allocation
	scores := room[:0]
	for i := 0; i < len(pairs); i += 2 {
		score, ok := parseFloat(pairs[i])
		if !ok {
			return errNotFloat
		}
		scores = append(scores, score)
	}
	return c.zaddScores(opts, scores, pairs)
}

// zaddScores is ZADD of members, each the second of a pair, and the scores that
// the pairs have been found to give them.
func (c *Call) zaddScores(opts zaddOptions, scores []float64, pairs [][]byte) error {
	key := c.Args[1]
	z, err := c.findZSet(key)
	if err != nil {
		return err
	}
	var made zadded
	if z.Set != nil || !opts.xx {
		if z.Set == nil {
			z = newZSet(keyspace.Listpack)
			c.DB.Put(view(key), z.object)
		}
		if made, err = c.zaddPairs(z, opts, scores, pairs); err != nil {
			return err
		}
	}
	if made.added+made.updated > 0 {
		c.changed(eventZSet, opts.event(), key)
	}
	opts.reply(c, made)
	return nil
}

// parse takes the options and returns the scores and members that follow.
func (o *zaddOptions) parse(c *Call) (pairs [][]byte, err error) {
	at := 2
options:
	for ; at < len(c.Args); at++ {
		switch {
		case c.is(at, "NX"):
			o.nx = true
		case c.is(at, "XX"):
			o.xx = true
		case c.is(at, "GT"):
			o.gt = true
		case c.is(at, "LT"):
			o.lt = true
		case c.is(at, "CH"):
			o.ch = true
		case c.is(at, "INCR"):
			o.incr = true
		default:
			break options
		}
	}
	pairs = c.Args[at:]
	switch {
	case len(pairs) == 0 || len(pairs)%2 != 0:
		return nil, errSyntax
	case o.nx && o.xx:
		return nil, Error("ERR XX and NX options at the same time are not compatible")
	case o.gt && o.nx || o.lt && o.nx || o.gt && o.lt:
		return nil, Error("ERR GT, LT, and/or NX options at the same time are not compatible")
	case o.incr && len(pairs) > 2:
		return nil, Error("ERR INCR option supports a single increment-element pair")
	}
	return pairs, nil
}

// zadded is what became of the pairs of a ZADD.
type zadded struct {
	added, updated int
	score          float64 // of the last member that the options let have one
	allowed        bool    // there is such a member
}

func (c *Call) zaddPairs(z zset, opts zaddOptions, scores []float64, pairs [][]byte) (made zadded, err error) {
	for i, score := range scores {
		member := view(pairs[2*i+1])
		score, ok, err := opts.decide(z.Set, member, score)
		if err != nil {
			return made, err // there is one pair then, and nothing has changed
		}
		if !ok {
			continue
		}
		made.score, made.allowed = score, true
		switch c.zsetAdd(z, member, score) {
		case sortedset.Added:
			made.added++
		case sortedset.Updated:
			made.updated++
		}
	}
	return made, nil
}

// decide returns the score that the options let a member have, if they let it.
func (o *zaddOptions) decide(set *sortedset.Set, member string, score float64) (_ float64, ok bool, err error) {
	if !o.nx && !o.xx && !o.gt && !o.lt && !o.incr {
		return score, true, nil
	}
	current, old := set.Score(member)
	if !old {
		return score, !o.xx, nil
	}
	if o.nx {
		return 0, false, nil
	}
	if o.incr {
		if score += current; math.IsNaN(score) {
			return 0, false, errNaN
		}
	}
	if o.gt && score <= current || o.lt && score >= current {
		return 0, false, nil
	}
	return score, true, nil
}

func (o *zaddOptions) event() string {
	if o.incr {
		return "zincr"
	}
	return "zadd"
}

func (o *zaddOptions) reply(c *Call, made zadded) {
	switch {
	case o.incr && made.allowed:
		c.Double(made.score)
	case o.incr:
		c.Null()
	case o.ch:
		c.Int(int64(made.added + made.updated))
	default:
		c.Int(int64(made.added))
	}
}
