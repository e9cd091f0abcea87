package dict

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
)

var sizes = []int{1e3, 1e6}

func benchKeys(n int) []string {
	keys := make([]string, n)
	for i := range keys {
		keys[i] = fmt.Sprintf("member:%09d", i*7919)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	rng.Shuffle(n, func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	return keys
}

// The table beside Go's map, which gives neither Scan nor Random.
func BenchmarkDict(b *testing.B) {
	for _, n := range sizes {
		keys := benchKeys(n)
		fill := func() *Dict[float64] {
			d := New[float64]()
			for _, k := range keys {
				d.Set(k, 1)
			}
			return d
		}
		d := fill()
		b.Run(fmt.Sprintf("Get/%d", n), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				d.Get(keys[i%n])
			}
		})
		b.Run(fmt.Sprintf("DeleteSet/%d", n), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				d.Delete(keys[i%n])
				d.Set(keys[i%n], 1)
			}
		})
		b.Run(fmt.Sprintf("Random/%d", n), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 1))
			for b.Loop() {
				d.Random(rng)
			}
		})
		b.Run(fmt.Sprintf("Fill/%d", n), func(b *testing.B) {
			for b.Loop() {
				fill()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/element")
			reportBytes(b, n, func() any { return fill() })
		})
	}
}

func BenchmarkGoMap(b *testing.B) {
	for _, n := range sizes {
		keys := benchKeys(n)
		fill := func() map[string]float64 {
			m := map[string]float64{}
			for _, k := range keys {
				m[k] = 1
			}
			return m
		}
		m := fill()
		b.Run(fmt.Sprintf("Get/%d", n), func(b *testing.B) {
			sum := 0.0
			for i := 0; b.Loop(); i++ {
				sum += m[keys[i%n]]
			}
		})
		b.Run(fmt.Sprintf("DeleteSet/%d", n), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				delete(m, keys[i%n])
				m[keys[i%n]] = 1
			}
		})
		b.Run(fmt.Sprintf("Fill/%d", n), func(b *testing.B) {
			for b.Loop() {
				fill()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/element")
			reportBytes(b, n, func() any { return fill() })
		})
	}
}

// reportBytes reports the heap that what build returns keeps alive, per
// element.
func reportBytes(b *testing.B, n int, build func() any) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	keep := build()
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(int64(after.HeapAlloc)-int64(before.HeapAlloc))/float64(n), "B/element")
	runtime.KeepAlive(keep)
}
