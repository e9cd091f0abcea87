package hash_test

import (
	"fmt"

	"myredis/internal/atom"
	"myredis/keyspace/hash"
)

func Example() {
	var h *hash.Hash
	h, _ = h.Set(atom.Of("name"), atom.Of("Ann"))
	h, _ = h.Set(atom.Of("visits"), atom.Of("41"))
	if visits, ok := h.Get(atom.Of("visits")); ok {
		n, _ := visits.Int()
		h, _ = h.Set(atom.Of("visits"), atom.OfInt(n+1))
	}
	for field, value := range h.All() {
		fmt.Println(field, value)
	}
	// Output:
	// name Ann
	// visits 42
}
