package queue

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func replying(reply any) store {
	return store{backend: BackendFunc(func(context.Context, ...any) (any, error) { return reply, nil })}
}

// The replies of both protocols read the same; anything else is an error that
// names the command, and never a zero.
func TestReplies(t *testing.T) {
	ctx := context.Background()
	type pair = []any
	for name, tc := range map[string]struct {
		read func(store) (any, error)
		good map[string]any // reply by name
		want any
		bad  []any
	}{
		"integer": {
			read: func(s store) (any, error) { return s.integer(ctx, "X") },
			good: map[string]any{"RESP": int64(7)}, want: int64(7),
			bad: []any{"7", nil, 7.0, []any{}},
		},
		"score": {
			read: func(s store) (any, error) { v, ok, err := s.score(ctx, "X"); return pair{v, ok}, err },
			good: map[string]any{"RESP2": "1.5", "RESP3": 1.5}, want: pair{1.5, true},
			bad: []any{"abc", "nan", math.NaN(), []any{}},
		},
		"no score": {
			read: func(s store) (any, error) { v, ok, err := s.score(ctx, "X"); return pair{v, ok}, err },
			good: map[string]any{"nil": nil}, want: pair{0.0, false},
		},
		"rank": {
			read: func(s store) (any, error) { v, ok, err := s.integerOrNil(ctx, "X"); return pair{v, ok}, err },
			good: map[string]any{"RESP": int64(0)}, want: pair{int64(0), true},
			bad: []any{"0", []any{}},
		},
		"text": {
			read: func(s store) (any, error) { v, ok, err := s.text(ctx, "X"); return pair{v, ok}, err },
			good: map[string]any{"RESP": "OK"}, want: pair{"OK", true},
			bad: []any{int64(1), []any{}},
		},
		"members": {
			read: func(s store) (any, error) { return s.members(ctx, "X") },
			good: map[string]any{
				"RESP2": []any{"a", "1", "b", "2.5"},
				"RESP3": []any{pair{"a", 1.0}, pair{"b", 2.5}},
			},
			want: []scored{{"a", 1}, {"b", 2.5}},
			bad:  []any{"a", nil, []any{"a"}, []any{"a", "x"}, []any{int64(1), "1"}},
		},
		"time": {
			read: func(s store) (any, error) { return s.now(ctx) },
			good: map[string]any{"RESP2": []any{"1700000000", "123456"}, "integers": []any{int64(1700000000), int64(123456)}},
			want: instant(1700000000123456),
			bad:  []any{nil, "1", []any{"1"}, []any{"a", "b"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			for form, reply := range tc.good {
				got, err := tc.read(replying(reply))
				require.NoError(t, err, form)
				require.Equal(t, tc.want, got, form)
			}
			for _, reply := range tc.bad {
				_, err := tc.read(replying(reply))
				var e *StoreError
				require.ErrorAs(t, err, &e, "%#v", reply)
				require.ErrorIs(t, err, errShape)
			}
		})
	}
	scores, err := replying([]any{"1", nil, 2.5}).scores(ctx, "X")
	require.NoError(t, err)
	require.Equal(t, 1.0, scores[0])
	require.True(t, math.IsNaN(scores[1]))
	require.Equal(t, 2.5, scores[2])
	for _, bad := range []any{nil, "1", []any{"x"}} {
		_, err = replying(bad).scores(ctx, "X")
		require.ErrorIs(t, err, errShape)
	}
}

func TestInstant(t *testing.T) {
	require.True(t, instant(0).time().IsZero())
	require.Equal(t, time.UnixMicro(1_700_000_000_123_456), instant(1_700_000_000_123_456).time())
	require.Equal(t, int64(1_700_000_000_123), instant(1_700_000_000_123_999).ms())
}

func TestPatienceOutlivesTheCaller(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	seen := store{patience: time.Minute, backend: BackendFunc(func(ctx context.Context, _ ...any) (any, error) {
		_, limited := ctx.Deadline()
		require.True(t, limited)
		return int64(1), ctx.Err()
	})}
	_, err := seen.integer(ctx, "X")
	require.NoError(t, err)

	asked := store{backend: seen.backend}
	asked.backend = BackendFunc(func(ctx context.Context, _ ...any) (any, error) { return int64(1), ctx.Err() })
	_, err = asked.integer(ctx, "X")
	require.ErrorIs(t, err, context.Canceled)
}

func TestMeter(t *testing.T) {
	var m meter
	at := func(seconds int) time.Time { return time.Unix(int64(seconds), 0) }
	require.Zero(t, m.rate(at(0)))
	require.True(t, m.due(at(0)))
	m.observe(at(0), 100)
	require.Zero(t, m.rate(at(0)), "one sample is no rate")
	require.False(t, m.due(at(0)))
	require.True(t, m.due(at(1)))
	m.observe(at(2), 120)
	require.Equal(t, 10.0, m.rate(at(2)))
	require.Equal(t, 5.0, m.rate(at(4)), "nothing has come since")
	for s := 3; s <= 30; s++ {
		m.observe(at(s), 120)
	}
	require.Zero(t, m.rate(at(30)))
	require.LessOrEqual(t, len(m.samples), 12, "what is older than the window is forgotten")
	m.observe(at(31), 5) // the store was emptied
	require.Zero(t, m.rate(at(31)))
	m.observe(at(33), 9)
	require.Equal(t, 2.0, m.rate(at(33)))
}
