package geohash

import "testing"

func BenchmarkEncode(b *testing.B) {
	for b.Loop() {
		Encode(Point{13.361389, 38.115556})
	}
}

func BenchmarkDecode(b *testing.B) {
	for b.Loop() {
		Decode(3479099956230698)
	}
}

func BenchmarkDistance(b *testing.B) {
	from, to := Point{13.361389, 38.115556}, Point{15.087269, 37.502669}
	for b.Loop() {
		Distance(from, to)
	}
}

func BenchmarkRanges(b *testing.B) {
	s := Shape{Center: Point{15, 37}, Unit: 1000, Radius: 200}
	for b.Loop() {
		s.Ranges()
	}
}
