package queue_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"myredis/queue"
)

var background = context.Background()

// store is a redis-server of the test's own, asked past the rooms.
type store struct {
	queue.Backend
	t *testing.T
}

func newStore(t *testing.T) store { return store{redisBackend(t), t} }

func (s store) do(args ...any) any {
	s.t.Helper()
	reply, err := s.Do(background, args...)
	require.NoError(s.t, err)
	return reply
}

// line is the waiting set, "a=1 b=2".
func (s store) line(room string) string {
	var out []string
	for _, e := range s.do("ZRANGE", "{"+room+"}:waiting", 0, -1, "WITHSCORES").([]any) {
		pair := e.([]any)
		out = append(out, fmt.Sprintf("%v=%v", pair[0], pair[1]))
	}
	return strings.Join(out, " ")
}

func (s store) active(room string) int64 { return s.do("ZCARD", "{"+room+"}:active").(int64) }

func openRoom(t *testing.T, b queue.Backend, strategy string, change func(*queue.Config)) *queue.Room {
	t.Helper()
	r, err := queue.Open(background, b, configured(func(c *queue.Config) {
		c.Strategy, c.Slot, c.Period, c.TTL = strategy, 2, time.Hour, 10*time.Hour
		if change != nil {
			change(c)
		}
	}))
	require.NoError(t, err)
	return r
}

func join(t *testing.T, r *queue.Room, visitors ...string) {
	t.Helper()
	for _, v := range visitors {
		_, err := r.Join(background, v)
		require.NoError(t, err)
	}
}

func state(t *testing.T, r *queue.Room, visitor string) string {
	t.Helper()
	s, err := r.Status(background, visitor)
	require.NoError(t, err)
	return s.State
}

// nth picks the n-th command, counting from 1, and, if many, all after it.
func nth(n int, many bool) func([]any) bool {
	count := 0
	return func([]any) bool {
		count++
		return count == n || many && count > n
	}
}

// popping are the strategies that take visitors into an instance's hand. The
// others have nobody there to lose; what they promise is for package check.
func popping() (out []queue.Strategy) {
	for _, s := range queue.Strategies() {
		if !s.Immediate {
			out = append(out, s)
		}
	}
	return out
}

// A store that fails at any command of a cycle, for one command or until it is
// repaired, loses nobody, keeps everyone's place and never exceeds the cap.
func TestAStoreThatIsDownLosesNobody(t *testing.T) {
	s := newStore(t)
	for _, strategy := range popping() {
		for _, many := range []bool{false, true} {
			for n := 1; ; n++ {
				room := fmt.Sprintf("%s-%d-%v", strategy.Name, n, many)
				steps, repaired := 0, false
				fails := nth(n, many)
				flaky := queue.Down(s, func(args []any) bool {
					steps++
					return !repaired && steps > 1 && fails(args) // the first is Open's
				})
				var restored []string
				r := openRoom(t, flaky, strategy.Name, func(c *queue.Config) {
					c.Room = room
					c.OnEvent = func(e queue.Event) {
						if e.Kind == queue.Restored {
							restored = append(restored, e.Visitor)
						}
					}
				})
				join(t, openRoom(t, s, strategy.Name, func(c *queue.Config) { c.Room = room }), "a", "b", "c")
				_, err := r.Admit(background)
				if err == nil {
					require.Greater(t, n, 3, "the fault never struck")
					break
				}
				require.ErrorIs(t, err, queue.ErrDown)
				require.Equal(t, int64(1), r.Counters().Errors)
				repaired = true
				_, err = r.Admit(background)
				require.NoError(t, err)
				require.Equal(t, "c=3", s.line(room), "fault at command %d; restored %v", n, restored)
				require.Equal(t, queue.StateAdmitted, state(t, r, "a"))
				require.Equal(t, queue.StateAdmitted, state(t, r, "b"))
				require.Equal(t, int64(2), r.Counters().Admitted, "each is announced once")
			}
		}
	}
}

