package server

import (
	"net"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/resp"

	"myredis/commands"
)

// meeting lets callers through in pairs: it delays, and decides nothing. One
// who stays alone is let go when patience runs out.
type meeting struct {
	mu       sync.Mutex
	waiting  chan struct{} // closed when the second one comes; nil when nobody waits
	patience time.Duration
	met      int
}

func (m *meeting) join() {
	m.mu.Lock()
	if m.waiting != nil {
		close(m.waiting)
		m.waiting = nil
		m.met++
		m.mu.Unlock()
		return
	}
	second := make(chan struct{})
	m.waiting = second
	m.mu.Unlock()
	select {
	case <-second:
	case <-time.After(m.patience):
		m.mu.Lock()
		if m.waiting == second {
			m.waiting = nil
		}
		m.mu.Unlock()
	}
}

// contest lets candidates ask for the same lease at once and returns how many
// were told that they have it.
func contest(t *testing.T, addr string, candidates int) (winners int) {
	t.Helper()
	replies := make(chan string, candidates)
	for i := range candidates {
		go func() {
			replies <- ask(t, addr, "SET", "leader", strconv.Itoa(i), "NX", "PX", "60000")
		}()
	}
	for range candidates {
		if <-replies == "OK" {
			winners++
		}
	}
	return winners
}

func ask(t *testing.T, addr string, args ...string) string {
	nc, err := net.Dial("tcp", addr)
	if err != nil {
		t.Error(err)
		return ""
	}
	defer nc.Close()
	values := make([]resp.Value, len(args))
	for i, arg := range args {
		values[i] = resp.StringValue(arg)
	}
	if err := resp.NewWriter(nc).WriteArray(values); err != nil {
		t.Error(err)
		return ""
	}
	v, _, err := resp.NewReader(nc).ReadValue()
	if err != nil {
		t.Error(err)
		return ""
	}
	return v.String()
}

// With two workers, and a gap that lasts until both candidates have looked,
// both have seen that there is no leader: both win, on every run.
func TestTwoWorkersElectTwoLeaders(t *testing.T) {
	for range 20 {
		s := start(t, map[string]string{"workers": "2"})
		m := &meeting{patience: 10 * time.Second}
		s.Do(func(*commands.Engine) { s.door.(*goroutineDoor).baton.gap = m.join })
		require.Equal(t, 2, contest(t, s.Addr(), 2))
		require.Equal(t, 1, m.met)
	}
}

// With one worker nobody can look before the other has leapt, however long the
// one who has looked is held up.
func TestOneWorkerElectsOneLeader(t *testing.T) {
	for _, door := range doors {
		t.Run(door, func(t *testing.T) {
			s := start(t, map[string]string{"front-door": door})
			m := &meeting{patience: 20 * time.Millisecond}
			s.Do(func(e *commands.Engine) { e.Keys.Gap = m.join })
			require.Equal(t, 1, contest(t, s.Addr(), 8))
			require.Zero(t, m.met)
		})
	}
}

// Two increments that have both looked before either leaps count as one.
func TestTwoWorkersLoseAnIncrement(t *testing.T) {
	s := start(t, map[string]string{"workers": "2"})
	m := &meeting{patience: 10 * time.Second}
	s.Do(func(*commands.Engine) { s.door.(*goroutineDoor).baton.gap = m.join })
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { ask(t, s.Addr(), "INCR", "count") })
	}
	wg.Wait()
	s.Do(func(*commands.Engine) { s.door.(*goroutineDoor).baton.gap = func() {} })
	require.Equal(t, 1, m.met)
	require.Equal(t, "1", ask(t, s.Addr(), "GET", "count"))
}

// Commands that interleave at every look-up keep memory sound, which the race
// detector watches, whatever they make of each other's data.
func TestSeveralWorkersKeepMemorySound(t *testing.T) {
	s := start(t, map[string]string{"workers": "4", "gap": "yield"})
	const clients, each = 8, 200
	var wg sync.WaitGroup
	for c := range clients {
		wg.Go(func() {
			nc, err := net.Dial("tcp", s.Addr())
			if err != nil {
				t.Error(err)
				return
			}
			defer nc.Close()
			w, r := resp.NewWriter(nc), resp.NewReader(nc)
			for i := range each {
				member := strconv.Itoa(c*each + i)
				for _, args := range [][]string{
					{"INCR", "count"}, {"ZADD", "line", member, member}, {"ZPOPMIN", "line"}, {"DEL", "line"},
					{"SET", "line2", member, "PX", "1"}, {"RENAME", "line2", "line3"}, {"COPY", "line3", "line2", "REPLACE"},
					{"ZUNIONSTORE", "u", "2", "line", "u"}, {"ZREMRANGEBYSCORE", "u", "-inf", "inf"}, {"PERSIST", "line2"},
				} {
					values := make([]resp.Value, len(args))
					for i, arg := range args {
						values[i] = resp.StringValue(arg)
					}
					if err := w.WriteArray(values); err != nil {
						t.Error(err)
						return
					}
					if _, _, err := r.ReadValue(); err != nil {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	wg.Wait()
	n, err := strconv.Atoi(ask(t, s.Addr(), "GET", "count"))
	require.NoError(t, err)
	require.LessOrEqual(t, n, clients*each)
	require.Positive(t, n)
	var panics int64
	s.Do(func(e *commands.Engine) { panics = e.Stats.PanickedCommands })
	require.Zero(t, panics)
}

// One worker loses nothing.
func TestOneWorkerLosesNoUpdates(t *testing.T) {
	for _, door := range doors {
		t.Run(door, func(t *testing.T) {
			s := start(t, map[string]string{"front-door": door})
			const clients, each = 8, 200
			var wg sync.WaitGroup
			for range clients {
				wg.Go(func() {
					for range each {
						ask(t, s.Addr(), "INCR", "count")
					}
				})
			}
			wg.Wait()
			require.Equal(t, strconv.Itoa(clients*each), ask(t, s.Addr(), "GET", "count"))
		})
	}
}
