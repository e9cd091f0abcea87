package commands_test

import (
	"io"
	"log/slog"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"myredis/commands"
	"myredis/internal/config"
	"myredis/internal/redistest"
)

// Random histories of stream commands run here and on a real Redis. Every reply
// must be the same bytes in both protocols, instants apart, and so must the
// keyspace events. Nodes are small, so that entries fill them all the time and
// approximate trimming shows where they end.
func TestStreamParity(t *testing.T) {
	redis := redistest.Start(t)
	engine := commands.New(config.Default(), nil, slog.New(slog.NewTextHandler(io.Discard, nil)))
	rapid.Check(t, func(t *rapid.T) {
		proto := rapid.IntRange(2, 3).Draw(t, "proto")
		history := [][]string{
			{"FLUSHALL"}, {"SET", "string", "x"}, {"CONFIG", "SET", "notify-keyspace-events", "KEA"},
			{"CONFIG", "SET", "stream-node-max-entries", oneOf("0", "1", "3", "10", "100").Draw(t, "entries")},
			{"CONFIG", "SET", "stream-node-max-bytes", oneOf("0", "1", "60", "150", "4096").Draw(t, "bytes")},
			{"XGROUP", "CREATE", "s", "g", "0", "MKSTREAM"}, {"XGROUP", "CREATE", "t", "h", "0", "MKSTREAM"},
		}
		for range 20 {
			for _, line := range rapid.SliceOfN(streamCommand, 0, 20).Draw(t, "history") {
				history = append(history, sequence(line)...)
			}
		}
		for _, key := range streamKeys {
			history = append(history, []string{"XINFO", "STREAM", key}, []string{"XINFO", "STREAM", key, "FULL", "COUNT", "0"})
		}
		want, wantEvents := replay(t, redis.Addr, proto, history)
		got, gotEvents := replayHere(engine, proto, history)
		for i, command := range history {
			require.Equal(t, timeless(command, want[i]), timeless(command, got[i]), "command %d: %q", i, command)
		}
		require.Equal(t, wantEvents, gotEvents)
	})
}

var (
	unixTime    = regexp.MustCompile(`:\d{13}\r\n`)
	idleTime    = regexp.MustCompile(`idle\r\n:\d+\r\n`)
	pendingIdle = regexp.MustCompile(`(\*4\r\n\$\d+\r\n[^\r]+\r\n\$\d+\r\n[^\r]*\r\n):\d+\r\n`)
)

// timeless is a reply with its instants, and how long ago they were, taken out.
func timeless(command []string, reply string) string {
	switch command[0] {
	case "XINFO":
		reply = unixTime.ReplaceAllString(reply, ":time\r\n")
		reply = idleTime.ReplaceAllString(reply, "idle\r\n:time\r\n")
	case "XPENDING":
		reply = pendingIdle.ReplaceAllString(reply, "$1:time\r\n")
	}
	return reply
}

func TestTimeless(t *testing.T) {
	require.Equal(t, "*1\r\n*4\r\n$3\r\n1-1\r\n$1\r\nc\r\n:time\r\n:2\r\n",
		timeless([]string{"XPENDING"}, "*1\r\n*4\r\n$3\r\n1-1\r\n$1\r\nc\r\n:17\r\n:2\r\n"))
	require.Equal(t, "$4\r\nidle\r\n:time\r\n:time\r\n:5\r\n", timeless([]string{"XINFO"}, "$4\r\nidle\r\n:0\r\n:1796278295593\r\n:5\r\n"))
}

