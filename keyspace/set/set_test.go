package set

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"myredis/internal/atom"
)

func of(members ...string) *Set {
	s := new(Set)
	for _, m := range members {
		s.Add(atom.Of(m))
	}
	return s
}

func members(s *Set) []string { return texts(s.All()) }

func texts(seq func(func(atom.Atom) bool)) (all []string) {
	for m := range seq {
		all = append(all, m.String())
	}
	return all
}

var (
	anyMember = rapid.OneOf(
		rapid.Map(rapid.IntRange(-20, 20), strconv.Itoa),
		rapid.Map(rapid.Int64(), func(n int64) string { return strconv.FormatInt(n, 10) }),
		rapid.SampledFrom([]string{"", "a", "b", "01", "+1", "-0", "1.0", " 1", "9223372036854775808", "\x00", "\xff"}),
	)
	integerMember = rapid.Map(rapid.IntRange(-20, 20), strconv.Itoa)
)

// Random histories of a set beside a map.
func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, model := new(Set), map[string]bool{}
		sorted := true
		member := anyMember
		if rapid.Bool().Draw(t, "integers") {
			member = integerMember
		}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				m := member.Draw(t, "member")
				buffer := []byte(m)
				view := atom.Of(string(buffer))
				require.Equal(t, !model[m], s.Add(view))
				model[m] = true
				if _, isInt := view.Int(); !isInt {
					sorted = false
				}
			},
			"remove": func(t *rapid.T) {
				m := member.Draw(t, "member")
				require.Equal(t, model[m], s.Remove(atom.Of(m)))
				delete(model, m)
			},
			"pop": func(t *rapid.T) {
				m, ok := s.Pop(rng)
				require.Equal(t, len(model) > 0, ok)
				if ok {
					require.True(t, model[m.String()])
					delete(model, m.String())
				}
			},
			"sample": func(t *rapid.T) {
				n := rapid.IntRange(0, 10).Draw(t, "n")
				got := texts(s.Sample(n, rng))
				require.Len(t, got, min(n, len(model)))
				slices.Sort(got)
				require.Equal(t, got, slices.Compact(got))
				for _, m := range got {
					require.True(t, model[m])
				}
			},
			"spread": func(t *rapid.T) {
				if rapid.IntRange(0, 9).Draw(t, "rarely") == 9 {
					s.Spread()
					sorted = false
				}
			},
			"replace by clone": func(t *rapid.T) {
				c := s.Clone()
				s.Add(atom.Of("12345")) // whatever happens to the old one
				s.Remove(atom.Of("a"))
				s = c
			},
			"": func(t *rapid.T) {
				require.Equal(t, sorted, s.Sorted())
				require.Equal(t, len(model), s.Len())
				got := members(s)
				if sorted {
					require.True(t, slices.IsSortedFunc(got, func(a, b string) int {
						x, _ := strconv.ParseInt(a, 10, 64)
						y, _ := strconv.ParseInt(b, 10, 64)
						if x < y {
							return -1
						}
						return 1
					}))
				}
				slices.Sort(got)
				require.Equal(t, slices.Sorted(maps.Keys(model)), got)
				m := member.Draw(t, "member")
				require.Equal(t, model[m], s.Has(atom.Of(m)))
				if n, isInt := atom.Of(m).Int(); isInt {
					require.Equal(t, model[m], s.Has(atom.OfInt(n)))
				}
			},
		})
	})
}

func TestAlgebra(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sets := make([]*Set, rapid.IntRange(1, 4).Draw(t, "sets"))
		models := make([]map[string]bool, len(sets))
		for i := range sets {
			models[i] = map[string]bool{}
			if rapid.IntRange(0, 4).Draw(t, "nil") == 0 {
				continue
			}
			sets[i] = new(Set)
			for _, m := range rapid.SliceOfN(rapid.OneOf(integerMember, integerMember, anyMember), 0, 60).Draw(t, "members") {
				models[i][m] = true
				sets[i].Add(atom.Of(m))
			}
		}
		union, inter, diff := map[string]bool{}, maps.Clone(models[0]), maps.Clone(models[0])
		for i, model := range models {
			maps.Copy(union, model)
			maps.DeleteFunc(inter, func(m string, _ bool) bool { return !model[m] })
			maps.DeleteFunc(diff, func(m string, _ bool) bool { return i > 0 && model[m] })
		}
		got := New(slices.Collect(Union(sets))...)
		require.Equal(t, slices.Sorted(maps.Keys(union)), sorted(members(got)))
		require.Equal(t, slices.Sorted(maps.Keys(inter)), sorted(texts(Intersection(sets))))
		require.Equal(t, slices.Sorted(maps.Keys(diff)), sorted(texts(Difference(sets))))
	})
}

