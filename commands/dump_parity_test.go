package commands_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"myredis/internal/config"
)

// debuggable starts this server and a real Redis with DEBUG permitted.
func debuggable(t *testing.T) (here, redis rawServer) {
	cfg := config.Default()
	cfg.EnableDebugCommand = "yes"
	return rawEngineOf(cfg), rawRedis(t, "--enable-debug-command", "yes")
}

// dumpCase makes a key "k". The dump of what has an order is the same bytes on
// both servers; of what has none, or is compressed, it is not.
type dumpCase struct {
	name  string
	exact bool
	make  [][]string
}

// interesting strings: what is and is not an integer, at every limit of every
// encoding, short and long, compressible or not.
func interesting(rng *rand.Rand) []string {
	list := []string{"", "a", "-0", "01", "+1", " 1", "1.5", "9223372036854775808", "\x00\xff\r\n"}
	for _, shift := range []uint{0, 6, 7, 8, 12, 13, 15, 16, 23, 24, 31, 32, 47, 62, 63} {
		for _, n := range []int64{1<<shift - 1, 1 << shift, 1<<shift + 1} {
			list = append(list, strconv.FormatInt(n, 10), strconv.FormatInt(-n, 10))
		}
	}
	for _, n := range []int{11, 12, 20, 21, 44, 45, 63, 64, 65, 127, 128, 253, 254, 255, 300, 4095, 4096, 16383, 16384, 70000} {
		list = append(list, strings.Repeat("ab", n)[:n], noise(rng, n))
	}
	return list
}

func noise(rng *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return string(b)
}

func dumpCases(rng *rand.Rand) (cases []dumpCase) {
	strs := interesting(rng)
	add := func(exact bool, name string, commands ...[]string) {
		cases = append(cases, dumpCase{name, exact, commands})
	}
	for i, s := range strs {
		add(true, fmt.Sprintf("string %d of %d bytes", i, len(s)), []string{"SET", "k", s})
		add(true, fmt.Sprintf("list of string %d", i), []string{"RPUSH", "k", s, "x", s, s})
		add(true, fmt.Sprintf("packed hash of string %d", i), []string{"CONFIG", "SET", "hash-max-listpack-value", "100000"}, []string{"HSET", "k", s, "v", "f", s})
		add(true, fmt.Sprintf("packed sorted set of string %d", i), []string{"CONFIG", "SET", "zset-max-listpack-value", "100000"}, []string{"ZADD", "k", "1", s, "2", "x"})
		add(false, fmt.Sprintf("hash of string %d", i), []string{"CONFIG", "SET", "hash-max-listpack-entries", "0"}, []string{"HSET", "k", s, "v", "f", s})
		add(false, fmt.Sprintf("set of string %d", i), []string{"SADD", "k", s, "member"})
		if n, err := strconv.ParseInt(s, 10, 64); err == nil && strconv.FormatInt(n, 10) == s {
			add(true, fmt.Sprintf("integers and %q", s), []string{"SADD", "k", s, "1", "2", "-3"})
		}
	}
	for _, score := range []string{"0", "-0", "1", "-1", "1.5", "0.1", "1e300", "-1e-300", "inf", "-inf", "123456789012345678", "3.0000000000000001", "1e17", "100000000000000000000"} {
		add(true, "packed score "+score, []string{"ZADD", "k", score, "m", "7", "n"})
		add(true, "score "+score, []string{"CONFIG", "SET", "zset-max-listpack-entries", "0"}, []string{"ZADD", "k", score, "m", "7", "n"})
	}
	for _, n := range []int{1, 2, 100, 127, 128, 129, 511, 512, 513, 3000, 9000} {
		integers, members, pairs, scored, elements := []string{"SADD", "k"}, []string{"SADD", "k"}, []string{"HSET", "k"}, []string{"ZADD", "k"}, []string{"RPUSH", "k"}
		for i := range n {
			integers = append(integers, strconv.Itoa(i*i))
			members = append(members, "member:"+strconv.Itoa(i))
			elements = append(elements, "element:"+strconv.Itoa(i), strconv.Itoa(i*i*i))
			pairs = append(pairs, "field:"+strconv.Itoa(i), strconv.Itoa(i))
			scored = append(scored, strconv.FormatFloat(math.Sqrt(float64(i)), 'g', -1, 64), "member:"+strconv.Itoa(i))
		}
		add(n <= 512, fmt.Sprint(n, " integers"), integers)
		add(true, fmt.Sprint(n, " elements"), elements)
		add(n <= 512, fmt.Sprint(n, " fields"), pairs)
		add(true, fmt.Sprint(n, " scores"), scored)
		add(false, fmt.Sprint(n, " members"), members)
		if n > 512 {
			add(true, fmt.Sprint(n, " packed fields"), []string{"CONFIG", "SET", "hash-max-listpack-entries", "100000"}, pairs)
			add(true, fmt.Sprint(n, " sorted integers"), []string{"CONFIG", "SET", "set-max-intset-entries", "100000"}, integers)
		}
	}
	return cases
}

