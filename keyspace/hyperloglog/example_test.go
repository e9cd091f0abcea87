package hyperloglog_test

import (
	"fmt"

	"myredis/keyspace/hyperloglog"
)

func Example() {
	const sparseMax = 3000
	s := hyperloglog.New()
	for i := range 100_000 {
		visitor := fmt.Appendf(nil, "visitor-%d", i%10_000)
		s, _, _ = s.Add(visitor, sparseMax)
	}
	n, _ := s.Count()
	fmt.Println("about", n, "visitors in", len(s), "bytes")
	// Output: about 10041 visitors in 12304 bytes
}
