package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"myredis/bench/load"
)

// audience is the visitors of a room. They join and leave over HTTP, and learn
// that they are in from the log of the instance that let them in, which costs
// the instances nothing: what a visitor who asks, or holds a stream open,
// costs is measured by `ramp` and `crowd`.
type audience struct {
	group  *group
	stay   time.Duration // mean time inside
	vanish float64       // the share of visitors who go away without leaving
	ask    time.Duration // they also ask for their status this often; zero for never

	mu    sync.Mutex
	told  map[string]chan struct{}
	joins []time.Time // when the line had each visitor
	ins   []time.Time // when each knew to be in
	// gone are the visitors whose leaving was not answered, since they sent it:
	// nobody may have logged it.
	gone map[string]time.Time

	failures atomic.Int64
}

func newAudience(stay time.Duration) *audience {
	return &audience{stay: stay, told: map[string]chan struct{}{}, gone: map[string]time.Time{}}
}

// hear takes the room's events.
func (a *audience) hear(e Event) {
	if e.Message != "admitted" {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if c := a.told[e.Visitor]; c != nil {
		delete(a.told, e.Visitor)
		close(c)
	}
}

// visit is one visitor's way through the room: join, wait, stay, leave.
func (a *audience) visit(ctx context.Context, visitor string, random *rand.Rand) error {
	in := make(chan struct{})
	a.mu.Lock()
	a.told[visitor] = in
	a.mu.Unlock()
	stay := a.stay/2 + time.Duration(random.Int64N(int64(a.stay)+1)) // half to one and a half of the mean
	vanishes := random.Float64() < a.vanish
	if _, err := a.group.pick(random.IntN(1<<20)).Join(ctx, a.group.room, visitor); err != nil {
		a.mu.Lock()
		delete(a.told, visitor)
		a.mu.Unlock()
		return err
	}
	a.mu.Lock()
	a.joins = append(a.joins, time.Now())
	a.mu.Unlock()
	if err := a.wait(ctx, visitor, in); err != nil {
		return err
	}
	a.mu.Lock()
	a.ins = append(a.ins, time.Now())
	a.mu.Unlock()
	if vanishes {
		return nil
	}
	if err := load.Pause(ctx, stay); err != nil {
		return err
	}
	sent := time.Now()
	err := a.group.pick(random.IntN(1<<20)).Leave(ctx, a.group.room, visitor)
	if err != nil {
		a.mu.Lock()
		a.gone[visitor] = sent
		a.mu.Unlock()
	}
	return err
}

// events are the room's, with those departures that a dead instance did not
// log.
func (a *audience) events() []Event {
	events := a.group.events()
	a.mu.Lock()
	defer a.mu.Unlock()
	for visitor, at := range a.gone {
		events = append(events, Event{Message: "released", Visitor: visitor, At: at})
	}
	return events
}

// wait returns when the visitor knows to be in.
func (a *audience) wait(ctx context.Context, visitor string, in <-chan struct{}) error {
	var asking <-chan time.Time
	if a.ask > 0 {
		ticker := time.NewTicker(a.ask)
		defer ticker.Stop()
		asking = ticker.C
	}
	for {
		select {
		case <-in:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-asking:
			state, err := a.group.pick(0).Status(ctx, a.group.room, visitor)
			if err == nil && state == "admitted" {
				return nil
			}
		}
	}
}

// lost returns how many visitors who stand in the line for all they know are
// known to nobody. A visitor may be in an instance's hand for a moment, so it
// asks again before it says so.
func (a *audience) lost(ctx context.Context) (lost int, err error) {
	a.mu.Lock()
	var waiting []string
	for visitor := range a.told {
		waiting = append(waiting, visitor)
	}
	a.mu.Unlock()
	for range 3 {
		var unknown []string
		for _, visitor := range waiting {
			state, err := a.group.pick(0).Status(ctx, a.group.room, visitor)
			if err != nil {
				return 0, err
			}
			if state == "unknown" {
				unknown = append(unknown, visitor)
			}
		}
		if waiting = unknown; len(waiting) == 0 {
			return 0, nil
		}
		if err := load.Pause(ctx, 300*time.Millisecond); err != nil {
			return 0, err
		}
	}
	return len(waiting), nil
}

// doors is how long the first visitors take to come.
const doors = 300 * time.Millisecond

// full keeps n visitors in flight until ctx ends: who leaves is replaced.
func (a *audience) full(ctx context.Context, n int, random func(stream int) *rand.Rand) {
	var wg sync.WaitGroup
	for i := range n {
		r := random(i)
		wg.Go(func() {
			if load.Pause(ctx, doors*time.Duration(i)/time.Duration(n)) != nil {
				return
			}
			for visit := 0; ctx.Err() == nil; visit++ {
				a.count(ctx, a.visit(ctx, fmt.Sprintf("v%d-%d", i, visit), r))
			}
		})
	}
	wg.Wait()
}

// arrive sends visitors in at a steady rate until ctx ends, whether or not
// those before them have got in.
func (a *audience) arrive(ctx context.Context, perSecond float64, random func(stream int) *rand.Rand) {
	var wg sync.WaitGroup
	began := time.Now()
	for i := 0; ; i++ {
		due := began.Add(time.Duration(float64(i) / perSecond * float64(time.Second)))
		if load.Pause(ctx, time.Until(due)) != nil {
			break
		}
		r := random(i)
		wg.Go(func() { a.count(ctx, a.visit(ctx, fmt.Sprintf("v%d", i), r)) })
	}
	wg.Wait()
}

// count counts a failed visit, unless it failed because time is over.
func (a *audience) count(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		a.failures.Add(1)
	}
}

// line returns how many stood in the line at each step after began: who had
// joined less who knew to be in.
func (a *audience) line(began time.Time, step, until time.Duration) (points [][2]float64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	buckets := int(until/step) + 1
	change := make([]int, buckets+1)
	at := func(t time.Time) int { return min(max(int(t.Sub(began)/step), 0), buckets) }
	for _, t := range a.joins {
		change[at(t)]++
	}
	for _, t := range a.ins {
		change[at(t)]--
	}
	waiting := 0
	for i := range buckets {
		waiting += change[i]
		points = append(points, [2]float64{(time.Duration(i+1) * step).Seconds(), float64(max(waiting, 0))})
	}
	return points
}

// rate returns how many got in per second between two instants.
func (a *audience) rate(from, to time.Time) float64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := 0
	for _, t := range a.ins {
		if !t.Before(from) && t.Before(to) {
			n++
		}
	}
	return float64(n) / to.Sub(from).Seconds()
}
