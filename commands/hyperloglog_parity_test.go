package commands_test

import (
	"io"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"myredis/commands"
	"myredis/internal/config"
	"myredis/internal/redistest"
)

// Random histories of HyperLogLog commands run here and on a real Redis. The
// strings themselves are compared, and they are broken on the way: what either
// makes of a broken one is part of the reply.
func TestHyperLogLogParity(t *testing.T) {
	redis := redistest.Start(t)
	engine := commands.New(config.Default(), nil, slog.New(slog.NewTextHandler(io.Discard, nil)))
	rapid.Check(t, func(t *rapid.T) {
		proto := rapid.IntRange(2, 3).Draw(t, "proto")
		history := [][]string{
			{"FLUSHALL"}, {"ZADD", "zset", "1", "one"}, {"SET", "integer", "7"}, {"SET", "string", "a string of more bytes than a header has"},
			{"CONFIG", "SET", "notify-keyspace-events", "KEA"},
			{"CONFIG", "SET", "hll-sparse-max-bytes", oneOf("0", "18", "30", "200", "3000", "16000").Draw(t, "sparse")},
		}
		for range 10 { // a slice is short on average, and a history of slices can be cut anywhere
			for _, line := range rapid.SliceOfN(sketchCommand, 0, 10).Draw(t, "history") {
				history = append(history, sequence(line)...)
			}
		}
		for _, key := range sketchKeys {
			history = append(history, []string{"GET", key}, []string{"PFCOUNT", key}, []string{"GET", key}, []string{"PFDEBUG", "GETREG", key},
				[]string{"OBJECT", "ENCODING", key}, []string{"GET", key}, []string{"EXPIRETIME", key})
		}
		requireSame(t, redis.Addr, engine, proto, history)
	})
}

var (
	sketchKeys = []string{"h", "i", "j"}
	sketchKey  = mostly(oneOf(sketchKeys...), oneOf("missing", "zset", "integer", "string"))

	// Few elements to have some again, ranges of many to fill registers.
	element  = rapid.OneOf(oneOf("", "a", "b", "\x00", "\xff\x00\xff", "12345678", "123456789", strings.Repeat("long", 50)), oneOf("1", "2", "3", "4", "5"))
	sketched = rapid.Custom(func(t *rapid.T) (elements []string) {
		base := rapid.IntRange(0, 20_000).Draw(t, "base")
		for i := range rapid.SampledFrom([]int{1, 2, 10, 100, 2000}).Draw(t, "n") {
			elements = append(elements, strconv.Itoa(base+i))
		}
		return elements
	})

	// damage overwrites the header, the first runs, or what dense registers there
	// are. Nothing is added to broken runs: Redis writes beyond the end of some,
	// and finds there later what it has written.
	damage = rapid.Custom(func(t *rapid.T) []string {
		key := oneOf(sketchKeys...).Draw(t, "key")
		offset := rapid.OneOf(rapid.IntRange(0, 16), rapid.IntRange(8, 60), rapid.IntRange(12200, 12310)).Draw(t, "offset")
		bytes := rapid.OneOf(rapid.SliceOfN(rapid.Byte(), 1, 4), rapid.SampledFrom([][]byte{{0x7f, 0xff}, {0x40}, {0x80}, {0}, {1}, {0xff}})).Draw(t, "bytes")
		line := []string{"SETRANGE", key, strconv.Itoa(offset), strings.ReplaceAll(string(bytes), ";", ":"), ";", "GET", key, ";", "PFCOUNT", key, ";", "PFDEBUG", "DECODE", key, ";"}
		if offset > 12200 { // only a dense one is that long
			return slices.Concat([]string{"PFDEBUG", "TODENSE", key, ";"}, line, []string{"PFADD", key, "x"})
		}
		return append(line, "PFMERGE", key, key, ";", "PFDEBUG", "TODENSE", key, ";", "DEL", key)
	})
)

var sketchCommand = rapid.OneOf(
	words("PFADD", sketchKey, repeat(4, words(element))),
	words("PFADD", sketchKey, sketched),
	words("PFADD", sketchKey, sketched),
	words("PFADD", sketchKey),
	words("PFCOUNT", sketchKey),
	words("PFCOUNT", sketchKey, repeat(3, words(sketchKey))),
	words("PFMERGE", sketchKey, repeat(3, words(sketchKey))),
	words("PFMERGE", sketchKey),
	words("PFDEBUG", oneOf("GETREG", "DECODE", "ENCODING", "todense", "X"), sketchKey),
	words("PFDEBUG", oneOf("DECODE", "ENCODING"), sketchKey),
	words("GET", sketchKey),
	words("OBJECT", "ENCODING", sketchKey),
	words("SET", sketchKey, oneOf("HYLL\x01\x00\x00\x00\x07\x00\x00\x00\x00\x00\x00\x00\x7f\xff",
		"HYLL\x01\x00\x00\x00\x07\x00\x00\x00\x00\x00\x00\x80\x7f\xfe\x00",
		"HYLL\x01\x00\x00\x00\x07\x00\x00\x00\x00\x00\x00\x80\x40\x00\x7f\xfe",
		"HYLL\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80\x7f\xff\x80")),
	words("APPEND", oneOf(sketchKeys...), oneOf("\x00", "\x80", "hello")),
	damage,
	words("COPY", sketchKey, sketchKey, "REPLACE"),
	words("DEL", sketchKey),
	words("EXPIREAT", sketchKey, "33177117420"),
	words(oneOf("PFADD", "PFCOUNT", "PFMERGE", "PFDEBUG")),
)
