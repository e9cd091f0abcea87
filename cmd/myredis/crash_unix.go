//go:build unix

package main

import (
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"

	"myredis/commands"
)

// reportCrashes logs what every goroutine does when the process is ended by a
// signal that tells of a fault, as DEBUG SEGFAULT and abort(3) send one, and
// then lets it have its effect. Faults of the program itself are Go's to report.
func reportCrashes(log *slog.Logger, enabled func() bool) {
	faults := make(chan os.Signal, 1)
	signal.Notify(faults, syscall.SIGABRT, syscall.SIGSEGV, syscall.SIGBUS, syscall.SIGFPE, syscall.SIGILL)
	go func() {
		fault := (<-faults).(syscall.Signal)
		if enabled() {
			log.Warn("MyRedis " + commands.Version + " crashed by signal: " + strconv.Itoa(int(fault)))
			log.Warn("\n------ STACK TRACE ------\n" + string(allStacks()))
		}
		signal.Reset(fault)
		syscall.Kill(os.Getpid(), fault)
	}()
}

func allStacks() []byte {
	for size := 64 << 10; ; size *= 2 {
		text := make([]byte, size)
		if n := runtime.Stack(text, true); n < size {
			return text[:n]
		}
	}
}
