package set_test

import (
	"fmt"

	"myredis/internal/atom"
	"myredis/keyspace/set"
)

func Example() {
	s := set.New(atom.Of("30"), atom.Of("4"), atom.Of("4"))
	fmt.Println(s.Len(), s.Sorted(), s.Has(atom.OfInt(4)))
	for m := range s.All() {
		fmt.Println(m)
	}
	s.Add(atom.Of("no integer"))
	fmt.Println(s.Len(), s.Sorted())
	// Output:
	// 2 true true
	// 4
	// 30
	// 3 false
}

func ExampleIntersection() {
	a := set.New(atom.Of("1"), atom.Of("2"), atom.Of("3"))
	b := set.New(atom.Of("2"), atom.Of("3"), atom.Of("x"))
	for m := range set.Intersection([]*set.Set{a, b}) {
		fmt.Println(m)
	}
	// Output:
	// 2
	// 3
}
