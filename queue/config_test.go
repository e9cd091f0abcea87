package queue_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"myredis/queue"
)

// answering is a backend that only knows the time.
var answering = queue.BackendFunc(func(context.Context, ...any) (any, error) {
	return []any{"1700000000", "123456"}, nil
})

func configured(change func(*queue.Config)) queue.Config {
	cfg := queue.Defaults()
	cfg.Room, cfg.Instance = "main", "i1"
	if change != nil {
		change(&cfg)
	}
	return cfg
}

func TestOpenNamesTheFieldAndTheRule(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*queue.Config)
		want   string
	}{
		"no room":          {func(c *queue.Config) { c.Room = "" }, `room "": must be 1 to 64 of A-Z a-z 0-9 . _ -`},
		"braces in room":   {func(c *queue.Config) { c.Room = "{x}" }, `room "{x}": must be 1 to 64 of A-Z a-z 0-9 . _ -`},
		"long room":        {func(c *queue.Config) { c.Room = strings.Repeat("r", 65) }, `must be 1 to 64`},
		"no instance":      {func(c *queue.Config) { c.Instance = "" }, `instance "": must be 1 to 64`},
		"slot 0":           {func(c *queue.Config) { c.Slot = 0 }, `slot "0": must be at least 1`},
		"period 0":         {func(c *queue.Config) { c.Period = 0 }, `period "0s": must be at least 1ms`},
		"ttl 0":            {func(c *queue.Config) { c.TTL = 0 }, `ttl "0s": must be at least 1ms`},
		"margin > period":  {func(c *queue.Config) { c.LeaderMargin = time.Hour }, `leader-margin "1h0m0s": must be at least 1ms and at most one period`},
		"negative timeout": {func(c *queue.Config) { c.CommandTimeout = -1 }, `command-timeout "-1ns": must be more than 0`},
		"strategy":         {func(c *queue.Config) { c.Strategy = "hope" }, `strategy "hope": must be one of naive, naive-local, leader, optimistic`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := queue.Open(context.Background(), answering, configured(tc.change))
			var invalid *queue.InvalidError
			require.ErrorAs(t, err, &invalid)
			require.ErrorContains(t, err, tc.want)
		})
	}
}

func TestOpenFillsInWhatZeroStandsFor(t *testing.T) {
	r, err := queue.Open(context.Background(), answering, configured(nil))
	require.NoError(t, err)
	require.Equal(t, 100*time.Millisecond, r.Config().LeaderMargin)
	require.Equal(t, 3*time.Second, r.Config().CommandTimeout)
	require.NotNil(t, r.Config().Logger)
	require.Equal(t, "atomic", r.Strategy().Name)

	r, err = queue.Open(context.Background(), answering, configured(func(c *queue.Config) { c.Period = time.Millisecond }))
	require.NoError(t, err)
	require.Equal(t, time.Millisecond, r.Config().LeaderMargin)
}

func TestOpenNeedsAStoreThatAnswers(t *testing.T) {
	down := queue.Down(answering, func([]any) bool { return true })
	_, err := queue.Open(context.Background(), down, configured(nil))
	var store *queue.StoreError
	require.ErrorAs(t, err, &store)
	require.Equal(t, "TIME", store.Command)
	require.True(t, errors.Is(err, queue.ErrDown))
	require.EqualError(t, err, "store: TIME: connection refused (injected)")
}

func TestStrategiesDeclareThemselves(t *testing.T) {
	require.NotEmpty(t, queue.Strategies())
	for _, s := range queue.Strategies() {
		require.True(t, queue.ValidName(s.Name))
		require.True(t, strings.HasSuffix(s.Summary, "."), "%s: one sentence", s.Name)
		for _, fault := range queue.Faults() {
			require.Contains(t, s.Promises, fault, "%s says nothing of %q", s.Name, fault)
		}
	}
	// A caller's copy is its own.
	queue.Strategies()[0].Name = "mine"
	require.NotEqual(t, "mine", queue.Strategies()[0].Name)
}
