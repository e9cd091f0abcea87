package commands_test

import (
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"myredis/commands"
	"myredis/internal/config"
	"myredis/internal/redistest"
)

// Random histories of hash and set commands run here and on a real Redis.
// Every reply must be the same bytes in both protocols, and so must the
// keyspace events. What Redis leaves open is compared as far as it goes: the
// elements of a table without their order, of what is chosen at random only
// how many there are. The limits of the small encodings are so low that values
// cross them all the time.
func TestHashAndSetParity(t *testing.T) {
	redis := redistest.Start(t)
	engine := commands.New(config.Default(), nil, slog.New(slog.NewTextHandler(io.Discard, nil)))
	rapid.Check(t, func(t *rapid.T) {
		proto := rapid.IntRange(2, 3).Draw(t, "proto")
		history := [][]string{
			{"FLUSHALL"}, {"SET", "string", "x"}, {"HSET", "hsingle", "field", "7"}, {"SADD", "ssingle", "member"},
			{"CONFIG", "SET", "notify-keyspace-events", "KEA"},
			{"CONFIG", "SET", "hash-max-listpack-entries", oneOf("0", "2", "4", "512").Draw(t, "entries")},
			{"CONFIG", "SET", "hash-max-listpack-value", oneOf("0", "3", "64").Draw(t, "value")},
			{"CONFIG", "SET", "set-max-intset-entries", oneOf("0", "3", "5", "512").Draw(t, "integers")},
		}
		for range 20 { // a slice is short on average, and a history of slices can be cut anywhere
			for _, line := range rapid.SliceOfN(rapid.OneOf(hashCommand, setCommand), 0, 20).Draw(t, "history") {
				history = append(history, sequence(line)...)
			}
		}
		for _, key := range hashKeys {
			history = append(history, []string{"OBJECT", "ENCODING", key}, []string{"HGETALL", key}, append([]string{"HMGET", key}, fields...),
				[]string{"OBJECT", "ENCODING", key}, []string{"HSCAN", key, "0", "COUNT", "1000"}, []string{"EXPIRETIME", key})
		}
		for _, key := range setKeys {
			history = append(history, []string{"OBJECT", "ENCODING", key}, []string{"SMEMBERS", key}, append([]string{"SMISMEMBER", key}, setMembers...),
				[]string{"OBJECT", "ENCODING", key}, []string{"SSCAN", key, "0", "COUNT", "1000"}, []string{"EXPIRETIME", key})
		}
		want, wantEvents := replay(t, redis.Addr, proto, history)
		got, gotEvents := replayHere(engine, proto, history)
		for i, command := range history {
			w, g := want[i], got[i]
			switch openness(history[:i+1], want) {
			case elementsOpen:
				w, g = sortLines(w), sortLines(g)
			case choiceOpen:
				w, g = shape(w), shape(g)
			}
			require.Equal(t, w, g, "command %d: %q", i, command)
		}
		require.Equal(t, wantEvents, gotEvents)
	})
}

// sequence splits a line at the word ";" into commands.
func sequence(line []string) (commands [][]string) {
	for {
		i := slices.Index(line, ";")
		if i < 0 {
			return append(commands, line)
		}
		commands = append(commands, line[:i])
		line = line[i+1:]
	}
}

const (
	nothingOpen  = iota
	elementsOpen // their order
	choiceOpen   // which they are
)

// openness tells what Redis leaves open in the reply to the last command of a
// history. Small values keep an order, and that the value is small is what
// OBJECT ENCODING answered just before.
func openness(history [][]string, replies []string) int {
	i := len(history) - 1
	command := history[i]
	switch command[0] {
	case "HGETALL", "HKEYS", "HVALS", "HSCAN", "SMEMBERS", "SSCAN":
		before := history[i-1]
		small := before[0] == "OBJECT" && before[2] == command[1] &&
			(strings.Contains(replies[i-1], "listpack") || strings.Contains(replies[i-1], "intset"))
		if !small {
			return elementsOpen
		}
	case "SUNION", "SINTER", "SDIFF":
		return elementsOpen
	case "HRANDFIELD", "SRANDMEMBER", "SPOP":
		switch {
		case len(command) > 1 && strings.HasSuffix(command[1], "single"):
		case len(command) > 2 && command[2] == "100": // all there are
			return elementsOpen
		default:
			return choiceOpen
		}
	}
	return nothingOpen
}

