package list_test

import (
	"fmt"

	"myredis/internal/atom"
	"myredis/keyspace/list"
)

func Example() {
	l := new(list.List)
	for _, name := range []string{"ann", "bob", "cyd"} {
		l.PushBack(atom.Of(name))
	}
	l.PushFront(atom.Of("zoe"))
	l.Insert(2, atom.OfInt(42))
	l.Delete(0, 1)
	for element := range l.Forward(0) {
		fmt.Println(element)
	}
	// Output:
	// ann
	// 42
	// bob
	// cyd
}
