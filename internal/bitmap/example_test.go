package bitmap_test

import (
	"fmt"

	"myredis/internal/bitmap"
)

func Example() {
	b := make([]byte, 3)
	bitmap.Set(b, 7, true)
	bitmap.SetField(b, 8, 4, 0b1010)
	fmt.Printf("%08b\n", b)
	fmt.Println(bitmap.Count(b, 0, 24), bitmap.Index(b, true, 8, 24), bitmap.Field(b, 7, 5))
	// Output:
	// [00000001 10100000 00000000]
	// 3 8 26
}
