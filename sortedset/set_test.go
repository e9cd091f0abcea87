package sortedset_test

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"myredis/sortedset"
)

type item = sortedset.Item

// model is a sorted set that is obviously right: a sorted slice.
type model []item

func (m model) find(member string) int {
	return slices.IndexFunc(m, func(it item) bool { return it.Member == member })
}

func (m *model) add(member string, score float64) sortedset.Outcome {
	out := sortedset.Added
	if i := m.find(member); i >= 0 {
		if (*m)[i].Score == score {
			return sortedset.Unchanged
		}
		*m = slices.Delete(*m, i, i+1)
		out = sortedset.Updated
	}
	*m = append(*m, item{Score: score, Member: member})
	m.sort()
	return out
}

func (m model) sort() {
	slices.SortFunc(m, func(a, b item) int {
		return cmp.Or(cmp.Compare(a.Score, b.Score), strings.Compare(a.Member, b.Member))
	})
}

// only returns the items that are in.
func (m model) only(in func(item) bool) model {
	var out model
	for _, it := range m {
		if in(it) {
			out = append(out, it)
		}
	}
	return out
}

// after returns the items as an iterator with an offset yields them.
func (m model) after(reverse bool, offset int) model {
	m = slices.Clone(m)
	if reverse {
		slices.Reverse(m)
	}
	return m[min(offset, len(m)):]
}

func collect(seq iter.Seq[item]) model { return slices.Collect(seq) }

// Scores meet each other often, and include every special value.
var scores = rapid.OneOf(
	rapid.SampledFrom([]float64{math.Inf(-1), -math.MaxFloat64, -1, math.Copysign(0, -1), 0,
		math.SmallestNonzeroFloat64, 1, math.Nextafter(1, 2), 1 << 53, math.MaxFloat64, math.Inf(1)}),
	rapid.Map(rapid.IntRange(-20, 20), func(i int) float64 { return float64(i) }),
	rapid.Float64(),
)

var members = rapid.OneOf(
	rapid.SampledFrom([]string{"", "\x00", "a", "a\x00", "a\x00\x00", "ab", "b", "\xff", "\xff\xff"}),
	rapid.StringMatching(`[a-c]{1,5}`),
	rapid.Map(rapid.IntRange(0, 400), func(i int) string { return fmt.Sprint("m", i) }),
)

var scoreRanges = rapid.Custom(func(t *rapid.T) sortedset.ScoreRange {
	return sortedset.ScoreRange{
		Min: scores.Draw(t, "min"), MinExclusive: rapid.Bool().Draw(t, "min exclusive"),
		Max: scores.Draw(t, "max"), MaxExclusive: rapid.Bool().Draw(t, "max exclusive"),
	}
})

var lexBounds = rapid.Custom(func(t *rapid.T) sortedset.LexBound {
	return sortedset.LexBound{
		Member:    members.Draw(t, "bound"),
		Exclusive: rapid.Bool().Draw(t, "exclusive"),
		Infinity:  rapid.SampledFrom([]int{0, 0, 0, -1, 1}).Draw(t, "infinity"),
	}
})

var lexRanges = rapid.Custom(func(t *rapid.T) sortedset.LexRange {
	return sortedset.LexRange{Min: lexBounds.Draw(t, "min"), Max: lexBounds.Draw(t, "max")}
})

// The set beside a sorted slice, through a random history of every method. With
// equal scores, ranges of members are compared too.
func TestModel(t *testing.T) {
	for _, equal := range []bool{false, true} {
		t.Run(fmt.Sprint("equal scores ", equal), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { history(t, equal) })
		})
	}
}

