package commands

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What MEMORY USAGE says of a value is about what the heap grows by.
func TestMemoryUsage(t *testing.T) {
	const enough = 1 << 20 // bytes of values, to which all else that moves in the heap is little
	for name, command := range map[string]func(i int) []string{
		"string":            func(i int) []string { return []string{"SET", "", strings.Repeat("s", 10_000+i)} },
		"list":              func(i int) []string { return elements("RPUSH", 1000, 1) },
		"packed hash":       func(i int) []string { return elements("HSET", 200, 2) },
		"hash":              func(i int) []string { return elements("HSET", 1500, 2) },
		"set of integers":   func(i int) []string { return integers(400) },
		"set":               func(i int) []string { return elements("SADD", 1000, 1) },
		"small sorted set":  func(i int) []string { return scoredMembers(128) },
		"sorted set":        func(i int) []string { return scoredMembers(2000) },
		"large sorted sets": func(i int) []string { return scoredMembers(9000) },
	} {
		_, do := debugBench(t)
		create := func(i int) {
			args := command(i)
			args[1] = fmt.Sprint("key:", i)
			do(args...)
		}
		create(0)  // makes the buffers that stay
		do("PING") // lets go of the arguments
		before := heapInUse()
		said := 0
		for i := 1; said < enough; i++ {
			create(i)
			n, err := strconv.Atoi(strings.TrimSpace(do("MEMORY", "USAGE", fmt.Sprint("key:", i), "SAMPLES", "0")[1:]))
			require.NoError(t, err)
			said += n
		}
		grown := heapInUse() - before
		runtime.KeepAlive(do)
		require.InEpsilon(t, grown, said, 0.25, name)
	}
}

func heapInUse() int {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

func elements(command string, n, each int) []string {
	args := []string{command, ""}
	for i := range n * each {
		args = append(args, fmt.Sprint("element:", i))
	}
	return args
}

func scoredMembers(n int) []string {
	args := []string{"ZADD", ""}
	for i := range n {
		args = append(args, strconv.Itoa(i*7919%n), fmt.Sprint("member:", i))
	}
	return args
}

func integers(n int) []string {
	args := []string{"SADD", ""}
	for i := range n {
		args = append(args, strconv.Itoa(i*1000))
	}
	return args
}
