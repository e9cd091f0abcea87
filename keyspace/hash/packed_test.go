package hash

import (
	"testing"

	"github.com/stretchr/testify/require"

	"myredis/internal/atom"
	"myredis/internal/cell"
)

func encode(a atom.Atom) []byte {
	c := cell.Of(a)
	b := make([]byte, c.Size())
	c.Write(b)
	return b
}

func TestRoom(t *testing.T) {
	for size := 1; size < 100_000; size++ {
		got := room(size)
		require.GreaterOrEqual(t, got, size)
		require.LessOrEqual(t, got, max(size+7, size*9/8+15))
		require.GreaterOrEqual(t, got, room(size-1), "more needs no less room")
	}
}
