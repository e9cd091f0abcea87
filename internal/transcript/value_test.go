package transcript

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"myredis/internal/words"
)

// wire is the value as a server sends it.
func wire(v Value) string {
	switch {
	case v.Nil:
		return string(v.Kind) + "-1\r\n"
	case v.Kind == Bulk || v.Kind == Verbatim || v.Kind == BlobError:
		return fmt.Sprintf("%c%d\r\n%s\r\n", v.Kind, len(v.Text), v.Text)
	case !v.Kind.aggregate():
		return string(v.Kind) + v.Text + "\r\n"
	}
	n := len(v.Items)
	if v.Kind == Map {
		n /= 2
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%c%d\r\n", v.Kind, n)
	for _, item := range v.Items {
		b.WriteString(wire(item))
	}
	return b.String()
}

func TestLines(t *testing.T) {
	text := func(kind Kind, s string) Value { return Value{Kind: kind, Text: s} }
	list := func(kind Kind, items ...Value) Value { return Value{Kind: kind, Items: items} }
	one, a := text(Integer, "1"), text(Bulk, "a")
	tests := []struct {
		value Value
		want  string
	}{
		{text(Simple, "OK"), `OK`},
		{text(Simple, "OK then 2"), `OK then 2`},
		{text(Simple, ""), `(simple) ""`},
		{text(Simple, "(nil)"), `(simple) "(nil)"`},
		{text(Simple, `"a"`), `(simple) "\"a\""`},
		{text(Simple, "a "), `(simple) "a "`},
		{text(Error, "ERR no"), `(error) ERR no`},
		{text(Error, "ERR no "), `(error) "ERR no "`},
		{text(Error, `"x"`), `(error) "\"x\""`},
		{one, `(integer) 1`},
		{text(Bulk, "1"), `"1"`},
		{text(Bulk, "\x00\r\n\t\a\b\"\\\xff"), `"\x00\r\n\t\a\b\"\\\xff"`},
		{Value{Kind: Bulk, Nil: true}, `(nil)`},
		{Value{Kind: Array, Nil: true}, `(nil array)`},
		{text(Null, ""), `(null)`},
		{text(Double, "1.50"), `(double) 1.50`},
		{text(Double, "inf"), `(double) inf`},
		{text(Bool, "t"), `(true)`},
		{text(Bool, "f"), `(false)`},
		{text(BigNumber, "12"), `(big number) 12`},
		{text(Verbatim, "txt:a\n"), `(verbatim) "txt:a\n"`},
		{text(BlobError, "ERR"), `(blob error) "ERR"`},
		{list(Array), `(empty array)`},
		{list(Map), `(empty map)`},
		{list(Set), `(empty set)`},
		{list(Array, one, list(Array, a, list(Set, one)), list(Array)),
			"1) (integer) 1\n2) 1) \"a\"\n   2) 1~ (integer) 1\n3) (empty array)"},
		{list(Map, a, one, text(Bulk, "b"), list(Array, a)), "1# \"a\" => (integer) 1\n2# \"b\" =>\n   1) \"a\""},
		{list(Map, list(Array, one, a), one), "1# 1) (integer) 1\n   2) \"a\" => (integer) 1"},
		{list(Push, a, a), "1>> \"a\"\n2>> \"a\""},
		{list(Array, one, one, one, one, one, one, one, one, one, list(Array, a, a)),
			strings.ReplaceAll(" 1) (integer) 1\n 2) I\n 3) I\n 4) I\n 5) I\n 6) I\n 7) I\n 8) I\n 9) I\n10) 1) \"a\"\n    2) \"a\"", "I", "(integer) 1")},
		{Value{Kind: Array, Items: []Value{one}, masked: true}, `<array>`},
		{Value{Kind: Bulk, Nil: true, masked: true}, `<nil bulk>`},
	}
	for _, test := range tests {
		require.Equal(t, test.want, strings.Join(test.value.Lines(), "\n"))
	}
}

// values draws few distinct texts, of those that other notations look like, so
// that two draws are often alike but for a type.
func values(resp3 bool) *rapid.Generator[Value] {
	texts := rapid.SampledFrom([]string{"", "1", "OK", "a", "(nil)", `"a"`, "(integer) 1", "1) \"a\"", "a => b", "<bulk>", " a", "\x00", "(empty array)", "a\n"})
	kinds := []Kind{Simple, Error, Integer, Bulk, Array}
	if resp3 {
		kinds = append(kinds, Null, Double, Bool, BlobError, Verbatim, BigNumber, Map, Set, Push)
	}
	var draw func(depth int) *rapid.Generator[Value]
	draw = func(depth int) *rapid.Generator[Value] {
		return rapid.Custom(func(t *rapid.T) Value {
			v := Value{Kind: rapid.SampledFrom(kinds).Draw(t, "kind")}
			switch {
			case (v.Kind == Bulk || v.Kind == Array) && rapid.IntRange(0, 3).Draw(t, "nil") == 0:
				v.Nil = true
			case v.Kind.aggregate() && depth > 0:
				v.Items = rapid.SliceOfN(draw(depth-1), 0, 3).Draw(t, "items")
				if v.Kind == Map && len(v.Items)%2 == 1 {
					v.Items = v.Items[1:]
				}
			case v.Kind == Bool:
				v.Text = rapid.SampledFrom([]string{"t", "f"}).Draw(t, "bool")
			case v.Kind == Integer || v.Kind == Double || v.Kind == BigNumber:
				v.Text = rapid.SampledFrom([]string{"1", "2"}).Draw(t, "number")
			case v.Kind == Simple || v.Kind == Error:
				v.Text = strings.TrimSuffix(texts.Draw(t, "text"), "\n")
			case v.Kind == Bulk || v.Kind == Verbatim || v.Kind == BlobError:
				v.Text = texts.Draw(t, "text")
			}
			return v
		})
	}
	return draw(2)
}

func TestNotationIsInjective(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, w := values(true).Draw(t, "v"), values(true).Draw(t, "w")
		require.Equal(t, wire(v) == wire(w), strings.Join(v.Lines(), "\n") == strings.Join(w.Lines(), "\n"))
	})
}

