package wire_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/resp"
	"pgregory.net/rapid"

	"myredis/wire"
)

func TestReplies(t *testing.T) {
	tests := []struct {
		name         string
		reply        func(e *wire.Encoder)
		resp2, resp3 string
	}{
		{"simple", func(e *wire.Encoder) { e.Simple("OK") }, "+OK\r\n", "+OK\r\n"},
		{"simple of two lines", func(e *wire.Encoder) { e.Simple("a\r\nb\n") }, "+a  b \r\n", "+a  b \r\n"},
		{"error", func(e *wire.Encoder) { e.Error("ERR no") }, "-ERR no\r\n", "-ERR no\r\n"},
		{"error that quotes a line break", func(e *wire.Encoder) { e.Error("ERR 'a\r\n+OK'") }, "-ERR 'a  +OK'\r\n", "-ERR 'a  +OK'\r\n"},
		{"zero", func(e *wire.Encoder) { e.Int(0) }, ":0\r\n", ":0\r\n"},
		{"digit", func(e *wire.Encoder) { e.Int(9) }, ":9\r\n", ":9\r\n"},
		{"ten", func(e *wire.Encoder) { e.Int(10) }, ":10\r\n", ":10\r\n"},
		{"negative", func(e *wire.Encoder) { e.Int(-1) }, ":-1\r\n", ":-1\r\n"},
		{"largest", func(e *wire.Encoder) { e.Int(math.MaxInt64) }, ":9223372036854775807\r\n", ":9223372036854775807\r\n"},
		{"smallest", func(e *wire.Encoder) { e.Int(math.MinInt64) }, ":-9223372036854775808\r\n", ":-9223372036854775808\r\n"},
		{"bulk", func(e *wire.Encoder) { e.Bulk([]byte("a\r\nb")) }, "$4\r\na\r\nb\r\n", "$4\r\na\r\nb\r\n"},
		{"empty bulk", func(e *wire.Encoder) { e.Bulk(nil) }, "$0\r\n\r\n", "$0\r\n\r\n"},
		{"bulk string", func(e *wire.Encoder) { e.BulkString("hello, world") }, "$12\r\nhello, world\r\n", "$12\r\nhello, world\r\n"},
		{"bulk int", func(e *wire.Encoder) { e.BulkInt(-12) }, "$3\r\n-12\r\n", "$3\r\n-12\r\n"},
		{"smallest bulk int", func(e *wire.Encoder) { e.BulkInt(math.MinInt64) }, "$20\r\n-9223372036854775808\r\n", "$20\r\n-9223372036854775808\r\n"},
		{"null", (*wire.Encoder).Null, "$-1\r\n", "_\r\n"},
		{"null array", (*wire.Encoder).NullArray, "*-1\r\n", "_\r\n"},
		{"true", func(e *wire.Encoder) { e.Bool(true) }, ":1\r\n", "#t\r\n"},
		{"false", func(e *wire.Encoder) { e.Bool(false) }, ":0\r\n", "#f\r\n"},
		{"double", func(e *wire.Encoder) { e.Double(0.1) }, "$19\r\n0.10000000000000001\r\n", ",0.10000000000000001\r\n"},
		{"whole double", func(e *wire.Encoder) { e.Double(3) }, "$1\r\n3\r\n", ",3\r\n"},
		{"infinite double", func(e *wire.Encoder) { e.Double(math.Inf(-1)) }, "$4\r\n-inf\r\n", ",-inf\r\n"},
		{"big number", func(e *wire.Encoder) { e.BigNumber("1234567999999999999999999999999999999") }, "$37\r\n1234567999999999999999999999999999999\r\n", "(1234567999999999999999999999999999999\r\n"},
		{"verbatim", func(e *wire.Encoder) { e.Verbatim("txt", "a\nb") }, "$3\r\na\nb\r\n", "=7\r\ntxt:a\nb\r\n"},
		{"verbatim, short format", func(e *wire.Encoder) { e.Verbatim("m", "x") }, "$1\r\nx\r\n", "=5\r\nm  :x\r\n"},
		{"verbatim, long format", func(e *wire.Encoder) { e.Verbatim("markdown", "") }, "$0\r\n\r\n", "=4\r\nmar:\r\n"},
		{"array", func(e *wire.Encoder) { e.Array(2) }, "*2\r\n", "*2\r\n"},
		{"empty array", func(e *wire.Encoder) { e.Array(0) }, "*0\r\n", "*0\r\n"},
		{"long array", func(e *wire.Encoder) { e.Array(1000) }, "*1000\r\n", "*1000\r\n"},
		{"map", func(e *wire.Encoder) { e.Map(6) }, "*12\r\n", "%6\r\n"},
		{"set", func(e *wire.Encoder) { e.Set(3) }, "*3\r\n", "~3\r\n"},
		{"push", func(e *wire.Encoder) { e.Push(3) }, "*3\r\n", ">3\r\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for proto, want := range []string{2: tt.resp2, 3: tt.resp3} {
				if proto < 2 {
					continue
				}
				e := wire.Encoder{Proto: proto, Buf: []byte("before")}
				tt.reply(&e)
				require.Equal(t, "before"+want, string(e.Buf), "RESP%d", proto)
			}
		})
	}
}

