package cell

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
	c := Of(a)
	b := make([]byte, c.Size())
	c.Write(b)
	return b
}

func TestCellSizes(t *testing.T) {
	for text, size := range map[string]int{
		"": 1, "a": 2, "0": 1, "7": 1, "-1": 2, "127": 1, "128": 2, "-128": 2, "4095": 2, "4096": 3, "-4096": 2, "-4097": 3,
		"32767": 3, "32768": 4, "8388607": 4, "8388608": 5, "2147483647": 5, "2147483648": 6, "1700000000000": 7,
		"9223372036854775807": 9, "-9223372036854775808": 9, "9223372036854775808": 20, "01": 3, "-0": 3,
		strings.Repeat("x", 63): 64, strings.Repeat("x", 64): 67, strings.Repeat("x", 65535): 65538, strings.Repeat("x", 65536): 65545,
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
		rapid.Map(rapid.SampledFrom([]int{19, 20, 63, 64, 100, 65535, 65536, 66000}), func(n int) string { return strings.Repeat("9", n) }),
	)
	rapid.Check(t, func(t *rapid.T) {
		text, other := texts.Draw(t, "text"), texts.Draw(t, "other")
		b := encode(atom.Of(text))
		a, size := Read(append(b, 0xff, 0x00, 0x80))
		require.Equal(t, len(b), size)
		require.Equal(t, text, a.String())
		c := Of(atom.Of(text))
		require.True(t, c.Is(b))
		require.Equal(t, text == other, c.Is(encode(atom.Of(other))))
		if n, ok := a.Int(); ok {
			require.Equal(t, b, encode(atom.OfInt(n)))
		}
	})
}
