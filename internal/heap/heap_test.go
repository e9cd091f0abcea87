package heap_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"myredis/internal/heap"
)

// A slice that grows takes all of the object that it is given.
func TestSize(t *testing.T) {
	require.Zero(t, heap.Size(0))
	for n := 1; n < 100_000; n += 1 + n/50 {
		require.Equal(t, cap(slices.Grow([]byte(nil), n)), heap.Size(n), "%d bytes", n)
	}
}
