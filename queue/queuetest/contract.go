package queuetest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"myredis/queue"
)

// desk is one instance of a room with two seats, and a clock to move.
type desk struct {
	*queue.Room
	t       *testing.T
	shifted time.Duration
	events  []queue.Event
	keys    map[string]bool
	mu      sync.Mutex
}

func openDesk(t *testing.T, backend queue.Backend, strategy, room string, change func(*queue.Config)) *desk {
	d := &desk{t: t, keys: map[string]bool{}}
	cfg := queue.Defaults()
	cfg.Room, cfg.Instance, cfg.Strategy = room, "i1", strategy
	cfg.Slot, cfg.TTL, cfg.Period = 2, session, period
	cfg.OnEvent = func(e queue.Event) { d.events = append(d.events, e) }
	if change != nil {
		change(&cfg)
	}
	began, err := storeTime(backend)
	require.NoError(t, err)
	now := func() time.Time { return began.Add(d.shifted) }
	recorded := queue.Record(Clocked(backend, now), func(args []any, _ any, _ error) {
		d.mu.Lock()
		defer d.mu.Unlock()
		for _, key := range keysOf(args) {
			d.keys[key] = true
		}
	})
	d.Room, err = queue.Open(context.Background(), recorded, cfg)
	require.NoError(t, err)
	return d
}

// keysOf lists the keys that a command names.
func keysOf(args []any) (keys []string) {
	switch args[0] {
	case "TIME":
		return nil
	case "EVAL", "EVALSHA":
		for _, key := range args[3 : 3+args[2].(int)] {
			keys = append(keys, fmt.Sprint(key))
		}
		return keys
	}
	return []string{fmt.Sprint(args[1])}
}

func (d *desk) join(visitors ...string) {
	for _, v := range visitors {
		_, err := d.Join(context.Background(), v)
		require.NoError(d.t, err)
	}
}

func (d *desk) admit() {
	_, err := d.Admit(context.Background())
	require.NoError(d.t, err)
}

// stands gives the visitors' states, as "a:admitted b:waiting 1".
func (d *desk) stands(visitors ...string) string {
	var out []string
	for _, v := range visitors {
		s, err := d.Status(context.Background(), v)
		require.NoError(d.t, err)
		word := v + ":" + s.State
		if s.State == queue.StateWaiting {
			require.Equal(d.t, s.Position-1, s.Ahead)
			word += fmt.Sprint(" ", s.Position)
		}
		out = append(out, word)
	}
	return strings.Join(out, " ")
}

func (d *desk) leave(visitor string) string {
	s, err := d.Leave(context.Background(), visitor)
	require.NoError(d.t, err)
	return s.State
}

func (d *desk) kinds(kind queue.Kind) (out []queue.Event) {
	for _, e := range d.events {
		if e.Kind == kind {
			out = append(out, e)
		}
	}
	return out
}

