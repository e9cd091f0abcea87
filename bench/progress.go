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
	terminal bool
}

// NewProgress returns a progress bar that shows nothing yet.
func NewProgress() *Progress {
	info, err := os.Stderr.Stat()
	return &Progress{terminal: err == nil && info.Mode()&os.ModeCharDevice != 0}
}

const barWidth = 24

// Show draws the bar.
func (p *Progress) Show(what string, done, total time.Duration) {
	if !p.terminal || total <= 0 {
		return
	}
	full := min(int(barWidth*done/total), barWidth)
	left := max(total-done, 0).Round(time.Second)
	fmt.Fprintf(os.Stderr, "\r\x1b[K[%s%s] %s left  %s", strings.Repeat("#", full), strings.Repeat(".", barWidth-full), left, what)
}

// Follow moves the bar with the clock until the function that it returns is
// called.
func (p *Progress) Follow(what string, done, total time.Duration) (stop func()) {
	if !p.terminal {
		return func() {}
	}
	began, end, ended := time.Now(), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(500 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				p.Show(what, done+time.Since(began), total)
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
