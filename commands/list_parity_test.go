package commands_test

import (
	"io"
	"log/slog"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"myredis/commands"
	"myredis/internal/config"
	"myredis/internal/redistest"
)

// Random histories of list commands run here and on a real Redis. Every reply
// must be the same bytes, in both protocols, and so must the keyspace events. One
// list has so many and so long elements that it is of several chunks.
func TestListParity(t *testing.T) {
	redis := redistest.Start(t)
	engine := commands.New(config.Default(), nil, slog.New(slog.NewTextHandler(io.Discard, nil)))
	rapid.Check(t, func(t *rapid.T) {
		proto := rapid.IntRange(2, 3).Draw(t, "proto")
		history := [][]string{
			{"FLUSHALL"}, {"SET", "string", "x"}, longList("long", 700),
			{"CONFIG", "SET", "notify-keyspace-events", "KEA"},
			{"CONFIG", "SET", "list-max-listpack-size", oneOf("-2", "-1", "3", "128").Draw(t, "size")},
		}
		for range 20 { // a slice is short on average, and a history of slices can be cut anywhere
			history = append(history, rapid.SliceOfN(listCommand, 0, 20).Draw(t, "history")...)
		}
		for _, key := range append([]string{"long"}, listKeys...) {
			history = append(history, []string{"LRANGE", key, "0", "-1"}, []string{"LLEN", key}, []string{"OBJECT", "ENCODING", key}, []string{"EXPIRETIME", key})
		}
		requireSame(t, redis.Addr, engine, proto, history)
	})
}

// longList is the command that pushes so many elements of very different sizes.
func longList(key string, n int) []string {
	command := []string{"RPUSH", key}
	for i := range n {
		command = append(command, strconv.Itoa(i), strings.Repeat("-", i%90), elements[i%len(elements)])
	}
	return command
}

var (
	listKeys = []string{"l", "m", "n"}
	elements = []string{"a", "b", "c", "1", "2", "-5", "007", "4096", "-4097", "9223372036854775807", "9223372036854775808", "", "\x00", "a\xff",
		strings.Repeat("x", 63), strings.Repeat("x", 64), strings.Repeat("y", 127), strings.Repeat("z", 3000), strings.Repeat("z", 9000)}

	listKey   = mostly(oneOf(listKeys...), oneOf("missing", "string", "long"))
	aList     = mostly(oneOf("l", "m", "n", "long"), oneOf("missing", "string"))
	listValue = oneOf(elements...)
	listIndex = mostly(rapid.OneOf(integer, rapid.Map(rapid.IntRange(-2200, 2200), strconv.Itoa)), integer)
	side      = mostly(oneOf("LEFT", "RIGHT", "left"), oneOf("UP", ""))
	waitTime  = mostly(oneOf("0", "0.5", "1"), oneOf("-1", "x", "1e400", ""))
	popCount  = mostly(oneOf("1", "2", "3", "300"), oneOf("0", "-1", "x", "9223372036854775808"))

	popOptions = mostly(some(words("COUNT", popCount)), some(words("count", "2"), words("COUNT"), words("X")))
	fewLists   = rapid.Custom(func(t *rapid.T) []string {
		keys := rapid.SliceOfN(aList, 1, 3).Draw(t, "keys")
		return append([]string{mostly(rapid.Just(strconv.Itoa(len(keys))), integer).Draw(t, "numkeys")}, keys...)
	})
)

var listCommand = rapid.OneOf(
	words(oneOf("LPUSH", "RPUSH", "lpush"), listKey, repeat(6, words(listValue))),
	words(oneOf("LPUSH", "RPUSH"), aList, repeat(3, words(listValue))),
	words(oneOf("LPUSHX", "RPUSHX"), aList, repeat(3, words(listValue))),
	words(oneOf("LPOP", "RPOP"), aList),
	words(oneOf("LPOP", "RPOP"), aList, popCount, mostly(words(), words("X"))),
	words("LLEN", aList),
	words("LINDEX", aList, listIndex),
	words("LSET", aList, listIndex, listValue),
	words("LSET", "long", rapid.Map(rapid.IntRange(-1500, 1500), strconv.Itoa), listValue),
	words("LRANGE", aList, listIndex, listIndex),
	words("LTRIM", listKey, integer, integer),
	words("LTRIM", "long", oneOf("0", "1", "3", "100"), oneOf("-1", "-2", "-90")),
	words("LINSERT", aList, mostly(oneOf("BEFORE", "AFTER", "after"), oneOf("BESIDE")), listValue, listValue),
	words("LREM", aList, integer, listValue),
	words("LPOS", aList, listValue, mostly(
		some(words("RANK", integer), words("COUNT", mostly(oneOf("0", "1", "2"), integer)), words("MAXLEN", mostly(oneOf("0", "1", "5", "1000"), integer))),
		some(words("rank", "-1"), words("COUNT"), words("X", "1"), words("MAXLEN", "-1")))),
	words(oneOf("LMOVE"), aList, aList, side, side),
	words("BLMOVE", aList, aList, side, side, waitTime),
	words("RPOPLPUSH", aList, aList),
	words("BRPOPLPUSH", aList, aList, waitTime),
	words(oneOf("BLPOP", "BRPOP"), repeat(3, words(aList)), waitTime),
	words("LMPOP", fewLists, side, popOptions),
	words("BLMPOP", waitTime, fewLists, side, popOptions),
	words("COPY", aList, listKey, some(words("REPLACE"))),
	words("RENAME", listKey, listKey),
	words("EXPIREAT", listKey, "33177117420"),
	words("DEL", listKey),
	words(oneOf("LPUSH", "LPOP", "LSET", "LINSERT", "LREM", "LPOS", "LMOVE", "LRANGE", "LTRIM", "BLMPOP"), repeat(4, words(aList))),
)