// shape is a reply without its strings: the types, and how many elements.
func shape(reply string) string {
	if strings.HasPrefix(reply, "-") {
		return reply
	}
	var b strings.Builder
	for line := range strings.SplitSeq(reply, "\r\n") {
		if strings.HasPrefix(line, "$") && line != "$-1" {
			line = "$"
		}
		if line != "" && strings.Contains("*~%$_", line[:1]) {
			b.WriteString(line + " ")
		}
	}
	return b.String()
}

func TestShape(t *testing.T) {
	require.Equal(t, "*2 $ $ ", shape("*2\r\n$1\r\na\r\n$2\r\nbc\r\n"))
	require.Equal(t, "$-1 ", shape("$-1\r\n"))
	require.Equal(t, "~0 ", shape("~0\r\n"))
	require.Equal(t, "-ERR *\r\n", shape("-ERR *\r\n"))
}

var (
	hashKeys = []string{"h", "i"}
	setKeys  = []string{"s", "t", "u"}

	hashKey    = mostly(oneOf(hashKeys...), oneOf("missing", "string", "s"))
	setKey     = mostly(oneOf(setKeys...), oneOf("missing", "string", "h"))
	eitherKey  = rapid.OneOf(hashKey, setKey)
	fields     = []string{"a", "b", "c", "d", "e", "", "1", "-7", "007", "abcd", "a\xff", "\x00", strings.Repeat("long", 20), "300", "9223372036854775807"}
	setMembers = []string{"1", "2", "3", "-4", "5", "32767", "-32769", "2147483648", "9223372036854775807", "9223372036854775808",
		"01", "a", "b", "", "\x00", strings.Repeat("long", 20)}

	field     = oneOf(fields...)
	hashValue = rapid.OneOf(oneOf(fields...), oneOf("0", "10", "-1", "1.5", "3.0e3", " 1", "1 ", "1.", "inf", "-0", "0x10", "65536", "1e400", "nan"))
	// Few enough integers that a set of them stays one of integers for a while.
	setMember = mostly(oneOf("1", "2", "3", "-4", "5", "32767", "-32769", "2147483648", "9223372036854775807"), oneOf(setMembers...))

	scanWords = mostly(words("MATCH", oneOf("*", "a*", "[0-9]*", "")), words(oneOf("COUNT", "X"), oneOf("0", "-1", "x")))
	scanCount = mostly(words("COUNT", "1000"), words("COUNT"))
	cursor    = mostly(oneOf("0", "+0"), oneOf("", "x", " 0", "-0", "18446744073709551616"))
)

// encodingOf draws a key, and asks for its encoding before a command about it.
func encodingOf(key *wordGen, name *wordGen, after ...any) *wordsGen {
	return rapid.Custom(func(t *rapid.T) []string {
		k := key.Draw(t, "key")
		return append([]string{"OBJECT", "ENCODING", k, ";", name.Draw(t, "name"), k}, words(append(after, words())...).Draw(t, "after")...)
	})
}

// thenDelete draws a command that leaves the two servers with different
// content, and removes the key after it.
func thenDelete(name string, key *wordGen, after *wordsGen) *wordsGen {
	return rapid.Custom(func(t *rapid.T) []string {
		k := key.Draw(t, "key")
		return slices.Concat([]string{name, k}, after.Draw(t, "after"), []string{";", "SCARD", k, ";", "DEL", k})
	})
}

