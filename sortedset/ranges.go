package sortedset

import (
	"iter"
	"math"

	"github.com/tidwall/btree"
)

// ScoreRange is an interval of scores.
type ScoreRange struct {
	Min, Max                   float64
	MinExclusive, MaxExclusive bool
}

// Empty reports whether no score at all can be in the range.
func (r ScoreRange) Empty() bool {
	return !(r.Min < r.Max || r.Min == r.Max && !r.MinExclusive && !r.MaxExclusive)
}

// Contains reports whether the score is in the range.
func (r ScoreRange) Contains(score float64) bool {
	return (score > r.Min || score == r.Min && !r.MinExclusive) &&
		(score < r.Max || score == r.Max && !r.MaxExclusive)
}

// LexBound is one end of a LexRange. With Infinity -1 it lies before every
// member ("-" in Redis), with +1 behind every member ("+").
type LexBound struct {
	Member    string
	Exclusive bool
	Infinity  int
}

// LexRange is an interval of members.
type LexRange struct{ Min, Max LexBound }

// Empty reports whether no member at all can be in the range.
func (r LexRange) Empty() bool {
	if r.Min.Infinity != 0 || r.Max.Infinity != 0 {
		return r.Min.Infinity > 0 || r.Max.Infinity < 0
	}
	return !(r.Min.Member < r.Max.Member ||
		r.Min.Member == r.Max.Member && !r.Min.Exclusive && !r.Max.Exclusive)
}

// Contains reports whether the member is in the range.
func (r LexRange) Contains(member string) bool {
	above := r.Min.Infinity < 0 || r.Min.Infinity == 0 &&
		(member > r.Min.Member || member == r.Min.Member && !r.Min.Exclusive)
	below := r.Max.Infinity > 0 || r.Max.Infinity == 0 &&
		(member < r.Max.Member || member == r.Max.Member && !r.Max.Exclusive)
	return above && below
}

// Indexes turns the two indexes of a Redis range into ranks, both inclusive, in
// a sequence of n items. Negative indexes count from the end, -1 being the last
// item, and indexes beyond an end are cut. Ok is false when nothing is in the
// range.
func Indexes(start, stop, n int) (first, last int, ok bool) {
	if start < 0 {
		start = max(start+n, 0)
	}
	if stop < 0 {
		stop += n
	}
	stop = min(stop, n-1)
	return start, stop, start <= stop
}

// span is a half-open interval of the order: the items that are not less than
// from and less than to, or all to the end. Both kinds of range become one, so
// that walking, counting and removing exist once.
type span struct {
	from, to Item
	toEnd    bool
	empty    bool
}

func (r ScoreRange) span() span {
	sp := span{empty: r.Empty()}
	// No member is less than "", so it stands before all items of its score.
	sp.from.Score, sp.to.Score = r.Min, r.Max
	if r.MinExclusive {
		sp.from.Score = math.Nextafter(r.Min, math.Inf(1))
	}
	if !r.MaxExclusive {
		sp.toEnd = math.IsInf(r.Max, 1)
		sp.to.Score = math.Nextafter(r.Max, math.Inf(1))
	}
	return sp
}

func (r LexRange) span() span {
	sp := span{empty: r.Empty(), toEnd: r.Max.Infinity > 0}
	sp.from = Item{math.NaN(), r.Min.Member}
	sp.to = Item{math.NaN(), r.Max.Member}
	// The first string after m is m and a zero byte.
	if r.Min.Exclusive {
		sp.from.Member += "\x00"
	}
	if !r.Max.Exclusive {
		sp.to.Member += "\x00"
	}
	if r.Min.Infinity < 0 {
		sp.from.Member = ""
	}
	return sp
}

// ByRank returns the items of ranks start to stop, both inclusive and within
// the set (see Indexes). In reverse, ranks count from the last item down.
func (s *Set) ByRank(start, stop int, reverse bool) iter.Seq[Item] {
	n, index := stop-start+1, start
	if reverse {
		index = s.Len() - 1 - start
	}
	return func(yield func(Item) bool) {
		if first, ok := s.order.GetAt(index); ok && n > 0 {
			left := n
			s.visit(first, reverse, func(item Item) bool {
				left--
				return yield(item) && left > 0
			})
		}
	}
}

