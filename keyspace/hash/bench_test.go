package hash

import (
	"fmt"
	"runtime"
	"strconv"
	"testing"

	"myredis/internal/atom"
)

// BenchmarkSmall is what a hash of five fields costs, its key not included.
func BenchmarkSmall(b *testing.B) {
	fill := func(i int64) *Hash {
		var h *Hash
		for j := range 5 {
			h, _ = h.Set(atom.Of("field"+strconv.Itoa(j)), atom.Of(fmt.Sprintf("value:%06d", i)))
		}
		return h
	}
	b.Run("Fill", func(b *testing.B) {
		for i := int64(0); b.Loop(); i++ {
			fill(i)
		}
		const n = 100_000
		keep := make([]*Hash, n)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		for i := range keep {
			keep[i] = fill(int64(i))
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/n, "B/hash")
		runtime.KeepAlive(keep)
	})
}

// BenchmarkFields is access to a hash of many fields in either form.
func BenchmarkFields(b *testing.B) {
	for _, n := range []int{8, 64, 512, 100_000} {
		var h *Hash
		fields := make([]string, n)
		for i := range fields {
			fields[i] = "field:" + strconv.Itoa(i*7919%n)
		}
		if n > 512 {
			h = h.Spread()
		}
		for _, f := range fields {
			h, _ = h.Set(atom.Of(f), atom.Of("some value"))
		}
		for _, form := range []string{"packed", "table"} {
			if form == "packed" && n > 512 {
				continue
			}
			if form == "table" {
				h = h.Spread()
			}
			b.Run(fmt.Sprintf("Get/%s/%d", form, n), func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					h.Get(atom.Of(fields[i%n]))
				}
			})
			b.Run(fmt.Sprintf("Set/%s/%d", form, n), func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					h, _ = h.Set(atom.Of(fields[i%n]), atom.OfInt(int64(i%100)))
				}
			})
		}
	}
}