var hashCommand = rapid.OneOf(
	words(oneOf("HSET", "hmset"), hashKey, repeat(4, words(field, hashValue))),
	words("HSET", hashKey, repeat(4, words(field, hashValue))),
	words(oneOf("HSET", "HMSET"), hashKey, repeat(3, words(field))),
	words("HSETNX", hashKey, field, hashValue),
	words(oneOf("HGET", "HEXISTS", "HSTRLEN"), hashKey, field),
	words(oneOf("HMGET", "HDEL"), hashKey, repeat(4, words(field))),
	words("HLEN", hashKey),
	words("HINCRBY", hashKey, field, integer),
	words("HINCRBYFLOAT", hashKey, field, mostly(oneOf("1", "-0.1", "1.5", "3e2", "0", "1e17", "0x10", "-1e-5"), oneOf("inf", "-inf", "nan", "x", "", " 1", "1e5000"))),
	encodingOf(hashKey, oneOf("HGETALL", "HKEYS", "HVALS")),
	encodingOf(hashKey, oneOf("HSCAN"), cursor, scanWords, scanCount),
	words("HSCAN", hashKey, cursor, scanCount),
	words("HRANDFIELD", hashKey),
	words("HRANDFIELD", hashKey, mostly(oneOf("100", "1", "2", "-3", "0"), oneOf("x", "", "-9223372036854775808", "1.0")), mostly(some(words("WITHVALUES")), words("X"))),
	words("HRANDFIELD", "hsingle", mostly(oneOf("1", "-3", "9223372036854775807"), oneOf("0")), some(words("withvalues"))),
	words("HRANDFIELD", hashKey, "-9223372036854775807", "WITHVALUES"),
	words("OBJECT", "ENCODING", hashKey),
	words("COPY", hashKey, mostly(hashKey, setKey), some(words("REPLACE"))),
	words(oneOf("HSET", "HGET", "HDEL", "HINCRBY", "HMGET", "HRANDFIELD", "HLEN", "HSETNX", "HGETALL"), repeat(3, words(hashKey))),
	words("DEL", hashKey),
	words("EXPIREAT", hashKey, "33177117420"),
	words("RENAME", hashKey, hashKey),
)

var setCommand = rapid.OneOf(
	words("SADD", setKey, repeat(5, words(setMember))),
	words("SADD", setKey, repeat(5, words(setMember))),
	words("SREM", setKey, repeat(5, words(setMember))),
	words("SISMEMBER", setKey, setMember),
	words("SMISMEMBER", setKey, repeat(4, words(setMember))),
	words("SCARD", setKey),
	words("SMOVE", setKey, setKey, setMember),
	encodingOf(setKey, oneOf("SMEMBERS")),
	encodingOf(setKey, oneOf("SSCAN"), cursor, scanWords, scanCount),
	words("SSCAN", setKey, cursor, scanCount),
	words(oneOf("SINTER", "SUNION", "SDIFF"), repeat(4, words(setKey))),
	words(oneOf("SINTERSTORE", "SUNIONSTORE", "SDIFFSTORE"), rapid.OneOf(setKey, oneOf("string", "u", "h")), repeat(4, words(setKey))),
	words("SINTERCARD", rapid.Custom(func(t *rapid.T) []string {
		keys := rapid.SliceOfN(setKey, 1, 3).Draw(t, "keys")
		return append([]string{mostly(rapid.Just(string(rune('0'+len(keys)))), integer).Draw(t, "numkeys")}, keys...)
	}), mostly(some(words("LIMIT", integer)), some(words("limit", "2"), words("LIMIT"), words("X")))),
	thenDelete("SPOP", setKey, some()),
	thenDelete("SPOP", setKey, mostly(words(oneOf("0", "1", "2", "3", "100")), words(oneOf("-1", "x", "", "1.0", "9223372036854775808")))),
	words("SPOP", setKey, mostly(oneOf("100", "0"), oneOf("-1", "x")), mostly(words(), words("X"))),
	words("SRANDMEMBER", setKey),
	words("SRANDMEMBER", setKey, mostly(oneOf("100", "1", "2", "-3", "0"), oneOf("x", "", "-9223372036854775808", "1.0")), mostly(words(), words("X"))),
	words("SRANDMEMBER", "ssingle", oneOf("1", "-3", "0", "9223372036854775807")),
	words("OBJECT", "ENCODING", setKey),
	words("COPY", setKey, eitherKey, some(words("REPLACE"))),
	words(oneOf("ZUNION", "ZINTER", "ZDIFF"), "2", setKey, setKey, some(withScores)),
	words("ZUNIONSTORE", "z", "2", setKey, setKey, "WEIGHTS", "2", "0.5", ";", "ZRANGE", "z", "0", "-1", "WITHSCORES", ";", "DEL", "z"),
	words("ZINTERCARD", "2", setKey, setKey),
	words(oneOf("SADD", "SREM", "SISMEMBER", "SMOVE", "SMEMBERS", "SINTERCARD", "SDIFF"), repeat(3, words(hashKey))),
	words("DEL", setKey),
	words("EXPIREAT", setKey, "33177117420"),
	// A set of integers that is none in Redis's eyes, until enough is popped.
	words("DEL", "p", ";", "SADD", "p", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "x", ";", "SREM", "p", "x", ";",
		"SPOP", "p", oneOf("1", "9", "10", "11"), ";", "OBJECT", "ENCODING", "p", ";", "SCARD", "p"),
)
