//go:build !unix

package bench

import "os"

// There is nothing to stop a process with; the attempt fails.
var (
	stopSignal     os.Signal
	continueSignal os.Signal
)