// ByScore returns the items whose score is in the range, without the first
// offset of them. In reverse, it starts with the highest. A negative offset
// yields nothing, as in Redis.
func (s *Set) ByScore(r ScoreRange, reverse bool, offset int) iter.Seq[Item] {
	return s.within(r.span(), reverse, offset)
}

// ByLex returns the items whose member is in the range, without the first
// offset of them. In reverse, it starts with the last. A negative offset yields
// nothing, as in Redis.
func (s *Set) ByLex(r LexRange, reverse bool, offset int) iter.Seq[Item] {
	return s.within(r.span(), reverse, offset)
}

// CountByScore returns how many members have a score in the range.
func (s *Set) CountByScore(r ScoreRange) int { return s.count(r.span()) }

// CountByLex returns how many members are in the range.
func (s *Set) CountByLex(r LexRange) int { return s.count(r.span()) }

// RemoveByRank removes the items of ranks start to stop, both inclusive and
// within the set (see Indexes), and returns how many those are. Removed, when
// not nil, is called for each of them in order.
func (s *Set) RemoveByRank(start, stop int, removed func(Item)) int {
	first, ok := s.order.GetAt(start)
	if !ok || start > stop {
		return 0
	}
	left := stop - start + 1
	return s.removeFrom(first, func(Item) bool { left--; return left >= 0 }, removed)
}

// RemoveByScore removes the items whose score is in the range and returns how
// many those were. Removed, when not nil, is called for each of them in order.
func (s *Set) RemoveByScore(r ScoreRange, removed func(Item)) int {
	sp := r.span()
	return s.removeFrom(sp.from, sp.before, removed)
}

// RemoveByLex removes the items whose member is in the range and returns how
// many those were. Removed, when not nil, is called for each of them in order.
func (s *Set) RemoveByLex(r LexRange, removed func(Item)) int {
	sp := r.span()
	return s.removeFrom(sp.from, sp.before, removed)
}

// before reports whether an item lies before the end of a span.
func (sp *span) before(item Item) bool { return !sp.empty && (sp.toEnd || less(item, sp.to)) }

// behind reports whether an item lies at or behind the start of a span.
func (sp *span) behind(item Item) bool { return !sp.empty && !less(item, sp.from) }

func (s *Set) count(sp span) int {
	if sp.empty {
		return 0
	}
	end := s.Len()
	if !sp.toEnd {
		end = s.rank(sp.to)
	}
	return end - s.rank(sp.from)
}

// visit calls fn for the items from one on, which is included if it exists,
// until it returns false.
func (s *Set) visit(from Item, reverse bool, fn func(Item) bool) {
	if reverse {
		s.order.Descend(from, fn)
	} else {
		s.order.Ascend(from, fn)
	}
}

// within returns the items of a span but the first offset ones.
func (s *Set) within(sp span, reverse bool, offset int) iter.Seq[Item] {
	return func(yield func(Item) bool) {
		if offset < 0 {
			return
		}
		from, in := sp.from, sp.before
		if reverse {
			from, in = sp.to, sp.behind
		}
		if reverse || offset > 0 {
			// The first item is found by its index.
			index := s.Len() - 1 - offset
			switch {
			case !reverse:
				index = s.rank(sp.from) + offset
			case !sp.toEnd:
				index = s.rank(sp.to) - 1 - offset
			}
			item, ok := s.order.GetAt(index)
			if !ok {
				return
			}
			from = item
		}
		s.visit(from, reverse, func(item Item) bool { return in(item) && yield(item) })
	}
}

// removeFrom removes the items from one on, which is included if it exists, for
// as long as they are in.
func (s *Set) removeFrom(from Item, in func(Item) bool, removed func(Item)) int {
	var first, last Item
	n := 0
	s.order.Ascend(from, func(item Item) bool {
		if !in(item) {
			return false
		}
		if n == 0 {
			first = item
		}
		last = item
		n++
		s.scores.Delete(item.Member)
		if removed != nil {
			removed(item)
		}
		return true
	})
	switch n {
	case 0:
	case 1:
		s.order.Delete(first)
	default:
		// Whole subtrees leave at once.
		s.order.DeleteRange(first, last, &btree.DeleteRangeOptions{NoReturn: true, MaxInclusive: true})
	}
	return n
}
