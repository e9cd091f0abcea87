package sortedset

import "math"

const (
	// degree is half the number of children of a tree node. Of 8 to 127, 48
	// and 64 are best at ranks in a million members (figures in set.go) and no
	// worse than any at adding, popping and memory.
	degree = 64

	// Both belong to rank.
	interpolations = 8  // probes before it bisects
	walk           = 64 // a bracket this small is walked
)

// less is the order of a set. Written with < and > and not with !=, it lets a
// pivot whose score is NaN compare by member alone, against items of any score.
func less(a, b Item) bool {
	if a.Score < b.Score {
		return true
	}
	if a.Score > b.Score {
		return false
	}
	return a.Member < b.Member
}

// rank returns how many items are less than the pivot.
//
// The tree counts its items but has no look-up from an item to its index, only
// the reverse, At. So a rank is searched for among indexes, and every probe
// costs a descent. The last stretch is walked, because a step costs about a
// hundredth of a probe.
func (s *Set) rank(pivot Item) int {
	first, _ := s.order.Min()
	last, ok := s.order.Max()
	if !ok || !less(first, pivot) {
		return 0
	}
	if less(last, pivot) {
		return s.order.Len()
	}
	end, item, _ := s.bracket(pivot, first, last)
	n := 0
	s.order.Ascend(pivot, func(it Item) bool {
		if !less(it, item) {
			return false
		}
		n++
		return true
	})
	return end - n
}

// bracket returns an index at most walk behind the pivot's rank, and the item
// there. Below, the set's first item, must be less than the pivot, and above,
// its last, must not.
//
// Scores are numbers, often evenly spread: tickets, times, random numbers.
// Interpolation between the scores at the two ends needs a handful of probes
// for them, where bisection takes 14 in a million. When interpolation does not
// converge, because scores are wildly skewed, bisection takes over, so that the
// number of probes stays logarithmic. Equal scores are bisected at once.
func (s *Set) bracket(pivot, below, above Item) (end int, item Item, probes int) {
	// What is before lo is less than the pivot, what is at or after hi is not.
	lo, hi := 1, s.order.Len()-1
	for ; hi-lo > walk; probes++ {
		mid := lo + (hi-lo)/2
		if probes < interpolations {
			mid = guess(lo, hi, (pivot.Score-below.Score)/(above.Score-below.Score))
		}
		item, _ := s.order.GetAt(mid)
		if less(item, pivot) {
			lo, below = mid+1, item
		} else {
			hi, above = mid, item
		}
	}
	return hi, above, probes
}

// guess returns an index in [lo, hi) for what lies at a fraction of the way. It
// aims past the target, away from the nearer end, by about what evenly spread
// scores may be off: a probe that overshoots leaves the small side.
func guess(lo, hi int, fraction float64) int {
	if !(fraction >= 0 && fraction <= 1) { // NaN too: equal or infinite ends
		return lo + (hi-lo)/2
	}
	near := fraction * float64(hi-lo)
	if fraction < 0.5 {
		near += 2*math.Sqrt(near) + 1
	} else {
		far := float64(hi-lo) - near
		near -= 2*math.Sqrt(far) + 1
	}
	return min(max(lo+int(near), lo), hi-1)
}