func TestReadersGiveWhatWasSent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		resp3 := rapid.Bool().Draw(t, "resp3")
		sent := rapid.SliceOf(values(resp3)).Draw(t, "values")
		var bytes strings.Builder
		for _, v := range sent {
			bytes.WriteString(wire(v))
		}
		r := newReader(strings.NewReader(bytes.String()))
		r.resp3 = resp3
		for _, v := range sent {
			got, err := r.read(nil)
			require.NoError(t, err)
			require.Equal(t, v.Lines(), got.Lines())
		}
	})
}

func TestReaderFollowsTheProtocol(t *testing.T) {
	r := newReader(strings.NewReader("%0\r\n_\r\n*0\r\n$-1\r\n%0\r\n_\r\n+RESET\r\n$-1\r\n_\r\n"))
	for _, exchange := range []struct{ command, want string }{
		{"HELLO 3", "(empty map)"}, {"GET k", "(null)"}, {"hello 2", "(empty array)"}, {"GET k", "(nil)"},
		{"HELLO 3 AUTH a b", "(empty map)"}, {"GET k", "(null)"}, {"RESET", "RESET"}, {"GET k", "(nil)"},
	} {
		v, err := r.read(strings.Fields(exchange.command))
		require.NoError(t, err)
		require.Equal(t, []string{exchange.want}, v.Lines())
	}
	_, err := r.read([]string{"GET", "k"})
	require.ErrorContains(t, err, "RESP2 connection")
}

func TestReaderErrors(t *testing.T) {
	for _, bytes := range []string{
		"$3\r\nab", "$3\r\nabcd\r\n", "$-2\r\n", "*2\r\n:1\r\n", "*x\r\n", "%-1\r\n", "~-1\r\n", "#x\r\n", "|1\r\n", "OK\r\n", ":1\n", "\r\n", "+OK",
	} {
		r := newReader(strings.NewReader(bytes))
		r.resp3 = true
		_, err := r.read(nil)
		require.Error(t, err, "%q", bytes)
	}
}

func FuzzReader(f *testing.F) {
	f.Add("*2\r\n$1\r\na\r\n%1\r\n+k\r\n,1.5\r\n")
	f.Fuzz(func(t *testing.T, bytes string) {
		r := newReader(strings.NewReader(bytes))
		r.resp3 = true
		for {
			v, err := r.read(nil)
			if err != nil {
				return
			}
			require.NotEmpty(t, v.Lines())
		}
	})
}

func TestWords(t *testing.T) {
	tests := []struct {
		line string
		want []string
	}{
		{`SET k v`, []string{"SET", "k", "v"}},
		{`  SET	k  `, []string{"SET", "k"}},
		{`"" ''`, []string{"", ""}},
		{`"\x00\xfF\r\n\t\a\b\"\\\q"`, []string{"\x00\xff\r\n\t\a\b\"\\q"}},
		{`'a\'b\n'`, []string{`a'b\n`}},
		{`"\xzz"`, []string{"xzz"}},
		{`a"b c"`, []string{"ab c"}},
		{`hello\`, []string{`hello\`}},
	}
	for _, test := range tests {
		words, err := splitWords(test.line)
		require.NoError(t, err)
		require.Equal(t, test.want, words, test.line)
	}
	for _, line := range []string{`"a`, `'a`, `"a"b`, `'a'b`, `"a\"`} {
		_, err := splitWords(line)
		require.ErrorIs(t, err, errUnbalanced, line)
	}
}

func FuzzQuoteReadsBack(f *testing.F) {
	f.Add("a\x00\xff\r\n\"\\'")
	f.Fuzz(func(t *testing.T, s string) {
		words, err := splitWords(words.Quote(s))
		require.NoError(t, err)
		require.Equal(t, []string{s}, words)
	})
}
