package queue

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Property is something that a store must keep for a strategy to keep what it
// promises. A real Redis keeps all of them because it runs one command after
// another; a store that only looks like one may not.
type Property string

// The properties.
const (
	// OneWinner: of several SET NX on a free key one is answered OK.
	OneWinner Property = "SET NX has one winner"
	// NoLostAdd: every ZADD of a new member is kept.
	NoLostAdd Property = "ZADD loses no member"
	// AtomicPop: every member is popped once.
	AtomicPop Property = "ZPOPMIN gives each member once"
	// DistinctIncr: no two INCR are answered the same.
	DistinctIncr Property = "INCR never answers twice the same"
	// IsolatedScript: no command of another client falls into a script.
	IsolatedScript Property = "a script runs undisturbed"
)

// Properties lists all properties.
func Properties() []Property {
	return []Property{OneWinner, NoLostAdd, AtomicPop, DistinctIncr, IsolatedScript}
}

// UnfitError is a store that does not keep what a strategy needs.
type UnfitError struct {
	Strategy string
	Missing  Property
	Found    string   // what was seen
	Fit      []string // strategies whose needs the store was seen to keep
}

func (e *UnfitError) Error() string {
	advice := "no strategy keeps its promises on this store; if it runs several workers, run it with one"
	if len(e.Fit) > 0 {
		advice = "it would do for strategy " + strings.Join(e.Fit, ", ")
	}
	return fmt.Sprintf("strategy %s needs a store where %s, and this one is not: %s; %s", e.Strategy, e.Missing, e.Found, advice)
}

// Probe finds out whether the store behind backend keeps what the strategy of
// cfg needs, by making many clients do it at once on keys of its own, which it
// removes. It returns an [*UnfitError] if the store was caught, nil if it was
// not: a store that breaks a rule seldom may get away.
func Probe(ctx context.Context, backend Backend, cfg Config) error {
	cfg, err := cfg.complete()
	if err != nil {
		return err
	}
	p := prober{store: store{backend: backend, patience: cfg.CommandTimeout}, room: cfg.Room}
	strategy := lookup(cfg.Strategy)
	for _, need := range strategy.Needs {
		found, err := p.probe(ctx, need)
		if err != nil {
			return err
		}
		if found != "" {
			fit, err := p.fit(ctx, need)
			if err != nil {
				return err
			}
			return &UnfitError{Strategy: strategy.Name, Missing: need, Found: found, Fit: fit}
		}
	}
	return nil
}

const (
	probers     = 8
	probeRounds = 60
)

type prober struct {
	store
	room string
}

// probe returns what was seen that must not be; "" if nothing was.
func (p prober) probe(ctx context.Context, need Property) (found string, err error) {
	key := fmt.Sprintf("{%s}:probe:%s", p.room, strconv.FormatUint(rand.Uint64(), 36))
	defer func() {
		if _, e := p.do(ctx, "DEL", key); err == nil {
			err = e
		}
	}()
	switch need {
	case OneWinner:
		return p.oneWinner(ctx, key)
	case NoLostAdd:
		return p.noLostAdd(ctx, key)
	case AtomicPop:
		return p.atomicPop(ctx, key)
	case DistinctIncr:
		return p.distinctIncr(ctx, key)
	case IsolatedScript:
		return p.isolatedScript(ctx, key)
	}
	return "", fmt.Errorf("no probe for %q", need)
}

// fit lists the strategies whose needs the store keeps, as far as can be seen,
// but not those that promise no cap: the lesson is not advice.
func (p prober) fit(ctx context.Context, failed Property) (names []string, err error) {
	kept := map[Property]bool{failed: false}
	for _, s := range strategies {
		fits := s.Promises[NoFault].Cap && s.Promises[Stall].Cap
		for _, need := range s.Needs {
			if _, known := kept[need]; !known && fits {
				found, err := p.probe(ctx, need)
				if err != nil {
					return nil, err
				}
				kept[need] = found == ""
			}
			fits = fits && kept[need]
		}
		if fits {
			names = append(names, s.Name)
		}
	}
	return names, nil
}

