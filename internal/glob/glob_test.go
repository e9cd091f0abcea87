package glob_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"myredis/internal/glob"
	"myredis/internal/redistest"
)

func TestMatch(t *testing.T) {
	for _, tt := range []struct {
		pattern, name string
		nocase, want  bool
	}{
		{"", "", false, true},
		{"", "a", false, false},
		{"*", "", false, false}, // as Redis
		{"*", "abc", false, true},
		{"***", "abc", false, true},
		{"a", "", false, false},
		{"abc", "abc", false, true},
		{"abc", "abd", false, false},
		{"abc", "ab", false, false},
		{"ab", "abc", false, false},
		{"a?c", "abc", false, true},
		{"a?c", "ac", false, false},
		{"?", "é", false, false}, // two bytes
		{"??", "é", false, true},
		{"a*", "a", false, true},
		{"a**", "a", false, true},
		{"*a", "ba", false, true},
		{"*a", "ab", false, false},
		{"a*c", "abcbc", false, true},
		{"a*c", "abcb", false, false},
		{"*a*b*", "xxaxxbxx", false, true},
		{"*a*b", "xbxa", false, false},
		{"a*b*c", "aXbXbXc", false, true},
		{"*?", "a", false, true},
		{"h[ae]llo", "hello", false, true},
		{"h[ae]llo", "hillo", false, false},
		{"h[^e]llo", "hallo", false, true},
		{"h[^e]llo", "hello", false, false},
		{"h[a-c]llo", "hbllo", false, true},
		{"h[a-c]llo", "hdllo", false, false},
		{"h[c-a]llo", "hbllo", false, true}, // backwards
		{"[a-]", "^", false, true},          // from ']' to 'a'
		{"[a-]", "-", false, false},
		{"[-a]", "-", false, true},
		{"[a\\-c]", "-", false, true},
		{"[a\\-c]", "b", false, false},
		{"[\\]]", "]", false, true},
		{"[]]", "]", false, false}, // an empty class, then ]
		{"[]", "a", false, false},
		{"[^]", "a", false, true},
		{"[", "a", false, false},
		{"[^", "a", false, true},
		{"[ab", "b", false, true}, // left open
		{"[ab", "bc", false, false},
		{"[a\\", "\\", false, true},
		{"a[", "a", false, false},
		{"[a-z", "q", false, true},
		{"[a-\xff]", "\x00", false, true}, // -1 to 97
		{"[a-\xff]", "z", false, false},
		{"[\x80-a]", "\xc0", false, true},
		{"[]-a]", "]", false, false}, // the class is empty: -a] follows
		{"\\*", "*", false, true},
		{"\\*", "a", false, false},
		{"\\", "\\", false, true},
		{"a\\", "a\\", false, true},
		{"\\a", "a", false, true},
		{"\\?b", "?b", false, true},
		{"ABC", "abc", false, false},
		{"ABC", "abc", true, true},
		{"a[B-D]e", "ACE", true, true},
		{"a[bcd]e", "ACE", true, true},
		{"[Z-a]", "z", true, false}, // z to a, once folded
		{"[\\A]", "a", true, false}, // no folding after a backslash
		{"\\A", "a", true, true},
		{"É", "é", true, false}, // only A to Z fold
		{"a\x00*", "a\x00b", false, true},
	} {
		t.Run(tt.pattern+" "+tt.name, func(t *testing.T) {
			require.Equal(t, tt.want, glob.Match(tt.pattern, tt.name, tt.nocase))
			require.Equal(t, tt.want, glob.Match([]byte(tt.pattern), []byte(tt.name), tt.nocase))
		})
	}
}

func TestIsLiteral(t *testing.T) {
	for pattern, want := range map[string]bool{
		"": true, "abc": true, "a]b^-": true, "a*": false, "?": false, "[a]": false, `a\*`: false,
	} {
		require.Equal(t, want, glob.IsLiteral(pattern), pattern)
		require.Equal(t, want, glob.IsLiteral([]byte(pattern)), pattern)
	}
}

