package queue_test

import (
	"context"
	"errors"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"myredis/internal/redistest"
	"myredis/queue"
)

func probed(b queue.Backend, strategy string) error {
	return queue.Probe(background, b, configured(func(c *queue.Config) { c.Strategy = strategy }))
}

func TestProbeOfRedis(t *testing.T) {
	store := redistest.Start(t)
	for _, protocol := range []string{"2", "3"} {
		b := dial(t, "redis://"+store.Addr+"?protocol="+protocol, "main")
		for _, strategy := range queue.Strategies() {
			require.NoError(t, probed(b, strategy.Name), strategy.Name)
		}
	}
	client := redis.NewClient(&redis.Options{Addr: store.Addr})
	defer client.Close()
	require.Zero(t, client.DBSize(background).Val(), "a probe leaves nothing behind")
}

// A store that keeps all but one property is refused for it, and what would do
// on it is named.
func TestProbeNamesWhatWouldDo(t *testing.T) {
	store := dial(t, redistest.Start(t).Addr, "main")
	answer := func(command string, reply any) queue.Backend {
		return queue.BackendFunc(func(ctx context.Context, args ...any) (any, error) {
			real, err := store.Do(ctx, args...)
			if args[0] == command && err == nil {
				return reply, nil
			}
			return real, err
		})
	}
	noScripts := queue.BackendFunc(func(ctx context.Context, args ...any) (any, error) {
		if args[0] == "EVALSHA" {
			return nil, errors.New("ERR unknown command 'EVALSHA'")
		}
		return store.Do(ctx, args...)
	})
	for name, c := range map[string]struct {
		backend  queue.Backend
		strategy string
		missing  queue.Property
		fit      []string
		says     string
	}{
		"no scripts":       {noScripts, "atomic", queue.IsolatedScript, []string{"optimistic", "two-set", "ticket"}, "it was not caught breaking what strategy optimistic, two-set, ticket needs"},
		"everybody wins":   {answer("SET", "OK"), "leader", queue.OneWinner, []string{"optimistic", "two-set", "ticket", "atomic"}, "8 of 8 clients won contest 1"},
		"nobody wins":      {answer("SET", nil), "leader", queue.OneWinner, []string{"optimistic", "two-set", "ticket", "atomic"}, "0 of 8 clients won contest 1"},
		"one number":       {answer("INCR", int64(7)), "ticket", queue.DistinctIncr, []string{"optimistic", "two-set", "atomic"}, "INCR answered 7 to two clients"},
		"a member is lost": {answer("ZCARD", int64(7)), "two-set", queue.NoLostAdd, []string{"atomic"}, "7 of 8 members"},
		"one member":       {answer("ZPOPMIN", []any{"m1", "1"}), "optimistic", queue.AtomicPop, []string{"ticket", "atomic"}, "member m1 was popped twice"},
		"no member":        {answer("ZPOPMIN", []any{}), "naive", queue.AtomicPop, []string{"ticket", "atomic"}, "0 of 480 members were popped"},
	} {
		t.Run(name, func(t *testing.T) {
			err := probed(c.backend, c.strategy)
			var unfit *queue.UnfitError
			require.ErrorAs(t, err, &unfit)
			require.Equal(t, c.missing, unfit.Missing)
			require.Equal(t, c.fit, unfit.Fit)
			require.ErrorContains(t, err, c.says)
			require.ErrorContains(t, err, "needs a store where "+string(c.missing))
		})
	}
}

func TestProbeOfNoStore(t *testing.T) {
	down := queue.BackendFunc(func(context.Context, ...any) (any, error) { return nil, queue.ErrDown })
	for _, strategy := range queue.Strategies() {
		err := probed(down, strategy.Name)
		require.ErrorIs(t, err, queue.ErrDown, strategy.Name)
		var unfit *queue.UnfitError
		require.False(t, errors.As(err, &unfit), "that it does not answer says nothing about what it keeps")
	}
	var invalid *queue.InvalidError
	require.ErrorAs(t, probed(down, "luck"), &invalid)
}
