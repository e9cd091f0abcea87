package words

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSplit(t *testing.T) {
	for line, want := range map[string][]string{
		"":                     nil,
		" \t\r\n\v\f":          nil,
		"a b  c":               {"a", "b", "c"},
		"\va\vb":               {"a\vb"}, // a blank before a word, but not inside one
		`"a b" 'c d'`:          {"a b", "c d"},
		`a"b c" d`:             {"ab c", "d"},
		`""`:                   {""},
		`'' ""`:                {"", ""},
		`"\n\r\t\b\a\q\\\""`:   {"\n\r\t\b\aq\\\""},
		`"\x41\xff\xg1\x4"`:    {"A\xffxg1x4"},
		`'\x41 \' \n "'`:       {`\x41 ' \n "`},
		`a\ b`:                 {`a\`, "b"},
		"\"a\"\tb":             {"a", "b"},
		"a\x00b":               {"a"},
		"\"a\x00b\"":           nil, // the line ends inside the quotes
		`"open`:                nil,
		`'open`:                nil,
		`"a"b`:                 nil,
		`'a'b`:                 nil,
		`"a\`:                  nil,
		`a "b" "c`:             nil,
		`user"`:                nil,
		`# is no comment here`: {"#", "is", "no", "comment", "here"},
	} {
		got, ok := Split(line)
		require.Equal(t, want, got, "%q", line)
		require.Equal(t, want != nil || line == "" || line[0] == ' ', ok, "%q", line)
	}
}

func FuzzQuote(f *testing.F) {
	for _, s := range []string{"", "plain", `"\'`, "\x00\xff\n\r\t\a\b\v", "é", `\x41`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		args, ok := Split("a " + Quote(s) + " b")
		require.True(t, ok)
		require.Equal(t, []string{"a", s, "b"}, args)
		Split(s)
	})
}
