package commands_test

import (
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"myredis/commands"
	"myredis/internal/config"
	"myredis/internal/redistest"
)

// Sums of thousands of random pairs are what Redis makes of them in C's long
// doubles, digit for digit: an 80-bit number has 64 bits of mantissa, and what is
// printed of it is the exact decimal rounded to 17 digits after the point. Left
// out are texts of more than 256 bytes, which are refused here and are read by
// Redis up to 5119, and numbers so small that 64 bits are not kept of them.
func TestIncrByFloatAsRedis(t *testing.T) {
	const pairs = 4000
	redis := redistest.Start(t)
	engine := commands.New(config.Default(), nil, slog.New(slog.NewTextHandler(io.Discard, nil)))
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		var history [][]string
		for range pairs / 100 {
			history = append(history, []string{"SET", "n", longDoubleText(rng)}, []string{"INCRBYFLOAT", "n", longDoubleText(rng)},
				[]string{"INCRBYFLOAT", "n", longDoubleText(rng)}, []string{"OBJECT", "ENCODING", "n"}, []string{"DEL", "n"})
		}
		want, _ := replay(t, redis.Addr, 2, history)
		got, _ := replayHere(engine, 2, history)
		for i, command := range history {
			require.Equal(t, want[i], got[i], "after %q: %q", history[max(0, i-2):i], command)
		}
	})
}

// longDoubleText writes a number in one of the ways that C reads.
func longDoubleText(rng *rand.Rand) string {
	sign := []string{"", "-", "+"}[rng.IntN(3)]
	digits := func(most int) string {
		var b strings.Builder
		for range 1 + rng.IntN(most) {
			b.WriteByte('0' + byte(rng.IntN(10)))
		}
		return b.String()
	}
	exponent := func(most int) string {
		return fmt.Sprintf("%s%d", []string{"e", "E", "e+"}[rng.IntN(3)], rng.IntN(most))
	}
	switch rng.IntN(10) {
	case 0: // money
		return sign + digits(6) + "." + digits(2)
	case 1: // more digits than a mantissa holds
		return sign + digits(40) + "." + digits(40)
	case 2:
		return sign + digits(20)
	case 3:
		return sign + digits(3) + "." + digits(20) + exponent(40)
	case 4:
		return sign + digits(25) + "e-" + strconv.Itoa(rng.IntN(60))
	case 5:
		return sign + digits(3) + exponent(200)
	case 6:
		return sign + "." + digits(30)
	case 7:
		return sign + strings.TrimLeft(digits(10), "0") + "0."
	case 8: // halves of the last bit of a mantissa, where rounding has to decide
		return sign + strconv.FormatUint(1<<63+rng.Uint64N(1<<20), 10) + []string{".5", ".25", ".75", ".5000000000000000000001", ".4999999999999999999999"}[rng.IntN(5)]
	default:
		return sign + "0x" + strconv.FormatUint(rng.Uint64()>>rng.IntN(64), 16) + []string{"", ".8", "p3", "p-7", ".fp+1"}[rng.IntN(5)]
	}
}