func TestAttribute(t *testing.T) {
	e := wire.Encoder{Proto: 3}
	e.Attribute(1)
	require.Equal(t, "|1\r\n", string(e.Buf))
	e = wire.Encoder{Proto: 2}
	require.Panics(t, func() { e.Attribute(1) })
	require.Panics(t, func() { e.Resolve(e.Defer(), wire.KindAttribute, 1) })
}

func TestZeroEncoder(t *testing.T) {
	var e wire.Encoder
	e.Null()
	require.Equal(t, "$-1\r\n", string(e.Buf))
}

func TestTruncate(t *testing.T) {
	var e wire.Encoder
	e.Simple("OK")
	before := e.Len()
	e.Array(2)
	e.Bulk([]byte("half a reply"))
	e.Truncate(before)
	e.Error("ERR failed")
	require.Equal(t, "+OK\r\n-ERR failed\r\n", string(e.Buf))
}

// A deferred header is the header that would have been written at once.
func TestDefer(t *testing.T) {
	kinds := map[wire.Kind]func(*wire.Encoder, int){
		wire.KindArray:     (*wire.Encoder).Array,
		wire.KindMap:       (*wire.Encoder).Map,
		wire.KindSet:       (*wire.Encoder).Set,
		wire.KindPush:      (*wire.Encoder).Push,
		wire.KindAttribute: (*wire.Encoder).Attribute,
	}
	for kind, direct := range kinds {
		for _, n := range []int{0, 1, 4, 5, 9, 10, 49, 50, 99, 100, 12345} {
			for _, proto := range []int{2, 3} {
				if proto == 2 && kind == wire.KindAttribute {
					continue
				}
				want := wire.Encoder{Proto: proto}
				want.Simple("before")
				direct(&want, n)
				got := wire.Encoder{Proto: proto}
				got.Simple("before")
				mark := got.Defer()
				for i := range n {
					want.Int(int64(i))
					got.Int(int64(i))
				}
				got.Resolve(mark, kind, n)
				require.Equal(t, string(want.Buf), string(got.Buf), "%c%d in RESP%d", kind, n, proto)
			}
		}
	}
}

func TestDeferNested(t *testing.T) {
	var e wire.Encoder
	outer := e.Defer()
	for _, size := range []int{0, 3, 120} {
		inner := e.Defer()
		for range size {
			e.Int(7)
		}
		e.Resolve(inner, wire.KindArray, size)
	}
	e.Resolve(outer, wire.KindArray, 3)
	require.Equal(t, "*3\r\n*0\r\n*3\r\n"+strings.Repeat(":7\r\n", 3)+"*120\r\n"+strings.Repeat(":7\r\n", 120), string(e.Buf))
}

func TestAppendScore(t *testing.T) {
	tests := []struct {
		f    float64
		want string
	}{
		{0, "0"},
		{math.Copysign(0, -1), "-0"},
		{1, "1"},
		{-1, "-1"},
		{0.1, "0.10000000000000001"},
		{-0.5, "-0.5"},
		{3.25, "3.25"},
		{1.1, "1.1000000000000001"},
		{100000, "100000"},
		{0.0001, "0.0001"},
		{0.00001, "1.0000000000000001e-05"},
		{99999999999999984, "99999999999999984"},
		{1e17, "1e+17"},
		{-1e17, "-1e+17"},
		{123456789012345678, "1.2345678901234568e+17"},
		{1e20, "1e+20"},
		{1e300, "1.0000000000000001e+300"},
		{1 << 53, "9007199254740992"},
		{math.MaxInt64, "9.2233720368547758e+18"},
		{math.MaxFloat64, "1.7976931348623157e+308"},
		{math.SmallestNonzeroFloat64, "4.9406564584124654e-324"},
		{-2.2250738585072014e-308, "-2.2250738585072014e-308"},
		{math.Inf(1), "inf"},
		{math.Inf(-1), "-inf"},
		{math.NaN(), "nan"},
	}
	for _, tt := range tests {
		t.Run(tt.want, func(t *testing.T) {
			require.Equal(t, tt.want, string(wire.AppendScore(nil, tt.f)))
		})
	}
}

// exact is "%.17g" by exact arithmetic, without strconv's floating point paths.
func exact(f float64) string {
	x := new(big.Float).SetFloat64(f)
	s := x.Text('e', 16)
	mantissa, exponent, _ := strings.Cut(s, "e")
	e, err := strconv.Atoi(exponent)
	if err != nil {
		panic(err)
	}
	if -4 <= e && e < 17 {
		s = x.Text('f', 16-e)
		if strings.Contains(s, ".") {
			s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
		}
		return s
	}
	return strings.TrimRight(strings.TrimRight(mantissa, "0"), ".") + "e" + exponent
}

