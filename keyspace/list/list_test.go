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
				require.Empty(t, texts(l.Forward(len(model))))
				require.Empty(t, texts(l.Backward(-1)))
				if len(model) == 0 {
					return
				}
				i := place(t)
				require.Equal(t, model[i], l.At(i).String())
				require.Equal(t, model[i:], texts(l.Forward(i)))
				first, ok := l.Index(atom.Of(model[i]))
				require.True(t, ok)
				require.Equal(t, slices.Index(model, model[i]), first)
				back := slices.Clone(model[:i+1])
				slices.Reverse(back)
				require.Equal(t, back, texts(l.Backward(i)))
				stop := rapid.IntRange(1, len(model)).Draw(t, "stop")
				require.Equal(t, model[:stop], firstOf(stop, l.Forward(0)))
				require.Len(t, firstOf(stop, l.Backward(len(model)-1)), stop)
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

// firstOf returns the first n elements of a sequence, and asks for no more.
func firstOf(n int, seq func(func(atom.Atom) bool)) (all []string) {
	for a := range seq {
		all = append(all, strings.Clone(a.String()))
		if len(all) == n {
			break
		}
	}
	return all
}

func TestNilListReadsAsEmpty(t *testing.T) {
	var l *List
	require.Zero(t, l.Len())
	require.Empty(t, texts(l.Forward(0)))
	_, ok := l.Index(atom.Of("a"))
	require.False(t, ok)
}

func TestPlacesThatAreNotThere(t *testing.T) {
	l := new(List)
	require.Panics(t, func() { l.At(0) })
	l.PushBack(atom.Of("a"))
	require.Panics(t, func() { l.At(1) })
	require.Panics(t, func() { l.At(-1) })
	require.Panics(t, func() { l.Delete(0, 2) })
}

// allocated is how many bytes the chunks hold.
func allocated(l *List) (bytes int) {
	for i := range l.row.len() {
		bytes += cap(l.row.at(i).buf)
	}
	return bytes
}

// However elements go, their memory goes too.
func TestMemoryIsGivenBack(t *testing.T) {
	const n, left = 50_000, 500
	for name, remove := range map[string]func(l *List){
		"Remove": func(l *List) { l.Remove(atom.Of("gone"), n, false) },
		"Delete": func(l *List) {
			for i := range left {
				l.Delete(i, n/left-1)
			}
		},
		"Delete one by one": func(l *List) {
			for i := range left {
				for range n/left - 1 {
					l.Delete(i, 1)
				}
			}
		},
		"Delete at the front": func(l *List) { l.Delete(0, n-left) },
		"pop": func(l *List) {
			for range n - left {
				l.Delete(0, 1)
			}
		},
		"pop from the back": func(l *List) {
			for range n - left {
				l.Delete(l.Len()-1, 1)
			}
		},
	} {
		l := new(List)
		for i := range n {
			if i%(n/left) == n/left-1 {
				l.PushBack(atom.Of("stays"))
			} else {
				l.PushBack(atom.Of("gone"))
			}
		}
		remove(l)
		check(t, l)
		require.Equal(t, left, l.Len(), name)
		require.LessOrEqual(t, allocated(l), 3*limit, name)
		require.LessOrEqual(t, cap(l.row.all), 16, name)
	}
}

func TestMemoryOfALargeElementIsGivenBack(t *testing.T) {
	for _, place := range []int{0, 1, 2} {
		l := new(List)
		for range 3 {
			l.PushBack(atom.Of(strings.Repeat("x", limit)))
		}
		l.Set(place, atom.Of(strings.Repeat("y", 100*limit)))
		l.Set(place, atom.Of("small"))
		check(t, l)
		require.LessOrEqual(t, allocated(l), 4*limit)
	}
}

// Elements of every size fill their chunks, whichever way they come.
func TestChunksAreFull(t *testing.T) {
	for _, size := range []int{1, 10, 100, 500, 1000, 3000, 9000, 20_000} {
		for name, push := range map[string]func(l *List, a atom.Atom){"back": (*List).PushBack, "front": (*List).PushFront} {
			l := new(List)
			element := strings.Repeat("x", size)
			n := 1_000_000 / size
			for range n {
				push(l, atom.Of(element))
			}
			entry := entryOf(atom.Of(element))
			used := n * entry.size
			require.LessOrEqual(t, allocated(l), used*9/8+2*limit, "%d bytes, %s", size, name)
			require.LessOrEqual(t, l.row.len(), n/max(1, limit/entry.size)+1, "%d bytes, %s", size, name)
		}
	}
}
