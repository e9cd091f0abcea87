package stream

import (
	"runtime"
	"strconv"
	"testing"
)

var limits = Limits{Bytes: 4096, Entries: 100}

func fill(n int) *Stream {
	s := new(Stream)
	pairs := [][]byte{[]byte("temperature"), []byte("21.5"), []byte("sensor"), nil}
	for i := range n {
		pairs[3] = strconv.AppendInt(pairs[3][:0], int64(i%1000), 10)
		s.Append(ID{1_700_000_000_000 + uint64(i), 0}, pairs, limits)
	}
	return s
}

// Appending, and what an entry costs.
func BenchmarkAppend(b *testing.B) {
	const n = 1_000_000
	for b.Loop() {
		fill(n)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/entry")
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	s := fill(n)
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(int64(after.HeapAlloc)-int64(before.HeapAlloc))/n, "B/entry")
	runtime.KeepAlive(s)
}

// One entry out of a million, found by its ID.
func BenchmarkEntry(b *testing.B) {
	const n = 1_000_000
	s := fill(n)
	for i := uint64(0); b.Loop(); i++ {
		s.Entry(ID{1_700_000_000_000 + i*7919%n, 0})
	}
}

// A stream that is kept at a length, exactly.
func BenchmarkAppendAndTrim(b *testing.B) {
	s := fill(1000)
	pairs := [][]byte{[]byte("temperature"), []byte("21.5"), []byte("sensor"), []byte("7")}
	for b.Loop() {
		id, _ := s.Last().Next()
		s.Append(id, pairs, limits)
		s.Trim(Trim{MaxLen: 1000})
	}
}

// An entry is delivered and acknowledged while a thousand others are pending.
func BenchmarkDeliverAndAcknowledge(b *testing.B) {
	s := new(Stream)
	s.CreateGroup("g", ID{}, 0)
	g := s.Group("g")
	c, _ := g.CreateConsumer("c", 0)
	for i := uint64(1); i <= 1000; i++ {
		g.Assign(ID{0, i}, c, 0)
	}
	for i := uint64(1); b.Loop(); i++ {
		g.Assign(ID{1, i}, c, 0)
		g.Forget(g.Pending().First())
	}
}
