package commands

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"myredis/internal/atom"
	"myredis/keyspace"
	setkind "myredis/keyspace/set"
	"myredis/sortedset"
)

// Union, intersection and difference. Each yields its result item by item, in
// no particular order; what is done with it (replying, storing, counting) is
// the command's business.

// scored is a value that can take part: members, each with a score.
type scored interface {
	Len() int
	Score(member string) (score float64, ok bool)
	All() iter.Seq[sortedset.Item]
}

// noMembers is what a missing key holds. Nothing is ever added to it.
var noMembers scored = sortedset.New()

// asScored is as for what has scores: a sorted set, or a plain set whose
// members all score 1.
func asScored(o *keyspace.Object) (scored, error) {
	if o != nil {
		if plain, ok := o.Value.(*setkind.Set); ok {
			return ones{plain}, nil
		}
	}
	return as[scored](o)
}

// ones is a plain set as one of scores.
type ones struct{ *setkind.Set }

func (s ones) Score(member string) (float64, bool) { return 1, s.Has(atom.Of(member)) }

func (s ones) All() iter.Seq[sortedset.Item] {
	return func(yield func(sortedset.Item) bool) {
		for m := range s.Set.All() {
			if !yield(sortedset.Item{Score: 1, Member: m.String()}) {
				return
			}
		}
	}
}

// weighted is a value that takes part, and its weight.
type weighted struct {
	scored
	weight float64
}

// combination is the arguments of a union, intersection or difference.
type combination struct {
	sources    []weighted
	aggregate  func(a, b float64) float64
	withScores bool
	limit      int64 // of ZINTERCARD; 0: none
}

// combinationForm is what the name of a command says.
type combinationForm struct {
	numkeys int // the argument that is the number of keys
	weighed bool
	store   bool
	card    bool
}

func zunion(c *Call) error {
	return c.combine(combinationForm{numkeys: 1, weighed: true}, (*combination).union)
}

func zinter(c *Call) error {
	return c.combine(combinationForm{numkeys: 1, weighed: true}, (*combination).intersection)
}

func zdiff(c *Call) error {
	return c.combine(combinationForm{numkeys: 1}, (*combination).difference)
}

func zunionstore(c *Call) error {
	return c.combine(combinationForm{numkeys: 2, weighed: true, store: true}, (*combination).union)
}

func zinterstore(c *Call) error {
	return c.combine(combinationForm{numkeys: 2, weighed: true, store: true}, (*combination).intersection)
}

func zdiffstore(c *Call) error {
	return c.combine(combinationForm{numkeys: 2, store: true}, (*combination).difference)
}

func (c *Call) combine(form combinationForm, operation func(*combination) iter.Seq[sortedset.Item]) error {
	comb, err := c.combination(form)
	if err != nil {
		return err
	}
	result := slices.SortedFunc(operation(comb), func(a, b sortedset.Item) int {
		return cmp.Or(cmp.Compare(a.Score, b.Score), cmp.Compare(a.Member, b.Member))
	})
	if !form.store {
		return c.replyItems(slices.Values(result), comb.withScores)
	}
	longest := 0
	for _, item := range result {
		longest = max(longest, len(item.Member))
	}
	stored := newZSet(keyspace.Skiplist)
	if c.zsetListpackHolds(len(result), longest) {
		stored.object.SetEncoding(keyspace.Listpack)
	}
	for _, item := range result {
		c.zsetAdd(stored, item.Member, item.Score)
	}
	return c.zsetStore(c.Args[1], stored)
}

func zintercard(c *Call) error {
	comb, err := c.combination(combinationForm{numkeys: 1, card: true})
	if err != nil {
		return err
	}
	n := int64(0)
	for range comb.intersection() {
		if n++; n == comb.limit {
			break
		}
	}
	c.Int(n)
	return nil
}

// combination reads the arguments. As in Redis the keys are looked up before
// the options are read: a key of the wrong type is the error when both are.
func (c *Call) combination(form combinationForm) (*combination, error) {
	n, err := c.int(form.numkeys)
	if err != nil {
		return nil, err
	}
	if n < 1 {
		return nil, errorf("ERR at least 1 input key is needed for '%s' command", c.Cmd.full)
	}
	rest := c.Args[form.numkeys+1:]
	if n > int64(len(rest)) {
		return nil, errSyntax
	}
	comb := &combination{sources: make([]weighted, n), aggregate: aggregateSum}
	for i := range comb.sources {
		value, err := asScored(c.DB.Look(view(rest[i])))
		if err != nil {
			return nil, err
		}
		if value == nil {
			value = noMembers
		}
		comb.sources[i] = weighted{value, 1}
	}
	return comb, comb.parseOptions(c, form, form.numkeys+1+int(n))
}

