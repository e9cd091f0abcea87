package rdb

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What is compressed comes back the same, whatever was compressed before it.
func TestLZF(t *testing.T) {
	var z lzf
	rng := rand.New(rand.NewPCG(1, 0))
	for i := range 3000 {
		s := lzfInput(rng)
		z.compress(nil, s, rng.IntN(len(s)+1)) // may give up on the way
		b, ok := z.compress(nil, s, 2*len(s)+64)
		require.True(t, ok)
		require.LessOrEqual(t, len(b), len(s)+len(s)/lzfMaxRun+1)
		got, err := decompress(b, uint64(len(s)))
		require.NoError(t, err, "%d: %q from %q", i, b, s)
		require.Equal(t, string(s), string(got), "%d", i)
	}
}

// lzfInput is random text with repetitions near and far.
func lzfInput(rng *rand.Rand) (s []byte) {
	for range rng.IntN(8) {
		switch rng.IntN(4) {
		case 0:
			s = append(s, strings.Repeat("x", rng.IntN(600))...)
		case 1:
			s = fmt.Append(s, rng.Uint64())
		case 2:
			for range rng.IntN(9000) {
				s = append(s, byte(rng.Uint32()))
			}
		case 3:
			if len(s) > 0 {
				s = append(s, s[rng.IntN(len(s)):]...)
			}
		}
	}
	return s
}

func TestLZFCompresses(t *testing.T) {
	var z lzf
	s := bytes.Repeat([]byte("field:1 value "), 1000)
	b, ok := z.compress(nil, s, len(s)/20)
	require.True(t, ok)
	require.Less(t, len(b), len(s)/50)
	_, ok = z.compress(nil, []byte("nothing repeats"), 11)
	require.False(t, ok)
}

// The room for places runs out after four gigabytes.
func TestLZFStartsOver(t *testing.T) {
	z := lzf{base: 1<<32 - 10_000}
	s := bytes.Repeat([]byte("abcdefg"), 1000)
	for range 3 {
		b, ok := z.compress(nil, s, len(s))
		require.True(t, ok)
		got, err := decompress(b, uint64(len(s)))
		require.NoError(t, err)
		require.Equal(t, s, got)
	}
}
