package queue

import (
	"context"
	"errors"
	"time"
)

// Faults and observations as decorators of a [Backend]. They decide nothing
// about when: that is what the function they are given is for.

// The errors that decorators return in the place of a reply.
var (
	ErrDown      = errors.New("connection refused (injected)")
	ErrLostReply = errors.New("connection reset while waiting for the reply (injected)")
	ErrCrashed   = errors.New("instance has crashed (injected)")
)

// Record calls fn after each command, with its reply.
func Record(b Backend, fn func(args []any, reply any, err error)) Backend {
	return BackendFunc(func(ctx context.Context, args ...any) (any, error) {
		reply, err := b.Do(ctx, args...)
		fn(args, reply, err)
		return reply, err
	})
}

// Delay waits before each command for as long as d says.
func Delay(b Backend, d func(args []any) time.Duration) Backend {
	return BackendFunc(func(ctx context.Context, args ...any) (any, error) {
		timer := time.NewTimer(d(args))
		defer timer.Stop()
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-timer.C:
			return b.Do(ctx, args...)
		}
	})
}

// Down fails the commands that when picks, without executing them.
func Down(b Backend, when func(args []any) bool) Backend {
	return BackendFunc(func(ctx context.Context, args ...any) (any, error) {
		if when(args) {
			return nil, ErrDown
		}
		return b.Do(ctx, args...)
	})
}

// LoseReply executes the commands that when picks and answers with an error.
func LoseReply(b Backend, when func(args []any) bool) Backend {
	return BackendFunc(func(ctx context.Context, args ...any) (any, error) {
		lose := when(args)
		reply, err := b.Do(ctx, args...)
		if lose && err == nil {
			return nil, ErrLostReply
		}
		return reply, err
	})
}

// Duplicate executes the commands that when picks twice and returns the second
// reply, as a client that retries does.
func Duplicate(b Backend, when func(args []any) bool) Backend {
	return BackendFunc(func(ctx context.Context, args ...any) (any, error) {
		if when(args) {
			if _, err := b.Do(ctx, args...); err != nil {
				return nil, err
			}
		}
		return b.Do(ctx, args...)
	})
}

// CrashAfter executes n commands and fails every later one, as seen by a store
// whose client has died.
func CrashAfter(b Backend, n int) Backend {
	left := make(chan struct{}, n)
	for range n {
		left <- struct{}{}
	}
	return BackendFunc(func(ctx context.Context, args ...any) (any, error) {
		select {
		case <-left:
			return b.Do(ctx, args...)
		default:
			return nil, ErrCrashed
		}
	})
}
