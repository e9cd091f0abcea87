package server

import (
	"context"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"myredis/queue"
)

func probe(t *testing.T, s *Server, strategy string) error {
	t.Helper()
	client := redis.NewClient(&redis.Options{Addr: s.Addr()})
	defer client.Close()
	cfg := queue.Defaults()
	cfg.Room, cfg.Instance, cfg.Strategy = "main", "i1", strategy
	err := queue.Probe(context.Background(), queue.NewRedis(client, cfg.Room), cfg)
	require.Zero(t, client.DBSize(context.Background()).Val(), "a probe leaves nothing behind")
	return err
}

// One worker keeps all that any strategy needs.
func TestProbeOfOneWorker(t *testing.T) {
	onEveryDoor(t, nil, func(t *testing.T, s *Server) {
		for _, strategy := range queue.Strategies() {
			require.NoError(t, probe(t, s, strategy.Name), strategy.Name)
		}
	})
}

// Several workers with a gap are caught by whoever rests on what they break. A
// pop is one look-up and one change of the set found, so it stays whole.
func TestProbeOfSeveralWorkers(t *testing.T) {
	s := start(t, map[string]string{"workers": "4", "gap": "yield"})
	for strategy, missing := range map[string][]queue.Property{
		"leader":     {queue.OneWinner},
		"optimistic": {queue.NoLostAdd},
		"two-set":    {queue.NoLostAdd},
		"ticket":     {queue.DistinctIncr, queue.NoLostAdd},
		"atomic":     {queue.IsolatedScript},
	} {
		err := probe(t, s, strategy)
		var unfit *queue.UnfitError
		require.ErrorAs(t, err, &unfit, strategy)
		require.Equal(t, strategy, unfit.Strategy)
		require.Contains(t, missing, unfit.Missing, strategy)
		require.Empty(t, unfit.Fit, "nothing else would do either")
		require.ErrorContains(t, err, "strategy "+strategy+" needs a store where "+string(unfit.Missing))
		require.ErrorContains(t, err, "if it runs several workers, run it with one")
		t.Log(err)
	}
	for _, strategy := range []string{"naive", "naive-local"} {
		require.NoError(t, probe(t, s, strategy), strategy)
	}
}

// Without a gap the workers are hardly ever caught, but they own up. A script is
// likely caught even so: it can be made to take its time.
func TestProbeOfSeveralWorkersWithoutGap(t *testing.T) {
	for _, workers := range []string{"2", "4"} {
		s := start(t, map[string]string{"workers": workers})
		for _, strategy := range []string{"leader", "optimistic", "two-set", "ticket", "atomic"} {
			var unfit *queue.UnfitError
			err := probe(t, s, strategy)
			require.ErrorAs(t, err, &unfit, "%s, %s workers", strategy, workers)
			require.Empty(t, unfit.Fit)
			t.Log(unfit.Found)
		}
	}
}
