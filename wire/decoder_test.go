package wire_test

import (
	"bytes"
	"fmt"
	"math"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"weak"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"myredis/wire"
)

// request is the array form of a request.
func request(args ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "*%d\r\n", len(args))
	for _, arg := range args {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(arg), arg)
	}
	return b.String()
}

// feed gives the decoder bytes, as one read.
func feed[T string | []byte](d *wire.Decoder, b T) {
	d.Advance(copy(d.Space(max(len(b), 1)), b))
}

// drain takes every whole request, each argument copied, and the error after
// them.
func drain(d *wire.Decoder) (requests [][]string, err error) {
	for {
		args, err := d.Next()
		if args == nil {
			return requests, err
		}
		requests = append(requests, texts(args))
	}
}

func texts(args [][]byte) []string {
	out := make([]string, len(args))
	for i, arg := range args {
		out[i] = string(arg)
	}
	return out
}

// decode is drain for bytes that arrive at once, under limits.
func decode(l wire.Limits, input string) ([][]string, error) {
	var d wire.Decoder
	d.SetLimits(l)
	feed(&d, input)
	return drain(&d)
}

// decodeSlowly is decode for bytes that arrive one by one.
func decodeSlowly(l wire.Limits, input string) (requests [][]string, err error) {
	var d wire.Decoder
	d.SetLimits(l)
	for i := 0; i < len(input) && err == nil; i++ {
		feed(&d, input[i:i+1])
		var more [][]string
		more, err = drain(&d)
		requests = append(requests, more...)
		d.Release()
	}
	return requests, err
}