var dumpDefaults = [][]string{
	{"FLUSHALL"}, {"CONFIG", "SET", "hash-max-listpack-entries", "512", "hash-max-listpack-value", "64",
		"zset-max-listpack-entries", "128", "zset-max-listpack-value", "64", "set-max-intset-entries", "512"},
}

// What this server dumps, Redis restores, and the other way round, in every
// encoding, compressed or not. Where what is dumped has an order and is not
// compressed, it is the same bytes.
func TestDumpParity(t *testing.T) {
	here, redis := debuggable(t)
	cases := dumpCases(rand.New(rand.NewPCG(7, 0)))
	if testing.Short() {
		cases = cases[:50]
	}
	for _, compression := range []string{"no", "yes"} {
		for _, c := range cases {
			name := fmt.Sprintf("compression %s: %s", compression, c.name)
			var dumps, digests [2]string
			for i, server := range []rawServer{here, redis} {
				for _, command := range append(dumpDefaults, append(c.make, []string{"CONFIG", "SET", "rdbcompression", compression})...) {
					require.NotContains(t, server(command...), "ERR", name)
				}
				dumps[i], digests[i] = bulk(t, server("DUMP", "k")), server("DEBUG", "DIGEST-VALUE", "k")
				require.Equal(t, here("OBJECT", "ENCODING", "k"), server("OBJECT", "ENCODING", "k"), name)
			}
			require.Equal(t, digests[1], digests[0], name)
			if c.exact && compression == "no" {
				require.Equal(t, fmt.Sprintf("%q", dumps[1]), fmt.Sprintf("%q", dumps[0]), name)
			}
			for d, dumped := range dumps {
				name := name + [...]string{", written here", ", written by Redis"}[d]
				for _, server := range []rawServer{here, redis} {
					require.Equal(t, "+OK\r\n", server("RESTORE", "k", "0", dumped, "REPLACE"), name)
					require.Equal(t, digests[0], server("DEBUG", "DIGEST-VALUE", "k"), name)
				}
				require.Equal(t, redis("OBJECT", "ENCODING", "k"), here("OBJECT", "ENCODING", "k"), name)
				// Under limits other than those under which it was written.
				for _, server := range []rawServer{here, redis} {
					server("CONFIG", "SET", "hash-max-listpack-entries", "1", "zset-max-listpack-entries", "1", "set-max-intset-entries", "1")
					require.Equal(t, "+OK\r\n", server("RESTORE", "k", "0", dumped, "REPLACE"), name)
					require.Equal(t, digests[0], server("DEBUG", "DIGEST-VALUE", "k"), name)
				}
				require.Equal(t, redis("OBJECT", "ENCODING", "k"), here("OBJECT", "ENCODING", "k"), name)
			}
		}
	}
}
