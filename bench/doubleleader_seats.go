package bench

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"myredis/bench/load"
	"myredis/queue"
)

// endToEnd lets three queue-services serve one room on a store with several
// workers. Where a strategy elects a leader, the leader is killed and started
// again all along: each time the others contest the lease at the same moment,
// the one when it lapses, and that is where a store that splits SET NX into a
// look and a write crowns two. Where there is no leader nobody is killed.
func (d *doubleLeader) endToEnd(ctx context.Context, r *Run, workers int, gap, strategy string) error {
	store, err := StartMyRedis(ctx, "--workers", strconv.Itoa(workers), "--gap", gap)
	if err != nil {
		return err
	}
	defer store.Stop()
	const period = 200 * time.Millisecond
	won := make(chan string, 1024)
	visitors := newAudience(150 * time.Millisecond)
	g := newGroup(store, roomSettings{Strategy: strategy, Instances: drawn, Slot: d.slot, Period: period, TTL: time.Minute, Margin: period}, func(e Event) {
		visitors.hear(e)
		if e.Message == "leader won" {
			select {
			case won <- e.Instance:
			default:
			}
		}
	})
	visitors.group = g
	defer g.stop()
	if err := g.start(ctx); err != nil {
		return err
	}
	over, end := context.WithTimeout(ctx, r.For)
	defer end()
	killing := make(chan error, 1)
	go func() { killing <- d.regicide(ctx, over, g, won, period) }()
	visitors.full(over, 5*d.slot, r.Random)
	err = <-killing
	g.stop()
	if err = errors.Join(err, ctx.Err()); err != nil {
		return err
	}
	events := visitors.events()
	elections, double := countElections(events, period)
	return errors.Join(g.writeEvents(r, Row{"workers": workers, "gap": gap}), r.Result("seats", Row{
		"store": store.Name, "workers": workers, "gap": gap, "strategy": strategy, "slot": d.slot,
		"promised":       promises(strategy, queue.NoFault).Cap,
		"peak_confirmed": peakInside(events), "elections": elections, "double_elections": double, "admitted": count(events, "admitted"),
	}))
}

// regicide kills each leader a while after it has won, and starts an instance
// in its place.
func (d *doubleLeader) regicide(ctx, over context.Context, g *group, won <-chan string, reign time.Duration) error {
	leader := ""
	for {
		if leader == "" {
			select {
			case leader = <-won:
			case <-over.Done():
				return nil
			}
		}
		if load.Pause(over, reign) != nil {
			return nil
		}
		for i := range g.instances {
			if name(i) != leader {
				continue
			}
			leader = ""
			g.mark(i, true)
			g.instances[i].Kill()
			in, err := g.launch(ctx, i)
			if err != nil {
				return err
			}
			g.replace(i, in)
		}
		for len(won) > 0 { // of a double election, the other is the next
			leader = <-won
		}
	}
}

// replace puts a fresh instance in the place of a dead one.
func (g *group) replace(i int, in *Instance) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.instances[i] = in
	g.down[i] = false
}

// countElections counts the contests for a lease, and those that two or more
// won: within less than any lease lasts.
func countElections(events []Event, lease time.Duration) (elections, double int) {
	var wins []time.Time
	for _, e := range events {
		if e.Message == "leader won" {
			wins = append(wins, e.At)
		}
	}
	slices.SortFunc(wins, time.Time.Compare)
	for i := 0; i < len(wins); {
		first := i
		for i < len(wins) && wins[i].Sub(wins[first]) < lease/2 {
			i++
		}
		elections++
		if i-first > 1 {
			double++
		}
	}
	return elections, double
}
