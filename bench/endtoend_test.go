package bench

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestMain builds the project's commands and puts them on the PATH, where Find
// looks for them.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		panic(err)
	}
	out, err := exec.Command("go", "build", "-o", dir+string(filepath.Separator), "myredis/cmd/...").CombinedOutput()
	if err != nil {
		fmt.Fprintf(os.Stderr, "build the commands: %v\n%s", err, out)
		os.RemoveAll(dir)
		os.Exit(1)
	}
	os.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// The story in small: three instances, twenty seats.
func TestOvershoot(t *testing.T) {
	o := Overshoot{
		Strategies: []string{"naive-local", "leader", "optimistic"}, Instances: 3, Slot: 20, Visitors: 100,
		Stay: 500 * time.Millisecond, Period: 50 * time.Millisecond, TTL: time.Minute, Duration: 2 * time.Second, Seed: 1, Out: t.TempDir(),
	}
	outcomes, err := o.Run(t.Context(), io.Discard)
	require.NoError(t, err)
	require.Len(t, outcomes, 3)
	local, leader, optimistic := outcomes[0], outcomes[1], outcomes[2]
	// Each instance fills a room of its own: sixty, where the machine is fast
	// enough to fill the third before the first empties.
	require.Greater(t, local.PeakConfirmed, 40)
	require.LessOrEqual(t, local.PeakConfirmed, 60)
	require.GreaterOrEqual(t, local.PeakActive, local.PeakConfirmed)
	require.LessOrEqual(t, leader.PeakConfirmed, 20)
	require.LessOrEqual(t, optimistic.PeakConfirmed, 20)
	require.LessOrEqual(t, optimistic.PeakActive, 23, "over by at most one for each instance")
	for _, out := range outcomes {
		require.Positive(t, out.Admitted, out.Strategy)
		require.Zero(t, out.Failures, out.Strategy)
	}
}

func TestDoubleLeader(t *testing.T) {
	d := DoubleLeader{Workers: []int{1, 4}, Gaps: []string{"1ms"}, Rounds: 50, Candidates: 4, Budget: 20 * time.Second, Out: t.TempDir()}
	contests, err := d.Run(t.Context(), io.Discard)
	require.NoError(t, err)
	require.Len(t, contests, 2)
	require.Zero(t, contests[0].Double, "one worker")
	require.Zero(t, contests[0].None)
	require.Positive(t, contests[1].Double, "four workers with a gap of a millisecond")
}

// A leader that is killed is followed by another instance within two periods.
func TestKilledLeaderIsFollowed(t *testing.T) {
	const period = 500 * time.Millisecond
	ctx := t.Context()
	store, err := StartMyRedis(ctx)
	require.NoError(t, err)
	defer store.Stop()

	var mu sync.Mutex
	leader := ""
	elected := make(chan string, 10)
	instances := map[string]*Instance{}
	for _, name := range []string{"a", "b", "c"} {
		in, err := StartInstance(ctx, func(line string) {
			if strings.Contains(line, `"msg":"leader won"`) {
				mu.Lock()
				leader = name
				mu.Unlock()
				elected <- name
			}
		}, "--redis", "redis://"+store.Addr, "--instance", name, "--room", "r", "--slot", "5", "--period", period.String(), "--strategy", "leader")
		require.NoError(t, err)
		defer in.Stop()
		instances[name] = in
	}
	first := <-elected
	mu.Lock()
	require.Equal(t, first, leader)
	mu.Unlock()
	killed := time.Now()
	instances[first].Kill()
	select {
	case second := <-elected:
		require.NotEqual(t, first, second)
		require.Less(t, time.Since(killed), 2*period+period/2, "two periods, and half of one for a slow machine")
		state, err := instances[second].Join(ctx, "r", "v")
		require.NoError(t, err)
		require.Eventually(t, func() bool {
			state, err = instances[second].Status(ctx, "r", "v")
			return err == nil && state == "admitted"
		}, 5*time.Second, 20*time.Millisecond, "last seen: %s", state)
	case <-time.After(10 * time.Second):
		t.Fatal("nobody followed the leader")
	}
}

// Who closes the browser without leaving gives the seat up after the TTL.
func TestSeatOfTheVanishedIsFreed(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	store, err := StartMyRedis(ctx)
	require.NoError(t, err)
	defer store.Stop()
	in, err := StartInstance(ctx, nil, "--redis", "redis://"+store.Addr, "--room", "r", "--slot", "1", "--period", "50ms", "--ttl", "1s")
	require.NoError(t, err)
	defer in.Stop()
	inside := func(visitor string) func() bool {
		return func() bool {
			state, err := in.Status(ctx, "r", visitor)
			return err == nil && state == "admitted"
		}
	}
	_, err = in.Join(ctx, "r", "vanishes")
	require.NoError(t, err)
	require.Eventually(t, inside("vanishes"), 5*time.Second, 10*time.Millisecond)
	_, err = in.Join(ctx, "r", "waits")
	require.NoError(t, err)
	require.Eventually(t, inside("waits"), 10*time.Second, 20*time.Millisecond)
}
