package list

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"myredis/internal/atom"
)

func texts(seq func(func(atom.Atom) bool)) []string {
	all := []string{}
	for a := range seq {
		all = append(all, strings.Clone(a.String()))
	}
	return all
}

var element = rapid.OneOf(
	rapid.SampledFrom([]string{"", "a", "b", "c", "01", "-0", "\x00", "9223372036854775808",
		strings.Repeat("m", 63), strings.Repeat("m", 64), strings.Repeat("l", 126), strings.Repeat("l", 130), strings.Repeat("x", 300)}),
	rapid.Map(rapid.IntRange(-3, 300), strconv.Itoa),
	rapid.Map(rapid.Int64(), func(n int64) string { return strconv.FormatInt(n, 10) }),
)

// lent calls f with an atom whose text is gone afterwards, as a view of a
// connection's buffer is.
func lent(text string, f func(atom.Atom)) {
	buffer := []byte(text)
	f(atom.Of(unsafe.String(unsafe.SliceData(buffer), len(buffer))))
	clear(buffer)
}

// check holds what is true of every list between two calls.
func check(t require.TestingT, l *List) {
	total := 0
	for i := range l.row.len() {
		c := l.row.at(i)
		require.NotZero(t, c.len(), "an empty chunk")
		entries := 0
		for range c.forward(0) {
			entries++
		}
		require.Equal(t, c.len(), entries)
		require.True(t, c.len() == 1 || len(c.entries()) <= limit, "an overfull chunk")
		total += entries
	}
	require.Equal(t, l.Len(), total)
	for _, c := range l.row.all[:l.row.lo] {
		require.Nil(t, c.buf, "what is not there holds memory")
	}
}

// Random histories of a list beside a slice, in chunks so small that there are
// many.
func TestModel(t *testing.T) {
	defer func(was int) { limit = was }(limit)
	rapid.Check(t, func(t *rapid.T) {
		limit = rapid.SampledFrom([]int{16, 64, 200, 1000}).Draw(t, "limit")
		l := new(List)
		model := []string{}
		place := func(t *rapid.T) int { return rapid.IntRange(0, len(model)-1).Draw(t, "place") }
		t.Repeat(map[string]func(*rapid.T){
			"push front": func(t *rapid.T) {
				for _, text := range rapid.SliceOfN(element, 0, 20).Draw(t, "elements") {
					lent(text, l.PushFront)
					model = slices.Insert(model, 0, text)
				}
			},
			"push back": func(t *rapid.T) {
				for _, text := range rapid.SliceOfN(element, 0, 20).Draw(t, "elements") {
					lent(text, l.PushBack)
					model = append(model, text)
				}
			},
			"insert": func(t *rapid.T) {
				i, text := rapid.IntRange(0, len(model)).Draw(t, "place"), element.Draw(t, "element")
				lent(text, func(a atom.Atom) { l.Insert(i, a) })
				model = slices.Insert(model, i, text)
			},
			"set": func(t *rapid.T) {
				if len(model) == 0 {
					return
				}
				i, text := place(t), element.Draw(t, "element")
				lent(text, func(a atom.Atom) { l.Set(i, a) })
				model[i] = text
			},
			"pop": func(t *rapid.T) {
				for range min(len(model), rapid.IntRange(0, 20).Draw(t, "n")) {
					if rapid.Bool().Draw(t, "front") {
						require.Equal(t, model[0], l.At(0).String())
						l.Delete(0, 1)
						model = model[1:]
					} else {
						last := len(model) - 1
						require.Equal(t, model[last], l.At(last).String())
						l.Delete(last, 1)
						model = model[:last]
					}
				}
			},
			"delete": func(t *rapid.T) {
				if len(model) == 0 {
					return
				}
				i := place(t)
				n := rapid.IntRange(0, len(model)-i).Draw(t, "n")
				l.Delete(i, n)
				model = slices.Delete(model, i, i+n)
			},
			"remove": func(t *rapid.T) {
				text, most, back := element.Draw(t, "element"), rapid.IntRange(1, 4).Draw(t, "most"), rapid.Bool().Draw(t, "back")
				if len(model) > 0 && rapid.Bool().Draw(t, "there") {
					text = model[place(t)]
				}
				want := 0
				for range most {
					i := slices.Index(model, text)
					if back {
						slices.Reverse(model)
						i = len(model) - 1 - slices.Index(model, text)
						slices.Reverse(model)
					}
					if i < 0 || i >= len(model) {
						break
					}
					model = slices.Delete(model, i, i+1)
					want++
				}
				require.Equal(t, want, l.Remove(atom.Of(text), most, back))
			},
			"clone": func(t *rapid.T) {
				c := l.Clone()
				l.PushFront(atom.Of("whatever happens to the old one"))
				l.Remove(atom.Of("a"), 10, false)
				l = c
			},
			"": func(t *rapid.T) {
				check(t, l)
				require.Equal(t, model, texts(l.Forward(0)))
				if len(model) == 0 {
					return
				}
				i := place(t)
				require.Equal(t, model[i], l.At(i).String())
				require.Equal(t, model[i:], texts(l.Forward(i)))
				back := slices.Clone(model[:i+1])
				slices.Reverse(back)
				require.Equal(t, back, texts(l.Backward(i)))
				checkMatches(t, l, model, element.Draw(t, "sought"))
			},
		})
	})
}

func checkMatches(t *rapid.T, l *List, model []string, text string) {
	among, back := rapid.IntRange(0, len(model)+1).Draw(t, "among"), rapid.Bool().Draw(t, "back")
	var want []int
	for met := range min(among, len(model)) {
		i := met
		if back {
			i = len(model) - 1 - met
		}
		if model[i] == text {
			want = append(want, i)
		}
	}
	require.Equal(t, want, slices.Collect(l.Matches(atom.Of(text), among, back)))
}
