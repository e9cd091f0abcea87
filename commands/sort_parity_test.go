package commands_test

import (
	"io"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"myredis/commands"
	"myredis/internal/config"
	"myredis/internal/redistest"
)

// SORT of random collections, and of what random keys say of their elements,
// answers here and on a real Redis the same bytes, and so do the keyspace events
// and how many keys were looked up.
func TestSortParity(t *testing.T) {
	redis := redistest.Start(t)
	engine := commands.New(config.Default(), nil, slog.New(slog.NewTextHandler(io.Discard, nil)))
	rapid.Check(t, func(t *rapid.T) {
		proto := rapid.IntRange(2, 3).Draw(t, "proto")
		history := [][]string{{"FLUSHALL"}, {"CONFIG", "RESETSTAT"}, {"CONFIG", "SET", "notify-keyspace-events", "KEA"}, {"SET", "string", "x"}}
		for range 20 { // a slice is short on average, and a history of slices can be cut anywhere
			for _, line := range rapid.SliceOfN(sortCommand, 0, 20).Draw(t, "history") {
				history = append(history, sequence(line)...)
			}
		}
		history = append(history, []string{"OBJECT", "ENCODING", "z"}, []string{"INFO", "stats"})
		want, wantEvents := replay(t, redis.Addr, proto, history)
		got, gotEvents := replayHere(engine, proto, history)
		for i, command := range history {
			w, g := want[i], got[i]
			if command[0] == "INFO" {
				w, g = lookUps(w), lookUps(g)
			} else if sortLeavesOpen(command) {
				w, _, _ = strings.Cut(w, "\r\n") // how many there are, or the error
				g, _, _ = strings.Cut(g, "\r\n")
			}
			require.Equal(t, w, g, "command %d: %q", i, command)
		}
		require.Equal(t, wantEvents, gotEvents)
	})
}

// lookUps adds up the hits and misses that INFO tells: which of the two it is can
// depend on which elements of a set come first.
func lookUps(info string) string {
	sum := 0
	for line := range strings.SplitSeq(info, "\r\n") {
		if name, count, _ := strings.Cut(line, ":"); name == "keyspace_hits" || name == "keyspace_misses" {
			n, _ := strconv.Atoi(count)
			sum += n
		}
	}
	return strconv.Itoa(sum)
}

// sortLeavesOpen tells whether Redis promises no order: of a set that is not
// sorted, and of elements with the same text to sort by, of which those of a
// list stay in order, as long as Redis sorts all of them.
func sortLeavesOpen(command []string) bool {
	if command[0] != "SORT" && command[0] != "SORT_RO" {
		return false
	}
	has := func(word string) bool { return slices.Contains(command, word) }
	sameText := has("ALPHA") && has("BY") && (has("LIMIT") || command[1] != "l")
	unsorted := false
	for i, word := range command[:len(command)-1] {
		unsorted = unsorted || word == "BY" && !strings.Contains(command[i+1], "*")
	}
	stored := slices.Equal(command[len(command)-2:], []string{"STORE", "d"})
	return unsorted && command[1] == "s" && !stored || sameText
}

var (
	sortKey     = mostly(oneOf("l", "s", "z"), oneOf("missing", "string", "h_a", "d"))
	sortElement = mostly(oneOf("1", "2", "3", "10", "-1", "1.5", "-0", "007", "1e3", "9223372036854775807", "9223372036854775806"),
		oneOf("a", "b", "", "inf", "nan", " 1", "1 ", "0x10"))
	sortNumber = mostly(oneOf("1", "2", "-3", "0", "1.5"), oneOf("x", "", "inf", " 4")) // see sortScore about 1e400
	sortBy     = mostly(oneOf("w_*", "h_*->f", "*", "nosort", "#", "w_*->", "none_*"), oneOf("h_*", "w_*->f", "h_*->f->g", "", "->*", "w**"))
	sortGet    = mostly(oneOf("#", "w_*", "h_*->f"), oneOf("fixed", "h_*", "*", "w_*->f", "", "w_1"))
	sortLimit  = words("LIMIT", mostly(oneOf("0", "1", "2", "-1"), oneOf("x", "100", "9223372036854775807")), mostly(oneOf("0", "1", "2", "100", "-1"), oneOf("", "-7", "9223372036854775807", "-9223372036854775808")))
	sortOption = mostly(rapid.OneOf(
		words("BY", sortBy),
		words("GET", sortGet),
		words(oneOf("ASC", "DESC")),
		sortLimit,
		words("ALPHA"),
	), words(oneOf("BY", "GET", "LIMIT", "STORE", "X", "")))
)

var sortCommand = rapid.OneOf(
	words(oneOf("RPUSH", "LPUSH"), "l", sortElement),
	words(oneOf("RPUSH"), "l", oneOf("1\x00", "1\x002", "\x00")), // equal, in C, to what has no zero byte
	words("SADD", "s", sortElement),
	words("ZADD", "z", sortNumber, sortElement),
	words(oneOf("LPOP", "DEL"), oneOf("l")),
	words("SET", oneOf("w_1", "w_2", "w_3", "w_10", "w_a", "a", "w_", "w_1*"), sortNumber),
	words("HSET", oneOf("h_1", "h_2", "h_3", "h_a", "h_"), oneOf("f", "f->g"), sortNumber),
	words("SORT", sortKey, repeat(4, sortOption)),
	words("SORT", sortKey, repeat(4, sortOption)),
	words("SORT_RO", sortKey, repeat(4, sortOption)),
	words("SORT", oneOf("l", "z"), some(words("BY", oneOf("w_*", "nosort"))), repeat(3, words("GET", sortGet)), some(sortLimit), "STORE", "d", ";", "LRANGE", "d", "0", "-1"),
	words("SORT", oneOf("s", "missing"), some(words("BY", "nosort")), some(words("ALPHA")), some(sortLimit), "STORE", "d", ";", "LRANGE", "d", "0", "-1"),
	words("EVAL", "return redis.call('SORT', 's', 'BY', 'nosort', ARGV[1])", "0", oneOf("ASC", "DESC")),
	words("COMMAND", "GETKEYSANDFLAGS", "SORT", sortKey, repeat(4, sortOption), some(words("STORE", "d"))),
)
