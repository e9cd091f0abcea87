package hyperloglog

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A sketch beside a plain array of registers: whatever is raised, in whatever
// form the sketch is, both hold the same, and no run is longer than it may be.
func TestSketchIsItsRegisters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := New()
		var model Registers
		sparseMax := rapid.SampledFrom([]int{0, 17, 60, 300, 3000, 15000}).Draw(t, "sparseMax")
		// Few places, close together, so that runs are split and joined.
		base := rapid.IntRange(0, registers-40).Draw(t, "base")
		index := rapid.OneOf(rapid.IntRange(base, base+39), rapid.IntRange(0, registers-1), rapid.SampledFrom([]int{0, registers - 1}))
		value := rapid.OneOf(rapid.Uint8Range(1, 3), rapid.Uint8Range(1, 3), rapid.Uint8Range(1, 51))
		for range rapid.IntRange(0, 300).Draw(t, "steps") {
			i, n := index.Draw(t, "index"), value.Draw(t, "value")
			var changed bool
			var err error
			s, changed, err = s.Raise(i, n, sparseMax)
			require.NoError(t, err)
			require.Equal(t, n > model[i], changed)
			model[i] = max(model[i], n)
		}
		var got Registers
		require.NoError(t, got.Merge(s))
		require.True(t, model == got)
		d, err := s.ToDense()
		require.NoError(t, err)
		got = Registers{}
		require.NoError(t, got.Merge(d))
		require.True(t, model == got)

		want := model.Count()
		for _, form := range []Sketch{s, d} {
			n, err := form.Count()
			require.NoError(t, err)
			require.Equal(t, want, n)
			reopened, ok := Open(form)
			require.True(t, ok)
			require.Equal(t, form, reopened)
		}
		if !s.Dense() {
			require.True(t, len(s) <= max(sparseMax, len(New())))
		}
	})
}

func TestCache(t *testing.T) {
	s := New()
	n, ok := s.Cached()
	require.True(t, ok)
	require.Zero(t, n)
	s, _, _ = s.Add([]byte("a"), 3000)
	_, ok = s.Cached()
	require.False(t, ok)
	s.Keep(1)
	n, ok = s.Cached()
	require.True(t, ok)
	require.EqualValues(t, 1, n)
	s.Invalidate()
	_, ok = s.Cached()
	require.False(t, ok)
}

// The hash is what makes sketches exchangeable: these are registers that Redis
// 7.0.15 shows (PFDEBUG DECODE after PFADD of the element alone).
func TestPattern(t *testing.T) {
	for _, c := range patternsOfRedis {
		index, run := pattern([]byte(c.element))
		require.Equal(t, c.index, index, "%q", c.element)
		require.Equal(t, c.run, run, "%q", c.element)
	}
}

func TestSelfTest(t *testing.T) {
	for seed := range uint64(3) {
		require.NoError(t, SelfTest(seed, 3000))
	}
}

// Whatever a stranger stores, nothing panics, and a sketch stays one.
func FuzzSketch(f *testing.F) {
	sparse := New()
	for i := range 40 {
		sparse, _, _ = sparse.Add(fmt.Append(nil, i), 3000)
	}
	dense, _ := sparse.ToDense()
	f.Add([]byte(sparse), []byte("x"))
	f.Add([]byte(dense), []byte("y"))
	f.Add([]byte("HYLL\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80\x7f\xff\x80"), []byte("z"))
	f.Add([]byte("HYLL\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80\x7f"), []byte("z"))
	f.Fuzz(func(t *testing.T, b, element []byte) {
		s, ok := Open(b)
		if !ok {
			return
		}
		s.Count()
		new(Registers).Merge(s)
		for _, sparseMax := range []int{0, 3000} {
			if next, _, err := s.Add(element, sparseMax); err == nil {
				s = next
			}
			_, ok := Open(s)
			require.True(t, ok)
		}
		s.ToDense()
	})
}

var patternsOfRedis = []struct {
	element string
	index   int
	run     uint8
}{
	{"", 5938, 2}, {"a", 12711, 2}, {"ab", 719, 1}, {"hello", 9216, 1}, {"1234567", 10327, 3}, {"12345678", 10579, 3},
	{"123456789", 9293, 2}, {"the quick brown fox jumps", 7253, 2},
}
