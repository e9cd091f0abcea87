package wire_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"myredis/wire"
)

// FuzzDecoder cuts any bytes anywhere: the requests and the error are those of
// the bytes at once, and memory is bounded by the bytes held.
func FuzzDecoder(f *testing.F) {
	for _, tt := range malformed {
		if len(tt.input) < 1000 {
			f.Add([]byte(tt.input), []byte{1}, tt.unauth)
		}
	}
	f.Add([]byte(request("ZADD", "line", "7", "ann")+"PING\r\n"+request("ECHO", "")), []byte{3, 1, 200}, false)
	f.Add([]byte("*1\r\n$100\r\n"+strings.Repeat("x", 60)), []byte{7}, false)
	f.Add([]byte("SET \"\\x41\" 'b\\'c'\r\n\r\n*0\r\n*2\r\n$1\r\na\r\n$0\r\n\r\n"), []byte{2, 5}, true)
	f.Fuzz(func(t *testing.T, input, cuts []byte, unauth bool) {
		limits := wire.Limits{Inline: 64, Args: 100, Bulk: 1000}
		var whole wire.Decoder
		whole.SetLimits(limits)
		whole.SetUnauthenticated(unauth)
		feed(&whole, input)
		want, wantErr := drain(&whole)
		total := 0
		for _, r := range want {
			require.NotEmpty(t, r)
			require.LessOrEqual(t, len(r), limits.Args)
			for _, arg := range r {
				require.LessOrEqual(t, int64(len(arg)), limits.Bulk)
				total += len(arg)
			}
		}
		require.LessOrEqual(t, total, len(input))

		var cut wire.Decoder
		cut.SetLimits(limits)
		cut.SetUnauthenticated(unauth)
		var got [][]string
		var err error
		for i, rest := 0, input; len(rest) > 0 && err == nil; i++ {
			n, action := len(rest), byte(0)
			if len(cuts) > 0 {
				action = cuts[i%len(cuts)]
				n = min(n, 1+int(action>>2))
			}
			feed(&cut, rest[:n])
			rest = rest[n:]
			if action&1 == 0 {
				var more [][]string
				more, err = drain(&cut)
				got = append(got, more...)
			}
			if action&2 == 0 {
				cut.Release()
			}
			require.LessOrEqual(t, cut.Cap(), max(16<<10, 4*cut.Buffered()+64))
		}
		if err == nil {
			var more [][]string
			more, err = drain(&cut)
			got = append(got, more...)
		}
		require.Equal(t, want, got)
		require.Equal(t, wantErr, err)
		if err == nil {
			require.Equal(t, whole.Buffered(), cut.Buffered())
		}
	})
}

// FuzzInline compares with a splitter that is written for clarity: it reads a
// line byte by byte, and copies.
func FuzzInline(f *testing.F) {
	for _, line := range []string{
		``, `PING`, `set k v`, `"a b" 'c d'`, `a"b"`, `"\x41\n"`, `'\''`, `"unbalanced`, `"a"b`, "\v\fa\vb", `"\x4`, `"\`,
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if strings.ContainsAny(line, "\n\x00") || strings.HasPrefix(line, "*") || len(line) > 60_000 {
			t.Skip("not one line, or not inline")
		}
		want, balanced := split(line)
		got, err := decode(wire.Limits{}, line+"\n")
		if !balanced {
			require.EqualError(t, err, "Protocol error: unbalanced quotes in request")
			require.Empty(t, got)
			return
		}
		require.NoError(t, err)
		if len(want) == 0 {
			require.Empty(t, got)
			return
		}
		require.Equal(t, [][]string{want}, got)
	})
}

// split is the reference: a line to its words.
func split(line string) (words []string, balanced bool) {
	const spaces = " \t\n\v\f\r"
	for {
		line = strings.TrimLeft(line, spaces)
		if line == "" {
			return words, true
		}
		end := strings.IndexAny(line, " \t\n\r\"'")
		if end < 0 {
			return append(words, line), true
		}
		word, quote := line[:end], line[end]
		line = line[end+1:]
		if quote != '"' && quote != '\'' {
			words = append(words, word)
			continue
		}
		for line != "" && line[0] != quote {
			text := line[:1]
			used := 1
			switch {
			case line[0] != '\\' || len(line) == 1:
			case quote == '\'' && line[1] == '\'':
				text, used = "'", 2
			case quote == '\'':
			case line[1] == 'x' && len(line) >= 4 && isHex(line[2]) && isHex(line[3]):
				text, used = string([]byte{hexValue(line[2])*16 + hexValue(line[3])}), 4
			default:
				text, used = line[1:2], 2
				if i := strings.Index("nrtba", text); i >= 0 {
					text = "\n\r\t\b\a"[i : i+1]
				}
			}
			word += text
			line = line[used:]
		}
		if line == "" {
			return nil, false
		}
		line = line[1:]
		if line != "" && !strings.Contains(spaces, line[:1]) {
			return nil, false
		}
		words = append(words, word)
	}
}

func isHex(c byte) bool { return strings.IndexByte("0123456789abcdefABCDEF", c) >= 0 }

func hexValue(c byte) byte {
	return byte(strings.IndexByte("0123456789abcdef", strings.ToLower(string(rune(c)))[0]))
}