// A reply lost at any command but the pop's loses nobody either: what took
// effect is found by the score that this instance wrote.
func TestALostReplyIsFoundOut(t *testing.T) {
	s := newStore(t)
	for _, strategy := range popping() {
		for n := 1; ; n++ {
			room := fmt.Sprintf("%s-%d", strategy.Name, n)
			steps, armed, popLost := 0, false, false
			fails := nth(n, false)
			flaky := queue.LoseReply(s, func(args []any) bool {
				steps++
				strike := armed && fails(args)
				popLost = popLost || strike && args[0] == "ZPOPMIN"
				return strike
			})
			r := openRoom(t, flaky, strategy.Name, func(c *queue.Config) { c.Room = room })
			join(t, r, "a", "b", "c")
			armed = true
			_, err := r.Admit(background)
			armed = false
			if err == nil {
				break
			}
			require.ErrorIs(t, err, queue.ErrLostReply)
			if popLost {
				continue // loses visitors: not promised by a strategy that pops first
			}
			// The lease may have been won without knowing it.
			s.do("DEL", "{"+room+"}:leader")
			_, err = r.Admit(background)
			require.NoError(t, err)
			require.Equal(t, "c=3", s.line(room), "%s, reply %d lost", strategy.Name, n)
			require.Equal(t, int64(2), s.active(room))
			require.Equal(t, int64(2), r.Counters().Admitted)
		}
	}
}

func TestOptimisticRestoresTheOriginalScore(t *testing.T) {
	s := newStore(t)
	r := openRoom(t, s, "optimistic", nil)
	join(t, r, "a", "b", "c", "d")
	for range 3 {
		_, err := r.Admit(background)
		require.NoError(t, err)
		require.Equal(t, "c=3 d=4", s.line("main"))
	}
	require.Equal(t, int64(3), r.Counters().RolledBack, "each cycle finds the room full by trying")
	require.Equal(t, int64(2), s.active("main"))
}

// stopAt lets a test act just before the n-th command of that name.
func stopAt(b queue.Backend, name string, n int, act func()) queue.Backend {
	return queue.BackendFunc(func(ctx context.Context, args ...any) (any, error) {
		if args[0] == name {
			if n--; n == 0 {
				act()
			}
		}
		return b.Do(ctx, args...)
	})
}

func TestAProvisionalSeatIsNotAnAdmission(t *testing.T) {
	s := newStore(t)
	looker := openRoom(t, s, "optimistic", nil)
	looked := false
	r := openRoom(t, stopAt(s, "ZCARD", 1, func() {
		looked = true
		require.Equal(t, int64(1), s.active("main"), "the set shows the visitor")
		st, err := looker.Status(background, "a")
		require.NoError(t, err)
		require.Equal(t, queue.Status{State: queue.StateWaiting, Visitor: "a", Position: 1}, st)
		st, err = looker.Join(background, "a")
		require.NoError(t, err)
		require.Equal(t, queue.StateWaiting, st.State)
	}), "optimistic", nil)
	join(t, looker, "a")
	_, err := r.Admit(background)
	require.NoError(t, err)
	require.True(t, looked)
	require.Equal(t, queue.StateAdmitted, state(t, looker, "a"))
	require.Empty(t, s.line("main"), "joining again meanwhile took no second place")
}

func TestLeavingWhileProvisional(t *testing.T) {
	s := newStore(t)
	leaver := openRoom(t, s, "optimistic", nil)
	for name, tc := range map[string]struct {
		slot int
		at   string
	}{
		"before the count, to be confirmed":   {2, "ZCARD"},
		"before the rollback, to be restored": {1, "ZREM"},
	} {
		t.Run(name, func(t *testing.T) {
			s.do("FLUSHALL")
			join(t, leaver, "a")
			if tc.slot == 1 {
				s.do("ZADD", "{main}:active", "99999999999999", "other")
			}
			r := openRoom(t, stopAt(s, tc.at, 1, func() {
				_, err := leaver.Leave(background, "a")
				require.NoError(t, err)
			}), "optimistic", func(c *queue.Config) { c.Slot = tc.slot })
			_, err := r.Admit(background)
			require.NoError(t, err)
			require.Empty(t, s.line("main"), "who has left is not put back")
			require.Equal(t, queue.StateUnknown, state(t, r, "a"))
			require.Zero(t, r.Counters().Admitted)
		})
	}
}

