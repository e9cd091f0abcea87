package list

import (
	"fmt"
	"runtime"
	"testing"

	"myredis/internal/atom"
)

const many = 1_000_000

func filled(element func(i int) atom.Atom) *List {
	l := new(List)
	for i := range many {
		l.PushBack(element(i))
	}
	return l
}

func text(i int) atom.Atom { return atom.Of(fmt.Sprintf("element:%08d", i)) }

// BenchmarkMemory is what an element of a long list takes.
func BenchmarkMemory(b *testing.B) {
	for name, element := range map[string]func(i int) atom.Atom{
		"text":    text,
		"integer": func(i int) atom.Atom { return atom.OfInt(int64(i)) },
		"digit":   func(i int) atom.Atom { return atom.OfInt(int64(i % 10)) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				var before, after runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&before)
				l := filled(element)
				runtime.GC()
				runtime.ReadMemStats(&after)
				b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/many, "B/element")
				runtime.KeepAlive(l)
			}
		})
	}
}

// BenchmarkEnds is a queue, a stack and a list that turns, of many elements.
func BenchmarkEnds(b *testing.B) {
	a := text(1)
	for name, step := range map[string]func(l *List){
		"PushBack,PopFront":  func(l *List) { l.PushBack(a); l.Delete(0, 1) },
		"PushFront,PopBack":  func(l *List) { l.PushFront(a); l.Delete(l.Len()-1, 1) },
		"PushBack,PopBack":   func(l *List) { l.PushBack(a); l.Delete(l.Len()-1, 1) },
		"PushFront,PopFront": func(l *List) { l.PushFront(a); l.Delete(0, 1) },
	} {
		for _, n := range []int{1, 1000, many} {
			b.Run(fmt.Sprint(name, "/", n), func(b *testing.B) {
				l := new(List)
				for i := range n {
					l.PushBack(text(i))
				}
				for b.Loop() {
					step(l)
				}
			})
		}
	}
}

// BenchmarkMiddle is what happens far from both ends of many elements.
func BenchmarkMiddle(b *testing.B) {
	a := text(1)
	for name, step := range map[string]func(l *List, i int){
		"At":             func(l *List, i int) { l.At(i) },
		"Set":            func(l *List, i int) { l.Set(i, a) },
		"Insert, Delete": func(l *List, i int) { l.Insert(i, a); l.Delete((i+many/3)%many, 1) },
	} {
		b.Run(name, func(b *testing.B) {
			l := filled(text)
			i := 0
			for b.Loop() {
				i = (i + 7919) % many
				step(l, i)
			}
		})
	}
	b.Run("Index", func(b *testing.B) {
		l := filled(text)
		for b.Loop() {
			l.Index(text(many - 1))
		}
	})
}
