package sortedset

import (
	"iter"
	"math"
	"math/rand/v2"

	"github.com/tidwall/btree"

	"myredis/internal/dict"
)

// A set is kept twice, as in Redis: a hash table answers "what score has this
// member", a B-tree holds the order. Both hold the same string, so a member's
// bytes are stored once.
//
// Measured by the benchmarks beside this file, Go 1.26, two cores shared with
// other work, members of 10 bytes. Nanoseconds in sets of three sizes:
//
//	                               1e3       1e5        1e6
//	Add, a new member, in order    180-220   150-180    360-440
//	Add, a new member, anywhere    340-480   400-460    950-1190
//	Rank, scores evenly spread     190       490-520    1000-1800
//	Rank, scores skewed            360       1000-1100  2600-3300
//	Rank, scores equal             290       1000       3200-4400
//	PopMin and Add at the end      130-430   190-380    450-690
//	ByRank, 100 items deep inside  380       420        450-590
//
// RemoveByScore takes 40-50 us for 1000 members of 1e5 and 15-21 ms for 1e5 of
// 1e6, most of it in the hash table; one by one by name they take 150-190 us and
// 35-115 ms. For one member of 1e5 it takes 0.3-0.4 us, where Remove, which has
// nothing to search for, takes 0.2.
//
// A member costs 91 bytes of heap when scores come in any order and 102 when
// they only rise, because the tree then leaves its nodes half full.

// Item is a member with its score.
type Item struct {
	Score  float64
	Member string
}

// Outcome says what Add did.
type Outcome uint8

const (
	Unchanged Outcome = iota // the member has this score already
	Added                    // the member is new
	Updated                  // the member had another score
)

// Set is a sorted set. New makes one.
type Set struct {
	scores dict.Dict[float64]
	order  *btree.BTreeG[Item]
}

// New returns an empty set.
func New() *Set {
	return &Set{order: btree.NewBTreeGOptions(less, btree.Options{NoLocks: true, Degree: degree})}
}

// Len returns the number of members.
func (s *Set) Len() int { return s.scores.Len() }

// Score returns the member's score.
func (s *Set) Score(member string) (score float64, ok bool) { return s.scores.Get(member) }

// Add gives the member the score, whether or not it is in the set. The member
// may be a view: it is copied when it is new. Add panics when the score is NaN,
// which has no place in an order; callers refuse it before.
func (s *Set) Add(member string, score float64) Outcome {
	if math.IsNaN(score) {
		panic("sortedset: the score is NaN")
	}
	ref, stored, added := s.scores.Upsert(member)
	if added {
		*ref = score
		s.order.Set(Item{score, stored})
		return Added
	}
	if *ref == score {
		return Unchanged
	}
	s.order.Delete(Item{*ref, stored})
	*ref = score
	s.order.Set(Item{score, stored})
	return Updated
}

// Remove takes the member out and returns the score it had.
func (s *Set) Remove(member string) (score float64, ok bool) {
	score, ok = s.scores.Delete(member)
	if ok {
		s.order.Delete(Item{score, member})
	}
	return score, ok
}

// Rank returns how many members come before this one.
func (s *Set) Rank(member string) (rank int, ok bool) {
	score, ok := s.scores.Get(member)
	if !ok {
		return 0, false
	}
	return s.rank(Item{score, member}), true
}

// At returns the item of a rank, which counts from 0.
func (s *Set) At(rank int) (Item, bool) { return s.order.GetAt(rank) }

// Min returns the first item.
func (s *Set) Min() (Item, bool) { return s.order.Min() }

// Max returns the last item.
func (s *Set) Max() (Item, bool) { return s.order.Max() }

// PopMin removes and returns the first item.
func (s *Set) PopMin() (Item, bool) {
	item, ok := s.order.PopMin()
	if ok {
		s.scores.Delete(item.Member)
	}
	return item, ok
}

// PopMax removes and returns the last item.
func (s *Set) PopMax() (Item, bool) {
	item, ok := s.order.PopMax()
	if ok {
		s.scores.Delete(item.Member)
	}
	return item, ok
}

// All returns the items in order.
func (s *Set) All() iter.Seq[Item] {
	return func(yield func(Item) bool) { s.order.Scan(yield) }
}

// Scan calls fn for the items of one step of an incremental walk in no
// particular order, and returns the cursor of the next step. A walk starts with
// cursor 0 and is complete when 0 is returned. A member that is in the set from
// the first step to the last is met at least once. Any value is a valid cursor.
func (s *Set) Scan(cursor uint64, fn func(Item)) (next uint64) {
	return s.scores.Scan(cursor, func(member string, score float64) { fn(Item{score, member}) })
}

// Random returns an item, each with the same probability. Ok is false when the
// set is empty.
func (s *Set) Random(rng *rand.Rand) (item Item, ok bool) {
	member, score, ok := s.scores.Random(rng)
	return Item{score, member}, ok
}

// Clone returns an independent set with the same items. The order is shared
// until one of the two changes it, node by node; the scores are copied.
func (s *Set) Clone() *Set {
	return &Set{scores: *s.scores.Clone(), order: s.order.IsoCopy()}
}
