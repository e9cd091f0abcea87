package bitmap

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// row is the model: one element a bit.
type row []bool

func rowOf(b []byte) row {
	var r row
	for _, x := range b {
		for bit := 7; bit >= 0; bit-- {
			r = append(r, x>>bit&1 == 1)
		}
	}
	return r
}

func (r row) at(i int) bool { return i < len(r) && r[i] }

// drawBytes draws bytes with long runs in them, for the loops that go by words.
func drawBytes(t *rapid.T, name string) []byte {
	run := rapid.Custom(func(t *rapid.T) []byte {
		x := rapid.SampledFrom([]byte{0, 0xff, 1, 0x80, 0xa5}).Draw(t, "byte")
		return bytes.Repeat([]byte{x}, rapid.IntRange(0, 70).Draw(t, "times"))
	})
	return bytes.Join(rapid.SliceOfN(rapid.OneOf(run, rapid.SliceOfN(rapid.Byte(), 0, 9)), 0, 4).Draw(t, name), nil)
}

// drawRange draws two positions within n bits; the second may be the smaller.
func drawRange(t *rapid.T, n int) (from, to int64) {
	return int64(rapid.IntRange(0, n).Draw(t, "from")), int64(rapid.IntRange(0, n).Draw(t, "to"))
}

func TestBits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawBytes(t, "b")
		model := rowOf(b)
		i := rapid.IntRange(0, len(model)+20).Draw(t, "i")
		require.Equal(t, model.at(i), Get(b, int64(i)))
		if i < len(model) {
			on := rapid.Bool().Draw(t, "on")
			Set(b, int64(i), on)
			model[i] = on
			require.Equal(t, model, rowOf(b))
		}
	})
}

func TestCountAndIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawBytes(t, "b")
		model := rowOf(b)
		from, to := drawRange(t, len(model))
		on := rapid.Bool().Draw(t, "on")
		count, index := int64(0), int64(-1)
		for i := from; i < to; i++ {
			if model[i] {
				count++
			}
			if model[i] == on && index < 0 {
				index = i
			}
		}
		require.Equal(t, count, Count(b, from, to))
		require.Equal(t, index, Index(b, on, from, to))
	})
}

func TestField(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawBytes(t, "b")
		model := rowOf(b)
		at, width := rapid.IntRange(0, len(model)+20).Draw(t, "at"), rapid.IntRange(1, 64).Draw(t, "width")
		v := uint64(0)
		for i := range width {
			v <<= 1
			if model.at(at + i) {
				v |= 1
			}
		}
		require.Equal(t, v, Field(b, int64(at), width))
		if at+width > len(model) {
			return
		}
		v = rapid.Uint64().Draw(t, "v")
		SetField(b, int64(at), width, v)
		for i := range width {
			model[at+i] = v>>(width-1-i)&1 == 1
		}
		require.Equal(t, model, rowOf(b))
	})
}

func TestLogic(t *testing.T) {
	logic := map[string]struct {
		do    func(dst, src []byte)
		model func(a, b bool) bool
	}{
		"And": {And, func(a, b bool) bool { return a && b }},
		"Or":  {Or, func(a, b bool) bool { return a || b }},
		"Xor": {Xor, func(a, b bool) bool { return a != b }},
		"Not": {func(dst, _ []byte) { Not(dst) }, func(a, _ bool) bool { return !a }},
	}
	rapid.Check(t, func(t *rapid.T) {
		dst, src := drawBytes(t, "dst"), drawBytes(t, "src")
		if len(src) > len(dst) {
			dst, src = src, dst
		}
		op := logic[rapid.SampledFrom([]string{"And", "Or", "Xor", "Not"}).Draw(t, "op")]
		a, b := rowOf(dst), rowOf(src)
		op.do(dst, src)
		for i := range a {
			a[i] = op.model(a[i], b.at(i))
		}
		require.Equal(t, a, rowOf(dst))
	})
}
