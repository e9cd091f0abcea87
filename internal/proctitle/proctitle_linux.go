package proctitle

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"sync"
	"unsafe"
)

// room is the memory of the arguments and of the environment behind them. What
// Go has strings of, which are views of it, is copied first.
var room = sync.OnceValue(func() []byte {
	size := extent()
	if size == 0 {
		return nil
	}
	space := unsafe.Slice(unsafe.StringData(os.Args[0]), size)
	for i, arg := range os.Args {
		os.Args[i] = strings.Clone(arg)
	}
	for _, variable := range os.Environ() {
		name, value, _ := strings.Cut(variable, "=")
		if os.Setenv(name, value) != nil { // a name that cannot be set anew still is a view
			return nil
		}
	}
	return space
})

// extent returns how many bytes there are from the first argument to the end of
// the environment, as the kernel tells; 0 when that is not the memory of os.Args.
func extent() uintptr {
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil || len(os.Args) == 0 || os.Args[0] == "" {
		return 0
	}
	// Behind the program's name, which may have blanks in it, come numbers:
	// the 48th field is arg_start, then arg_end, env_start and env_end.
	const behindName, argStart = 3, 48
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) <= argStart-behindName+3 {
		return 0
	}
	var bounds [4]uintptr
	for i := range bounds {
		n, _ := strconv.ParseUint(fields[argStart-behindName+i], 10, 64)
		bounds[i] = uintptr(n)
	}
	if bounds[0] != uintptr(unsafe.Pointer(unsafe.StringData(os.Args[0]))) || bounds[1] != bounds[2] || bounds[3] <= bounds[0] {
		return 0
	}
	return bounds[3] - bounds[0]
}

// Set sets the title, as much of it as there is room for.
func Set(title string) {
	space := room()
	if len(space) == 0 {
		return
	}
	n := copy(space[:len(space)-1], title)
	clear(space[n:])
}