func sorted(all []string) []string {
	slices.Sort(all)
	return all
}

// The first set is large and many are taken from it.
func TestDifferenceFromALargeSet(t *testing.T) {
	large := new(Set)
	for n := range int64(1000) {
		large.Add(atom.OfInt(n))
	}
	got := texts(Difference([]*Set{large, of("1", "x"), nil, of("2", "3"), of("999")}))
	require.Len(t, got, 996)
	require.Equal(t, []string{"0", "4", "5"}, got[:3])
}

func TestNilSetReadsAsEmpty(t *testing.T) {
	var s *Set
	require.Zero(t, s.Len())
	require.False(t, s.Has(atom.Of("1")))
	require.False(t, s.Remove(atom.Of("1")))
	require.True(t, s.Sorted())
	require.Empty(t, members(s))
	require.Zero(t, s.Scan(7, func(atom.Atom) { t.Fail() }))
	_, ok := s.Random(rand.New(rand.NewPCG(1, 1)))
	require.False(t, ok)
}

// Members that are there from the first step to the last are met, while the
// set grows, turns from integers into a table, and shrinks.
func TestScanMeetsWhatStays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := new(Set)
		stay := rapid.IntRange(1, 300).Draw(t, "stay")
		for n := range stay {
			s.Add(atom.Of(fmt.Sprint("stay", n)))
		}
		met := map[string]bool{}
		other := 0
		for cursor, first := uint64(0), true; first || cursor != 0; first = false {
			cursor = s.Scan(cursor, func(m atom.Atom) { met[m.String()] = true })
			if rapid.Bool().Draw(t, "grow") {
				for range rapid.IntRange(0, 200).Draw(t, "n") {
					s.Add(atom.Of(fmt.Sprint("other", other)))
					other++
				}
			} else {
				for ; other > 0; other-- {
					s.Remove(atom.Of(fmt.Sprint("other", other-1)))
				}
			}
		}
		for n := range stay {
			require.True(t, met[fmt.Sprint("stay", n)])
		}
	})
}

// Random, Pop and Sample choose every member equally often. With 19 degrees of
// freedom chi-square exceeds 60 once in 300 000 times; the seed is fixed.
func TestChoiceIsUniform(t *testing.T) {
	for _, kind := range []string{"sorted", "table"} {
		s := new(Set)
		for n := range int64(20) {
			s.Add(atom.OfInt(n))
		}
		if kind == "table" {
			s.Spread()
		}
		rng := rand.New(rand.NewPCG(7, 7))
		ways := map[string]func() []string{
			"Random":    func() []string { m, _ := s.Random(rng); return []string{m.String()} },
			"Pop":       func() []string { m, _ := s.Clone().Pop(rng); return []string{m.String()} },
			"Sample 3":  func() []string { return texts(s.Sample(3, rng)) },
			"Sample 15": func() []string { return texts(s.Sample(15, rng)) },
		}
		for name, way := range ways {
			counts, total := map[string]int{}, 0
			for range 4000 {
				for _, m := range way() {
					counts[m]++
					total++
				}
			}
			expected, chi := float64(total)/20, 0.0
			for n := range 20 {
				d := float64(counts[strconv.Itoa(n)]) - expected
				chi += d * d / expected
			}
			require.Less(t, chi, 60.0, "%s of a %s set: %v", name, kind, counts)
		}
	}
}

func TestHotPathsAllocateNothing(t *testing.T) {
	sorted, table := of("1", "2", "3"), of("1", "2", "a")
	require.Zero(t, testing.AllocsPerRun(100, func() {
		for _, s := range []*Set{sorted, table} {
			s.Has(atom.Of("2"))
			s.Has(atom.OfInt(2))
			s.Add(atom.Of("2"))
			s.Remove(atom.Of("77"))
		}
	}))
}
