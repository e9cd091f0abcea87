package hash

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"myredis/internal/atom"
)

func encode(a atom.Atom) []byte {
	c := cellOf(a)
	b := make([]byte, c.size())
	c.write(b)
	return b
}

func TestCellSizes(t *testing.T) {
	for text, size := range map[string]int{
		"": 1, "a": 2, "0": 1, "7": 2, "-1": 2, "127": 2, "128": 3, "-128": 2, "-129": 3, "32767": 3, "32768": 4, "8388607": 4,
		"8388608": 5, "2147483647": 5, "2147483648": 6, "1700000000000": 7, "9223372036854775807": 9, "-9223372036854775808": 9,
		"9223372036854775808": 20, "01": 3, "-0": 3,
		strings.Repeat("x", 191): 192, strings.Repeat("x", 192): 197,
	} {
		require.Len(t, encode(atom.Of(text)), size, text)
	}
}

// What is written is read again, and a cell is known wherever it stands.
func TestCellRoundTrip(t *testing.T) {
	texts := rapid.OneOf(
		rapid.String(),
		rapid.Map(rapid.Int64(), func(n int64) string { return strconv.FormatInt(n, 10) }),
		rapid.Map(rapid.IntRange(0, 63), func(k int) string { return strconv.FormatInt(math.MaxInt64>>k, 10) }),
		rapid.Map(rapid.IntRange(0, 63), func(k int) string { return strconv.FormatInt(math.MinInt64>>k, 10) }),
		rapid.Map(rapid.IntRange(180, 300), func(n int) string { return strings.Repeat("9", n) }),
	)
	rapid.Check(t, func(t *rapid.T) {
		text, other := texts.Draw(t, "text"), texts.Draw(t, "other")
		b := encode(atom.Of(text))
		a, size := read(append(b, 0xff, 0x00, 0x80))
		require.Equal(t, len(b), size)
		require.Equal(t, text, a.String())
		c := cellOf(atom.Of(text))
		require.True(t, c.is(b))
		require.Equal(t, text == other, c.is(encode(atom.Of(other))))
		if n, ok := a.Int(); ok {
			require.Equal(t, b, encode(atom.OfInt(n)))
		}
	})
}

func TestRoom(t *testing.T) {
	for size := 1; size < 100_000; size++ {
		got := room(size)
		require.GreaterOrEqual(t, got, size)
		require.LessOrEqual(t, got, max(size+7, size*9/8+15))
		require.GreaterOrEqual(t, got, room(size-1), "more needs no less room")
	}
}
