package commands

import (
	"fmt"
	"io"
	"log/slog"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"myredis/internal/config"
	"myredis/sortedset"
)

// zsetClient returns a client of an engine of its own.
func zsetClient() *Client {
	e := New(config.Default(), nil, slog.New(slog.NewTextHandler(io.Discard, nil)))
	return e.Connect(nil, "tcp", "127.0.0.1:1", "127.0.0.1:2")
}

// ask runs a command, given as words with blanks between them, and returns its
// raw reply with the line ends as blanks.
func (c *Client) ask(line string) string {
	var args [][]byte
	for _, word := range strings.Fields(line) {
		args = append(args, []byte(word))
	}
	mark := c.Out.Len()
	c.engine.Exec(c, args)
	reply := string(c.Out.Buf[mark:])
	c.Out.Truncate(mark)
	return strings.TrimSuffix(strings.ReplaceAll(reply, "\r\n", " "), " ")
}

func TestParseScoreBound(t *testing.T) {
	for text, want := range map[string]struct {
		score     float64
		exclusive bool
	}{
		"1": {1, false}, "(1": {1, true}, "-1.5": {-1.5, false}, "+7": {7, false}, "1e3": {1000, false}, ".5": {.5, false}, "5.": {5, false},
		"inf": {math.Inf(1), false}, "(-INF": {math.Inf(-1), true}, "+Infinity": {math.Inf(1), false},
		"1e400": {math.Inf(1), false}, "-1e400": {math.Inf(-1), false}, "1e-400": {0, false},
		"0x1F": {31, false}, "0x1p-1": {.5, false}, "(0xa": {10, true},
		"": {0, false}, "(": {0, true}, " 1": {1, false}, "(\t\n\v\f\r 1": {1, true}, "1\x00x": {1, false}, "\x00": {0, false},
	} {
		score, exclusive, ok := parseScoreBound([]byte(text))
		require.True(t, ok, "%q", text)
		require.Equal(t, want.score, score, "%q", text)
		require.Equal(t, want.exclusive, exclusive, "%q", text)
	}
	for _, text := range []string{"x", " ", "( ", "1 ", "((1", "[1", "nan", "-nan", "(NaN", "1_0", "0x_1", "0x", "1e", "--1", "+", "-", "1,5", "infinit"} {
		_, _, ok := parseScoreBound([]byte(text))
		require.False(t, ok, "%q", text)
	}
}

func TestParseLexBound(t *testing.T) {
	for text, want := range map[string]sortedset.LexBound{
		"-": {Infinity: -1}, "+": {Infinity: 1}, "+\x00x": {Infinity: 1}, "-\x00": {Infinity: -1},
		"[": {}, "(": {Exclusive: true}, "[a b": {Member: "a b"}, "((": {Member: "(", Exclusive: true}, "[\x00": {Member: "\x00"},
	} {
		bound, ok := parseLexBound([]byte(text))
		require.True(t, ok, "%q", text)
		require.Equal(t, want, bound, "%q", text)
	}
	for _, text := range []string{"", "a", "-a", "+a", "++", "1", " [a"} {
		_, ok := parseLexBound([]byte(text))
		require.False(t, ok, "%q", text)
	}
}

func TestParseCursor(t *testing.T) {
	for text, want := range map[string]uint64{"0": 0, "": 0, "007": 7, "+5": 5, "-1": math.MaxUint64, "18446744073709551615": math.MaxUint64, "3\x00x": 3} {
		cursor, ok := parseCursor([]byte(text))
		require.True(t, ok, "%q", text)
		require.Equal(t, want, cursor, "%q", text)
	}
	for _, text := range []string{" 1", "x", "1 ", "18446744073709551616", "-", "--1", "1_0", "0x1"} {
		_, ok := parseCursor([]byte(text))
		require.False(t, ok, "%q", text)
	}
}

