package script

import (
	"errors"
	"time"
)

// interrupt is the state's context: the interpreter asks it before each
// instruction whether to go on, which is where instructions are counted.
type interrupt struct {
	s      *state
	left   int           // instructions until the next look
	done   chan struct{} // nil while the script may go on
	killed bool
	reason string
	load   time.Time // when a library has to be loaded; zero outside of loading
}

const (
	// interruptEvery is how many instructions are run between two looks.
	interruptEvery = 2000

	killedByUser = "Script killed by user with SCRIPT KILL..."
	loadTimeout  = "FUNCTION LOAD timeout"
)

var closed = make(chan struct{})

func init() { close(closed) }

func (i *interrupt) reset() {
	i.left, i.done, i.killed, i.reason, i.load = interruptEvery, nil, false, "", time.Time{}
}

// Done implements context.Context.
func (i *interrupt) Done() <-chan struct{} {
	if i.s.session != nil {
		i.s.session.instruction()
	}
	if i.left--; i.left <= 0 {
		i.look()
	}
	return i.done
}

func (i *interrupt) look() {
	i.left = interruptEvery
	switch {
	case i.killed:
	case !i.load.IsZero():
		if time.Now().After(i.load) {
			i.kill(loadTimeout)
		}
	case i.s.session != nil && !i.s.session.gone:
	case i.s.inv != nil && i.s.inv.Host.Interrupt():
		i.kill(killedByUser)
	}
}

// kill makes every instruction from here on fail, so that no pcall keeps the
// script alive.
func (i *interrupt) kill(reason string) { i.killed, i.reason, i.done = true, reason, closed }

// Err implements context.Context.
func (i *interrupt) Err() error {
	if i.killed {
		return errors.New(i.reason)
	}
	return nil
}

// Deadline implements context.Context.
func (i *interrupt) Deadline() (time.Time, bool) { return time.Time{}, false }

// Value implements context.Context.
func (i *interrupt) Value(any) any { return nil }
