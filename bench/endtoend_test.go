package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"myredis/queue"
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

// results reads the rows of a table back from the record of a run.
func results(t *testing.T, path, table string) (rows []Row) {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var last Row
	for line := range strings.Lines(string(text)) {
		last = nil
		require.NoError(t, json.Unmarshal([]byte(line), &last))
		if last["line"] == "result" && last["table"] == table {
			rows = append(rows, last)
		}
	}
	require.Equal(t, "end", last["line"])
	require.Equal(t, true, last["complete"])
	return rows
}

// runOne runs one experiment on a MyRedis and returns its record's path.
func runOne(t *testing.T, name string, budget time.Duration, set func(Settings)) string {
	e, ok := FindExperiment(name)
	require.True(t, ok)
	settings := e.New()
	set(settings)
	lab := &Lab{On: OnMyRedis, Seed: 1, Rounds: 1, Budget: budget, Out: t.TempDir(), Say: func(string) {}}
	require.NoError(t, lab.Open(t.Context()))
	defer lab.Close()
	paths, err := lab.Run(t.Context(), []Plan{{e, settings}})
	require.NoError(t, err)
	require.Len(t, paths, 1)
	return paths[0]
}

// The story in small: three instances, twenty seats, every strategy.
func TestOvershoot(t *testing.T) {
	path := runOne(t, "overshoot", 10*time.Second, func(s Settings) {
		o := s.(*overshoot)
		o.instances, o.slot, o.visitors, o.stay = []int{3}, 20, 100, 500*time.Millisecond
	})
	rows := results(t, path, "peak")
	require.Len(t, rows, len(queue.Strategies()))
	for _, row := range rows {
		require.Positive(t, row.N("admitted_per_second"), row)
		require.Zero(t, row.N("failures"), row)
		if row.Is("promised") {
			require.LessOrEqual(t, row.N("peak_confirmed"), 20.0, row)
		}
	}
	_, worst := span(where(rows, "promised", "no"), "peak_confirmed")
	require.Greater(t, worst, 40.0, "one that counts for itself makes three rooms of twenty")
}

func TestDoubleLeader(t *testing.T) {
	path := runOne(t, "double-leader", 6*time.Second, func(s Settings) {
		d := s.(*doubleLeader)
		d.workers, d.gaps, d.rounds, d.candidates, d.strategies = []int{1, 4}, []string{"1ms"}, 50, 4, nil
	})
	rows := results(t, path, "contest")
	require.Len(t, rows, 2)
	require.Zero(t, rows[0].N("double"), "one worker")
	require.Zero(t, rows[0].N("none"))
	require.Positive(t, rows[1].N("double"), "four workers with a gap of a millisecond")
}

// An interrupted run ends what it has started and leaves a record that says so.
func TestInterruptedRunEndsWhatItStarted(t *testing.T) {
	e, _ := FindExperiment("stale")
	ctx, interrupt := context.WithCancel(t.Context())
	lab := &Lab{On: OnMyRedis, Seed: 1, Rounds: 1, Out: t.TempDir(), Say: func(string) {}}
	require.NoError(t, lab.Open(ctx))
	settings := e.New().(*stale)
	settings.strategies = settings.strategies[:1]
	store := lab.Stores()[0]
	ended := make(chan error, 1)
	go func() {
		_, err := lab.Run(ctx, []Plan{{e, settings}})
		ended <- err
	}()
	require.Eventually(t, func() bool {
		info, err := store.Info("clients")
		return err == nil && info["connected_clients"] > "1" // an instance is there
	}, 10*time.Second, 10*time.Millisecond)
	interrupt()
	require.ErrorIs(t, <-ended, context.Canceled)
	lab.Close()
	_, err := Dial(store.Addr)
	require.Error(t, err, "the store has ended")
	text, err := os.ReadFile(filepath.Join(lab.Out, "stale.jsonl"))
	require.NoError(t, err)
	require.Contains(t, string(text), `"complete":false`)
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
