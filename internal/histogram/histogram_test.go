package histogram

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every value lies in the bucket that it is counted in, and buckets leave no
// gap.
func TestBuckets(t *testing.T) {
	next := int64(0)
	for i := range buckets {
		first, last := bounds(i)
		require.Equal(t, next, first, "bucket %d", i)
		require.Equal(t, i, bucket(first))
		require.Equal(t, i, bucket(last))
		require.LessOrEqual(t, (last-first)*half, max(first, half-1), "bucket %d is too wide", i)
		next = last + 1
	}
	require.Equal(t, int64(1)<<topBits, next)
}

// Percentiles are those of the sorted durations, but for the width of a
// bucket.
func TestPercentilesOfRandomDurations(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 50 {
		var h Histogram
		var all []int64
		for range 1 + rng.IntN(2000) {
			v := int64(1) + rng.Int64N(int64(1)<<rng.IntN(30))
			all = append(all, v)
			h.Record(v)
		}
		slices.Sort(all)
		for _, p := range []float64{0, 0.1, 25, 50, 90, 99, 99.9, 100, 200} {
			i := max(0, int64(min(p, 100)/100*float64(len(all))+0.5)-1)
			first, last := bounds(bucket(all[i]))
			require.Contains(t, []int64{first, last}, h.Percentile(p), "percentile %v", p)
		}
		for upTo, count := range h.Doublings() {
			within, found := slices.BinarySearch(all, upTo)
			for found && within < len(all) && all[within] == upTo {
				within++
			}
			require.Equal(t, int64(within), count, "up to %d", upTo)
		}
	}
}

// The figures of hdr_histogram for the same durations, as redis-server 7.0.15
// prints them.
func TestFiguresOfRedis(t *testing.T) {
	var h Histogram
	h.Record(1000)
	require.Equal(t, int64(1003), h.Percentile(50))
	h.Record(0)
	require.Equal(t, int64(1), h.Percentile(0))
	require.Equal(t, int64(1), h.Percentile(50))
	h.Record(5 * Longest)
	var ends []int64
	for upTo, count := range h.Doublings() {
		ends = append(ends, upTo/1000, count)
	}
	require.Equal(t, []int64{1, 2, 1_073_741, 3}, ends)
	h.Reset()
	require.Zero(t, h.Total())
}

func TestRecordAllocatesNothing(t *testing.T) {
	var h Histogram
	require.Zero(t, testing.AllocsPerRun(100, func() { h.Record(12345) }))
}

func BenchmarkRecord(b *testing.B) {
	var h Histogram
	for i := range b.N {
		h.Record(int64(i&0xffff) * 1000)
	}
}