var (
	streamKeys = []string{"s", "t", "u"}
	streamKey  = mostly(oneOf(streamKeys...), oneOf("missing", "string"))
	group      = mostly(oneOf("g", "h"), oneOf("none"))
	consumer   = oneOf("ann", "bob", "")
	oneToNine  = oneOf("1", "2", "3", "4", "5", "6", "7", "8", "9")
	// Most IDs are of a few milliseconds, so that those that are named exist.
	streamID = mostly(
		rapid.Custom(func(t *rapid.T) string { return oneToNine.Draw(t, "ms") + "-" + oneToNine.Draw(t, "seq") }),
		oneOf("0", "5", "300-1", "70000-2", "18446744073709551615-18446744073709551615", "18446744073709551615-18446744073709551614",
			"1-18446744073709551615", "x", "-", "+", "$", ">", "", "5-x", "007-1", "5--1", "0-0"))
	newID = mostly(rapid.Custom(func(t *rapid.T) string {
		return oneToNine.Draw(t, "ms") + oneOf("-*", "-*", "-*", "-1", "-9", "").Draw(t, "seq")
	}), rapid.OneOf(streamID, oneOf("300-*", "70000-*", "0-*", "4294967296-*")))
	boundID = rapid.Custom(func(t *rapid.T) string {
		return oneOf("", "", "(").Draw(t, "open") + oneOf("-", "+", streamID.Draw(t, "id"), streamID.Draw(t, "id")).Draw(t, "bound")
	})
	streamField  = oneOf("a", "a", "a", "temperature", "7", "", "-129", strings.Repeat("long", 20))
	streamValue  = oneOf("1", "x", "", "-1", "127", "128", "-4097", "40000", "9000000", "3000000000", "4611686018427387904", "9223372036854775808", "01", strings.Repeat("v", 70))
	streamPairs  = mostly(words("a", streamValue, "b", streamValue), repeat(3, words(streamField, streamValue)))
	streamCount  = mostly(oneOf("1", "2", "5", "100"), oneOf("0", "-1", "x"))
	streamCounts = some(words("COUNT", streamCount))
	idleTimes    = oneOf("0", "0", "50000", "-1")
	trimOptions  = mostly(
		rapid.OneOf(
			words("MAXLEN", some(words(oneOf("=", "~"))), oneOf("0", "1", "3", "5", "10", "20")),
			words("MINID", some(words(oneOf("=", "~"))), streamID),
			words("MAXLEN", "~", oneOf("0", "1", "3", "5", "10"), "LIMIT", oneOf("0", "1", "3", "10")),
			words("MINID", "~", streamID, "LIMIT", oneOf("0", "1", "3", "10")),
		),
		some(words("MAXLEN", oneOf("-1", "x", "5")), words("MINID", streamID), words("LIMIT", "5"), words("NOMKSTREAM")))
)

var streamCommand = rapid.OneOf(
	words("XADD", streamKey, newID, streamPairs),
	words("XADD", streamKey, newID, streamPairs),
	words("XADD", streamKey, newID, streamPairs, ";", "XINFO", "STREAM", oneOf(streamKeys...)),
	words("XADD", streamKey, some(words("NOMKSTREAM"), trimOptions), newID, streamPairs),
	words("XTRIM", streamKey, trimOptions),
	words("XDEL", streamKey, repeat(3, words(streamID))),
	words("XLEN", streamKey),
	words("XSETID", streamKey, streamID, some(words("ENTRIESADDED", oneOf("0", "5", "100", "-1")), words("MAXDELETEDID", streamID))),
	words("XRANGE", streamKey, boundID, boundID, streamCounts),
	words("XREVRANGE", streamKey, boundID, boundID, streamCounts),
	words("XREAD", streamCounts, "STREAMS", streamKey, streamID),
	words("XREAD", streamCounts, "STREAMS", "s", streamKey, streamID, mostly(streamID, oneOf("$"))),
	words("XREADGROUP", "GROUP", group, consumer, some(words("COUNT", streamCount), words("NOACK")), "STREAMS", streamKey, mostly(oneOf(">"), streamID)),
	words("XREADGROUP", "GROUP", group, consumer, some(words("COUNT", streamCount)), "STREAMS", "s", streamKey, ">", mostly(oneOf(">"), streamID)),
	words("XACK", streamKey, group, repeat(3, words(streamID))),
	words("XPENDING", streamKey, group),
	words("XPENDING", streamKey, group, some(words("IDLE", idleTimes)), boundID, boundID, streamCount, some(words(consumer))),
	words("XCLAIM", streamKey, group, consumer, idleTimes, repeat(3, words(streamID)), some(words("IDLE", oneOf("0", "200000")), words("TIME", oneOf("1", "99999999999999")),
		words("RETRYCOUNT", oneOf("0", "7", "-1")), words("FORCE"), words("JUSTID"), words("LASTID", streamID))),
	words("XAUTOCLAIM", streamKey, group, consumer, idleTimes, boundID, some(words("COUNT", streamCount), words("JUSTID"))),
	words("XGROUP", "CREATE", streamKey, group, mostly(streamID, oneOf("$")), some(words("MKSTREAM"), words("ENTRIESREAD", oneOf("0", "3", "-1", "-2")))),
	words("XGROUP", "SETID", streamKey, group, mostly(streamID, oneOf("$")), some(words("ENTRIESREAD", oneOf("0", "3", "-1", "-2")))),
	words("XGROUP", mostly(oneOf("CREATECONSUMER"), oneOf("DELCONSUMER")), streamKey, group, consumer),
	words("XGROUP", "DELCONSUMER", streamKey, group, consumer),
	mostly(words("XINFO", "GROUPS", streamKey), words("XGROUP", "DESTROY", streamKey, group)),
	words("XINFO", "GROUPS", streamKey),
	words("XINFO", "CONSUMERS", streamKey, group),
	words("XINFO", "STREAM", streamKey, some(words("FULL")), streamCounts),
	words("COPY", streamKey, streamKey, some(words("REPLACE"))),
	mostly(words("OBJECT", "ENCODING", streamKey), words(oneOf("DEL", "TYPE"), streamKey)),
)
