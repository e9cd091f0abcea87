package commands

import "time"

// clock tells the time in Unix microseconds. It reads the monotonic clock
// only, which costs half of what time.Now does, and is set by the wall clock
// at every tick, so that a wall clock that is put right is followed within a
// tenth of a second.
type clock struct {
	set  time.Time // when it was set; with a monotonic reading
	wall int64     // the wall clock then
	last int64     // the latest time told
}

func (c *clock) adjust() {
	c.set = time.Now()
	c.wall = c.set.UnixMicro()
}

// read looks at the clock.
func (c *clock) read() int64 {
	c.last = c.wall + int64(time.Since(c.set)/time.Microsecond)
	return c.last
}
