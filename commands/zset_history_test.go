package commands_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"pgregory.net/rapid"
)

// What random histories of sorted set commands are made of. Few keys and
// members, so that commands meet; mostly arguments that are right, so that
// they do something.

type wordGen = rapid.Generator[string]
type wordsGen = rapid.Generator[[]string]

// words draws what its parts are: words, generators of a word, generators of
// words.
func words(parts ...any) *wordsGen {
	fixed := !slices.ContainsFunc(parts, func(part any) bool { _, ok := part.(string); return !ok })
	draw := func(t *rapid.T) (all []string) {
		for _, part := range parts {
			switch part := part.(type) {
			case string:
				all = append(all, part)
			case *wordGen:
				all = append(all, part.Draw(t, "word"))
			case *wordsGen:
				all = append(all, part.Draw(t, "words")...)
			default:
				panic(fmt.Sprintf("%T", part))
			}
		}
		return all
	}
	if fixed {
		return rapid.Just(draw(nil))
	}
	return rapid.Custom(draw)
}

func oneOf(words ...string) *wordGen { return rapid.SampledFrom(words) }

// mostly draws from the first generator nine times out of ten.
func mostly[V any](usual, rare *rapid.Generator[V]) *rapid.Generator[V] {
	return rapid.Custom(func(t *rapid.T) V {
		if rapid.SampledFrom([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}).Draw(t, "rare") == 9 {
			return rare.Draw(t, "rare")
		}
		return usual.Draw(t, "usual")
	})
}

// repeat draws from one to most times.
func repeat(most int, one *wordsGen) *wordsGen { return repeatN(1, most, one) }

func repeatN(least, most int, one *wordsGen) *wordsGen {
	return rapid.Custom(func(t *rapid.T) []string {
		return slices.Concat(rapid.SliceOfN(one, least, most).Draw(t, "repeat")...)
	})
}

// some draws some of the alternatives, in any order.
func some(alternatives ...*wordsGen) *wordsGen {
	return rapid.Custom(func(t *rapid.T) (all []string) {
		for _, one := range rapid.Permutation(alternatives).Draw(t, "order") {
			if rapid.Bool().Draw(t, "there") {
				all = append(all, one.Draw(t, "some")...)
			}
		}
		return all
	})
}

// Where scores differ a range of members means nothing, so some keys hold
// members of one score only. The keys string and text begin as strings, and
// single has one member, so that chance has no choice.
var zsetSetUp = [][]string{{"FLUSHALL"}, {"SET", "string", "x"}, {"SET", "text", "x"}, {"ZADD", "single", "1.5", "only"}}

var (
	mixedKeys = []string{"a", "b", "c", "d"}
	lexKeys   = []string{"l", "m"}

	mixedKey = mostly(oneOf(mixedKeys...), oneOf("missing", "string"))
	lexKey   = mostly(oneOf(lexKeys...), oneOf("none", "text"))
	anyKey   = rapid.OneOf(mixedKey, lexKey)

	member = oneOf("a", "b", "c", "d", "e", "f", "1", "2", "10", "-5", "007", "ab", "abcd", "", "\x00", "a\xff",
		"\xff\xff", strings.Repeat("long", 20), "NX", "weights")
	score = mostly(
		oneOf("0", "1", "2", "3", "-1", "0.1", "1.5", "inf", "-inf", "-0", "1e17", "-1e300", "123456789012345678",
			"4611686018427387904", "9223372036854775807", "0x1p3", "0xA", "3.0e-5", "Infinity", "+7", "5.", ".5", "1e-320",
			"17976931348623157e292"),
		oneOf("nan", "x", "", " 1", "1 ", "1e400", "1e-400", "0x", "1_0", "1\x00", "--1", "(1"))
	scoreBound = mostly(
		oneOf("-inf", "+inf", "0", "1", "2", "3", "(0", "(1", "(3", "-1", "(-inf", "(inf", "(1.5", "1e17", "0xA"),
		oneOf("-1e400", "1e400", "(", "", " 1", "( 2", "((1", "1\x002", "1e-400", "0x0_1", " ", "x", "nan", "1 ", "-", "[1"))
	lexBound = mostly(
		oneOf("-", "+", "[a", "(a", "[c", "(c", "[", "(", "[ab", "[\xff", "(\x00", "[1", "[abcd", "(f"),
		oneOf("-a", "+\x00a", "a", "", "1", "++"))
	integer = mostly(
		oneOf("0", "1", "2", "3", "5", "-1", "-2", "-3", "100", "-100", "9223372036854775807", "-9223372036854775808"),
		oneOf("x", "", "1.0", "01", "+1", "9223372036854775808"))
)