func history(t *rapid.T, equal bool) {
	s, m := sortedset.New(), model{}
	scores := scores
	if equal {
		scores = rapid.Just(1.5)
	}
	type clone struct {
		s *sortedset.Set
		m model
	}
	var clones []clone
	rank := func(t *rapid.T) int { return rapid.IntRange(0, max(0, len(m)-1)).Draw(t, "rank") }
	drop := func(t *rapid.T, what model, n int, removed model) {
		require.Equal(t, len(what), n)
		require.Equal(t, what, removed)
		m = m.only(func(it item) bool { return what.find(it.Member) < 0 })
	}

	actions := map[string]func(*rapid.T){
		"": func(t *rapid.T) {
			require.Equal(t, len(m), s.Len())
			require.Equal(t, m.only(func(item) bool { return true }), collect(s.All()))
			require.NoError(t, s.Check())
		},
		"add": func(t *rapid.T) {
			buf := []byte(members.Draw(t, "member"))
			member, score := string(buf), scores.Draw(t, "score")
			out := s.Add(unsafe.String(unsafe.SliceData(buf), len(buf)), score)
			for i := range buf {
				buf[i] = '!' // a view must have been copied
			}
			require.Equal(t, m.add(member, score), out)
		},
		"add many": func(t *rapid.T) {
			n, spread := rapid.IntRange(0, 400).Draw(t, "n"), rapid.IntRange(1, 400).Draw(t, "spread")
			for i := range n {
				score := float64(i * 7919 % spread)
				if equal {
					score = 1.5
				}
				require.Equal(t, m.add(fmt.Sprint("m", i), score), s.Add(fmt.Sprint("m", i), score))
			}
		},
		"remove": func(t *rapid.T) {
			member := members.Draw(t, "member")
			score, ok := s.Remove(member)
			i := m.find(member)
			require.Equal(t, i >= 0, ok)
			if ok {
				require.Equal(t, m[i].Score, score)
				m = slices.Delete(slices.Clone(m), i, i+1)
			}
		},
		"score and rank": func(t *rapid.T) {
			member := members.Draw(t, "member")
			score, ok := s.Score(member)
			rank, ok2 := s.Rank(member)
			i := m.find(member)
			require.Equal(t, i >= 0, ok)
			require.Equal(t, ok, ok2)
			if ok {
				require.Equal(t, m[i].Score, score)
				require.Equal(t, i, rank)
			}
		},
		"all ranks": func(t *rapid.T) {
			for i, it := range m {
				rank, ok := s.Rank(it.Member)
				require.True(t, ok)
				require.Equal(t, i, rank)
			}
		},
		"at, min, max": func(t *rapid.T) {
			i := rapid.IntRange(-1, len(m)).Draw(t, "rank")
			it, ok := s.At(i)
			require.Equal(t, i >= 0 && i < len(m), ok)
			if ok {
				require.Equal(t, m[i], it)
			}
			first, ok := s.Min()
			last, ok2 := s.Max()
			require.Equal(t, len(m) > 0, ok)
			require.Equal(t, ok, ok2)
			if ok {
				require.Equal(t, m[0], first)
				require.Equal(t, m[len(m)-1], last)
			}
		},
		"pop": func(t *rapid.T) {
			pop, i := s.PopMin, 0
			if rapid.Bool().Draw(t, "max") {
				pop, i = s.PopMax, len(m)-1
			}
			it, ok := pop()
			require.Equal(t, len(m) > 0, ok)
			if ok {
				require.Equal(t, m[i], it)
				m = slices.Delete(slices.Clone(m), i, i+1)
			}
		},
		"by rank": func(t *rapid.T) {
			start, stop, reverse := rank(t), rank(t), rapid.Bool().Draw(t, "reverse")
			var want model
			if len(m) > 0 && start <= stop {
				want = m.after(reverse, start)[:stop-start+1]
			}
			require.Equal(t, want, collect(s.ByRank(start, stop, reverse)))
		},
		"by score": func(t *rapid.T) {
			r, reverse := scoreRanges.Draw(t, "range"), rapid.Bool().Draw(t, "reverse")
			offset := rapid.SampledFrom([]int{0, 0, 1, 5, 100}).Draw(t, "offset")
			want := m.only(func(it item) bool { return r.Contains(it.Score) })
			require.Equal(t, len(want), s.CountByScore(r))
			if r.Empty() {
				require.Empty(t, want)
			}
			require.Equal(t, append(model(nil), want.after(reverse, offset)...),
				collect(s.ByScore(r, reverse, offset)))
		},
		"remove by rank": func(t *rapid.T) {
			start, stop := rank(t), rank(t)
			var want, removed model
			if len(m) > 0 && start <= stop {
				want = slices.Clone(m[start : stop+1])
			}
			n := s.RemoveByRank(start, stop, func(it item) { removed = append(removed, it) })
			drop(t, want, n, removed)
		},
		"remove by score": func(t *rapid.T) {
			r := scoreRanges.Draw(t, "range")
			var removed model
			want := m.only(func(it item) bool { return r.Contains(it.Score) })
			n := s.RemoveByScore(r, func(it item) { removed = append(removed, it) })
			drop(t, want, n, removed)
		},
		"scan": func(t *rapid.T) {
			var got model
			for cursor, step := uint64(0), 0; cursor != 0 || step == 0; step++ {
				cursor = s.Scan(cursor, func(it item) { got = append(got, it) })
			}
			got.sort()
			require.Equal(t, m.only(func(item) bool { return true }), got)
		},
		"random": func(t *rapid.T) {
			it, ok := s.Random(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)))
			require.Equal(t, len(m) > 0, ok)
			if ok {
				require.Equal(t, m[m.find(it.Member)], it)
			}
		},
		"clone": func(t *rapid.T) {
			clones = append(clones, clone{s.Clone(), slices.Clone(m)})
		},
		// Goes on with a clone and keeps the other: both stay what they were.
		"swap": func(t *rapid.T) {
			if len(clones) > 0 {
				i := rapid.IntRange(0, len(clones)-1).Draw(t, "clone")
				c := clones[i]
				clones[i] = clone{s, slices.Clone(m)}
				s, m = c.s, c.m
			}
		},
	}
	if equal {
		actions["by lex"] = func(t *rapid.T) {
			r, reverse := lexRanges.Draw(t, "range"), rapid.Bool().Draw(t, "reverse")
			offset := rapid.SampledFrom([]int{0, 0, 1, 5, 100}).Draw(t, "offset")
			want := m.only(func(it item) bool { return r.Contains(it.Member) })
			require.Equal(t, len(want), s.CountByLex(r))
			if r.Empty() {
				require.Empty(t, want)
			}
			require.Equal(t, append(model(nil), want.after(reverse, offset)...),
				collect(s.ByLex(r, reverse, offset)))
		}
		actions["remove by lex"] = func(t *rapid.T) {
			r := lexRanges.Draw(t, "range")
			var removed model
			want := m.only(func(it item) bool { return r.Contains(it.Member) })
			n := s.RemoveByLex(r, func(it item) { removed = append(removed, it) })
			drop(t, want, n, removed)
		}
	}
	t.Repeat(actions)
	for _, c := range clones {
		require.Equal(t, c.m.only(func(item) bool { return true }), collect(c.s.All()))
		require.NoError(t, c.s.Check())
	}
}

