package queuetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"myredis/queue"
)

// tending is what a room does, besides the contract, whose strategy looks after
// the line.
func tending(t *testing.T, open func(t *testing.T, room string, change func(*queue.Config)) *desk) {
	ctx := context.Background()
	const grace = 40 * time.Minute
	// pass lets time go by in steps that a served room would see.
	pass := func(d *desk, total time.Duration, each func()) {
		for range total / (grace / 8) {
			d.shifted += grace / 8
			if each != nil {
				each()
			}
			d.admit()
		}
	}
	fill := func(d *desk) { // and start the room's own time
		d.join("in1", "in2")
		d.admit()
	}
	graced := func(c *queue.Config) { c.Grace = grace }

	t.Run("who is silent for the grace gives up the place, who polls never does", func(t *testing.T) {
		d := open(t, "silent", graced)
		fill(d)
		d.join("silent", "faithful", "late")
		pass(d, grace/2, func() { d.stands("faithful") })
		d.stands("late")
		pass(d, grace*3/4, func() { d.stands("faithful") })
		require.Equal(t, "silent:unknown faithful:waiting 1 late:waiting 2", d.stands("silent", "faithful", "late"))
		require.Len(t, d.kinds(queue.Abandoned), 1)
		pass(d, 10*grace, func() { d.stands("faithful") })
		require.Equal(t, "faithful:waiting 1", d.stands("faithful"))
	})

	t.Run("the abandoned never block the head", func(t *testing.T) {
		d := open(t, "head", func(c *queue.Config) { c.Grace = grace })
		fill(d)
		for i := range 300 { // more than one cycle's sweep
			d.join(fmt.Sprint("gone", i))
		}
		d.join("here")
		d.shifted += grace / 4
		d.admit()
		for range 4 {
			d.shifted += grace / 4
			d.stands("here")
			if d.shifted < grace {
				d.admit()
			}
		}
		d.leave("in1")
		require.Equal(t, "here:admitted", d.stands("here"))
	})

	t.Run("time in which nobody served the room counts against no one", func(t *testing.T) {
		d := open(t, "outage", graced)
		fill(d)
		d.join("a", "b")
		d.admit()
		d.shifted += 9 * time.Hour // the session has not run out
		d.admit()
		require.Equal(t, "a:waiting 1 b:waiting 2", d.stands("a", "b"))
	})

	t.Run("a lower slot throws nobody out", func(t *testing.T) {
		d := open(t, "lower", nil)
		d.join("a", "b", "c", "d")
		require.NoError(t, d.Set(ctx, queue.Settings{Slot: 1}))
		d.admit()
		require.Equal(t, "a:admitted b:admitted c:waiting 1", d.stands("a", "b", "c"))
		d.leave("a")
		require.Equal(t, "b:admitted c:waiting 1", d.stands("b", "c"))
		d.leave("b")
		require.Equal(t, "c:admitted d:waiting 1", d.stands("c", "d"))
		require.NoError(t, d.Set(ctx, queue.Settings{}))
		d.admit()
		require.Equal(t, "d:admitted", d.stands("d"))
	})

	t.Run("a paused room admits nobody and keeps every place", func(t *testing.T) {
		d := open(t, "paused", nil)
		require.NoError(t, d.Set(ctx, queue.Settings{Paused: true}))
		d.join("a", "b")
		d.admit()
		require.Equal(t, "a:waiting 1 b:waiting 2", d.stands("a", "b"))
		s, err := d.Settings(ctx)
		require.NoError(t, err)
		require.Equal(t, queue.Settings{Paused: true}, s)
		require.NoError(t, d.Set(ctx, queue.Settings{}))
		d.admit()
		require.Equal(t, "a:admitted b:admitted", d.stands("a", "b"))
	})

	t.Run("admissions per minute", func(t *testing.T) {
		d := open(t, "pace", func(c *queue.Config) { c.Slot, c.PerMinute, c.Period = 1000, 120, time.Second })
		for i := range 400 {
			d.join(fmt.Sprint("v", i))
		}
		in := func() int { return len(d.kinds(queue.Admitted)) }
		require.LessOrEqual(t, in(), 2, "one second's share at once")
		for range 120 {
			before := in()
			d.shifted += 500 * time.Millisecond
			d.admit()
			require.LessOrEqual(t, in()-before, 2)
		}
		require.InDelta(t, 120, in(), 2)
		none := 0
		require.NoError(t, d.Set(ctx, queue.Settings{PerMinute: &none}))
		d.admit()
		require.Equal(t, 400, in(), "no bound any more")
	})

	t.Run("settings that make no sense", func(t *testing.T) {
		d := open(t, "senseless", nil)
		minus := -1
		var invalid *queue.InvalidError
		require.ErrorAs(t, d.Set(ctx, queue.Settings{Slot: -1}), &invalid)
		require.ErrorAs(t, d.Set(ctx, queue.Settings{PerMinute: &minus}), &invalid)
	})
}
