package queuetest

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"myredis/queue"
)

// Clocked is a backend whose TIME is now's: that of the command, and that which
// scripts read. The store's own clock cannot be moved, so a script that reads
// it is sent with the time as two more arguments.
//
// A script must be sent whole once, as to a store that has just started; the
// first EVALSHA is answered NOSCRIPT.
func Clocked(b queue.Backend, now func() time.Time) queue.Backend {
	return &clocked{store: b, now: now, scripts: map[string]string{}}
}

type clocked struct {
	store queue.Backend
	now   func() time.Time

	mu      sync.Mutex
	scripts map[string]string // hash -> the script that takes the time from its arguments
}

const scriptTime = "redis.call('TIME')"

var errNoScript = errors.New("NOSCRIPT No matching script. Please use EVAL.")

// Do implements [queue.Backend].
func (c *clocked) Do(ctx context.Context, args ...any) (any, error) {
	switch args[0] {
	case "TIME":
		return c.time(), nil
	case "EVAL":
		return c.eval(ctx, c.keep(args[1].(string)), args)
	case "EVALSHA":
		c.mu.Lock()
		source, known := c.scripts[args[1].(string)]
		c.mu.Unlock()
		if !known {
			return nil, errNoScript
		}
		return c.eval(ctx, source, args)
	}
	return c.store.Do(ctx, args...)
}

func (c *clocked) time() []any {
	now := c.now()
	return []any{strconv.FormatInt(now.Unix(), 10), strconv.Itoa(now.Nanosecond() / 1000)}
}

func (c *clocked) keep(source string) string {
	changed := strings.ReplaceAll(source, scriptTime, "{ARGV[#ARGV - 1], ARGV[#ARGV]}")
	c.mu.Lock()
	defer c.mu.Unlock()
	c.scripts[queue.ScriptHash(source)] = changed
	return changed
}

func (c *clocked) eval(ctx context.Context, source string, args []any) (any, error) {
	call := append([]any{"EVALSHA", queue.ScriptHash(source)}, args[2:]...)
	call = append(call, c.time()...)
	reply, err := c.store.Do(ctx, call...)
	if err != nil && strings.Contains(err.Error(), "NOSCRIPT") {
		call[0], call[1] = "EVAL", source
		reply, err = c.store.Do(ctx, call...)
	}
	return reply, err
}

// virtual tells a time that depends on nothing but how often it was asked, so
// that a run depends on nothing but its choices. Each answer is 400
// microseconds after the one before: some instances read the same millisecond
// and some do not.
type virtual struct {
	asked  int
	jumped time.Duration
}

func (v *virtual) now() time.Time {
	return time.Unix(1_700_000_000, 0).Add(v.jumped + time.Duration(v.asked)*400*time.Microsecond)
}

func (v *virtual) ask() time.Time {
	v.asked++
	return v.now()
}

// storeTime is the store's TIME, in whole seconds.
func storeTime(b queue.Backend) (time.Time, error) {
	reply, err := b.Do(context.Background(), "TIME")
	if err != nil {
		return time.Time{}, err
	}
	parts, ok := reply.([]any)
	if !ok || len(parts) != 2 {
		return time.Time{}, fmt.Errorf("TIME: unexpected reply %v", reply)
	}
	seconds, err := strconv.ParseInt(fmt.Sprint(parts[0]), 10, 64)
	return time.Unix(seconds, 0), err
}