// counted draws a number of keys, mostly the right one, the keys, and after
// them some of the options, weights among them if so said.
func counted(weighed bool, options ...*wordsGen) *wordsGen {
	return rapid.Custom(func(t *rapid.T) []string {
		keys := rapid.SliceOfN(mixedKey, 1, 4).Draw(t, "keys")
		n := strconv.Itoa(len(keys))
		// Redis overflows at the largest number, and reads what is no argument.
		numkeys := mostly(rapid.Just(n), integer.Filter(func(n string) bool { return n != "9223372036854775807" }))
		command := words(numkeys, rapid.Just(keys)).Draw(t, "counted")
		after := slices.Clone(options)
		if weighed {
			weights := repeatN(len(keys), len(keys), words(score))
			after = append(after, words("WEIGHTS", mostly(weights, repeat(4, words(score)))))
		}
		return append(command, some(after...).Draw(t, "options")...)
	})
}

var (
	limit      = words(oneOf("LIMIT", "limit"), integer, integer)
	withScores = words("WITHSCORES")
	rev        = words("REV")
	aggregate  = words("AGGREGATE", mostly(oneOf("SUM", "min", "MAX"), oneOf("AVG")))

	zaddOptions = mostly(
		rapid.SampledFrom([][]string{{}, {"NX"}, {"xx"}, {"GT"}, {"lt"}, {"CH"}, {"XX", "GT"}, {"LT", "CH", "XX"}, {"NX", "CH", "CH"}}),
		some(words("NX"), words("xx"), words("GT"), words("lt"), words("CH"), words("INCR")))
	byScoreOptions = mostly(some(rev, limit, withScores), some(words("BYSCORE"), words("BYLEX"), words("X"), words("REV", "REV")))
)

var zsetCommand = rapid.OneOf(
	words("ZADD", mixedKey, repeat(4, words(score, member))),
	words("ZADD", mixedKey, repeat(4, words(score, member))),
	words("ZADD", mixedKey, zaddOptions, repeat(3, words(score, member))),
	words("ZADD", mixedKey, "INCR", zaddOptions, score, member),
	words("ZADD", mixedKey, zaddOptions, repeat(3, words(score))),
	words("ZADD", lexKey, repeat(6, words("7", member))),
	words("ZADD", lexKey, some(words("NX"), words("xx"), words("GT"), words("CH")), repeat(3, words("7", member))),
	words("ZINCRBY", mixedKey, mostly(score, oneOf("NX", "incr")), member),
	words("ZREM", anyKey, repeat(4, words(member))),
	words("ZCARD", anyKey),
	words("ZSCORE", anyKey, member),
	words("ZMSCORE", anyKey, repeat(4, words(member))),
	words(oneOf("ZRANK", "ZREVRANK"), anyKey, member),
	words(oneOf("ZCOUNT", "ZREMRANGEBYSCORE"), anyKey, scoreBound, scoreBound),
	words(oneOf("ZLEXCOUNT", "ZREMRANGEBYLEX"), lexKey, lexBound, lexBound),
	words("ZREMRANGEBYRANK", anyKey, integer, integer),
	words(oneOf("ZRANGE", "ZREVRANGE"), anyKey, integer, integer, mostly(some(withScores), some(withScores, limit, rev))),
	words("ZRANGE", anyKey, scoreBound, scoreBound, "BYSCORE", byScoreOptions),
	words("ZRANGE", lexKey, lexBound, lexBound, "BYLEX", mostly(some(rev, limit), some(withScores, limit))),
	words(oneOf("ZRANGEBYSCORE", "ZREVRANGEBYSCORE"), anyKey, scoreBound, scoreBound, mostly(some(withScores, limit), some(rev))),
	words(oneOf("ZRANGEBYLEX", "ZREVRANGEBYLEX"), lexKey, lexBound, lexBound, mostly(some(limit), withScores)),
	words("ZRANGESTORE", mixedKey, anyKey, integer, integer, mostly(some(rev), some(rev, withScores, limit))),
	words("ZRANGESTORE", mixedKey, anyKey, scoreBound, scoreBound, "BYSCORE", byScoreOptions),
	words("ZRANGESTORE", lexKey, lexKey, lexBound, lexBound, "BYLEX", some(rev, limit)),
	words(oneOf("ZPOPMIN", "ZPOPMAX"), anyKey),
	words(oneOf("ZPOPMIN", "ZPOPMAX"), anyKey, mostly(words(integer), repeat(2, words(integer)))),
	words("ZMPOP", counted(false), mostly(oneOf("MIN", "max"), oneOf("X")), mostly(some(words("COUNT", integer)), some(words("COUNT", "1"), words("COUNT", "1"), words("X")))),
	words("BZMPOP", mostly(oneOf("0", "0.1", "1"), oneOf("-1", "x", "1e20")), counted(false), mostly(oneOf("MIN", "max"), oneOf("X")), some(words("COUNT", integer))),
	words(oneOf("BZPOPMIN", "BZPOPMAX"), repeat(3, words(anyKey)), mostly(oneOf("0", "0.1", "1"), oneOf("-1", "x", "1e20"))),
	words("ZRANDMEMBER", oneOf("single", "nothing"), mostly(words(oneOf("1", "-1", "-3", "0"), some(withScores)), some())),
	words("ZRANDMEMBER", anyKey, mostly(oneOf("0", "100", "9223372036854775807"), oneOf("-9223372036854775808", "x", "")), mostly(some(withScores), words("X"))),
	words(oneOf("ZUNION", "ZINTER"), counted(true, aggregate, withScores)),
	words(oneOf("ZUNIONSTORE", "ZINTERSTORE"), mixedKey, counted(true, aggregate)),
	words("ZDIFF", counted(false, withScores)),
	words("ZDIFFSTORE", mixedKey, counted(false)),
	words(oneOf("ZUNIONSTORE", "ZDIFFSTORE", "ZUNION", "ZDIFF"), counted(true, withScores, words("LIMIT", "1"), words("X"))),
	words("ZINTERCARD", counted(false, mostly(words("LIMIT", integer), withScores))),
	words("ZSCAN", anyKey, mostly(oneOf("0", "+0"), oneOf("", "x", " 0", "-0", "18446744073709551616")),
		mostly(words("MATCH", oneOf("*", "a*", "[0-9]*", "")), words(oneOf("COUNT", "X"), oneOf("0", "-1", "x"))), mostly(words("COUNT", "1000"), words("COUNT"))),
	words("DEL", anyKey),
	words("EXPIREAT", anyKey, "33177117420"),
	words("OBJECT", "ENCODING", anyKey),
	words("EXISTS", anyKey),
	words(oneOf("ZADD", "ZRANGE", "ZUNION", "ZMPOP", "ZSCORE", "ZPOPMIN", "ZRANGESTORE", "BZMPOP"), repeat(3, words(anyKey))),
)