// The same, with sets large enough for a tree of three levels, where whole
// subtrees are removed and ranks need interpolation.
func TestLargeModel(t *testing.T) {
	for _, sp := range spreads {
		t.Run(sp.name, func(t *testing.T) {
			seed := rand.Uint64()
			defer func() {
				if t.Failed() {
					t.Log("seed", seed)
				}
			}()
			rng := rand.New(rand.NewPCG(seed, 1))
			s, m, next := sortedset.New(), model{}, 0
			kept, keptModel := s.Clone(), model{}
			for round := range 12 {
				for range 6000 {
					it := item{Score: sp.score(next, rng), Member: member(next)}
					require.Equal(t, sortedset.Added, s.Add(it.Member, it.Score))
					m = append(m, it)
					next++
				}
				m.sort()
				for range 300 { // new scores for some
					it := &m[rng.IntN(len(m))]
					it.Score = sp.score(rng.IntN(next), rng)
					s.Add(it.Member, it.Score)
				}
				m.sort()
				for range 300 {
					pop := rng.IntN(2)
					it, _ := []func() (item, bool){s.PopMin, s.PopMax}[pop]()
					i := pop * (len(m) - 1)
					require.Equal(t, m[i], it)
					m = slices.Delete(m, i, i+1)
				}
				for _, width := range []int{1, 2, 50, 300, 3000} {
					start := rng.IntN(len(m) - width)
					want := slices.Clone(m[start : start+width])
					var removed model
					note := func(it item) { removed = append(removed, it) }
					if sp.name != "equal" && round%2 == 0 {
						s.RemoveByScore(sortedset.ScoreRange{Min: want[0].Score, Max: want[width-1].Score}, note)
					} else {
						s.RemoveByRank(start, start+width-1, note)
					}
					require.GreaterOrEqual(t, len(removed), width, "equal scores go together")
					at := slices.Index(m, removed[0])
					require.Equal(t, m[at:at+len(removed)], removed)
					m = slices.Delete(m, at, at+len(removed))
				}
				require.NoError(t, s.Check())
				require.True(t, slices.Equal(m, collect(s.All())))
				for range 40 {
					i := rng.IntN(len(m))
					rank, _ := s.Rank(m[i].Member)
					require.Equal(t, i, rank)
					offset := rng.IntN(len(m))
					r := sortedset.ScoreRange{Min: m[i].Score, Max: math.Inf(1), MinExclusive: rng.IntN(2) == 0}
					want := m.only(func(it item) bool { return r.Contains(it.Score) })
					require.Equal(t, len(want), s.CountByScore(r))
					for it := range s.ByScore(r, false, offset) {
						require.Equal(t, want[offset], it)
						break
					}
					for it := range s.ByScore(r, true, offset) {
						require.Equal(t, want[len(want)-1-offset], it)
						break
					}
				}
				require.NoError(t, kept.Check())
				require.True(t, slices.Equal(keptModel, collect(kept.All())), "a clone stays what it was")
				// Goes on with the clone every other time, so that the
				// original is the one that must stay.
				kept, keptModel = s, slices.Clone(m)
				s = s.Clone()
				if round%2 == 0 {
					kept, s = s, kept
				}
			}
		})
	}
}

