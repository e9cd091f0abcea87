package histogram_test

import (
	"fmt"

	"myredis/internal/histogram"
)

func ExampleHistogram() {
	var h histogram.Histogram
	for microseconds := range int64(100) {
		h.Record(microseconds * 1000)
	}
	fmt.Println("half took at most", h.Percentile(50), "ns")
	for upTo, count := range h.Doublings() {
		fmt.Println(upTo/1000, "us:", count)
	}
	// Output:
	// half took at most 49151 ns
	// 1 us: 2
	// 2 us: 3
	// 4 us: 5
	// 8 us: 9
	// 16 us: 17
	// 33 us: 34
	// 66 us: 67
	// 132 us: 100
}