// largeSets fills the keys: a with scores that are evenly spread, b with
// skewed ones, c with random ones that repeat, and l with a single one.
func largeSets(t *rapid.T) (history [][]string) {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	for _, key := range []string{"a", "b", "c", "l"} {
		command := []string{"ZADD", key}
		for i := range 1000 {
			score := map[string]float64{"a": float64(i), "b": math.Exp(float64(i) / 10), "c": float64(rng.IntN(50)) / 4}[key]
			command = append(command, fmt.Sprint(score), fmt.Sprintf("m%03d", rng.IntN(1000)))
		}
		history = append(history, command)
	}
	return history
}

var (
	largeKey    = oneOf("a", "b", "c", "l")
	largeMember = rapid.Map(rapid.IntRange(0, 999), func(i int) string { return fmt.Sprintf("m%03d", i) })
	largeRank   = rapid.Map(rapid.IntRange(-700, 700), strconv.Itoa)
	largeScore  = rapid.Map(rapid.IntRange(-10, 1010), func(i int) string { return fmt.Sprintf("%s%g", []string{"", "("}[i&1], float64(i)/2) })
	largeLex    = rapid.Map(largeMember, func(m string) string { return []string{"[", "("}[m[3]&1] + m })
	largeLimit  = words("LIMIT", rapid.Map(rapid.IntRange(0, 500), strconv.Itoa), rapid.Map(rapid.IntRange(-1, 50), strconv.Itoa))
)

var largeCommand = rapid.OneOf(
	words(oneOf("ZRANK", "ZREVRANK", "ZSCORE", "ZREM"), largeKey, largeMember),
	words("ZADD", oneOf("a", "b", "c"), rapid.Map(rapid.IntRange(0, 1000), strconv.Itoa), largeMember),
	words(oneOf("ZRANGE", "ZREVRANGE"), largeKey, largeRank, largeRank, some(withScores)),
	words(oneOf("ZRANGEBYSCORE", "ZREVRANGEBYSCORE"), largeKey, largeScore, largeScore, some(withScores, largeLimit)),
	words(oneOf("ZRANGEBYLEX", "ZREVRANGEBYLEX"), "l", largeLex, largeLex, some(largeLimit)),
	words("ZCOUNT", largeKey, largeScore, largeScore),
	words("ZLEXCOUNT", "l", largeLex, largeLex),
	words(oneOf("ZPOPMIN", "ZPOPMAX"), largeKey, oneOf("1", "3", "20")),
	words("ZREMRANGEBYRANK", largeKey, largeRank, largeRank),
	words("ZREMRANGEBYSCORE", largeKey, largeScore, largeScore),
	words("ZREMRANGEBYLEX", "l", largeLex, largeLex),
	words(oneOf("ZUNION", "ZINTER", "ZDIFF"), "2", largeKey, largeKey, some(withScores)),
	words(oneOf("ZUNIONSTORE", "ZINTERSTORE"), "d", "3", largeKey, largeKey, largeKey, some(aggregate, words("WEIGHTS", "2", "-0.1", "3"))),
	words("ZRANGESTORE", "d", largeKey, largeRank, largeRank),
	words("ZSCAN", oneOf("a", "b", "c", "d", "l"), "0", "COUNT", "10000"),
	words("ZRANGE", "d", "0", "-1", "WITHSCORES"),
)
