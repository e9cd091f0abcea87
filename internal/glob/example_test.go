package glob_test

import (
	"fmt"

	"myredis/internal/glob"
)

func ExampleMatch() {
	fmt.Println(glob.Match("user:[0-9]*:name", "user:42:name", false))
	fmt.Println(glob.Match("max*", "MaxMemory", true))
	fmt.Println(glob.Match(`\*`, "anything", false))
	// Output:
	// true
	// true
	// false
}