func (comb *combination) parseOptions(c *Call, form combinationForm, at int) error {
	for i := at; i < len(c.Args); i++ {
		left := len(c.Args) - 1 - i
		switch {
		case form.weighed && left >= len(comb.sources) && c.is(i, "WEIGHTS"):
			for j := range comb.sources {
				i++
				weight, ok := parseFloat(c.Args[i])
				if !ok {
					return Error("ERR weight value is not a float")
				}
				comb.sources[j].weight = weight
			}
		case form.weighed && left >= 1 && c.is(i, "AGGREGATE"):
			i++
			switch {
			case c.is(i, "SUM"):
				comb.aggregate = aggregateSum
			case c.is(i, "MIN"):
				comb.aggregate = aggregateMin
			case c.is(i, "MAX"):
				comb.aggregate = aggregateMax
			default:
				return errSyntax
			}
		case !form.store && !form.card && c.is(i, "WITHSCORES"):
			comb.withScores = true
		case form.card && left >= 1 && c.is(i, "LIMIT"):
			i++
			limit, ok := parseInt(c.Args[i])
			if !ok || limit < 0 {
				return Error("ERR LIMIT can't be negative")
			}
			comb.limit = limit
		default:
			return errSyntax
		}
	}
	return nil
}

// weigh returns a score times the weight. The conversion keeps the product
// from being fused with an addition that follows it, which would round once
// where Redis rounds twice.
func (s *weighted) weigh(score float64) float64 { return float64(s.weight * score) }

// orZero is Redis's rule for what is not a number: infinity times a weight of
// 0, and the sum of both infinities.
func orZero(f float64) float64 {
	if math.IsNaN(f) {
		return 0
	}
	return f
}

func aggregateSum(a, b float64) float64 { return orZero(a + b) }

// aggregateMin and aggregateMax are not min and max: b may be NaN, and a stays then.
func aggregateMin(a, b float64) float64 {
	if b < a {
		return b
	}
	return a
}

func aggregateMax(a, b float64) float64 {
	if b > a {
		return b
	}
	return a
}

// bySize puts the smallest source first. It is stable, because the sum of
// three floats depends on their order.
func (comb *combination) bySize() {
	slices.SortStableFunc(comb.sources, func(a, b weighted) int { return cmp.Compare(a.Len(), b.Len()) })
}

func (comb *combination) union() iter.Seq[sortedset.Item] {
	comb.bySize()
	largest := comb.sources[len(comb.sources)-1]
	scores := make(map[string]float64, largest.Len())
	for _, src := range comb.sources {
		for item := range src.All() {
			score := orZero(src.weigh(item.Score))
			if other, ok := scores[item.Member]; ok {
				score = comb.aggregate(other, score)
			}
			scores[item.Member] = score
		}
	}
	return func(yield func(sortedset.Item) bool) {
		for member, score := range scores {
			if !yield(sortedset.Item{Score: score, Member: member}) {
				return
			}
		}
	}
}

func (comb *combination) intersection() iter.Seq[sortedset.Item] {
	comb.bySize()
	smallest, others := comb.sources[0], comb.sources[1:]
	return func(yield func(sortedset.Item) bool) {
	members:
		for item := range smallest.All() {
			total := orZero(smallest.weigh(item.Score))
			for _, src := range others {
				score, ok := src.Score(item.Member)
				if !ok {
					continue members
				}
				total = comb.aggregate(total, src.weigh(score))
			}
			if !yield(sortedset.Item{Score: total, Member: item.Member}) {
				return
			}
		}
	}
}

// difference looks every member of the first set up in the others, the
// largest of them first, for it is the likeliest to have it.
func (comb *combination) difference() iter.Seq[sortedset.Item] {
	minuend := comb.sources[0]
	others := slices.SortedFunc(slices.Values(comb.sources[1:]), func(a, b weighted) int { return cmp.Compare(b.Len(), a.Len()) })
	return func(yield func(sortedset.Item) bool) {
	members:
		for item := range minuend.All() {
			for _, src := range others {
				if _, ok := src.Score(item.Member); ok {
					continue members
				}
			}
			if !yield(item) {
				return
			}
		}
	}
}
