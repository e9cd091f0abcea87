package set

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Random histories of a list beside a sorted slice.
func TestIntsModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.SampledFrom([]int64{10, math.MaxInt16 + 2, math.MaxInt32 + 2, math.MaxInt64}).Draw(t, "limit")
		number := rapid.Custom(func(t *rapid.T) int64 {
			if rapid.Bool().Draw(t, "edge") {
				edges := []int64{0, math.MinInt16, math.MinInt16 - 1, math.MaxInt16, math.MaxInt16 + 1, math.MinInt32,
					math.MinInt32 - 1, math.MaxInt32, math.MaxInt32 + 1, math.MinInt64, math.MaxInt64}
				return rapid.SampledFrom(slices.DeleteFunc(edges, func(n int64) bool { return n > limit || n < -limit })).Draw(t, "n")
			}
			return rapid.Int64Range(-limit, limit).Draw(t, "n")
		})
		var list ints
		var model []int64
		t.Repeat(map[string]func(*rapid.T){
			"insert": func(t *rapid.T) {
				n := number.Draw(t, "n")
				i, found := list.search(n)
				j, there := slices.BinarySearch(model, n)
				require.Equal(t, there, found)
				require.Equal(t, j, i)
				if !found {
					list = list.insert(i, n)
					model = slices.Insert(model, j, n)
				}
			},
			"remove": func(t *rapid.T) {
				if len(model) == 0 {
					return
				}
				i := rapid.IntRange(0, len(model)-1).Draw(t, "i")
				list = list.remove(i)
				model = slices.Delete(model, i, i+1)
			},
			"": func(t *rapid.T) {
				require.Equal(t, len(model), list.len())
				for i, n := range model {
					require.Equal(t, n, list.at(i))
				}
			},
		})
	})
}

// What is not used is little, also after many have gone.
func TestIntsKeepLittleRoom(t *testing.T) {
	var list ints
	for n := range int64(10_000) {
		list = list.insert(list.len(), n)
		require.LessOrEqual(t, cap(list), max(16, len(list)*9/8+8))
	}
	for list.len() > 0 {
		list = list.remove(list.len() / 2)
		require.LessOrEqual(t, cap(list), max(64, 2*len(list)+1))
	}
}
