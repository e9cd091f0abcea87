package stream_test

import (
	"fmt"

	"myredis/keyspace/stream"
)

func Example() {
	s := new(stream.Stream)
	for ms, text := range []string{"hello", "world"} {
		pairs := [][]byte{[]byte("text"), []byte(text)}
		s.Append(stream.ID{MS: uint64(ms + 1)}, pairs, stream.Limits{Entries: 100})
	}
	for e := range s.Range(stream.ID{}, stream.Max) {
		for field, value := range e.Pairs() {
			fmt.Println(e.ID, field, value)
		}
	}
	// Output:
	// 1-0 text hello
	// 2-0 text world
}

func ExampleGroup() {
	s := new(stream.Stream)
	s.CreateGroup("readers", stream.ID{}, stream.Unknown)
	for ms := range uint64(3) {
		s.Append(stream.ID{MS: ms + 1}, [][]byte{[]byte("n"), []byte("1")}, stream.Limits{})
	}
	g := s.Group("readers")
	ann, _ := g.CreateConsumer("ann", 0)
	for e := range s.Range(g.Last, stream.ID{MS: 2}) {
		s.Advance(g, e.ID)
		g.Assign(e.ID, ann, 0)
	}
	g.Forget(g.Pending().First()) // acknowledged
	lag, _ := s.Lag(g)
	fmt.Println(ann.Pending().Len(), "pending, the first", ann.Pending().First().ID, "and", lag, "to come")
	// Output: 1 pending, the first 2-0 and 1 to come
}
