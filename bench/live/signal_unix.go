//go:build unix

package live

import (
	"os"
	"syscall"
)

// Signals that stop a process and let it go on.
var (
	stopSignal     os.Signal = syscall.SIGSTOP
	continueSignal os.Signal = syscall.SIGCONT
)
