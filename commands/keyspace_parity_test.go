package commands_test

import (
	"fmt"
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

// Random histories of string and key commands run here and on a real Redis.
// Every reply must be the same bytes, in both protocols, and so must the
// keyspace events and the counts of hits, misses and expired keys. What has no
// order is compared without one.
//
// No test waits for a key to expire: SET with EXAT 1 makes one that is overdue
// from the start, and Redis is told to leave such keys to the look-ups.
func TestKeyspaceParity(t *testing.T) {
	redis := redistest.Start(t, "--enable-debug-command", "yes")
	engine := commands.New(config.Default(), nil, slog.New(slog.NewTextHandler(io.Discard, nil)))
	rapid.Check(t, func(t *rapid.T) {
		quiet := dialRedis(t, redis.Addr)
		defer quiet.Close()
		quiet.send([]string{"DEBUG", "SET-ACTIVE-EXPIRE", "0"}, []string{"ECHO", marker})
		require.Equal(t, "+OK\r\n", quiet.untilMarker())

		proto := rapid.IntRange(2, 3).Draw(t, "proto")
		history := slices.Clone(keyspaceSetUp)
		for range 20 { // a slice is short on average, and a history of slices can be cut anywhere
			for _, line := range rapid.SliceOfN(rapid.OneOf(stringCommand, stringCommand, keyCommand), 0, 20).Draw(t, "history") {
				history = append(history, sequence(line)...)
			}
		}
		for _, db := range []string{"0", "1"} {
			history = append(history, []string{"SELECT", db}, []string{"DBSIZE"}, []string{"KEYS", "*"})
			for _, key := range plainKeys {
				history = append(history, []string{"TYPE", key}, []string{"OBJECT", "ENCODING", key}, []string{"GET", key}, []string{"EXPIRETIME", key}, []string{"PEXPIRETIME", key})
			}
		}
		history = append(history, []string{"SELECT", "0"}, []string{"INFO", "stats"})
		want, wantEvents := replay(t, redis.Addr, proto, history)
		got, gotEvents := replayHere(engine, proto, history)
		for i, command := range history {
			if !sameDeadline(command, want[i], got[i]) {
				require.Equal(t, agreed(command, want[i]), agreed(command, got[i]), "command %d: %q", i, command)
			}
		}
		require.Equal(t, sortExpired(wantEvents), sortExpired(gotEvents))
	})
}

// sortExpired puts events of keys that expired one right after the other into an
// order: SCAN removes those that it meets, in the order of a table.
func sortExpired(events string) []string {
	messages := strings.SplitAfter(events, "*4\r\n")
	expired := func(i int) bool { return i < len(messages) && strings.Contains(messages[i], "expired\r\n") }
	for i := 0; i < len(messages); {
		end := i + 1
		for expired(i) && expired(end) {
			end++
		}
		slices.Sort(messages[i:end])
		i = end
	}
	return messages
}

func TestSortExpired(t *testing.T) {
	const a, b, set = "$7\r\nexpired\r\na*4\r\n", "$7\r\nexpired\r\nb*4\r\n", "$3\r\nset\r\na*4\r\n"
	require.Equal(t, sortExpired(a+b), sortExpired(b+a))
	require.Equal(t, sortExpired(set+a+b+set), sortExpired(set+b+a+set))
	require.NotEqual(t, sortExpired(a+set+b), sortExpired(b+set+a))
	require.NotEqual(t, sortExpired(a+set), sortExpired(set+a))
	require.NotEqual(t, sortExpired(a+b), sortExpired(a+a+b))
}

// sameDeadline reports whether two replies name deadlines that were counted from
// when the command ran, or the time that is left, and differ by no more than a
// slow machine explains. Deadlines that the history names itself lie in the year
// 3021 and are none of these.
func sameDeadline(command []string, want, got string) bool {
	unit := map[string]int64{"TTL": 1, "PTTL": 1000, "EXPIRETIME": 1, "PEXPIRETIME": 1000}[command[0]]
	w, wantErr := strconv.ParseInt(strings.Trim(want, ":\r\n"), 10, 64)
	g, gotErr := strconv.ParseInt(strings.Trim(got, ":\r\n"), 10, 64)
	if unit == 0 || wantErr != nil || gotErr != nil || w < 0 || g < 0 {
		return false
	}
	named := strings.HasSuffix(command[0], "TIME") && w/unit/1_000_000_000 == 33
	return !named && max(w-g, g-w) <= 20*unit
}

func TestSameDeadline(t *testing.T) {
	require.True(t, sameDeadline([]string{"PEXPIRETIME"}, ":1796244538301\r\n", ":1796244538302\r\n"))
	require.True(t, sameDeadline([]string{"TTL"}, ":31000000000\r\n", ":30999999999\r\n"))
	require.False(t, sameDeadline([]string{"PEXPIRETIME"}, ":1796244538301\r\n", ":1796244558302\r\n"))
	require.False(t, sameDeadline([]string{"EXPIRETIME"}, ":33177117420\r\n", ":33177117421\r\n"))
	require.False(t, sameDeadline([]string{"TTL"}, ":-1\r\n", ":-2\r\n"))
	require.False(t, sameDeadline([]string{"TTL"}, ":0\r\n", "-ERR\r\n"))
	require.False(t, sameDeadline([]string{"INCR"}, ":1\r\n", ":2\r\n"))
}

// agreed is the part of a reply that two servers must agree about.
func agreed(command []string, reply string) string {
	switch strings.ToUpper(command[0]) {
	case "KEYS", "SCAN":
		return sortLines(reply)
	case "INFO":
		var counts strings.Builder
		for line := range strings.SplitSeq(reply, "\r\n") {
			name, _, _ := strings.Cut(line, ":")
			switch name {
			case "keyspace_hits", "keyspace_misses", "expired_keys":
				fmt.Fprintln(&counts, line)
			}
		}
		return counts.String()
	}
	return reply
}

var keyspaceSetUp = [][]string{{"FLUSHALL"}, {"CONFIG", "RESETSTAT"}, {"CONFIG", "SET", "notify-keyspace-events", "KEA"},
	{"CONFIG", "SET", "proto-max-bulk-len", "1048576"},
	{"ZADD", "zset", "1", "one", "2", "two"}, {"SADD", "set", "member", "7"}, {"HSET", "hash", "field", "value"}}

var (
	plainKeys = []string{"a", "b", "c", "d", "", "zset", "set", "hash", "e\x00\xff"}

	stringKey = mostly(oneOf("a", "b", "c", "d", "", "e\x00\xff"), oneOf("zset", "set", "hash", "missing"))
	plainKey  = mostly(oneOf(plainKeys...), oneOf("missing"))

	// Around the limits of the encodings: 20 characters for integers, 44 bytes
	// for short strings.
	stringValue = rapid.OneOf(
		oneOf("0", "1", "-1", "10", "255", "9999", "10000", "-0", "007", "+1", " 1", "1 ", "1.5", "9223372036854775807", "-9223372036854775808",
			"9223372036854775808", "-9223372036854775809", "123456789012345678901"),
		oneOf("", "x", "y", "\x00", "a\xff\r\n", "the rain in spain", "rain", strings.Repeat("e", 44), strings.Repeat("r", 45), strings.Repeat("long", 300)))

	deadlineWords = rapid.OneOf(
		words(oneOf("EX", "ex"), oneOf("100000")),
		words(oneOf("EXAT", "exat"), oneOf("33177117420", "33177117421")),
		words(oneOf("PXAT", "pxat"), oneOf("33177117420123", "33177117420500")),
		words(oneOf("EXAT", "PXAT"), oneOf("1")), // overdue
		words(oneOf("PX"), oneOf("100000000")),
	)
	wrongDeadline = rapid.OneOf(
		words(oneOf("EX", "PX", "EXAT", "PXAT"), oneOf("0", "-1", "9223372036854775807", "9223372036854775", "9223372036854776", "x", "", "1.0", "9223372036854775808")),
		words(oneOf("EX", "PX", "EXAT", "PXAT", "KEEPTTL", "PERSIST", "X", "NX", "XX", "GET", "")),
		words(oneOf("EX", "KEEPTTL", "PERSIST"), oneOf("10"), oneOf("PX", "EX", "KEEPTTL", "PERSIST")),
	)

	expireWords = mostly(
		rapid.OneOf(words(), words(oneOf("NX", "XX", "GT", "LT", "nx"))),
		rapid.OneOf(some(words("NX"), words("XX"), words("GT"), words("LT")), words(oneOf("XX", "LT"), oneOf("LT", "GT", "X", ""))))
	// Two deadlines that are counted from when a command ran are not compared: at
	// one server both may fall into one millisecond, and at the other not.
	relativeExpireWords = mostly(
		rapid.OneOf(words(), words(oneOf("NX", "XX", "nx"))),
		rapid.OneOf(words("NX", oneOf("XX", "GT", "lt")), words("GT", "LT"), words(oneOf("X", ""))))
	wrongTime = oneOf("9223372036854775807", "-9223372036854775808", "9223372036854775", "9223372036854776", "-9223372036854775", "-9223372036854776", "x", "", "1.0", "+1", "01")

	dbIndex = mostly(oneOf("0", "1"), oneOf("2", "15", "16", "-1", "x", "", "2147483647", "2147483648", "9223372036854775808", "01"))
	pattern = oneOf("*", "?", "[a-c]", "[^a]", "z*", "", "a", "\\a", "*s*", "e\x00*", "h[a", "missing")
)

var stringCommand = rapid.OneOf(
	words(oneOf("SET", "set"), stringKey, stringValue, some(words(oneOf("NX", "XX", "nx"))), some(words(oneOf("GET", "get"))), mostly(some(deadlineWords), wrongDeadline)),
	words("SET", stringKey, stringValue, some(words("KEEPTTL"), words("GET"))),
	words("SET", stringKey, stringValue),
	words("SET", plainKey, stringValue, some(words(oneOf("NX", "XX", "GET"), oneOf("NX", "XX", "GET", "EX")))),
	words("GET", stringKey),
	words("GETSET", stringKey, stringValue),
	words("GETDEL", stringKey),
	words("GETEX", stringKey, mostly(rapid.OneOf(some(deadlineWords), words("PERSIST")), wrongDeadline)),
	words("SETNX", plainKey, stringValue),
	words("SETEX", plainKey, mostly(oneOf("100000"), oneOf("0", "-1", "x", "9223372036854775807", "9223372036854775")), stringValue),
	words("PSETEX", plainKey, mostly(oneOf("100000000"), oneOf("0", "-1", "x", "9223372036854775807")), stringValue),
	words("MGET", repeat(4, words(plainKey))),
	words(oneOf("MSET", "MSETNX"), repeat(3, words(plainKey, stringValue)), mostly(words(), words("X"))),
	words("APPEND", stringKey, stringValue),
	words("STRLEN", stringKey),
	words(oneOf("GETRANGE", "SUBSTR"), stringKey, integer, integer),
	words("SETRANGE", stringKey, mostly(oneOf("0", "1", "3", "43", "44", "50"), oneOf("-1", "x", "1048576", "1048575", "9223372036854775807", "9223372036854775808", "")), stringValue),
	words(oneOf("INCR", "DECR"), stringKey),
	words(oneOf("INCRBY", "DECRBY"), stringKey, integer),
	words(oneOf("SET"), stringKey, oneOf("5", "100", "0", "-7"), ";", oneOf("INCR", "DECR"), stringKey),
	words("INCRBYFLOAT", stringKey, oneOf("1", "-0.1", "1.5", "3e2", "0", "-0", "1e17", "0x10", "-1e-5", "inf", "-inf", "nan", "x", "", " 1", "1e5000", "0.1", "+2", "1 ", ".5", "5.")),
	// LCS only of strings and with options that are right: Redis looks both keys up
	// before anything else, which would show in the count of hits.
	words("SET", "a", "rain in spain", ";", "SET", "b", oneOf("the rain", "spin", "sunny", ""), ";", "LCS", "a", "b", mostly(some(words("IDX"), words("WITHMATCHLEN"), words("MINMATCHLEN", oneOf("0", "1", "2", "4", "-1"))), words("LEN"))),
)

var keyCommand = rapid.OneOf(
	words(oneOf("DEL", "UNLINK", "EXISTS", "TOUCH"), repeat(4, words(plainKey))),
	words("TYPE", plainKey),
	words("OBJECT", oneOf("ENCODING", "encoding"), plainKey),
	// HELP is in our own words, idle times depend on when a test runs, and which
	// integers Redis shares is not known from their values alone.
	words("OBJECT", mostly(oneOf("FREQ", "REFCOUNT"), oneOf("X", "ENCODING", "IDLETIME")), some(words("nothing"), words("X"))),
	words("KEYS", pattern),
	words("SCAN", "0", "COUNT", "1000", some(words("MATCH", pattern)), some(words(oneOf("TYPE"), oneOf("string", "zset", "ZSET", "list", "x", "")))),
	words("SCAN", oneOf("x", " 0", "18446744073709551616", "0x"), "COUNT", "1000"),
	words("SCAN", "0", rapid.OneOf(words("COUNT", oneOf("0", "-1", "x", "9223372036854775808")), words(oneOf("COUNT", "MATCH", "TYPE", "X")), words("X", "1"))),
	words(oneOf("RENAME", "RENAMENX"), plainKey, plainKey),
	words("MOVE", plainKey, dbIndex),
	words("COPY", plainKey, plainKey, some(words("REPLACE")), some(words("DB", dbIndex)), mostly(words(), words(oneOf("DB", "X")))),
	words("SWAPDB", dbIndex, dbIndex),
	words("SELECT", oneOf("0", "1")),
	words("DBSIZE"),
	words(oneOf("EXPIREAT"), plainKey, mostly(oneOf("33177117420", "33177117421", "33177117422"), rapid.OneOf(oneOf("1", "0", "-1"), wrongTime)), expireWords),
	words(oneOf("PEXPIREAT"), plainKey, mostly(oneOf("33177117420123", "33177117420500", "33177117420499"), rapid.OneOf(oneOf("1", "0", "-1"), wrongTime)), expireWords),
	words(oneOf("EXPIRE"), plainKey, mostly(oneOf("200000"), rapid.OneOf(oneOf("0", "-1"), wrongTime)), relativeExpireWords, ";", "TTL", plainKey),
	words(oneOf("PEXPIRE"), plainKey, mostly(oneOf("200000000"), rapid.OneOf(oneOf("0", "-1"), wrongTime)), relativeExpireWords),
	words(oneOf("TTL", "PTTL", "EXPIRETIME", "PEXPIRETIME"), plainKey),
	words("PERSIST", plainKey),
	words("SET", stringKey, "overdue", oneOf("EXAT", "PXAT"), "1"),
	words(oneOf("EXPIRE", "RENAME", "COPY", "MOVE", "PERSIST", "OBJECT", "TYPE", "GETEX"), repeat(2, words(plainKey))),
)