// together runs fn as several clients at once and collects what each returns.
func together[T any](fn func(client int) (T, error)) ([]T, error) {
	results, errs := make([]T, probers), make([]error, probers)
	start := make(chan struct{})
	var all sync.WaitGroup
	for i := range probers {
		all.Go(func() {
			<-start
			results[i], errs[i] = fn(i)
		})
	}
	close(start)
	all.Wait()
	return results, errors.Join(errs...)
}

func (p prober) oneWinner(ctx context.Context, key string) (string, error) {
	for round := range probeRounds {
		won, err := together(func(client int) (bool, error) {
			_, won, err := p.text(ctx, "SET", key, client, "NX", "PX", time.Minute.Milliseconds())
			return won, err
		})
		if err != nil {
			return "", err
		}
		winners := 0
		for _, w := range won {
			if w {
				winners++
			}
		}
		if winners != 1 {
			return fmt.Sprintf("%d of %d clients won contest %d", winners, probers, round+1), nil
		}
		if _, err := p.do(ctx, "DEL", key); err != nil {
			return "", err
		}
	}
	return "", nil
}

func (p prober) noLostAdd(ctx context.Context, key string) (string, error) {
	for round := range probeRounds {
		_, err := together(func(client int) (int64, error) {
			return p.integer(ctx, "ZADD", key, client, fmt.Sprint("m", client))
		})
		if err != nil {
			return "", err
		}
		n, err := p.integer(ctx, "ZCARD", key)
		if err != nil {
			return "", err
		}
		if n != probers {
			return fmt.Sprintf("%d of %d members added at once were kept in contest %d", n, probers, round+1), nil
		}
		if _, err := p.do(ctx, "DEL", key); err != nil { // adding to a missing key is where stores differ
			return "", err
		}
	}
	return "", nil
}

func (p prober) atomicPop(ctx context.Context, key string) (string, error) {
	add := []any{"ZADD", key}
	for i := range probers * probeRounds {
		add = append(add, i, fmt.Sprint("m", i))
	}
	if _, err := p.integer(ctx, add...); err != nil {
		return "", err
	}
	popped, err := together(func(int) (members []string, err error) {
		for range probeRounds {
			got, err := p.members(ctx, "ZPOPMIN", key, 1)
			if err != nil {
				return nil, err
			}
			for _, g := range got {
				members = append(members, g.member)
			}
		}
		return members, nil
	})
	if err != nil {
		return "", err
	}
	seen := map[string]bool{}
	for _, members := range popped {
		for _, m := range members {
			if seen[m] {
				return "member " + m + " was popped twice", nil
			}
			seen[m] = true
		}
	}
	if len(seen) != probers*probeRounds {
		return fmt.Sprintf("%d of %d members were popped", len(seen), probers*probeRounds), nil
	}
	return "", nil
}

func (p prober) distinctIncr(ctx context.Context, key string) (string, error) {
	answers, err := together(func(int) (answers []int64, err error) {
		for range probeRounds {
			n, err := p.integer(ctx, "INCR", key)
			if err != nil {
				return nil, err
			}
			answers = append(answers, n)
		}
		return answers, nil
	})
	if err != nil {
		return "", err
	}
	seen := map[int64]bool{}
	for _, client := range answers {
		for _, n := range client {
			if seen[n] {
				return fmt.Sprintf("INCR answered %d to two clients", n), nil
			}
			seen[n] = true
		}
	}
	return "", nil
}

// probeScript adds one in the way that only isolation makes right.
var probeScript = newScript(`
local n = tonumber(redis.call('GET', KEYS[1]) or '0')
redis.call('SET', KEYS[1], n + 1)
return n`)

func (p prober) isolatedScript(ctx context.Context, key string) (string, error) {
	_, err := together(func(int) (struct{}, error) {
		for range probeRounds {
			if _, err := probeScript.run(ctx, p.store, []string{key}); err != nil {
				return struct{}{}, err
			}
		}
		return struct{}{}, nil
	})
	if err != nil && strings.Contains(err.Error(), "unknown command") {
		return "it does not know EVALSHA", nil
	}
	if err != nil {
		return "", err
	}
	n, _, err := p.score(ctx, "GET", key)
	if err != nil {
		return "", err
	}
	if n != probers*probeRounds {
		return fmt.Sprintf("scripts that add one %d times together added %.0f", probers*probeRounds, n), nil
	}
	return "", nil
}