// Redis treats 0 and -0 as one score: ZADD k -0 a where a has 0 changes nothing.
func TestZeroHasOneSign(t *testing.T) {
	minus := math.Copysign(0, -1)
	s := sortedset.New()
	s.Add("b", 0)
	require.Equal(t, sortedset.Unchanged, s.Add("b", minus))
	score, _ := s.Score("b")
	require.False(t, math.Signbit(score))
	s.Add("a", minus)
	s.Add("c", minus)
	require.Equal(t, model{{minus, "a"}, {0, "b"}, {minus, "c"}}, collect(s.All()))
	require.Equal(t, 3, s.CountByScore(sortedset.ScoreRange{Min: 0, Max: minus}))
	require.Zero(t, s.CountByScore(sortedset.ScoreRange{Min: minus, Max: 0, MinExclusive: true}))
	require.Equal(t, 3, s.RemoveByScore(sortedset.ScoreRange{Min: minus, Max: minus}, nil))
}

func TestNaNPanics(t *testing.T) {
	s := sortedset.New()
	require.Panics(t, func() { s.Add("a", math.NaN()) })
	require.Zero(t, s.Len(), "nothing was added on the way")
}

// Ranges of members of a set with unequal scores are unspecified, but infinite
// bounds take in everything, as in Redis.
func TestLexRangeOfUnequalScores(t *testing.T) {
	s := sortedset.New()
	for i, m := range []string{"c", "b", "a"} {
		s.Add(m, float64(i))
	}
	all := sortedset.LexRange{Min: sortedset.LexBound{Infinity: -1}, Max: sortedset.LexBound{Infinity: 1}}
	require.Equal(t, 3, s.CountByLex(all))
	require.Equal(t, model{{0, "c"}, {1, "b"}, {2, "a"}}, collect(s.ByLex(all, false, 0)))
	require.Equal(t, model{{2, "a"}, {1, "b"}, {0, "c"}}, collect(s.ByLex(all, true, 0)))
	for _, from := range []string{"", "a", "b", "c", "d"} {
		r := sortedset.LexRange{Min: sortedset.LexBound{Member: from}, Max: sortedset.LexBound{Member: "c", Exclusive: true}}
		require.GreaterOrEqual(t, s.CountByLex(r), 0)
	}
}

