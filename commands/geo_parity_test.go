package commands_test

import (
	"io"
	"log/slog"
	"math"
	"math/rand/v2"
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

// Random histories of geo commands run here and on a real Redis. Every reply must
// be the same bytes, in both protocols, and so must the keyspace events: cells,
// printed distances, and the order of unsorted results, which shows the areas
// that were searched. Only a distance that is a score may be one bit off, where
// the sines of two libraries are.
func TestGeoParity(t *testing.T) {
	redis := redistest.Start(t)
	engine := commands.New(config.Default(), nil, slog.New(slog.NewTextHandler(io.Discard, nil)))
	rapid.Check(t, func(t *rapid.T) {
		proto := rapid.IntRange(2, 3).Draw(t, "proto")
		history := [][]string{
			{"FLUSHALL"}, {"SET", "string", "x"},
			{"CONFIG", "SET", "notify-keyspace-events", "KEA"},
			{"CONFIG", "SET", "zset-max-listpack-entries", oneOf("0", "4", "128").Draw(t, "entries")},
			{"CONFIG", "SET", "zset-max-listpack-value", oneOf("1", "64").Draw(t, "value")},
		}
		for range 20 { // a slice is short on average, and a history of slices can be cut anywhere
			for _, line := range rapid.SliceOfN(geoCommand, 0, 20).Draw(t, "history") {
				history = append(history, sequence(line)...)
			}
		}
		for _, key := range geoKeys {
			history = append(history, []string{"ZRANGE", key, "0", "-1", "WITHSCORES"}, []string{"OBJECT", "ENCODING", key}, []string{"EXPIRETIME", key})
		}
		want, wantEvents := replay(t, redis.Addr, proto, history)
		got, gotEvents := replayHere(engine, proto, history)
		for i, command := range history {
			if !nearlySame(want[i], got[i]) {
				require.Equal(t, want[i], got[i], "command %d: %q", i, command)
			}
		}
		require.Equal(t, wantEvents, gotEvents)
	})
}

// nearlySame reports whether two replies differ in nothing but the last bit of
// doubles.
func nearlySame(want, got string) bool {
	wantLines, gotLines := strings.Split(want, "\r\n"), strings.Split(got, "\r\n")
	if len(wantLines) != len(gotLines) {
		return false
	}
	for i, w := range wantLines {
		g := gotLines[i]
		if w == g {
			continue
		}
		if i+1 < len(wantLines) && strings.HasPrefix(w, "$") && strings.HasPrefix(g, "$") {
			continue // the length of what follows, which must be a number if it is another one
		}
		a, errA := strconv.ParseFloat(strings.TrimPrefix(w, ","), 64)
		b, errB := strconv.ParseFloat(strings.TrimPrefix(g, ","), 64)
		if errA != nil || errB != nil || !strings.ContainsAny(w, ".e") || math.Abs(a-b) > math.Abs(math.Nextafter(a, 0)-a)*2 {
			return false
		}
	}
	return true
}

func TestNearlySame(t *testing.T) {
	require.True(t, nearlySame("*1\r\n$18\r\n190.44242984775784\r\n", "*1\r\n$17\r\n190.4424298477578\r\n"))
	require.True(t, nearlySame(",190.44242984775784\r\n", ",190.44242984775787\r\n"))
	require.False(t, nearlySame("$8\r\n190.4424\r\n", "$8\r\n190.4425\r\n"))
	require.False(t, nearlySame("$1\r\na\r\n", "$1\r\nb\r\n"))
	require.False(t, nearlySame(":1\r\n", ":2\r\n"))
	require.False(t, nearlySame("*0\r\n", "*1\r\n:1\r\n"))
}

func degrees(low, high float64) *wordGen {
	return rapid.Custom(func(t *rapid.T) string { return formatFloat(rapid.Float64Range(low, high).Draw(t, "degrees")) })
}

func formatFloat(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

// placed draws a position and a member that is the only one to be there: what is
// first among members at the same distance is nobody's business.
var placed = rapid.Custom(func(t *rapid.T) []string {
	region := rapid.SampledFrom([][4]float64{{-180, 180, -85, 85}, {12, 18, 36, 39}, {12, 18, 36, 39}, {15, 15.01, 37, 37.01},
		{179, 180, -2, 2}, {-180, -179, -2, 2}, {-180, 180, 80, 85}, {-180, 180, -85, -80}}).Draw(t, "region")
	member := geoMember.Draw(t, "member")
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "place"), uint64(len(member))<<8|uint64(member[0])))
	return []string{formatFloat(region[0] + rng.Float64()*(region[1]-region[0])), formatFloat(region[2] + rng.Float64()*(region[3]-region[2])), member}
})

