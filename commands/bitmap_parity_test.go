package commands_test

import (
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"myredis/commands"
	"myredis/internal/config"
	"myredis/internal/redistest"
)

// Random histories of bit commands run here and on a real Redis. Every reply
// must be the same bytes, and so must the keyspace events.
func TestBitmapParity(t *testing.T) {
	redis := redistest.Start(t, "--enable-debug-command", "yes")
	engine := commands.New(config.Default(), nil, slog.New(slog.NewTextHandler(io.Discard, nil)))
	rapid.Check(t, func(t *rapid.T) {
		// Keys that are overdue are left to the look-ups.
		quiet := dialRedis(t, redis.Addr)
		defer quiet.Close()
		quiet.send([]string{"DEBUG", "SET-ACTIVE-EXPIRE", "0"}, []string{"ECHO", marker})
		require.Equal(t, "+OK\r\n", quiet.untilMarker())
		proto := rapid.IntRange(2, 3).Draw(t, "proto")
		history := [][]string{{"FLUSHALL"}, {"CONFIG", "SET", "notify-keyspace-events", "KEA"},
			{"CONFIG", "SET", "proto-max-bulk-len", "1048576"}, {"ZADD", "zset", "1", "one"}}
		for range 20 { // a slice is short on average, and a history of slices can be cut anywhere
			for _, line := range rapid.SliceOfN(bitCommand, 0, 20).Draw(t, "history") {
				history = append(history, sequence(line)...)
			}
		}
		for _, key := range bitKeys {
			history = append(history, []string{"OBJECT", "ENCODING", key}, []string{"GET", key})
		}
		want, wantEvents := replay(t, redis.Addr, proto, history)
		got, gotEvents := replayHere(engine, proto, history)
		for i, command := range history {
			require.Equal(t, want[i], got[i], "command %d: %q", i, command)
		}
		require.Equal(t, wantEvents, gotEvents)
	})
}

var (
	bitKeys = []string{"a", "b", "c", "long"}
	bitKey  = mostly(oneOf(bitKeys...), oneOf("missing", "zset"))
	bit     = mostly(oneOf("0", "1"), oneOf("2", "-1", "x", ""))
	bitAt   = mostly(oneOf("0", "1", "7", "8", "13", "63", "64", "70", "255", "700"), oneOf("-1", "x", "", "8388607", "8388608", "9223372036854775807", "#1"))
	// Ends of ranges in bytes and in bits.
	bitEnd  = mostly(oneOf("0", "1", "-1", "2", "-2", "7", "8", "-8", "15", "-17", "60", "63", "64", "700", "-1000"), oneOf("x", "", "9223372036854775807", "-9223372036854775808"))
	bitUnit = mostly(some(words(oneOf("BIT", "BYTE", "bit"))), words(oneOf("BITS", "")))
	bitText = rapid.OneOf(
		oneOf("", "0", "12345", "-7", "\x00", "\xff", "foobar", "\xff\xff\xf0", "\x00\x00\x0f"),
		oneOf(strings.Repeat("\xff", 40), strings.Repeat("\x00", 45), strings.Repeat("\xff", 70)+"\x7f", strings.Repeat("\x00", 70)+"\x01", strings.Repeat("ab\x80", 30)))

	fieldType   = mostly(oneOf("u1", "i1", "u2", "i3", "u8", "i8", "u13", "i16", "u31", "i32", "u63", "i63", "i64"), oneOf("u64", "i65", "u0", "x8", "", "i", "i08", "U8"))
	fieldAt     = mostly(oneOf("0", "1", "3", "7", "8", "#1", "#2", "63", "64", "#9", "150"), oneOf("-1", "x", "#", "#-1", "8388607", "#9223372036854775807"))
	fieldNumber = mostly(
		oneOf("0", "1", "-1", "2", "-2", "100", "127", "128", "-128", "-129", "255", "256", "9223372036854775807", "-9223372036854775808", "-9223372036854775681", "4294967296"),
		oneOf("x", "", "9223372036854775808"))
	fieldOp = mostly(rapid.OneOf(
		words(oneOf("GET", "get"), fieldType, fieldAt),
		words(oneOf("SET", "set"), fieldType, fieldAt, fieldNumber),
		words(oneOf("INCRBY", "incrby"), fieldType, fieldAt, fieldNumber),
		words(oneOf("OVERFLOW", "overflow"), oneOf("WRAP", "SAT", "FAIL", "fail")),
	), words(oneOf("GET", "SET", "X", "OVERFLOW", "INCRBY"), fieldType))
)

var bitCommand = rapid.OneOf(
	words("SET", bitKey, bitText),
	words("SETBIT", bitKey, bitAt, bit),
	words("SETBIT", bitKey, bitAt, bit),
	words("GETBIT", bitKey, bitAt),
	words("BITCOUNT", bitKey),
	words("BITCOUNT", bitKey, bitEnd, bitEnd, bitUnit),
	words("BITPOS", bitKey, bit),
	words("BITPOS", bitKey, bit, bitEnd),
	words("BITPOS", bitKey, bit, bitEnd, bitEnd, bitUnit),
	words(oneOf("BITCOUNT", "BITPOS"), repeat(6, words(bit))),
	words("BITOP", oneOf("AND", "OR", "XOR", "and"), bitKey, repeat(4, words(bitKey))),
	words("BITOP", "NOT", bitKey, mostly(words(bitKey), words("a", "b"))),
	words("BITOP", oneOf("NAND", ""), bitKey, bitKey),
	words("BITFIELD", bitKey, repeat(4, fieldOp)),
	words("BITFIELD", bitKey, repeat(4, fieldOp)),
	words("BITFIELD", oneOf("fresh"), "SET", "u8", "0", fieldNumber, ";", "DEL", "fresh"),
	words("BITFIELD_RO", bitKey, repeat(3, mostly(words("GET", fieldType, fieldAt), fieldOp))),
	words("DEL", bitKey),
	words("EXPIREAT", bitKey, "33177117420"),
	words("SET", bitKey, "overdue", "PXAT", "1", ";", rapid.OneOf(words("BITOP", "NOT"), words("BITCOUNT"), words("BITFIELD")), bitKey, bitKey),
	words("COMMAND", "GETKEYSANDFLAGS", "BITFIELD", bitKey, repeat(3, fieldOp)),
)