func TestRequests(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	tests := []struct {
		name  string
		input string
		want  [][]string
	}{
		{"nothing", "", nil},
		{"array", "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n", [][]string{{"GET", "k"}}},
		{"empty argument", "*2\r\n$4\r\nECHO\r\n$0\r\n\r\n", [][]string{{"ECHO", ""}}},
		{"binary argument", "*1\r\n$6\r\n\r\n\x00*$\xff\r\n", [][]string{{"\r\n\x00*$\xff"}}},
		{"two-digit lengths", request("SET", "0123456789", strings.Repeat("v", 99)), [][]string{{"SET", "0123456789", strings.Repeat("v", 99)}}},
		{"three-digit length", request("ECHO", strings.Repeat("v", 100)), [][]string{{"ECHO", strings.Repeat("v", 100)}}},
		{"large argument", request("ECHO", long, "end"), [][]string{{"ECHO", long, "end"}}},
		{"pipeline", request("A") + request("B", "1") + "C 2\r\n" + request("D"), [][]string{{"A"}, {"B", "1"}, {"C", "2"}, {"D"}}},
		{"terminators are not looked at", "*1\rX$4\rYPING--PING\r\n", [][]string{{"PING"}, {"PING"}}},
		{"no arguments", "*0\r\n*-1\r\n*-10\r\n*-9223372036854775808\r\nPING\r\n", [][]string{{"PING"}}},
		{"empty lines", "\r\n\n   \r\n\t\v\f\nPING\r\n", [][]string{{"PING"}}},
		{"inline with LF", "PING\nECHO a\n", [][]string{{"PING"}, {"ECHO", "a"}}},
		{"inline blanks", "  SET \t k   v  \r\n", [][]string{{"SET", "k", "v"}}},
		{"inline CR CR LF", "PING\r\r\n", [][]string{{"PING"}}},
		{"incomplete count", "*", nil},
		{"incomplete count end", "*1\r", nil},
		{"incomplete header", "*1\r\n$4", nil},
		{"incomplete argument", "*1\r\n$4\r\nPIN", nil},
		{"incomplete argument end", "*1\r\n$4\r\nPING\r", nil},
		{"incomplete second argument", "*2\r\n$4\r\nECHO\r\n", nil},
		{"incomplete line", "PING", nil},
		{"incomplete after a whole one", "PING\r\nPI", [][]string{{"PING"}}},
		{"a wrong sign waits for the end of its line", "*1\r\nfoo", nil},
		{"NUL hides the end of a line", "PING\x00\r\nPING\r\n", nil},
		{"NUL hides the end of a count", "*1\x00\r\n", nil},
		{"NUL hides the end of a header", "*1\r\n$4\x00\r\nPING\r\n", nil},
		{"a NUL after the line is no matter", "PING\n\x00", [][]string{{"PING"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := decode(wire.Limits{}, tt.input)
			require.NoError(t, err)
			require.Equal(t, tt.want, got)

			got, err = decodeSlowly(wire.Limits{}, tt.input)
			require.NoError(t, err)
			require.Equal(t, tt.want, got, "byte by byte")
		})
	}
}

func TestInlineQuoting(t *testing.T) {
	const unbalanced = "unbalanced"
	tests := []struct {
		line string
		want []string
	}{
		{`a "b c" d`, []string{"a", "b c", "d"}},
		{`""`, []string{""}},
		{`''`, []string{""}},
		{`"" '' ""`, []string{"", "", ""}},
		{`"\x41\x4a\x4A\x00"`, []string{"AJJ\x00"}},
		{`"\x4"`, []string{"x4"}},
		{`"\x4g"`, []string{"x4g"}},
		{`"\xg4"`, []string{"xg4"}},
		{`"\n\r\t\b\a"`, []string{"\n\r\t\b\a"}},
		{`"\q\\\"\'"`, []string{`q\"'`}},
		{`'\n\x41\\ '`, []string{`\n\x41\\ `}},
		{`'a\\'`, []string{unbalanced}},
		{`'it\'s'`, []string{"it's"}},
		{`'"' "'"`, []string{`"`, `'`}},
		{`a\n`, []string{`a\n`}},
		{`a"b"`, []string{"ab"}},
		{`a'b c'`, []string{"ab c"}},
		{"\"a\"\tb", []string{"a", "b"}},
		{"\"a\"\vb", []string{"a", "b"}},
		{"\v\fa\vb\f c", []string{"a\vb\f", "c"}},
		{"a\rb", []string{"a", "b"}},
		{"\xe9\x80\xff", []string{"\xe9\x80\xff"}},
		{`"a`, []string{unbalanced}},
		{`"`, []string{unbalanced}},
		{`'a`, []string{unbalanced}},
		{`"a\`, []string{unbalanced}},
		{`"a\"`, []string{unbalanced}},
		{`'a\'`, []string{unbalanced}},
		{`"a"b`, []string{unbalanced}},
		{`'a'b`, []string{unbalanced}},
		{`"a"'b'`, []string{unbalanced}},
		{`set """key""" value`, []string{unbalanced}},
	}
	for _, tt := range tests {
		t.Run(tt.line, func(t *testing.T) {
			got, err := decode(wire.Limits{}, "first\r\n"+tt.line+"\r\nlast\r\n")
			if tt.want[0] == unbalanced {
				require.EqualError(t, err, "Protocol error: unbalanced quotes in request")
				require.Equal(t, [][]string{{"first"}}, got)
				return
			}
			require.NoError(t, err)
			require.Equal(t, [][]string{{"first"}, tt.want, {"last"}}, got)
		})
	}
}

// malformed is every way to break the protocol under the default limits; the
// parity test sends the same to a real Redis.
var malformed = []struct {
	name   string
	unauth bool // the client has yet to authenticate
	input  string
	want   string
}{
	{name: "count above an int", input: "*2147483648\r\n", want: "invalid multibulk length"},
	{name: "count out of range", input: "*3000000000\r\n", want: "invalid multibulk length"},
	{name: "count above 64 bits", input: "*9223372036854775808\r\n", want: "invalid multibulk length"},
	{name: "count below 64 bits", input: "*-9223372036854775809\r\n", want: "invalid multibulk length"},
	{name: "count of 20 digits", input: "*18446744073709551616\r\n", want: "invalid multibulk length"},
	{name: "count of 21 digits", input: "*111111111111111111111\r\n", want: "invalid multibulk length"},
	{name: "no count", input: "*\r\n", want: "invalid multibulk length"},
	{name: "count a sign", input: "*-\r\n", want: "invalid multibulk length"},
	{name: "count minus zero", input: "*-0\r\n", want: "invalid multibulk length"},
	{name: "count with plus", input: "*+1\r\n", want: "invalid multibulk length"},
	{name: "count with leading zero", input: "*01\r\n", want: "invalid multibulk length"},
	{name: "count with blank", input: "* 1\r\n", want: "invalid multibulk length"},
	{name: "count with trailing blank", input: "*1 \r\n", want: "invalid multibulk length"},
	{name: "count with letter", input: "*1a\r\n", want: "invalid multibulk length"},
	{name: "count ended by LF", input: "*1\n$4\r\n", want: "invalid multibulk length"},
	{name: "count without end", input: "*1" + strings.Repeat("1", 70_000), want: "too big mbulk count string"},
	{name: "count hidden by NUL", input: "*1\x00\r\n" + strings.Repeat("1", 70_000), want: "too big mbulk count string"},

	{name: "word for argument", input: "*1\r\nfoo\r\n", want: "expected '$', got 'f'"},
	{name: "later word for argument", input: "*3\r\n$3\r\nSET\r\n$1\r\nx\r\nfooz\r\n", want: "expected '$', got 'f'"},
	{name: "nested array", input: "*1\r\n*1\r\n$4\r\nPING\r\n", want: "expected '$', got '*'"},
	{name: "integer for argument", input: "*1\r\n:1\r\n", want: "expected '$', got ':'"},
	{name: "empty line for argument", input: "*1\r\n\r\n", want: "expected '$', got ' '"},
	{name: "LF for argument", input: "*1\r\n\n\r\n", want: "expected '$', got ' '"},
	{name: "high byte for argument", input: "*1\r\n\xff\r\n", want: "expected '$', got '\xff'"},

	{name: "negative length", input: "*3\r\n$3\r\nSET\r\n$1\r\nx\r\n$-10\r\n", want: "invalid bulk length"},
	{name: "null argument", input: "*1\r\n$-1\r\n", want: "invalid bulk length"},
	{name: "no length", input: "*1\r\n$\r\n", want: "invalid bulk length"},
	{name: "length a word", input: "*1\r\n$blabla\r\n", want: "invalid bulk length"},
	{name: "length with leading zero", input: "*1\r\n$04\r\nPING\r\n", want: "invalid bulk length"},
	{name: "length above the limit", input: "*1\r\n$536870913\r\n", want: "invalid bulk length"},
	{name: "length out of range", input: "*3\r\n$3\r\nSET\r\n$1\r\nx\r\n$2000000000\r\n", want: "invalid bulk length"},
	{name: "length above 64 bits", input: "*1\r\n$99999999999999999999\r\n", want: "invalid bulk length"},
	{name: "length without end", input: "*1\r\n$" + strings.Repeat("1", 70_000), want: "too big bulk count string"},
	{name: "word without end", input: "*1\r\n" + strings.Repeat("f", 70_000), want: "too big bulk count string"},
	{name: "length hidden by NUL", input: "*1\r\n$4\x00\r\nPING\r\n" + strings.Repeat("1", 70_000), want: "too big bulk count string"},

	{name: "double quote left open", input: "ECHO \"a\r\n", want: "unbalanced quotes in request"},
	{name: "single quote left open", input: "ECHO 'a\r\n", want: "unbalanced quotes in request"},
	{name: "letter after a quote", input: "set \"\"\"test-key\"\"\" test-value\r\nping\r\n", want: "unbalanced quotes in request"},
	{name: "line just too long", input: strings.Repeat("a", 65_537), want: "too big inline request"},
	{name: "line without end", input: strings.Repeat("a", 70_000), want: "too big inline request"},
	{name: "line hidden by NUL", input: "PING\x00\r\n" + strings.Repeat("a", 70_000), want: "too big inline request"},

	{name: "unauthenticated, eleven arguments", unauth: true, input: "*11\r\n", want: "unauthenticated multibulk length"},
	{name: "unauthenticated, count out of range", unauth: true, input: "*3000000000\r\n", want: "invalid multibulk length"},
	{name: "unauthenticated, long argument", unauth: true, input: "*1\r\n$16385\r\n", want: "unauthenticated bulk length"},
	{name: "unauthenticated, length out of range", unauth: true, input: "*1\r\n$536870913\r\n", want: "invalid bulk length"},
}

func TestProtocolErrors(t *testing.T) {
	for _, tt := range malformed {
		t.Run(tt.name, func(t *testing.T) {
			for _, chunk := range []int{len(tt.input), 1} {
				var d wire.Decoder
				d.SetUnauthenticated(tt.unauth)
				feed(&d, request("ECHO", "before"))
				var got [][]string
				var err error
				for in := tt.input; len(in) > 0 && err == nil; in = in[chunk:] {
					feed(&d, in[:chunk])
					var more [][]string
					more, err = drain(&d)
					got = append(got, more...)
				}
				var protocolError *wire.ProtocolError
				require.ErrorAs(t, err, &protocolError)
				require.EqualError(t, err, "Protocol error: "+tt.want)
				require.Equal(t, [][]string{{"ECHO", "before"}}, got, "what came before is a request")

				feed(&d, request("ECHO", "after"))
				args, again := d.Next()
				require.Nil(t, args, "nothing follows an error")
				require.Equal(t, err, again)
			}
		})
	}
}

// A limit is what is still allowed; one more is not.
func TestLimits(t *testing.T) {
	l := wire.Limits{Inline: 8, Args: 3, Bulk: 5}
	fine := func(input string, want ...string) {
		t.Helper()
		for _, decode := range []func(wire.Limits, string) ([][]string, error){decode, decodeSlowly} {
			got, err := decode(l, input)
			require.NoError(t, err)
			require.Equal(t, [][]string{want}, got)
		}
	}
	refused := func(input, want string) {
		t.Helper()
		for _, decode := range []func(wire.Limits, string) ([][]string, error){decode, decodeSlowly} {
			got, err := decode(l, input)
			require.EqualError(t, err, "Protocol error: "+want)
			require.Empty(t, got)
		}
	}
	fine("12345678\n", "12345678")
	fine("1234567\r\n", "1234567")
	refused("123456789\n", "too big inline request")
	refused("12345678\r\n", "too big inline request")
	fine(request("a", "b", "c"), "a", "b", "c")
	refused(request("a", "b", "c", "d"), "invalid multibulk length")
	fine(request("12345"), "12345")
	refused(request("123456"), "invalid bulk length")
	refused("*00000000\r\n", "too big mbulk count string")
	refused("*1\r\n$00000000\r\n", "too big bulk count string")
	refused("*1\r\nx00000000\r\n", "too big bulk count string")
	refused("*0000000\r\n", "invalid multibulk length")
}

func TestLimitsUnauthenticated(t *testing.T) {
	var d wire.Decoder
	d.SetUnauthenticated(true)
	ten := strings.Fields(strings.Repeat("a ", 10))
	long := strings.Repeat("x", 16384)
	feed(&d, request(ten...)+request("ECHO", long)+request("AUTH", "secret")+request(append(ten, "b")...))
	for _, want := range [][]string{ten, {"ECHO", long}, {"AUTH", "secret"}} {
		args, err := d.Next()
		require.NoError(t, err)
		require.Equal(t, want, texts(args))
	}
	d.SetUnauthenticated(false)
	args, err := d.Next()
	require.NoError(t, err, "a pipeline that begins with AUTH goes on without the limits")
	require.Len(t, args, 11)
}

// A limit of 64 bits must not overflow a sum of offsets.
func TestLimitWithoutLimit(t *testing.T) {
	got, err := decode(wire.Limits{Bulk: math.MaxInt64}, "*1\r\n$9223372036854775807\r\nabc\r\n")
	require.EqualError(t, err, "Protocol error: invalid bulk length")
	require.Empty(t, got)
	var d wire.Decoder
	d.SetLimits(wire.Limits{Bulk: math.MaxInt64})
	feed(&d, fmt.Sprintf("*1\r\n$%d\r\nabc\r\n", math.MaxInt/4))
	args, err := d.Next()
	require.NoError(t, err)
	require.Nil(t, args)
	require.Less(t, len(d.Space(1)), 1<<20)
}

func TestArgumentsCannotGrowIntoEachOther(t *testing.T) {
	for _, input := range []string{request("SET", "k", "v"), "SET k v\r\n"} {
		var d wire.Decoder
		feed(&d, input)
		args, err := d.Next()
		require.NoError(t, err)
		_ = append(args[1], "XXXXXXXXXX"...)
		require.Equal(t, []string{"SET", "k", "v"}, texts(args))
	}
}

func TestBuffered(t *testing.T) {
	var d wire.Decoder
	require.Zero(t, d.Buffered())
	require.Zero(t, d.Cap())
	feed(&d, "PING\r\n*1\r\n$4\r\nPI")
	require.Equal(t, 16, d.Buffered())
	_, err := d.Next()
	require.NoError(t, err)
	require.Equal(t, 10, d.Buffered())
	args, err := d.Next()
	require.NoError(t, err)
	require.Nil(t, args)
	require.Equal(t, 10, d.Buffered(), "an unfinished request is held whole")
	feed(&d, "NG\r\n")
	_, err = d.Next()
	require.NoError(t, err)
	require.Zero(t, d.Buffered())
}

func TestSpace(t *testing.T) {
	var d wire.Decoder
	for _, n := range []int{0, 1, 4096, 16 << 10, 100_000} {
		require.GreaterOrEqual(t, len(d.Space(n)), max(n, 1))
	}
	require.Panics(t, func() { d.Advance(-1) })
	require.Panics(t, func() { d.Advance(d.Cap() + 1) })
}

func TestReleaseIdle(t *testing.T) {
	var d wire.Decoder
	feed(&d, request("SET", "k", strings.Repeat("v", 1<<20)))
	_, err := drain(&d)
	require.NoError(t, err)
	require.GreaterOrEqual(t, d.Cap(), 1<<20)
	d.Release()
	require.Zero(t, d.Cap(), "an idle decoder holds no buffer")
	d.Release()

	feed(&d, "PING\r\n")
	got, err := drain(&d)
	require.NoError(t, err)
	require.Equal(t, [][]string{{"PING"}}, got)
}

func TestReleaseUnfinished(t *testing.T) {
	var d wire.Decoder
	feed(&d, request("SET", "k", strings.Repeat("v", 1<<20))+"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$5\r\nva")
	requests, err := drain(&d)
	require.NoError(t, err)
	require.Len(t, requests, 1)
	d.Release()
	require.LessOrEqual(t, d.Cap(), 16<<10, "a large buffer shrinks to the ordinary size")
	feed(&d, "lue\r\n")
	got, err := drain(&d)
	require.NoError(t, err)
	require.Equal(t, [][]string{{"SET", "k", "value"}}, got)

	feed(&d, request("SET", "k", strings.Repeat("v", 1<<20))+"*2\r\n$4\r\nECHO\r\n$1000000\r\n"+strings.Repeat("v", 100_000))
	requests, err = drain(&d)
	require.NoError(t, err)
	require.Len(t, requests, 1)
	d.Release()
	require.LessOrEqual(t, d.Cap(), 4*100_000, "and to the measure of what is held")
}

// What is left of a request must not keep alive the buffer of the one before it.
func TestReleaseLetsGo(t *testing.T) {
	for _, tail := range []string{"", "*3\r\n$3\r\nSET\r\n"} {
		var d wire.Decoder
		feed(&d, request("SET", "k", strings.Repeat("v", 1<<20))+tail)
		args, err := d.Next()
		require.NoError(t, err)
		value := weak.Make(&args[2][0])
		args, err = d.Next()
		require.NoError(t, err)
		require.Nil(t, args)
		d.Release()
		runtime.GC()
		require.Nil(t, value.Value(), "after %q", tail)
		require.Equal(t, len(tail), d.Buffered())
	}
}

// An announcement takes no memory: bytes do.
func TestMemoryIsPaidFor(t *testing.T) {
	for _, announcement := range []string{"*2147483647\r\n", "*1\r\n$536870912\r\n"} {
		var d wire.Decoder
		feed(&d, announcement)
		args, err := d.Next()
		require.NoError(t, err)
		require.Nil(t, args)
		d.Space(4096)
		require.LessOrEqual(t, d.Cap(), 16<<10)

		feed(&d, strings.Repeat("$0\r\n\r\n", 10_000))
		args, err = d.Next()
		require.NoError(t, err)
		require.Nil(t, args)
		d.Space(4096)
		require.LessOrEqual(t, d.Cap(), 4*d.Buffered())
	}
}

// While a request of many megabytes arrives its bytes may be moved, but only a
// few times: the buffer takes few sizes, whatever the request is made of.
func TestLargeRequestsAreMovedSeldom(t *testing.T) {
	const total = 8 << 20
	for _, size := range []int{0, 100, 20_000, 40_000, 1 << 20, total} {
		t.Run(strconv.Itoa(size), func(t *testing.T) {
			one := fmt.Sprintf("$%d\r\n%s\r\n", size, strings.Repeat("v", size))
			count := max(total/len(one), 1)
			input := strings.NewReader(fmt.Sprintf("*%d\r\n", count) + strings.Repeat(one, count))

			var d wire.Decoder
			moves, at := 0, 0
			for {
				space := d.Space(4096)
				if d.Cap() != at {
					moves, at = moves+1, d.Cap()
				}
				n, err := input.Read(space[:min(len(space), 16<<10)])
				require.NoError(t, err)
				d.Advance(n)
				args, err := d.Next()
				require.NoError(t, err)
				if args != nil {
					require.Len(t, args, count)
					break
				}
			}
			require.LessOrEqual(t, moves, 16)
			require.LessOrEqual(t, d.Cap(), 2*total+4096)
			if count == 1 {
				require.Equal(t, int(input.Size())+4096, d.Cap(), "a large argument gets what it needs")
			}
		})
	}
}

func TestNextAllocatesNothing(t *testing.T) {
	pipelines := map[string]string{
		"array":  strings.Repeat(request("ZADD", "line", "7", "ann"), 16),
		"inline": strings.Repeat("SET \"k\\x41\" 'v w' tail\r\n", 16),
		"large":  request("SET", "k", strings.Repeat("v", 100_000)),
	}
	for name, pipeline := range pipelines {
		t.Run(name, func(t *testing.T) {
			var d wire.Decoder
			in := []byte(pipeline)
			require.Zero(t, testing.AllocsPerRun(100, func() {
				// Two reads, so that a request is cut in two.
				half := len(in) / 2
				feed(&d, in[:half])
				for args, _ := d.Next(); args != nil; args, _ = d.Next() {
				}
				feed(&d, in[half:])
				for args, _ := d.Next(); args != nil; args, _ = d.Next() {
				}
			}))
			require.Zero(t, d.Buffered())
		})
	}
}

// quoted is an inline spelling of a word.
func quoted(word string) string {
	var b bytes.Buffer
	b.WriteByte('"')
	for _, c := range []byte(word) {
		fmt.Fprintf(&b, `\x%02x`, c)
	}
	b.WriteByte('"')
	return b.String()
}

// A pipeline is the requests it is made of, wherever it is cut.
func TestPipelinesCutAnywhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		arg := rapid.OneOf(
			rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 12), func(b []byte) string { return string(b) }),
			rapid.Map(rapid.IntRange(0, 40_000), func(n int) string { return strings.Repeat("z", n) }),
		)
		var input strings.Builder
		var want [][]string
		for range rapid.IntRange(0, 12).Draw(t, "requests") {
			args := rapid.SliceOfN(arg, 0, 6).Draw(t, "args")
			inline := 0
			for _, a := range args {
				inline += 4*len(a) + 3
			}
			if inline < 64<<10 && rapid.Bool().Draw(t, "inline") {
				words := make([]string, len(args))
				for i, a := range args {
					words[i] = quoted(a)
				}
				input.WriteString(strings.Join(words, " ") + "\r\n")
			} else {
				input.WriteString(request(args...))
			}
			if len(args) > 0 {
				want = append(want, args)
			}
		}

		var d wire.Decoder
		var got [][]string
		step := rapid.OneOf(rapid.IntRange(1, 8), rapid.IntRange(1, 30_000))
		for in := input.String(); len(in) > 0; {
			n := min(len(in), step.Draw(t, "read"))
			feed(&d, in[:n])
			in = in[n:]
			if rapid.Bool().Draw(t, "drain") {
				more, err := drain(&d)
				require.NoError(t, err)
				got = append(got, more...)
				d.Release()
			}
		}
		more, err := drain(&d)
		require.NoError(t, err)
		require.Equal(t, want, append(got, more...))
		require.Zero(t, d.Buffered())
	})
}
