package set

import (
	"cmp"
	"iter"
	"slices"

	"myredis/internal/atom"
)

// Each of these yields a result member by member; nil sets are empty.

// Union returns the members of all sets, a member of several of them several
// times: whoever collects them into a set loses nothing by it.
func Union(sets []*Set) iter.Seq[atom.Atom] {
	return func(yield func(atom.Atom) bool) {
		for _, s := range sets {
			for m := range s.All() {
				if !yield(m) {
					return
				}
			}
		}
	}
}

// Intersection returns the members that every set has, in the order of the
// smallest set, which is the one that is gone through.
func Intersection(sets []*Set) iter.Seq[atom.Atom] {
	bySize := slices.SortedStableFunc(slices.Values(sets), func(a, b *Set) int { return cmp.Compare(a.Len(), b.Len()) })
	return func(yield func(atom.Atom) bool) {
		for m := range bySize[0].All() {
			everywhere := !slices.ContainsFunc(bySize[1:], func(s *Set) bool { return !s.Has(m) })
			if everywhere && !yield(m) {
				return
			}
		}
	}
}

// Difference returns the members of the first set that no other has, in the
// first one's order.
func Difference(sets []*Set) iter.Seq[atom.Atom] {
	first, others := sets[0], subtrahends(sets)
	return func(yield func(atom.Atom) bool) {
		for m := range first.All() {
			elsewhere := slices.ContainsFunc(others, func(s *Set) bool { return s.Has(m) })
			if !elsewhere && !yield(m) {
				return
			}
		}
	}
}

// subtrahends returns sets with the members of all but the first one. Together
// smaller than the first, they become one set, so that each of its many members
// is looked for once and not in each. Otherwise the largest is asked first, for
// it is the likeliest to have a member.
func subtrahends(sets []*Set) []*Set {
	total := 0
	for _, s := range sets[1:] {
		total += s.Len()
	}
	if len(sets) > 2 && total < sets[0].Len() {
		return []*Set{New(slices.Collect(Union(sets[1:]))...)}
	}
	return slices.SortedFunc(slices.Values(sets[1:]), func(a, b *Set) int { return cmp.Compare(b.Len(), a.Len()) })
}
