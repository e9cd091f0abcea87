package queue_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"myredis/queue"
)

func TestDecorators(t *testing.T) {
	var executed []any
	b := queue.BackendFunc(func(_ context.Context, args ...any) (any, error) {
		executed = append(executed, args[0])
		return int64(len(executed)), nil
	})
	is := func(name string) func([]any) bool { return func(args []any) bool { return args[0] == name } }

	_, err := queue.Down(b, is("A")).Do(background, "A")
	require.ErrorIs(t, err, queue.ErrDown)
	require.Empty(t, executed)

	_, err = queue.LoseReply(b, is("A")).Do(background, "A")
	require.ErrorIs(t, err, queue.ErrLostReply)
	require.Equal(t, []any{"A"}, executed)

	reply, err := queue.Duplicate(b, is("A")).Do(background, "A")
	require.NoError(t, err)
	require.Equal(t, int64(3), reply)

	c := queue.CrashAfter(b, 1)
	_, err = c.Do(background, "B")
	require.NoError(t, err)
	_, err = c.Do(background, "C")
	require.ErrorIs(t, err, queue.ErrCrashed)
	require.Equal(t, []any{"A", "A", "A", "B"}, executed)

	var seen []any
	_, err = queue.Record(b, func(args []any, reply any, err error) { seen = append(seen, args[0], reply, err) }).Do(background, "D")
	require.NoError(t, err)
	require.Equal(t, []any{"D", int64(5), nil}, seen)
}

func TestDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := queue.Delay(answering, func([]any) time.Duration { return time.Minute })
		begin := time.Now()
		_, err := b.Do(background, "TIME")
		require.NoError(t, err)
		require.Equal(t, time.Minute, time.Since(begin))
		ctx, cancel := context.WithTimeout(background, time.Second)
		defer cancel()
		_, err = b.Do(ctx, "TIME")
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}
