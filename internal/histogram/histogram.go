package histogram

import (
	"iter"
	"math/bits"
)

// The buckets. Below 256 ns each holds one value; above that, each doubling is
// cut into 128 buckets of equal width:
//
//	values      0..255   256..511   512..1023   ...   2^29..2^30-1
//	width            1          2           4                 2^22
//	buckets        256        128         128                  128
const (
	linearBits = 8
	linear     = 1 << linearBits
	half       = linear / 2
	topBits    = 30 // the longest duration that is told from longer ones has so many
	buckets    = linear + (topBits-linearBits)*half
)

// Shortest and Longest are what a duration counts as that is shorter or longer.
const (
	Shortest = 1
	Longest  = 1_000_000_000
)

// Histogram counts durations in nanoseconds. The zero Histogram is empty.
type Histogram struct {
	counts [buckets]int64
	total  int64
}

// Record counts a duration.
func (h *Histogram) Record(nanoseconds int64) {
	h.counts[bucket(min(max(nanoseconds, Shortest), Longest))]++
	h.total++
}

// Total returns how many durations were recorded.
func (h *Histogram) Total() int64 { return h.total }

// Reset forgets them.
func (h *Histogram) Reset() { *h = Histogram{} }

// Percentile returns the duration that p percent of those recorded do not
// exceed: the longest of its bucket, or for the percentile 0 the shortest.
func (h *Histogram) Percentile(p float64) int64 {
	wanted := max(1, int64(min(p, 100)/100*float64(h.total)+0.5))
	i, sum := 0, h.counts[0]
	for sum < wanted && i < buckets-1 {
		i++
		sum += h.counts[i]
	}
	first, last := bounds(i)
	if p == 0 {
		return first
	}
	return last
}

// Doublings returns durations that double, from about a microsecond on, each
// with how many of those recorded do not exceed it. Where nothing was added
// there is no pair; the last has them all. The durations are ends of buckets
// and not round.
func (h *Histogram) Doublings() iter.Seq2[int64, int64] {
	return func(yield func(nanoseconds, count int64) bool) {
		i, sum, told := 0, int64(0), int64(0)
		for level := int64(1024); told < h.total; level *= 2 {
			end := min(bucket(level), buckets-1)
			for ; i <= end; i++ {
				sum += h.counts[i]
			}
			if sum > told {
				told = sum
				if _, last := bounds(end); !yield(last, sum) {
					return
				}
			}
		}
	}
}

// bucket returns the bucket of a value.
func bucket(v int64) int {
	shift := max(0, bits.Len64(uint64(v))-linearBits)
	return shift*half + int(v>>shift)
}

// bounds returns the first and the last value of a bucket.
func bounds(i int) (first, last int64) {
	shift := max(0, i/half-1)
	first = int64(i-shift*half) << shift
	return first, first + 1<<shift - 1
}
