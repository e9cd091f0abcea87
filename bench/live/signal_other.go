//go:build !unix

package live

import "os"

// Where there is nothing to stop a process with, instances are killed only.
var stopSignal, continueSignal os.Signal
