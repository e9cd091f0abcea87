package queue

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// Mutants are strategies with one small breaking edit each, to see whether the
// checker catches it. They are registered until the returned function is
// called.
func Mutants() (names []string, remove func()) {
	whole := strategies
	for _, m := range []struct {
		name string
		base string
		edit func(*Room, Backend) Backend
	}{
		{"two-set-by-rank", "two-set", byRank},
		{"two-set-fresh-expiry", "two-set", freshExpiry},
		{"two-set-releases-claim-first", "two-set", claimFirst},
		{"ticket-enqueued-in-two-steps", "ticket", twoStepEnqueue},
		{"atomic-by-client-clock", "atomic", clientClock},
		{"atomic-not-isolated", "atomic", notIsolated},
	} {
		s := *lookup(m.base)
		open := s.open
		s.Name = m.name
		s.open = func(r *Room) protocol {
			edited := m.edit(r, r.begun.backend)
			r.asked.backend, r.begun.backend = edited, edited
			return open(r)
		}
		strategies = append(strategies, s)
		names = append(names, m.name)
	}
	return names, func() { strategies = whole }
}

// byRank decides by the claim's rank and not by the count.
func byRank(r *Room, b Backend) Backend {
	claimed := ""
	return BackendFunc(func(ctx context.Context, args ...any) (any, error) {
		switch {
		case args[0] == "ZADD" && args[1] == r.keys.claims:
			claimed = fmt.Sprint(args[len(args)-1])
		case args[0] == "ZADD":
			claimed = ""
		case args[0] == "ZCARD" && args[1] == r.keys.claims && claimed != "":
			reply, err := b.Do(ctx, "ZRANK", r.keys.claims, claimed)
			if rank, ok := reply.(int64); ok {
				return rank + 1, err
			}
			return int64(1), err
		}
		return b.Do(ctx, args...)
	})
}

// freshExpiry gives the seat a whole session from the time of the second write.
func freshExpiry(r *Room, b Backend) Backend {
	return BackendFunc(func(ctx context.Context, args ...any) (any, error) {
		if args[0] == "ZADD" && args[1] == r.keys.active {
			now, err := store{backend: b}.now(ctx)
			if err != nil {
				return nil, err
			}
			args = append([]any{}, args...)
			args[len(args)-2] = now.ms() + r.cfg.TTL.Milliseconds()
		}
		return b.Do(ctx, args...)
	})
}

// claimFirst gives back the claim before the seat.
func claimFirst(r *Room, b Backend) Backend {
	swapped := map[any]any{r.keys.active: r.keys.claims, r.keys.claims: r.keys.active}
	leaving := false
	return BackendFunc(func(ctx context.Context, args ...any) (any, error) {
		if args[0] != "ZREM" {
			return b.Do(ctx, args...)
		}
		if args[1] == r.keys.waiting {
			leaving = true // only a leave removes from the line
		}
		if other, ok := swapped[args[1]]; ok && leaving {
			return b.Do(ctx, args[0], other, args[2])
		}
		return b.Do(ctx, args...)
	})
}

// twoStepEnqueue counts those who have written their ticket down, and not the
// tickets that have been issued.
func twoStepEnqueue(r *Room, b Backend) Backend {
	return BackendFunc(func(ctx context.Context, args ...any) (any, error) {
		if args[0] != "ZCOUNT" || args[1] != r.keys.done {
			return b.Do(ctx, args...)
		}
		base, _ := strconv.ParseInt(strings.TrimPrefix(fmt.Sprint(args[2]), "("), 10, 64)
		number, err := strconv.ParseInt(strings.TrimPrefix(fmt.Sprint(args[3]), "("), 10, 64)
		if err != nil {
			return b.Do(ctx, args...)
		}
		reply, err := b.Do(ctx, "ZCOUNT", r.keys.tickets, "-inf", exclusive(number))
		ahead, _ := reply.(int64)
		return number - base - ahead - 1, err
	})
}

// clientClock sends the time with the script.
func clientClock(_ *Room, b Backend) Backend {
	edited := newScript(strings.Replace(atomicSource, "redis.call('TIME')", "{ARGV[10], ARGV[11]}", 1))
	return BackendFunc(func(ctx context.Context, args ...any) (any, error) {
		if args[0] != "EVALSHA" && args[0] != "EVAL" {
			return b.Do(ctx, args...)
		}
		now, err := b.Do(ctx, "TIME")
		if err != nil {
			return nil, err
		}
		call := append([]any{"EVAL", edited.source}, args[2:]...)
		return b.Do(ctx, append(call, now.([]any)...)...)
	})
}

// notIsolated does the admit script's steps one by one.
func notIsolated(r *Room, b Backend) Backend {
	return BackendFunc(func(ctx context.Context, args ...any) (any, error) {
		if args[0] != "EVALSHA" || args[9] != "admit" {
			return b.Do(ctx, args...)
		}
		s := store{backend: b}
		now, err := s.now(ctx)
		if err != nil {
			return nil, err
		}
		if _, err := s.integer(ctx, "ZREMRANGEBYSCORE", r.keys.active, "-inf", now.ms()); err != nil {
			return nil, err
		}
		active, err := s.integer(ctx, "ZCARD", r.keys.active)
		if err != nil {
			return nil, err
		}
		admitted := []any{}
		if free := int64(r.cfg.Slot) - active; free > 0 {
			popped, err := s.members(ctx, "ZPOPMIN", r.keys.waiting, free)
			if err != nil {
				return nil, err
			}
			for _, p := range popped {
				expiry := now.ms() + r.cfg.TTL.Milliseconds()
				if _, err := s.integer(ctx, "ZADD", r.keys.active, expiry, p.member); err != nil {
					return nil, err
				}
				admitted = append(admitted, p.member, fmt.Sprint(p.score), expiry)
			}
		}
		return []any{int64(now), int64(0), int64(0), int64(0), admitted, []any{}}, nil
	})
}
