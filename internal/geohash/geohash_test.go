package geohash

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDegree(t *testing.T) {
	half, turn := math.Pi, 180.0
	require.Equal(t, half/turn, float64(degree))
}