// What the commands do to the key: each line is run after the one before.
func TestZSetKeysComeAndGo(t *testing.T) {
	c := zsetClient()
	for _, tt := range []struct {
		command, reply string
		there          bool // the key z, afterwards
	}{
		{"ZADD z 1 a x b", "-" + string(errNotFloat), false},
		{"ZADD z XX 1 a", ":0", false},
		{"ZADD z XX INCR 1 a", "$-1", false},
		{"ZADD z GT 1 a", ":1", true},
		{"ZINCRBY z -inf a", "$4 -inf", true},
		{"ZINCRBY z inf a", "-" + string(errNaN), true},
		{"ZADD z 1 b", ":1", true},
		{"ZREM z a b a", ":2", false},
		{"ZADD z 1 a 2 b", ":2", true},
		{"ZPOPMIN z 9", "*4 $1 a $1 1 $1 b $1 2", false},
		{"ZADD z 1 a 2 b", ":2", true},
		{"ZREMRANGEBYSCORE z (1 +inf", ":1", true},
		{"ZREMRANGEBYRANK z 0 -1", ":1", false},
		{"ZADD y 1 a", ":1", false},
		{"ZUNIONSTORE z 2 y y WEIGHTS 2 3", ":1", true},
		{"ZMPOP 2 none z MAX COUNT 3", "*2 $1 z *1 *2 $1 a $1 5", false},
		{"ZRANGESTORE z y 0 -1", ":1", true},
		{"ZINTERSTORE z 2 y none", ":0", false},
	} {
		require.Equal(t, tt.reply, c.ask(tt.command), tt.command)
		require.Equal(t, tt.there, c.engine.Keys.DB(0).Has("z"), tt.command)
	}
}

// The encoding follows what is added, and for results what is in them.
func TestZSetEncoding(t *testing.T) {
	c := zsetClient()
	c.engine.Config.ZsetMaxListpackEntries = 2
	c.engine.Config.ZsetMaxListpackValue = 3
	for _, tt := range []struct{ command, encoding string }{
		{"ZADD z -0 aaa 2 bbb", "listpack"},
		{"ZADD z 5 aaa", "listpack"},
		{"ZADD z 3 c", "skiplist"},
		{"ZREM z c bbb", "skiplist"}, // there is no way back
		{"ZUNIONSTORE z 1 z", "listpack"},
		{"ZADD z 1 bbbb", "skiplist"},
		{"ZRANGESTORE z z 1 1", "listpack"},
		{"ZUNIONSTORE z 1 z WEIGHTS -0", "listpack"},
		{"ZADD z 1 b 2 c", "skiplist"},
	} {
		require.NotContains(t, c.ask(tt.command), "-ERR", tt.command)
		require.Equal(t, tt.encoding, c.engine.Keys.DB(0).Find("z").Encoding().String(), tt.command)
	}
	// A listpack had the score as an integer, in which there is no -0; a
	// skiplist keeps the sign.
	require.Equal(t, "$1 0", c.ask("ZSCORE z aaa"))
	c.ask("ZADD z -0 dddd")
	require.Equal(t, "$2 -0", c.ask("ZSCORE z dddd"))
}

func TestZRandMember(t *testing.T) {
	const members, samples = 10, 20_000
	c := zsetClient()
	for i := range members {
		c.ask(fmt.Sprintf("ZADD z %d m%d", i, i))
	}
	for _, tt := range []struct {
		count    int
		distinct bool
	}{{3, true}, {9, true}, {-3, false}, {-40, false}} {
		n := max(tt.count, -tt.count)
		times := map[string]int{}
		for range samples / n {
			words := strings.Fields(c.ask(fmt.Sprint("ZRANDMEMBER z ", tt.count)))
			require.Equal(t, fmt.Sprint("*", n), words[0])
			seen := map[string]bool{}
			for _, word := range words[1:] {
				if word[0] == 'm' {
					times[word]++
					seen[word] = true
				}
			}
			if tt.distinct {
				require.Len(t, seen, n)
			}
		}
		// Far more than five standard deviations from being equally likely.
		require.Len(t, times, members)
		for member, n := range times {
			require.InDelta(t, samples/members, n, samples/members/4, "%s of %d", member, tt.count)
		}
	}
}

