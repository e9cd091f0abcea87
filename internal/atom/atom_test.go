package atom

import (
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestInt(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "7": 7, "-1": -1, "10": 10, "-10": -10,
		"9223372036854775807": math.MaxInt64, "-9223372036854775808": math.MinInt64,
	} {
		n, ok := Of(text).Int()
		require.True(t, ok, text)
		require.Equal(t, want, n)
	}
	for _, text := range []string{
		"", "-", "+1", "01", "-0", "00", "-01", " 1", "1 ", "1.0", "1e3", "a", "0x1", "1\x00", "--1", "1_0", "/", ":", "٣",
		"9223372036854775808", "-9223372036854775809", "9999999999999999999", "18446744073709551616", "10000000000000000000",
		"99999999999999999999999",
	} {
		_, ok := Of(text).Int()
		require.False(t, ok, "%q", text)
	}
}

// An integer is, in every respect, the text of its digits.
func TestIntegerIsItsDigits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64().Draw(t, "n")
		digits := strconv.FormatInt(n, 10)
		for _, a := range []Atom{OfInt(n), Of(digits)} {
			got, ok := a.Int()
			require.True(t, ok)
			require.Equal(t, n, got)
			require.Equal(t, len(digits), a.Len())
			require.Equal(t, digits, a.String())
			require.Equal(t, "x"+digits, string(a.Append([]byte("x"))))
			var room Digits
			require.Equal(t, digits, a.View(&room))
		}
		_, ok := OfInt(n).Text()
		require.False(t, ok)
	})
}

func TestText(t *testing.T) {
	text, ok := Of("07").Text()
	require.True(t, ok)
	require.Equal(t, "07", text)
	require.Equal(t, "", Atom{}.String())
	require.Zero(t, Atom{}.Len())
}

func TestViewAllocatesNothing(t *testing.T) {
	sum := 0
	require.Zero(t, testing.AllocsPerRun(100, func() {
		var room Digits
		sum += len(OfInt(math.MinInt64).View(&room)) + OfInt(-12).Len()
	}))
	require.NotZero(t, sum)
}
