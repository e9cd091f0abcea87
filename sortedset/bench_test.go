package sortedset_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"myredis/sortedset"
)

var sizes = []int{1e3, 1e5, 1e6}

// spreads are kinds of scores, by how they lie along the order.
var spreads = []struct {
	name  string
	score func(i int, rng *rand.Rand) float64
}{
	{"ticket", func(i int, _ *rand.Rand) float64 { return float64(i) }},
	{"random", func(_ int, rng *rand.Rand) float64 { return rng.Float64() * 1e9 }},
	{"skewed", func(_ int, rng *rand.Rand) float64 { return math.Exp(rng.NormFloat64() * 20) }},
	{"equal", func(int, *rand.Rand) float64 { return 0 }},
}

func fill(n int, score func(int, *rand.Rand) float64) *sortedset.Set {
	s, rng := sortedset.New(), rand.New(rand.NewPCG(1, 1))
	for i := range n {
		s.Add(member(i), score(i, rng))
	}
	return s
}

func member(i int) string { return fmt.Sprintf("m%09d", i*7919%999999937) }

func BenchmarkAdd(b *testing.B) {
	for _, n := range sizes {
		for _, sp := range spreads[:2] {
			b.Run(fmt.Sprintf("%s/%d", sp.name, n), func(b *testing.B) {
				s, rng := fill(n, sp.score), rand.New(rand.NewPCG(2, 2))
				// The set is brought back to its size now and then, unmeasured.
				fresh := make([]string, 100_000)
				for i := range fresh {
					fresh[i] = member(n + i)
				}
				for i := 0; b.Loop(); i++ {
					j := i % len(fresh)
					if j == 0 && i > 0 {
						b.StopTimer()
						for _, m := range fresh {
							s.Remove(m)
						}
						b.StartTimer()
					}
					s.Add(fresh[j], sp.score(n+j, rng))
				}
			})
		}
	}
}

func BenchmarkRank(b *testing.B) {
	for _, n := range sizes {
		for _, sp := range spreads {
			b.Run(fmt.Sprintf("%s/%d", sp.name, n), func(b *testing.B) {
				s, rng := fill(n, sp.score), rand.New(rand.NewPCG(2, 2))
				asked := make([]string, 10_000)
				for i := range asked {
					asked[i] = member(rng.IntN(n))
				}
				for i := 0; b.Loop(); i++ {
					s.Rank(asked[i%len(asked)])
				}
			})
		}
	}
}

func BenchmarkPopMin(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := fill(n, spreads[0].score)
			next := float64(n)
			for b.Loop() {
				item, _ := s.PopMin()
				// Back at the other end, so that the size stays.
				s.Add(item.Member, next)
				next++
			}
		})
	}
}

func BenchmarkRemoveByScore(b *testing.B) {
	for _, c := range []struct{ remove, of int }{{1, 1e5}, {1000, 1e5}, {1e5, 1e6}} {
		for _, way := range []string{"range", "singly"} {
			b.Run(fmt.Sprintf("%d of %d/%s", c.remove, c.of, way), func(b *testing.B) {
				s := fill(c.of, spreads[0].score)
				r := sortedset.ScoreRange{Min: float64(c.of / 2), Max: float64(c.of/2 + c.remove), MaxExclusive: true}
				var items []sortedset.Item
				for it := range s.ByScore(r, false, 0) {
					items = append(items, it)
				}
				for b.Loop() {
					if way == "range" {
						s.RemoveByScore(r, nil)
					} else {
						for _, it := range items {
							s.Remove(it.Member)
						}
					}
					b.StopTimer()
					for _, it := range items {
						s.Add(it.Member, it.Score)
					}
					b.StartTimer()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*c.remove), "ns/member")
			})
		}
	}
}

func BenchmarkByRank(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprintf("100 of %d", n), func(b *testing.B) {
			s, sum := fill(n, spreads[0].score), 0.0
			for b.Loop() {
				for it := range s.ByRank(n/2, n/2+99, false) {
					sum += it.Score
				}
			}
		})
	}
}

// The queue's work: a page of a hundred deep inside.
func BenchmarkByScoreOffset(b *testing.B) {
	s, sum := fill(1e6, spreads[1].score), 0.0
	r := sortedset.ScoreRange{Min: 1e8, Max: math.Inf(1)}
	for b.Loop() {
		n := 100
		for it := range s.ByScore(r, false, 500_000) {
			if sum += it.Score; n == 1 {
				break
			}
			n--
		}
	}
}

// The heap that a member costs, its string included.
func BenchmarkMemory(b *testing.B) {
	for _, sp := range spreads[:2] {
		b.Run(sp.name, func(b *testing.B) {
			const n = 1e6
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			var s *sortedset.Set
			for b.Loop() {
				s = fill(n, sp.score)
			}
			runtime.GC()
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/n, "B/member")
			runtime.KeepAlive(s)
		})
	}
}
