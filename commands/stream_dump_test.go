package commands_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// streamHistories make a stream "s" of every shape: entries of the same and of
// other fields, several nodes, holes, groups with and without consumers. Those
// that are exact have no hole in a node, which is written differently here, and no
// instants.
var streamHistories = []struct {
	name  string
	exact bool
	lines string
}{
	{"one entry", true, "XADD s 1-1 a 1"},
	{"the same fields", true, "XADD s 1-1 a 1 b x;XADD s 1-2 a 2 b y;XADD s 5-1 a 3000000000 b -1"},
	{"other fields", true, "XADD s 1-1 a 1;XADD s 1-2 b 1;XADD s 2-0 a 1 a 2;XADD s 300-7 7 8;XADD s 9999999999999-1 a 01"},
	{"numbers that run backwards", true, "XADD s 1-18446744073709551615 a 1;XADD s 2-1 a 1;XADD s 18446744073709551615-1 a 1"},
	{"empty", true, "XGROUP CREATE s g $ MKSTREAM"},
	{"emptied", true, "XADD s 1-1 a 1;XDEL s 1-1"},
	{"holes", false, "XADD s 1-1 a 1;XADD s 1-2 b 2;XADD s 1-3 b 3;XDEL s 1-1"},
	{"set IDs", true, "XADD s 1-1 a 1;XSETID s 9-9 ENTRIESADDED 100 MAXDELETEDID 5-5"},
	{"groups", true, "XADD s 1-1 a 1;XADD s 1-2 a 2;XADD s 1-3 a 3;XGROUP CREATE s g 0;XGROUP CREATE s h 1-2 ENTRIESREAD 2;XGROUP CREATE s 12 $"},
	{"pending", false, "XGROUP CREATE s h $ MKSTREAM;XGROUP CREATECONSUMER s h nobody;XADD s 1-1 a 1;XADD s 1-2 a 2;XADD s 1-3 a 3;XGROUP CREATE s g 0;XREADGROUP GROUP g ann COUNT 1 STREAMS s >;" +
		"XREADGROUP GROUP g bob STREAMS s >;XREADGROUP GROUP g bob STREAMS s 0;XACK s g 1-2;XDEL s 1-1;XCLAIM s g eve 0 1-3 RETRYCOUNT 7"},
}

// Streams go from here to Redis and back and stay what they were, to the
// instants at which they were delivered.
func TestStreamDumpParity(t *testing.T) {
	here, redis := debuggable(t)
	long := make([]string, 0, 350)
	for i := range 350 {
		long = append(long, "XADD s "+strconv.Itoa(i*i+1)+"-1 field value"+strconv.Itoa(i)+" n "+strconv.Itoa(i))
	}
	histories := append(streamHistories, struct {
		name  string
		exact bool
		lines string
	}{"nodes", true, strings.Join(long, ";")})
	for _, h := range histories {
		var dumps, digests [2]string
		for i, server := range []rawServer{here, redis} {
			server("FLUSHALL")
			server("CONFIG", "SET", "rdbcompression", "no")
			for line := range strings.SplitSeq(h.lines, ";") {
				reply := server(strings.Fields(line)...)
				require.NotEqual(t, "-", reply[:1], "%s: %s: %s", h.name, line, reply)
			}
			dumps[i], digests[i] = bulk(t, server("DUMP", "s")), server("DEBUG", "DIGEST-VALUE", "s")
		}
		require.Equal(t, digests[1], digests[0], h.name)
		if h.exact {
			require.Equal(t, fmt.Sprintf("%q", dumps[1]), fmt.Sprintf("%q", dumps[0]), h.name)
		}
		for from, dump := range dumps {
			name := fmt.Sprint(h.name, ", dump ", from)
			for _, server := range []rawServer{here, redis} {
				require.Equal(t, "+OK\r\n", server("RESTORE", "s", "0", dump, "REPLACE"), name)
				require.Equal(t, digests[0], server("DEBUG", "DIGEST-VALUE", "s"), name)
				require.Equal(t, "+OK\r\n", server("DEBUG", "RELOAD"), name)
				require.Equal(t, digests[0], server("DEBUG", "DIGEST-VALUE", "s"), name)
			}
			require.Equal(t, described(redis), described(here), name)
			require.Equal(t, redis("XADD", "s", "18446744073709551615-18446744073709551615", "a", "1"), here("XADD", "s", "18446744073709551615-18446744073709551615", "a", "1"), name)
		}
	}
}

var (
	idle  = regexp.MustCompile(`idle\r\n:\d+`)
	nodes = regexp.MustCompile(`radix-tree-(keys|nodes)\r\n:\d+`)
)

// described is all that a server tells of a stream, but how long ago something
// was and how it keeps it.
func described(server rawServer) string {
	full := server("XINFO", "STREAM", "s", "FULL", "COUNT", "0")
	return nodes.ReplaceAllString(full, "") + idle.ReplaceAllString(server("XINFO", "CONSUMERS", "s", "h"), "")
}

// A stream of Redis 5 or 6 does not say how much has been added or read.
func TestStreamOfRedis6(t *testing.T) {
	here, redis := debuggable(t)
	dump := "\x0f\x01\x10\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x01" +
		"\x1d\x1d\x00\x00\x00\x0a\x00\x01\x01\x00\x01\x01\x01\x81a\x02\x00\x01\x02\x01\x00\x01\x00\x01\x81x\x02\x04\x01\xff" +
		"\x01\x01\x01\x02\x01g\x01\x01\x00\x00\x01h\x00\x00\x00\x00" + "\x09\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	for _, server := range []rawServer{here, redis} {
		server("DEBUG", "SET-SKIP-CHECKSUM-VALIDATION", "1")
		require.Equal(t, "+OK\r\n", server("RESTORE", "s", "0", dump))
	}
	require.Equal(t, described(redis), described(here))
	require.Equal(t, redis("DUMP", "s"), here("DUMP", "s"))
}