// A pattern of many stars that cannot match would take longer than the age of
// the universe if each star tried every length.
func TestManyStarsStayCheap(t *testing.T) {
	name := strings.Repeat("a", 5000)
	pattern := strings.Repeat("a*", 2000) + "b"
	begin := time.Now()
	require.False(t, glob.Match(pattern, name, false))
	require.Less(t, time.Since(begin), 5*time.Second)
}

func TestNothingIsAllocated(t *testing.T) {
	pattern, name := []byte("user:*:[a-z]rofile"), "user:1000:profile"
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if !glob.Match(pattern, name, false) || glob.IsLiteral(pattern) {
			panic("unexpected")
		}
	}))
}

// parts are what random patterns and names are made of: everything special,
// and few letters, so that matches are frequent.
var parts = []string{"*", "?", "[", "]", "^", "-", "\\", "a", "b", "c", "A", "\xe0", "[ab]", "[^a]", "[a-c]"}

func random(rng *rand.Rand, from []string, most int) string {
	var b strings.Builder
	for range rng.IntN(most + 1) {
		b.WriteString(from[rng.IntN(len(from))])
	}
	return b.String()
}

// The judge is KEYS of a real Redis, over random patterns and names.
func TestMatchesAsRedisDoes(t *testing.T) {
	srv := redistest.Start(t)
	client := redis.NewClient(&redis.Options{Addr: srv.Addr})
	defer client.Close()
	ctx := context.Background()

	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))

	names := map[string]bool{"": true}
	for range 300 {
		names[random(rng, parts[4:12], 5)] = true
	}
	fill := client.Pipeline()
	for name := range names {
		fill.Set(ctx, name, "", 0)
	}
	_, err := fill.Exec(ctx)
	require.NoError(t, err)

	asked := map[string]*redis.StringSliceCmd{}
	ask := client.Pipeline()
	for range 3000 {
		if pattern := random(rng, parts, 7); pattern != "*" { // KEYS has a shortcut for this one
			asked[pattern] = ask.Keys(ctx, pattern)
		}
	}
	_, err = ask.Exec(ctx)
	require.NoError(t, err)

	matches := 0
	for pattern, answer := range asked {
		var got []string
		for name := range names {
			if glob.Match(pattern, name, false) {
				got = append(got, name)
			}
		}
		want := answer.Val()
		slices.Sort(got)
		slices.Sort(want)
		if len(want) == 0 {
			require.Empty(t, got, "%q", pattern)
		} else {
			require.Equal(t, want, got, "%q", pattern)
		}
		matches += len(want)
	}
	require.NotZero(t, matches)
}

// simple is a second matcher for what has no brackets: the textbook recursion.
func simple(pattern, name []byte) bool {
	if len(pattern) == 0 {
		return len(name) == 0
	}
	switch {
	case pattern[0] == '*':
		return simple(pattern[1:], name) || len(name) > 0 && simple(pattern, name[1:])
	case len(name) == 0:
		return false
	case pattern[0] == '?':
		return simple(pattern[1:], name[1:])
	case pattern[0] == '\\' && len(pattern) > 1:
		return pattern[1] == name[0] && simple(pattern[2:], name[1:])
	}
	return pattern[0] == name[0] && simple(pattern[1:], name[1:])
}

func FuzzMatch(f *testing.F) {
	for _, pattern := range []string{"*", "a*b?c", "[^a-z]*", "[a\\]", "[", "\\", "**a**"} {
		f.Add([]byte(pattern), []byte("abc"))
	}
	f.Fuzz(func(t *testing.T, pattern, name []byte) {
		got := glob.Match(pattern, name, false)
		if glob.IsLiteral(pattern) {
			require.Equal(t, bytes.Equal(pattern, name), got)
		}
		if len(pattern) > 12 || len(name) > 12 || bytes.IndexByte(pattern, '[') >= 0 || len(name) == 0 {
			return
		}
		require.Equal(t, simple(pattern, name), got)
	})
}

func BenchmarkMatch(b *testing.B) {
	pattern, name := []byte("user:*:profile"), "user:1000:profile"
	b.ReportAllocs()
	for b.Loop() {
		glob.Match(pattern, name, false)
	}
}
