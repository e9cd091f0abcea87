package server

import (
	"fmt"
	"runtime"
	"sync"
	"time"
)

// The experiment with several workers.
//
// N goroutines execute commands. Each holds the baton while it runs, so that
// exactly one touches data at any instant and every hand-over orders memory:
// nothing can be corrupted and the race detector has nothing to report. But
// inside every look-up of a key the baton is handed over, so that another
// command may run between one command's look and its leap. That is what a
// store has which takes a lock for each access to its map and not for each
// command, a mistake easily made, and the reason why two clients can both win
// SET NX. No command's code differs: only who runs does.
//
// The gap says how long nobody holds the baton. It widens a window that is
// there anyway; it decides nothing.
type baton struct {
	sync.Mutex
	gap func()
}

// newBaton returns a baton whose gap is "none", "yield" or a duration.
func newBaton(gap string) (*baton, error) {
	b := &baton{}
	switch gap {
	case "none", "":
		b.gap = func() {}
	case "yield":
		b.gap = runtime.Gosched
	default:
		d, err := time.ParseDuration(gap)
		if err != nil || d < 0 {
			return nil, fmt.Errorf("gap %q is neither none, yield nor a duration", gap)
		}
		b.gap = func() { time.Sleep(d) }
	}
	return b, nil
}

// pass lets another worker run before the holder goes on.
func (b *baton) pass() {
	b.Unlock()
	b.gap()
	b.Lock()
}
