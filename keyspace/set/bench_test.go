package set

import (
	"fmt"
	"runtime"
	"testing"

	"myredis/internal/atom"
)

// A million integers in either form, and what a member costs.
func BenchmarkIntegers(b *testing.B) {
	const n = 1_000_000
	for _, form := range []string{"sorted", "table"} {
		fill := func() *Set {
			s := new(Set)
			if form == "table" {
				s.Spread()
			}
			for i := range int64(n) {
				s.Add(atom.OfInt(i))
			}
			return s
		}
		b.Run(fmt.Sprintf("%s/Fill", form), func(b *testing.B) {
			for b.Loop() {
				fill()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/member")
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			s := fill()
			runtime.GC()
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64(int64(after.HeapAlloc)-int64(before.HeapAlloc))/n, "B/member")
			runtime.KeepAlive(s)
		})
		s := fill()
		b.Run(fmt.Sprintf("%s/Has", form), func(b *testing.B) {
			for i := int64(0); b.Loop(); i++ {
				s.Has(atom.OfInt(i * 7919 % n))
			}
		})
	}
}