// contract is what a room does under every strategy, one instance, no faults.
func contract(t *testing.T, backend queue.Backend, s queue.Strategy) {
	strategy := s.Name
	ctx := context.Background()
	open := func(t *testing.T, room string, change func(*queue.Config)) *desk {
		return openDesk(t, backend, strategy, strategy+"-"+room, change)
	}

	t.Run("joining twice keeps the first place", func(t *testing.T) {
		d := open(t, "twice", nil)
		d.join("a", "b", "a", "c", "a")
		if s.Immediate {
			require.Equal(t, "a:admitted b:admitted c:waiting 1", d.stands("a", "b", "c"))
		} else {
			require.Equal(t, "a:waiting 1 b:waiting 2 c:waiting 3", d.stands("a", "b", "c"))
		}
	})

	t.Run("admission in order up to the slot", func(t *testing.T) {
		d := open(t, "order", nil)
		require.Equal(t, "a:unknown", d.stands("a"))
		d.join("a", "b", "c", "d")
		d.admit()
		require.Equal(t, "a:admitted b:admitted c:waiting 1 d:waiting 2", d.stands("a", "b", "c", "d"))
		d.admit()
		require.Equal(t, "a:admitted b:admitted c:waiting 1 d:waiting 2", d.stands("a", "b", "c", "d"))

		s, err := d.Join(ctx, "a")
		require.NoError(t, err)
		require.Equal(t, queue.StateAdmitted, s.State)
		require.InDelta(t, session.Seconds(), s.TTL.Seconds(), 60)
		now, err := storeTime(backend)
		require.NoError(t, err)
		require.WithinDuration(t, now.Add(session), s.Expires, time.Minute)

		told := d.kinds(queue.Admitted)
		require.Len(t, told, 2)
		require.Equal(t, []string{"a", "b"}, []string{told[0].Visitor, told[1].Visitor})
		require.True(t, told[0].Expires.Equal(s.Expires), "the event's expiry is the one the visitor reads")
		require.True(t, told[0].At.Before(told[0].Expires))

		state, err := d.State(ctx)
		require.NoError(t, err)
		require.Equal(t, int64(2), state.Waiting)
		require.Equal(t, int64(2), state.Active)
		require.Equal(t, int64(2), state.Counters.Admitted)
	})

	t.Run("leaving", func(t *testing.T) {
		d := open(t, "leave", nil)
		d.join("a", "b", "c", "d", "e")
		d.admit()
		require.Equal(t, queue.StateAdmitted, d.leave("a"))
		require.Equal(t, queue.StateUnknown, d.leave("a"))
		require.Equal(t, queue.StateWaiting, d.leave("d"))
		require.Equal(t, queue.StateUnknown, d.leave("stranger"))
		d.admit()
		require.Equal(t, "a:unknown b:admitted c:admitted d:unknown e:waiting 1", d.stands("a", "b", "c", "d", "e"))
		d.join("a")
		require.Equal(t, "e:waiting 1 a:waiting 2", d.stands("e", "a"))
		require.Len(t, d.kinds(queue.Released), 1)
		require.Len(t, d.kinds(queue.Left), 1)
	})

	t.Run("a session that is over frees its seat", func(t *testing.T) {
		d := open(t, "over", nil)
		d.join("a", "b", "c")
		d.admit()
		d.shifted = jump
		require.Equal(t, "a:unknown c:waiting 1", d.stands("a", "c"))
		d.admit()
		require.Equal(t, "a:unknown b:unknown c:admitted", d.stands("a", "b", "c"))
		freed := d.kinds(queue.Reclaimed)
		require.Len(t, freed, 1)
		require.Equal(t, int64(2), freed[0].Count)
		require.Equal(t, queue.StateUnknown, d.leave("a"))
	})

	t.Run("without reclaim stale seats stay taken", func(t *testing.T) {
		d := open(t, "stale", func(c *queue.Config) { c.Reclaim = false })
		d.join("a", "b", "c")
		d.admit()
		d.shifted = jump
		d.admit()
		require.Equal(t, "a:unknown b:unknown c:waiting 1", d.stands("a", "b", "c"))
		state, err := d.State(ctx)
		require.NoError(t, err)
		require.Equal(t, int64(2), state.Active, "two seats that nobody sits on")

		d.join("a")
		d.leave("b") // one seat comes free, c is first
		d.admit()
		require.Equal(t, "c:admitted", d.stands("c"))
		state, err = d.State(ctx)
		require.NoError(t, err)
		require.Equal(t, int64(2), state.Active, "a may have got the seat back that a never left")
	})

	t.Run("every key is tagged with the room", func(t *testing.T) {
		d := open(t, "tagged", nil)
		d.join("a", "b", "c")
		d.admit()
		d.admit()
		d.leave("a")
		_, err := d.State(ctx)
		require.NoError(t, err)
		require.NotEmpty(t, d.keys)
		for key := range d.keys {
			require.True(t, strings.HasPrefix(key, "{"+strategy+"-tagged}:"), key)
		}
	})

	t.Run("the census is what everybody's status says", func(t *testing.T) {
		d := open(t, "census", nil)
		d.join("a", "b", "c", "d", "e")
		d.admit()
		d.leave("a")
		d.admit()
		all, err := d.Census(ctx)
		require.NoError(t, err)
		for _, s := range all {
			status, err := d.Status(ctx, s.Visitor)
			require.NoError(t, err)
			require.Equal(t, status, s)
		}
		require.Len(t, all, 4)
	})

	t.Run("renewal", func(t *testing.T) {
		d := open(t, "renewal", nil)
		d.join("a", "b", "c")
		d.admit()
		if !s.Renews {
			_, err := d.Renew(ctx, "a")
			require.ErrorIs(t, err, queue.ErrFixedSession)
			return
		}
		d.shifted = session / 2
		renewed, err := d.Renew(ctx, "a")
		require.NoError(t, err)
		require.Equal(t, queue.StateAdmitted, renewed.State)
		require.Equal(t, session, renewed.TTL)
		for visitor, state := range map[string]string{"c": queue.StateWaiting, "stranger": queue.StateUnknown} {
			status, err := d.Renew(ctx, visitor)
			require.NoError(t, err)
			require.Equal(t, state, status.State)
		}
		d.shifted = session + time.Minute
		d.admit()
		require.Equal(t, "a:admitted b:unknown c:admitted", d.stands("a", "b", "c"))
		d.shifted = jump
		renewed, err = d.Renew(ctx, "a")
		require.NoError(t, err)
		require.Equal(t, queue.StateUnknown, renewed.State, "a session that is over is not revived")
	})

	if s.Tends {
		tending(t, open)
	}

	t.Run("names", func(t *testing.T) {
		d := open(t, "names", nil)
		for _, bad := range []string{"", "two words", "{tag}", strings.Repeat("x", 129), "naïve", "a\r\nb"} {
			_, err := d.Join(ctx, bad)
			var invalid *queue.InvalidError
			require.ErrorAs(t, err, &invalid, "%q", bad)
			require.Equal(t, "visitor", invalid.Field)
			_, err = d.Status(ctx, bad)
			require.ErrorAs(t, err, &invalid)
			_, err = d.Leave(ctx, bad)
			require.ErrorAs(t, err, &invalid)
			_, err = d.Renew(ctx, bad)
			require.ErrorAs(t, err, &invalid)
		}
	})
}
