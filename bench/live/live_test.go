package live

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestMain builds the project's commands and puts them on the PATH.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "live")
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

// Three instances that die and stop, and visitors who do not notice.
func TestSoak(t *testing.T) {
	s := Soak{
		Stores: Stores{On: "myredis"}, Strategies: []string{"atomic"}, Instances: 3, Slot: 10, Visitors: 60, Stay: 300 * time.Millisecond,
		Period: 50 * time.Millisecond, TTL: 1500 * time.Millisecond, Every: time.Second, Duration: 3 * time.Second, Seed: 1, Out: t.TempDir(),
	}
	outcomes, err := s.Run(t.Context(), io.Discard)
	require.NoError(t, err)
	require.Len(t, outcomes, 1)
	for _, o := range outcomes {
		require.Positive(t, o.Kills+o.Pauses, o.Strategy)
		require.Greater(t, o.Admitted, s.Slot, o.Strategy)
		require.LessOrEqual(t, o.Peak, s.Slot, o.Strategy)
		require.LessOrEqual(t, o.PeakTold, s.Slot, o.Strategy)
		require.Zero(t, o.Lost+o.Twice+o.Inversions, o.Strategy)
	}
}

// A seat is the next visitor's without an admit cycle: with a cycle every
// minute, half of them at least must be told within a second.
func TestRelease(t *testing.T) {
	m := Release{Stores: Stores{On: "myredis"}, Strategies: []string{"atomic", "ticket"}, Instances: 2, Slot: 3, Streams: 30, Period: time.Minute, Seed: 1, Out: t.TempDir()}
	measured, err := m.Run(t.Context(), io.Discard)
	require.NoError(t, err)
	require.Len(t, measured, 2)
	for _, p := range measured {
		require.Equal(t, 30, p.Releases, p.Strategy)
		require.Zero(t, p.Late+p.Another, p.Strategy)
		require.Less(t, p.P50, time.Second, p.Strategy)
	}
}
