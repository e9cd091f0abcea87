package wire_test

import (
	"strings"
	"testing"

	"myredis/wire"
)

// BenchmarkNext decodes pipelines of 16; an operation is one request.
func BenchmarkNext(b *testing.B) {
	const depth = 16
	pipelines := []struct{ name, pipeline string }{
		{"SET", strings.Repeat(request("SET", "key:000000000001", "xxx"), depth)},
		{"ZADD", strings.Repeat(request("ZADD", "line", "1700000000", "visitor:000000000001"), depth)},
		{"inline", strings.Repeat("SET key:000000000001 xxx\r\n", depth)},
		{"quoted", strings.Repeat("SET \"key:\\x30\" 'x y z'\r\n", depth)},
		{"SET-1KB", strings.Repeat(request("SET", "key:000000000001", strings.Repeat("x", 1024)), depth)},
	}
	for _, p := range pipelines {
		b.Run(p.name, func(b *testing.B) {
			in := []byte(p.pipeline)
			var d wire.Decoder
			b.SetBytes(int64(len(in) / depth))
			b.ReportAllocs()
			for i := 0; i < b.N; i += depth {
				feed(&d, in)
				for range depth {
					if args, err := d.Next(); len(args) < 3 || err != nil {
						b.Fatal(args, err)
					}
				}
				d.Release()
			}
		})
	}
}

// BenchmarkNextLarge decodes a value of 8 MB that arrives 64 KB at a time.
func BenchmarkNextLarge(b *testing.B) {
	in := request("SET", "k", strings.Repeat("x", 8<<20))
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		var d wire.Decoder
		for rest := in; len(rest) > 0; {
			n := copy(d.Space(4096), rest[:min(len(rest), 64<<10)])
			d.Advance(n)
			rest = rest[n:]
			if args, err := d.Next(); (args == nil) != (len(rest) > 0) || err != nil {
				b.Fatal(len(rest), err)
			}
		}
	}
}

func BenchmarkEncoder(b *testing.B) {
	value := []byte("visitor:000000000001")
	replies := []struct {
		name  string
		reply func(e *wire.Encoder)
	}{
		{"Simple", func(e *wire.Encoder) { e.Simple("OK") }},
		{"Int-small", func(e *wire.Encoder) { e.Int(1) }},
		{"Int", func(e *wire.Encoder) { e.Int(1700000000) }},
		{"Bulk", func(e *wire.Encoder) { e.Bulk(value) }},
		{"Double-whole", func(e *wire.Encoder) { e.Double(1700000000) }},
		{"Double", func(e *wire.Encoder) { e.Double(0.1) }},
	}
	for _, r := range replies {
		b.Run(r.name, func(b *testing.B) {
			e := wire.Encoder{Proto: 2, Buf: make([]byte, 0, 256)}
			b.ReportAllocs()
			for b.Loop() {
				e.Truncate(0)
				r.reply(&e)
			}
		})
	}
}