// randomDoubles are doubles of any bits, integers of any size and decimals of few
// digits: the three that scores are made of.
func randomDoubles(t *testing.T, n int) []float64 {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	out := make([]float64, n)
	for i := range out {
		var f float64
		switch i % 3 {
		case 0:
			f = math.Float64frombits(r.Uint64())
		case 1:
			f = float64(int64(r.Uint64()) >> r.IntN(64))
		case 2:
			f = float64(int64(r.Uint64())>>r.IntN(64)) / math.Pow10(r.IntN(25))
		}
		if math.IsNaN(f) {
			f = 0.5
		}
		out[i] = f
	}
	return out
}

func TestAppendScoreIsExact(t *testing.T) {
	for _, f := range randomDoubles(t, 20_000) {
		got := string(wire.AppendScore(nil, f))
		if f != 0 && !math.IsInf(f, 0) {
			require.Equal(t, exact(f), got, "%x", math.Float64bits(f))
		}
		back, err := strconv.ParseFloat(got, 64)
		require.NoError(t, err)
		require.Equal(t, math.Float64bits(f), math.Float64bits(back), "%s is another double", got)
		require.LessOrEqual(t, len(got), len("-2.2250738585072014e-308"))
	}
}

func TestRepliesAllocateNothing(t *testing.T) {
	value := []byte("value")
	for _, proto := range []int{2, 3} {
		e := wire.Encoder{Proto: proto, Buf: make([]byte, 0, 4096)}
		require.Zero(t, testing.AllocsPerRun(100, func() {
			e.Truncate(0)
			e.Simple("OK")
			e.Error("ERR no")
			e.Int(1)
			e.Int(1234567)
			e.Bulk(value)
			e.BulkInt(1234567)
			e.Double(0.1)
			e.Double(3)
			e.Map(2)
			e.Verbatim("txt", "text")
			mark := e.Defer()
			e.BulkString("element")
			e.Resolve(mark, wire.KindArray, 1234)
		}))
	}
}

// A reply in RESP2 is what an independent reader takes it for.
func TestRepliesReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var e wire.Encoder
		want := make([]resp.Value, rapid.IntRange(1, 5).Draw(t, "replies"))
		for i := range want {
			want[i] = reply(t, &e, 4)
		}
		reader := resp.NewReader(strings.NewReader(string(e.Buf)))
		read := 0
		for _, w := range want {
			got, n, err := reader.ReadValue()
			require.NoError(t, err)
			requireSame(t, w, got)
			read += n
		}
		require.Equal(t, e.Len(), read, "nothing else was written")
	})
}

// reply appends a random reply and returns what a reader should see.
func reply(t *rapid.T, e *wire.Encoder, depth int) resp.Value {
	line := rapid.StringMatching(`[ -~]{0,40}`)
	text := rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 200), func(b []byte) string { return string(b) })
	most := 10
	if depth == 0 {
		most = 7
	}
	switch rapid.IntRange(0, most).Draw(t, "kind") {
	case 0:
		s := line.Draw(t, "simple")
		e.Simple(s)
		return resp.SimpleStringValue(s)
	case 1:
		s := line.Draw(t, "error")
		e.Error(s)
		return resp.ErrorValue(textError(s))
	case 2:
		n := rapid.Int64().Draw(t, "int")
		e.Int(n)
		return resp.IntegerValue(int(n))
	case 3:
		s := text.Draw(t, "bulk")
		e.Bulk([]byte(s))
		return resp.StringValue(s)
	case 4:
		e.Null()
		return resp.NullValue()
	case 5:
		f := rapid.Float64().Draw(t, "double")
		e.Double(f)
		return resp.BytesValue(wire.AppendScore(nil, f))
	case 6:
		b := rapid.Bool().Draw(t, "bool")
		e.Bool(b)
		if b {
			return resp.IntegerValue(1)
		}
		return resp.IntegerValue(0)
	case 7:
		s := text.Draw(t, "verbatim")
		e.Verbatim("txt", s)
		return resp.StringValue(s)
	case 8:
		n := rapid.IntRange(0, 12).Draw(t, "array")
		e.Array(n)
		return resp.ArrayValue(replies(t, e, n, depth-1))
	case 9:
		n := rapid.IntRange(0, 6).Draw(t, "map")
		e.Map(n)
		return resp.ArrayValue(replies(t, e, 2*n, depth-1))
	default:
		n := rapid.IntRange(0, 12).Draw(t, "deferred")
		mark := e.Defer()
		elements := replies(t, e, n, depth-1)
		e.Resolve(mark, wire.KindArray, n)
		return resp.ArrayValue(elements)
	}
}

func replies(t *rapid.T, e *wire.Encoder, n, depth int) []resp.Value {
	out := make([]resp.Value, n)
	for i := range out {
		out[i] = reply(t, e, depth)
	}
	return out
}

type textError string

func (e textError) Error() string { return string(e) }

// requireSame compares what can be seen of two values from outside.
func requireSame(t require.TestingT, want, got resp.Value) {
	require.Equal(t, want.Type(), got.Type())
	require.Equal(t, want.IsNull(), got.IsNull())
	require.Equal(t, want.String(), got.String())
	require.Equal(t, want.Integer(), got.Integer())
	require.Len(t, got.Array(), len(want.Array()))
	for i, w := range want.Array() {
		requireSame(t, w, got.Array()[i])
	}
}
