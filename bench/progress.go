package bench

import (
	"fmt"
	"os"
	"strings"
	"time"
)

// Progress shows on standard error how far a run is and how long it will take:
// a line that is written over where it is a terminal, else nothing.
type Progress struct {
	terminal    bool
	before, all time.Duration // of the experiments that are over, and of all
}

// NewProgress returns a progress bar for a run that is to take so long.
func NewProgress(all time.Duration) *Progress {
	info, err := os.Stderr.Stat()
	return &Progress{terminal: err == nil && info.Mode()&os.ModeCharDevice != 0, all: all}
}

// Pass says that an experiment that was to take so long is over.
func (p *Progress) Pass(planned time.Duration) { p.before += planned }

const barWidth = 24

// Show draws the bar, with so much of the present experiment done.
func (p *Progress) Show(what string, done time.Duration) {
	if !p.terminal || p.all <= 0 {
		return
	}
	done += p.before
	full := min(int(barWidth*done/p.all), barWidth)
	left := max(p.all-done, 0).Round(time.Second)
	fmt.Fprintf(os.Stderr, "\r\x1b[K[%s%s] %s left  %s", strings.Repeat("#", full), strings.Repeat(".", barWidth-full), left, what)
}

// Follow moves the bar with the clock until the function that it returns is
// called.
func (p *Progress) Follow(what string, done time.Duration) (stop func()) {
	if !p.terminal {
		return func() {}
	}
	p.Show(what, done)
	began, end, ended := time.Now(), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(500 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				p.Show(what, done+time.Since(began))
			case <-end:
				return
			}
		}
	}()
	return func() { close(end); <-ended }
}

// Done clears the line.
func (p *Progress) Done() {
	if p.terminal {
		fmt.Fprint(os.Stderr, "\r\x1b[K")
	}
}