func TestOffsetsBeyondTheEnds(t *testing.T) {
	s := fill(10, spreads[0].score)
	r := sortedset.ScoreRange{Min: 2, Max: 4}
	lex := sortedset.LexRange{Min: sortedset.LexBound{Infinity: -1}, Max: sortedset.LexBound{Infinity: 1}}
	for _, offset := range []int{math.MinInt, -1, 11, math.MaxInt} {
		for _, reverse := range []bool{false, true} {
			require.Empty(t, collect(s.ByScore(r, reverse, offset)))
			require.Empty(t, collect(s.ByLex(lex, reverse, offset)))
		}
	}
	require.Equal(t, model{{2, member(2)}, {3, member(3)}, {4, member(4)}}, collect(s.ByScore(r, false, 0)))
}

func TestEmptyRanges(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		r     sortedset.ScoreRange
		empty bool
	}{
		{sortedset.ScoreRange{Min: 1, Max: 1}, false},
		{sortedset.ScoreRange{Min: 1, Max: 1, MinExclusive: true}, true},
		{sortedset.ScoreRange{Min: 1, Max: 1, MaxExclusive: true}, true},
		{sortedset.ScoreRange{Min: 2, Max: 1}, true},
		{sortedset.ScoreRange{Min: inf, Max: inf}, false},
		{sortedset.ScoreRange{Min: inf, Max: inf, MinExclusive: true}, true},
		{sortedset.ScoreRange{Min: -inf, Max: inf, MinExclusive: true, MaxExclusive: true}, false},
		{sortedset.ScoreRange{Min: math.NaN(), Max: 1}, true},
	} {
		require.Equal(t, c.empty, c.r.Empty(), c.r)
	}
	first, last := sortedset.LexBound{Infinity: -1}, sortedset.LexBound{Infinity: 1}
	incl, excl := sortedset.LexBound{Member: "m"}, sortedset.LexBound{Member: "m", Exclusive: true}
	for _, c := range []struct {
		min, max sortedset.LexBound
		empty    bool
	}{
		{first, last, false}, {last, first, true}, {first, first, true}, {last, last, true},
		{incl, incl, false}, {incl, excl, true}, {excl, incl, true}, {excl, excl, true},
		{first, excl, false}, {excl, last, false}, {last, incl, true}, {incl, first, true},
		{sortedset.LexBound{Member: "n"}, incl, true}, {incl, sortedset.LexBound{Member: "n"}, false},
	} {
		require.Equal(t, c.empty, sortedset.LexRange{Min: c.min, Max: c.max}.Empty(), c)
	}
}

func TestIndexes(t *testing.T) {
	for _, c := range []struct {
		start, stop, n, first, last int
		ok                          bool
	}{
		{0, -1, 3, 0, 2, true},
		{0, 0, 3, 0, 0, true},
		{1, 100, 3, 1, 2, true},
		{-2, -1, 3, 1, 2, true},
		{-100, 1, 3, 0, 1, true},
		{-100, -100, 3, 0, 0, false},
		{0, -4, 3, 0, 0, false},
		{3, 5, 3, 0, 0, false},
		{2, 1, 3, 0, 0, false},
		{0, -1, 0, 0, 0, false},
		{0, 0, 0, 0, 0, false},
		{math.MinInt, math.MaxInt, 3, 0, 2, true},
		{math.MaxInt, math.MinInt, 3, 0, 0, false},
	} {
		first, last, ok := sortedset.Indexes(c.start, c.stop, c.n)
		require.Equal(t, c.ok, ok, c)
		if ok {
			require.Equal(t, []int{c.first, c.last}, []int{first, last}, c)
		}
	}
}

// What a command does to a set that need not grow allocates nothing.
func TestLookUpsDoNotAllocate(t *testing.T) {
	s := fill(10_000, spreads[1].score)
	r := sortedset.ScoreRange{Min: 1e8, Max: 5e8}
	m, sum := member(77), 0.0
	require.Zero(t, testing.AllocsPerRun(100, func() {
		score, _ := s.Score(m)
		rank, _ := s.Rank(m)
		s.Add(m, score)
		sum += float64(rank + s.CountByScore(r) + s.RemoveByScore(sortedset.ScoreRange{Min: -2, Max: -1}, nil))
	}))
	require.NotZero(t, sum)
}