var (
	geoKeys   = []string{"g", "h", "d"}
	geoKey    = mostly(oneOf("g", "h", "d"), oneOf("missing", "string"))
	geoMember = oneOf("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "last", "east", "half", "most", "full")

	// All the world, a country of it, a town, the seams.
	lonLat = mostly(rapid.OneOf(
		words(degrees(-180, 180), degrees(-85.05112878, 85.05112878)),
		words(degrees(12, 18), degrees(36, 39)),
		words(degrees(12, 18), degrees(36, 39)),
		words(degrees(15, 15.01), degrees(37, 37.01)),
		words(degrees(179, 180), degrees(-2, 2)),
		words(degrees(-180, -179), degrees(-2, 2)),
		words(degrees(-180, 180), degrees(80, 85.05112878)),
		words(degrees(-180, 180), degrees(-85.05112878, -80)),
	), words(oneOf("180", "-180", "0", "13.361389"), oneOf("85.05112878", "-85.05112878", "0", "38.115556")))
	anyLonLat = mostly(lonLat, words(oneOf("181", "-180.1", "nan", "inf", "x", "", "0"), oneOf("86", "-inf", "1e300", "1e-300", " 1")))

	length = rapid.OneOf(degrees(0, 10), degrees(0, 1000), degrees(100, 30000), degrees(1e5, 3e7), oneOf("0", "1", "200", "5000"),
		mostly(oneOf("100", "1e4"), oneOf("-1", "x", "nan", "inf", "1e-300", "1e300")))
	lengthUnit = mostly(oneOf("m", "km", "KM", "ft", "mi"), oneOf("x", ""))

	geoFrom = mostly(rapid.OneOf(
		words("FROMLONLAT", anyLonLat),
		words("FROMMEMBER", geoMember),
	), words(oneOf("FROMLONLAT", "FROMMEMBER"), oneOf("1", "a")))
	geoBy = mostly(rapid.OneOf(
		words("BYRADIUS", length, lengthUnit),
		words("BYBOX", length, length, lengthUnit),
	), words(oneOf("BYRADIUS", "BYBOX"), oneOf("1", "km")))
	geoWith = rapid.OneOf(words(), words(oneOf("WITHDIST")), words(oneOf("withcoord", "WITHHASH", "WITHDIST"), "WITHDIST"), words("WITHCOORD", "WITHHASH", "WITHDIST"))
	geoSome = mostly(rapid.OneOf(words(), words("ASC"), words("DESC"), words("COUNT", oneOf("1", "2", "5", "100")),
		words("COUNT", oneOf("1", "2", "5"), "ANY"), words("COUNT", "3", "DESC"), words("ANY", "COUNT", "2", "ASC")),
		words(oneOf("COUNT", "ANY", "X", "ASC"), some(words(oneOf("0", "-1", "x", "9223372036854775808")))))
)

var geoCommand = rapid.OneOf(
	words("GEOADD", geoKey, repeat(6, placed)),
	words("GEOADD", geoKey, repeat(6, placed)),
	words("GEOADD", geoKey, repeat(2, words(oneOf("NX", "xx", "CH"))), repeat(3, placed)),
	words("GEOADD", geoKey, mostly(placed, words()), words(oneOf("181", "-180.1", "nan", "inf", "x", "", "0"), oneOf("86", "-inf", "1e300", "x", " 1"), "never")),
	rapid.SampledFrom([][]string{{"GEOADD", "g", "180", "85.05112878", "north-east"}, {"GEOADD", "h", "-180", "-85.05112878", "south-west"},
		{"GEOADD", "g", "180", "0", "east"}, {"GEOADD", "g", "0", "-85.05112878", "south"}, {"GEOADD", "g", "0", "0", "zero"}}),
	words("GEODIST", geoKey, geoMember, geoMember, mostly(some(words(lengthUnit)), words("km", "km"))),
	words(oneOf("GEOPOS", "GEOHASH"), geoKey, repeat(4, words(geoMember))),
	words("GEOSEARCH", geoKey, geoFrom, geoBy, geoWith, geoSome),
	words("GEOSEARCH", geoKey, geoFrom, geoBy, geoWith, geoSome),
	words("GEOSEARCH", geoKey, "FROMLONLAT", lonLat, "BYBOX", length, length, "km", geoWith),
	words("GEOSEARCH", geoKey, "FROMLONLAT", lonLat, "BYRADIUS", length, "km"),
	words("GEOSEARCH", geoKey, geoSome, geoBy, geoFrom, mostly(words(), geoFrom), mostly(words(), geoBy), geoWith),
	words("GEOSEARCHSTORE", oneOf("d", "string"), geoKey, geoFrom, geoBy, geoSome, mostly(some(words("STOREDIST")), geoWith)),
	words("GEORADIUS", geoKey, anyLonLat, length, lengthUnit, geoSome, mostly(geoWith, words(oneOf("STORE", "STOREDIST"), "d"))),
	words("GEORADIUS", geoKey, lonLat, length, "km", mostly(words(oneOf("STORE", "STOREDIST"), "d"), words("STORE")), geoSome),
	words("GEORADIUS_RO", geoKey, anyLonLat, length, lengthUnit, geoSome, mostly(geoWith, words("STORE", "d"))),
	words("GEORADIUSBYMEMBER", geoKey, geoMember, length, lengthUnit, geoSome, mostly(geoWith, words("STOREDIST", "d"))),
	words("GEORADIUSBYMEMBER_RO", geoKey, geoMember, length, lengthUnit, geoWith, geoSome),
	words("ZREM", geoKey, geoMember),
	rapid.SampledFrom([][]string{{"ZADD", "g", "-1", "minus"}, {"ZADD", "g", "0.5", "half"}, {"ZADD", "g", "4503599627370495", "last"}, {"ZADD", "g", "4503599627370496", "beyond"},
		{"ZADD", "g", "1e300", "huge"}, {"ZADD", "h", "-inf", "least"}, {"ZADD", "h", "inf", "most"}, {"ZADD", "h", "18446744073709551615", "full"}}),
	words("ZRANGE", geoKey, "0", "-1", "WITHSCORES"),
	words("DEL", geoKey),
	words("EXPIREAT", geoKey, "33177117420"),
	rapid.Custom(func(t *rapid.T) []string {
		return slices.Concat([]string{oneOf("GEOADD", "GEODIST", "GEOSEARCH", "GEOSEARCHSTORE", "GEORADIUS", "GEOPOS", "GEOHASH").Draw(t, "name")},
			repeat(6, words(geoKey)).Draw(t, "args"))
	}),
)