// An instance that stalls in the middle for longer than a session must not
// admit into a session that is over, nor forget whom it has in hand.
func TestOptimisticStallsPastTheSession(t *testing.T) {
	for name, tc := range map[string]struct {
		at      string
		n       int
		reclaim bool
	}{
		"before the count":                    {"ZCARD", 1, false},
		"before the count, and is reclaimed":  {"ZCARD", 1, true},
		"before confirming, and is reclaimed": {"ZADD", 2, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			now := int64(1_700_000_000)
			clocked := queue.BackendFunc(func(ctx context.Context, args ...any) (any, error) {
				if args[0] == "TIME" {
					return []any{fmt.Sprint(now), "0"}, nil
				}
				return s.Do(ctx, args...)
			})
			var told []queue.Event
			r := openRoom(t, stopAt(clocked, tc.at, tc.n, func() {
				now += 24 * 3600
				if tc.reclaim {
					s.do("ZREMRANGEBYSCORE", "{main}:active", "-inf", now*1000)
				}
			}), "optimistic", func(c *queue.Config) {
				c.OnEvent = func(e queue.Event) {
					if e.Kind == queue.Admitted {
						told = append(told, e)
					}
				}
			})
			join(t, openRoom(t, clocked, "optimistic", nil), "a")
			_, err := r.Admit(background)
			require.NoError(t, err)
			require.Len(t, told, 1)
			require.True(t, told[0].At.Before(told[0].Expires), "%v is after %v", told[0].At, told[0].Expires)
			require.Equal(t, queue.StateAdmitted, state(t, r, "a"))
			require.Equal(t, int64(1), r.Counters().RolledBack)
		})
	}
}

// A visitor can have two places if they join while they are in an instance's
// hand. The second must not take the first one's seat away, nor a second seat.
func TestASecondPlaceIsSpent(t *testing.T) {
	for _, strategy := range []string{"naive", "leader", "optimistic"} {
		t.Run(strategy, func(t *testing.T) {
			s := newStore(t)
			r := openRoom(t, s, strategy, nil)
			join(t, r, "a")
			_, err := r.Admit(background)
			require.NoError(t, err)
			before, err := r.Status(background, "a")
			require.NoError(t, err)
			s.do("ZADD", "{main}:waiting", 7, "a")
			_, err = r.Admit(background)
			require.NoError(t, err)
			after, err := r.Status(background, "a")
			require.NoError(t, err)
			require.True(t, before.Expires.Equal(after.Expires), "the session is neither ended nor lengthened")
			require.Equal(t, int64(1), r.Counters().Admitted)
			require.Empty(t, s.line("main"))
		})
	}
}

// Why optimistic does not promise one place when a reply is lost: the rollback's
// ZADD took effect, another instance takes the visitor from there, and the
// restoration of what seems to be in hand leaves a second place behind.
func TestALostReplyCanLeaveASecondPlace(t *testing.T) {
	s := newStore(t)
	lost := false
	r := openRoom(t, stopAt(queue.LoseReply(s, func(args []any) bool {
		first := !lost && args[0] == "ZADD" && args[1] == "{main}:waiting"
		lost = lost || first
		return first
	}), "ZADD", 3, func() { s.do("ZPOPMIN", "{main}:waiting") }), "optimistic", nil)
	s.do("ZADD", "{main}:active", "99999999999999", "x", "99999999999999", "y")
	join(t, openRoom(t, s, "optimistic", nil), "a")
	_, err := r.Admit(background)
	require.ErrorIs(t, err, queue.ErrLostReply)
	s.do("ZREM", "{main}:active", "x")
	s.do("ZADD", "{main}:active", "99999999999998", "a") // the other instance goes on
	require.Equal(t, queue.StateAdmitted, state(t, r, "a"))
	require.Equal(t, "a=1", s.line("main"), "in the line and inside")
}

func TestStatusLooksTwiceForAVisitorInHand(t *testing.T) {
	s := newStore(t)
	r := openRoom(t, s, "naive", nil)
	join(t, r, "a")
	looker := openRoom(t, stopAt(s, "ZRANK", 1, func() { // between its two looks
		_, err := r.Admit(background)
		require.NoError(t, err)
	}), "naive", nil)
	require.Equal(t, queue.StateAdmitted, state(t, looker, "a"))
}

