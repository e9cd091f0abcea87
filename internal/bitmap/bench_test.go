package bitmap

import "testing"

// A row of a megabyte, as a bitmap of eight million visitors is.
func BenchmarkMegabyte(b *testing.B) {
	const n = 1 << 20
	x, y := make([]byte, n), make([]byte, n)
	y[n-1] = 1
	for name, do := range map[string]func(){
		"Count": func() { Count(x, 0, 8*n) },
		"Index": func() { Index(y, true, 0, 8*n) },
		"And":   func() { And(x, y) },
		"Or":    func() { Or(x, y) },
		"Xor":   func() { Xor(x, y) },
		"Not":   func() { Not(x) },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(n)
			for b.Loop() {
				do()
			}
		})
	}
}
