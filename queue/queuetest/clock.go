package queuetest

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"myredis/queue"
)

// virtual answers TIME from the number of times it was asked, so that a run
// depends on nothing but its choices. Each answer is 400 microseconds after the
// one before: some instances read the same millisecond and some do not.
type virtual struct {
	queue.Backend
	asked  int
	jumped time.Duration
}

func (v *virtual) now() time.Time {
	return time.Unix(1_700_000_000, 0).Add(v.jumped + time.Duration(v.asked)*400*time.Microsecond)
}

// Do implements [queue.Backend].
func (v *virtual) Do(ctx context.Context, args ...any) (any, error) {
	if args[0] != "TIME" {
		return v.Backend.Do(ctx, args...)
	}
	v.asked++
	now := v.now()
	return []any{strconv.FormatInt(now.Unix(), 10), strconv.Itoa(now.Nanosecond() / 1000)}, nil
}

// shift is b with TIME moved by *by, whole seconds.
func shift(b queue.Backend, by *time.Duration) queue.Backend {
	return queue.BackendFunc(func(ctx context.Context, args ...any) (any, error) {
		reply, err := b.Do(ctx, args...)
		if err != nil || args[0] != "TIME" {
			return reply, err
		}
		parts, seconds, err := parseTime(reply)
		if err != nil {
			return nil, err
		}
		return []any{strconv.FormatInt(seconds+int64(*by/time.Second), 10), parts[1]}, nil
	})
}

// storeTime is the store's TIME, in whole seconds.
func storeTime(b queue.Backend) (time.Time, error) {
	reply, err := b.Do(context.Background(), "TIME")
	if err != nil {
		return time.Time{}, err
	}
	_, seconds, err := parseTime(reply)
	return time.Unix(seconds, 0), err
}

func parseTime(reply any) (parts []any, seconds int64, err error) {
	parts, ok := reply.([]any)
	if !ok || len(parts) != 2 {
		return nil, 0, fmt.Errorf("TIME: unexpected reply %v", reply)
	}
	seconds, err = strconv.ParseInt(fmt.Sprint(parts[0]), 10, 64)
	return parts, seconds, err
}
