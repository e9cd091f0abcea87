package hyperloglog

import (
	"encoding/binary"
	"testing"
)

func BenchmarkAdd(b *testing.B) {
	for _, bench := range []struct {
		name            string
		size, sparseMax int
	}{{"sparse of 100", 100, 3000}, {"sparse of 1000", 1000, 3000}, {"dense", 100_000, 3000}} {
		b.Run(bench.name, func(b *testing.B) {
			s := New()
			var element [8]byte
			for i := range bench.size {
				binary.LittleEndian.PutUint64(element[:], uint64(i))
				s, _, _ = s.Add(element[:], bench.sparseMax)
			}
			for i := 0; b.Loop(); i++ {
				binary.LittleEndian.PutUint64(element[:], uint64(i%bench.size))
				s, _, _ = s.Add(element[:], bench.sparseMax)
			}
		})
	}
}

func BenchmarkCount(b *testing.B) {
	s, _ := New().ToDense()
	for i := range 100_000 {
		s, _, _ = s.Add(binary.LittleEndian.AppendUint64(nil, uint64(i)), 0)
	}
	for b.Loop() {
		s.Count()
	}
}

func BenchmarkMerge(b *testing.B) {
	s, _ := New().ToDense()
	for b.Loop() {
		var all Registers
		all.Merge(s)
	}
}
