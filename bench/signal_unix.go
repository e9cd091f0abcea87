//go:build unix

package bench

import (
	"os"
	"syscall"
)

// Signals that stop a process and let it go on.
var (
	stopSignal     os.Signal = syscall.SIGSTOP
	continueSignal os.Signal = syscall.SIGCONT
)
