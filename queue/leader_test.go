package queue_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"myredis/queue"
)

func leaders(t *testing.T, s store, n int, events *[]string) []*queue.Room {
	t.Helper()
	var rooms []*queue.Room
	for i := range n {
		rooms = append(rooms, openRoom(t, s, "leader", func(c *queue.Config) {
			c.Instance = fmt.Sprintf("i%d", i+1)
			c.OnEvent = func(e queue.Event) {
				if e.Kind == queue.LeaderWon || e.Kind == queue.LeaderLost {
					*events = append(*events, fmt.Sprintf("%s %s", e.Instance, e.Kind))
				}
			}
		}))
	}
	return rooms
}

func cycle(t *testing.T, r *queue.Room) time.Duration {
	t.Helper()
	next, err := r.Admit(background)
	require.NoError(t, err)
	return next
}

func TestOneLeaderAtATime(t *testing.T) {
	s := newStore(t)
	var events []string
	r := leaders(t, s, 2, &events)
	join(t, r[0], "a", "b", "c")
	require.Equal(t, time.Hour, cycle(t, r[0]))
	s.do("ZREM", "{main}:active", "a")
	require.LessOrEqual(t, cycle(t, r[1]), time.Hour)
	require.Zero(t, r[1].Counters().Admitted, "a seat is free, but not for the other to fill")
	s.do("PEXPIRE", "{main}:leader", 1000)
	require.LessOrEqual(t, cycle(t, r[1]), 1001*time.Millisecond, "a loser comes back when the lease lapses")
	cycle(t, r[0])
	require.Equal(t, queue.StateAdmitted, state(t, r[0], "c"))
	left := s.do("PTTL", "{main}:leader").(int64)
	require.Greater(t, left, int64(time.Hour/time.Millisecond), "renewed by its holder")

	s.do("DEL", "{main}:leader") // lapses
	cycle(t, r[1])
	cycle(t, r[0])
	require.Equal(t, []string{"i1 leader won", "i2 leader won", "i1 leader lost"}, events)
	require.Equal(t, int64(1), r[1].Counters().LeaderChanges)

	// i1 back under its name, without its memory, does not take i2's lease for its own.
	s.do("DEL", "{main}:leader")
	cycle(t, r[0])
	again := leaders(t, s, 1, &events)[0]
	cycle(t, again)
	require.Zero(t, again.Counters().LeaderChanges)
}

func TestADeadLeaderIsReplacedWithinTwoPeriods(t *testing.T) {
	s := newStore(t)
	const period = 500 * time.Millisecond
	won := make(chan time.Time, 16)
	start := func(name string) (stop context.CancelFunc, done chan error) {
		r := openRoom(t, s, "leader", func(c *queue.Config) {
			c.Instance, c.Period = name, period
			c.OnEvent = func(e queue.Event) {
				if e.Kind == queue.LeaderWon {
					won <- e.At
				}
			}
		})
		ctx, cancel := context.WithCancel(background)
		done = make(chan error, 1)
		go func() { done <- r.Run(ctx) }()
		return cancel, done
	}
	stop1, done1 := start("i1")
	<-won
	stop2, done2 := start("i2")
	stop1()
	require.NoError(t, <-done1)
	died := time.Now() // i1 does not give the lease back: it might as well have been killed
	<-won
	require.Less(t, time.Since(died), 2*period)
	stop2()
	require.NoError(t, <-done2)
}

func TestALeaseWithoutExpiryIsReported(t *testing.T) {
	s := newStore(t)
	var events []string
	r := leaders(t, s, 1, &events)[0]
	s.do("SET", "{main}:leader", "somebody")
	_, err := r.Admit(background)
	require.ErrorContains(t, err, "{main}:leader does not expire")
}