func TestVisitorsSeeTheStoreFail(t *testing.T) {
	s := newStore(t)
	down := false
	r := openRoom(t, queue.Down(s, func([]any) bool { return down }), "optimistic", nil)
	down = true
	_, err := r.Join(background, "a")
	require.ErrorIs(t, err, queue.ErrDown)
	_, err = r.Status(background, "a")
	require.ErrorIs(t, err, queue.ErrDown)
	_, err = r.Leave(background, "a")
	require.ErrorIs(t, err, queue.ErrDown)
	_, err = r.State(background)
	require.ErrorIs(t, err, queue.ErrDown)
	require.ErrorIs(t, r.Ping(background), queue.ErrDown)
	// Whatever command of a join fails, a second attempt gets a place, once.
	for n := 1; n <= 7; n++ {
		s.do("FLUSHALL")
		r := openRoom(t, s, "optimistic", nil)
		fails := nth(n, false)
		steps := 0
		flaky := openRoom(t, queue.LoseReply(s, func(args []any) bool { steps++; return steps > 1 && fails(args) }), "optimistic", nil)
		if _, err := flaky.Join(background, "a"); err == nil {
			require.Greater(t, n, 4)
			break
		}
		join(t, r, "a", "b")
		require.Regexp(t, `^a=\d b=\d$`, s.line("main"))
	}
}

func TestRunFinishesTheAdmissionInHand(t *testing.T) {
	for _, strategy := range []string{"naive", "naive-local", "leader", "optimistic"} {
		t.Run(strategy, func(t *testing.T) {
			s := newStore(t)
			ctx, cancel := context.WithCancel(background)
			defer cancel()
			// The context ends when the first visitor is out of the line and not
			// yet in a seat.
			var seen []error
			stopping := stopAt(queue.BackendFunc(func(ctx context.Context, args ...any) (any, error) {
				seen = append(seen, ctx.Err())
				return s.Do(ctx, args...)
			}), "ZADD", 1, cancel)
			r := openRoom(t, stopping, strategy, nil)
			join(t, openRoom(t, s, strategy, nil), "a", "b", "c")
			require.NoError(t, r.Run(ctx))
			for _, err := range seen {
				require.NoError(t, err, "an admission's commands run on a context of their own")
			}
			require.Equal(t, queue.StateAdmitted, state(t, openRoom(t, s, strategy, nil), "a"))
			popped := map[string]string{"optimistic": "b=2 c=3"}
			want := "c=3" // the others had two in hand
			if p, ok := popped[strategy]; ok {
				want = p
			}
			require.Equal(t, want, s.line("main"), "no admission is begun after that")
		})
	}
}

// script is a store for Run's timing: a room of which nothing is known but
// that it is full.
func script(count func(), down func() bool) queue.Backend {
	return queue.BackendFunc(func(_ context.Context, args ...any) (any, error) {
		if down() {
			return nil, queue.ErrDown
		}
		switch args[0] {
		case "TIME":
			return []any{"1700000000", "0"}, nil
		case "ZCARD":
			count()
			return int64(2), nil
		case "GET":
			return nil, nil
		}
		return int64(0), nil
	})
}

func TestRunKeepsItsPeriod(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var cycles atomic.Int32
		var down atomic.Bool
		var log bytes.Buffer
		r := openRoom(t, script(func() { cycles.Add(1) }, down.Load), "naive", func(c *queue.Config) {
			c.Period = 200 * time.Millisecond
			c.Logger = slog.New(slog.NewTextHandler(&log, nil))
		})
		ctx, cancel := context.WithCancel(background)
		done := make(chan error)
		go func() { done <- r.Run(ctx) }()
		time.Sleep(time.Second + 100*time.Millisecond)
		synctest.Wait()
		require.Equal(t, int32(6), cycles.Load(), "one at once, then one a period")
		down.Store(true)
		time.Sleep(time.Second)
		down.Store(false)
		time.Sleep(time.Second)
		synctest.Wait()
		require.Equal(t, int32(11), cycles.Load(), "a store that was down does not end the loop")
		cancel()
		require.NoError(t, <-done)
		require.Equal(t, int64(5), r.Counters().Errors)
		require.Equal(t, 1, strings.Count(log.String(), "admission error"), "%s", log.String())
		require.Equal(t, 1, strings.Count(log.String(), "admission works again"))
	})
}

func TestRunNamesThoseItCouldNotPutBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := false
		var lost []queue.Event
		b := queue.BackendFunc(func(_ context.Context, args ...any) (any, error) {
			if down {
				return nil, queue.ErrDown
			}
			switch args[0] {
			case "TIME":
				return []any{"1700000000", "0"}, nil
			case "ZPOPMIN":
				down = true // and stays so
				return []any{"ann", "7"}, nil
			}
			return int64(0), nil
		})
		r := openRoom(t, b, "naive", func(c *queue.Config) {
			c.Period, c.CommandTimeout = time.Second, 3*time.Second
			c.OnEvent = func(e queue.Event) {
				if e.Kind == queue.Lost {
					lost = append(lost, e)
				}
			}
		})
		ctx, cancel := context.WithTimeout(background, time.Minute)
		defer cancel()
		begin := time.Now()
		err := r.Run(ctx)
		require.ErrorContains(t, err, "ann (ticket 7)")
		require.ErrorIs(t, err, queue.ErrDown)
		require.Len(t, lost, 1)
		require.LessOrEqual(t, time.Since(begin), time.Minute+4*time.Second)
	})
}

func TestEventsAreLogLines(t *testing.T) {
	s := newStore(t)
	var log bytes.Buffer
	var heard []queue.Kind
	r := openRoom(t, s, "leader", func(c *queue.Config) {
		c.Logger = slog.New(slog.NewJSONHandler(&log, nil))
		c.Slot = 1
	})
	cancel := r.Subscribe(func(e queue.Event) { heard = append(heard, e.Kind) })
	join(t, r, "a", "b")
	_, err := r.Admit(background)
	require.NoError(t, err)
	_, err = r.Leave(background, "b")
	require.NoError(t, err)
	_, err = r.Leave(background, "a")
	require.NoError(t, err)
	cancel()
	join(t, r, "c")
	_, err = r.Admit(background)
	require.NoError(t, err)
	require.Equal(t, []queue.Kind{queue.LeaderWon, queue.Admitted, queue.Left, queue.Released}, heard)

	var lines []map[string]any
	for _, text := range strings.Split(strings.TrimSpace(log.String()), "\n") {
		var line map[string]any
		require.NoError(t, json.Unmarshal([]byte(text), &line))
		require.Equal(t, "main", line["room"])
		require.Equal(t, "i1", line["instance"])
		require.Equal(t, "leader", line["strategy"])
		lines = append(lines, line)
	}
	admitted, released := lines[1], lines[3]
	require.Equal(t, "admitted", admitted["msg"])
	require.Equal(t, "a", admitted["visitor"])
	require.Equal(t, 1.0, admitted["ticket"])
	require.Equal(t, admitted["expires"], released["expires"])
	from, err := time.Parse(time.RFC3339Nano, admitted["at"].(string))
	require.NoError(t, err)
	until, err := time.Parse(time.RFC3339Nano, released["at"].(string))
	require.NoError(t, err)
	require.True(t, from.Before(until))
}

func TestRateIsTheWholeRooms(t *testing.T) {
	s := newStore(t)
	admits := openRoom(t, s, "naive", func(c *queue.Config) { c.Slot = 100 })
	looks := openRoom(t, s, "naive", nil)
	st, err := looks.State(background)
	require.NoError(t, err)
	require.Zero(t, st.AdmittedPerSecond)
	for i := range 20 {
		join(t, admits, fmt.Sprint("v", i))
	}
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	admits.Subscribe(func(e queue.Event) {
		if e.Visitor == "v19" {
			cancel()
		}
	})
	require.NoError(t, admits.Run(ctx))
	st, err = looks.State(background)
	require.NoError(t, err)
	require.Greater(t, st.AdmittedPerSecond, 1.0, "seen by an instance that admitted nobody")
	require.Zero(t, st.Counters.Admitted)
}