// A walk in small steps meets every member of a large set.
func TestZScanMeetsAll(t *testing.T) {
	c := zsetClient()
	const members = 3000
	for i := range members {
		c.ask(fmt.Sprintf("ZADD z %d.5 m%d", i, i))
	}
	scores := map[string]string{}
	steps := 0
	for cursor := "0"; steps == 0 || cursor != "0"; steps++ {
		words := slices.DeleteFunc(strings.Fields(c.ask("ZSCAN z "+cursor+" MATCH m*7 COUNT 20")), func(w string) bool { return w[0] == '$' || w[0] == '*' })
		cursor = words[0]
		for pair := range slices.Chunk(words[1:], 2) {
			scores[pair[0]] = pair[1]
		}
	}
	require.Greater(t, steps, members/50)
	require.Len(t, scores, members/10)
	for i := 7; i < members; i += 10 {
		require.Equal(t, fmt.Sprint(i, ".5"), scores[fmt.Sprint("m", i)])
	}
}

// Another worker may empty the set while a command looks it up.
func TestZSetEmptiedDuringLookUp(t *testing.T) {
	for command, reply := range map[string]string{
		"ZPOPMIN z": "*0", "ZPOPMAX z 2": "*0", "ZMPOP 1 z MIN": "*-1", "ZRANDMEMBER z": "$-1", "ZRANDMEMBER z 2": "*0", "ZRANDMEMBER z -2": "*0",
		"ZRANGE z 0 -1": "*0", "ZRANGE z 0 9 BYSCORE": "*0", "ZREM z m": ":0", "ZREMRANGEBYRANK z 0 -1": ":0", "ZRANK z m": "$-1", "ZCOUNT z 0 9": ":0",
		"ZUNION 1 z": "*0", "ZINTER 2 z z": "*0", "ZDIFF 1 z": "*0", "ZRANGESTORE y z 0 -1": ":0", "ZADD z XX 1 m": ":0", "ZSCAN z 0": "*2 $1 0 *0",
	} {
		c := zsetClient()
		c.ask("ZADD z 1 m")
		other := c.engine.Connect(nil, "tcp", "127.0.0.1:3", "127.0.0.1:2")
		c.engine.Keys.Gap = func() {
			c.engine.Keys.Gap = nil
			require.Equal(t, ":1", other.ask("ZREM z m"))
		}
		require.Equal(t, reply, c.ask(command), command)
		require.False(t, c.engine.Keys.DB(0).Has("y"), command)
	}
}

// What is asked of sorted sets all the time allocates nothing.
func TestZSetHotPathsDoNotAllocate(t *testing.T) {
	c := zsetClient()
	for i := range 5000 {
		c.ask(fmt.Sprintf("ZADD z %d m%d", i, i))
	}
	c.ask("ZADD small 1 a 2 b")
	args := func(line string) (args [][]byte) {
		for _, word := range strings.Fields(line) {
			args = append(args, []byte(word))
		}
		return args
	}
	for _, line := range []string{"ZADD z 7 m7", "ZADD z XX GT CH 7 m7", "ZADD z INCR 0 m7", "ZADD small 1 a 2 b", "ZINCRBY z 0 m7", "ZCARD z",
		"ZSCORE z m7", "ZMSCORE z m7 x", "ZRANK z m4000", "ZREVRANK z m4000", "ZPOPMIN z", "ZPOPMAX z 2", "ZREM z x"} {
		request := args(line)
		allocs := testing.AllocsPerRun(100, func() {
			c.engine.Exec(c, request)
			c.Out.Truncate(0)
		})
		require.Zero(t, allocs, line)
	}
}
