package wire

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What has been searched for the end of a line is not searched again: a line that
// arrives byte by byte costs its length, not the square of it.
func TestLinesAreSearchedOnce(t *testing.T) {
	for _, start := range []string{"x", "*", "*1\r\n$", "*1\r\nx"} {
		var d Decoder
		d.Advance(copy(d.Space(1), start))
		for i := range 1000 {
			args, err := d.Next()
			require.NoError(t, err)
			require.Nil(t, args)
			require.Equal(t, len(d.buf), d.pos+d.seen, "after %q and %d bytes", start, i)
			d.Advance(copy(d.Space(1), "1"))
		}
	}
}

// Arguments that have been parsed are not parsed again.
func TestArgumentsAreParsedOnce(t *testing.T) {
	var d Decoder
	d.Advance(copy(d.Space(1), "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$5\r\nva"))
	args, err := d.Next()
	require.NoError(t, err)
	require.Nil(t, args)
	require.Equal(t, 1, d.left)
	require.Len(t, d.args, 2)
	require.Equal(t, len(d.buf)-len("va"), d.pos)
}

// A client that pipelines while it is blocked piles requests up, which are then
// taken one by one between reads. Each is moved a few times at most, and the
// buffer is not much larger than the pile.
func TestBacklog(t *testing.T) {
	const one = "*4\r\n$4\r\nZADD\r\n$4\r\nline\r\n$1\r\n7\r\n$3\r\nann\r\n"
	const pile, turns = 1000, 10_000
	var d Decoder
	d.Advance(copy(d.Space(pile*len(one)), strings.Repeat(one, pile)))
	moved := 0
	for range turns {
		args, err := d.Next()
		require.NoError(t, err)
		require.Len(t, args, 4)
		require.Equal(t, "ann", string(args[3]))
		before := d.start
		space := d.Space(4096)
		if d.start < before {
			moved += d.Buffered()
		}
		d.Advance(copy(space, one))
	}
	require.Equal(t, pile*len(one), d.Buffered())
	require.LessOrEqual(t, d.Cap(), 4*pile*len(one))
	require.LessOrEqual(t, moved, 2*(pile+turns)*len(one))
}

func TestParseLength(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "1": 1, "-1": -1, "1000000": 1000000,
		"9223372036854775807": 1<<63 - 1, "-9223372036854775808": -1 << 63,
	} {
		got, ok := parseLength([]byte(text))
		require.True(t, ok, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{
		"", "-", "-0", "00", "01", "+1", " 1", "1 ", "1a", "--1",
		"9223372036854775808", "-9223372036854775809", "18446744073709551615", "18446744073709551616",
		"92233720368547758070", "99999999999999999999", "100000000000000000000",
	} {
		_, ok := parseLength([]byte(text))
		require.False(t, ok, text)
	}
}
