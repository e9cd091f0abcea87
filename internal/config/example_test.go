package config_test

import (
	"fmt"

	"myredis/internal/config"
)

func Example() {
	cfg := config.Default()
	if err := cfg.LoadArgs([]string{"--timeout", "60", "--maxmemory", "1gb"}); err != nil {
		fmt.Println(err)
	}
	cfg.OnChange("timeout", func() error {
		fmt.Println("clients may be idle for", cfg.Timeout, "s")
		return nil
	})
	fmt.Println(cfg.Set([]config.Pair{{Name: "timeout", Value: "5"}, {Name: "hz", Value: "fast"}}))
	fmt.Println(cfg.Set([]config.Pair{{Name: "timeout", Value: "5"}}))
	fmt.Println(cfg.Get("maxmemory", "time*"))
	// Output:
	// CONFIG SET failed (possibly related to argument 'hz') - argument couldn't be parsed into an integer
	// clients may be idle for 5 s
	// <nil>
	// [{maxmemory 1073741824} {timeout 5}]
}
