package queue

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"
)

// naive counts, pops as many as there are seats free, and seats them. Between
// one instance's count and its last ZADD, another can count the same free
// seats: check, then act. With n instances that is n times slot.
//
// naive-local does the same with a count of its own admissions only, so that
// it needs no coincidence to fill the room n times over.

// A crash, or the lost reply of a ZPOPMIN, loses those in hand; with a store
// that fails in the middle they go back to the line after others have been let
// in; a stall longer than the session admits into a session that is over.
var naivePromises = map[Fault]Promise{
	NoFault:    {NoneLost: true, OnePlace: true, FIFO: true, Progress: true},
	Crash:      {OnePlace: true, FIFO: true, Progress: true},
	LostReply:  {OnePlace: true, Progress: true},
	StoreDown:  {NoneLost: true, OnePlace: true, Progress: true},
	Stall:      {OnePlace: true, FIFO: true, Progress: true},
	LostWrites: {Progress: true},
}

type naive struct{ line }

func openNaive(r *Room) protocol { return &naive{line{Room: r}} }

func (n *naive) admit(ctx context.Context) (time.Duration, error) {
	if _, err := n.reclaim(ctx); err != nil {
		return 0, err
	}
	active, err := n.begun.integer(ctx, "ZCARD", n.keys.active)
	if err != nil {
		return 0, err
	}
	return 0, n.fill(ctx, int64(n.cfg.Slot)-active)
}

// naiveLocal remembers whom this instance admitted. Whether they are still
// inside it learns from the store, because they may leave through any
// instance.
type naiveLocal struct {
	line
	own map[string]struct{}
}

func openNaiveLocal(r *Room) protocol {
	n := &naiveLocal{line: line{Room: r}, own: map[string]struct{}{}}
	n.seated = func(h held) { n.own[h.visitor] = struct{}{} }
	return n
}

func (n *naiveLocal) memory() any { return fmt.Sprint(n.hand, n.own) } // fmt sorts a map's keys

func (n *naiveLocal) admit(ctx context.Context) (time.Duration, error) {
	if _, err := n.reclaim(ctx); err != nil {
		return 0, err
	}
	if err := n.forgetGone(ctx); err != nil {
		return 0, err
	}
	return 0, n.fill(ctx, int64(n.cfg.Slot-len(n.own)))
}

func (n *naiveLocal) forgetGone(ctx context.Context) error {
	if len(n.own) == 0 {
		return nil
	}
	visitors := slices.Sorted(maps.Keys(n.own)) // sorted, so that a run can be repeated
	args := []any{"ZMSCORE", n.keys.active}
	for _, v := range visitors {
		args = append(args, v)
	}
	scores, err := n.begun.scores(ctx, args...)
	if err != nil {
		return err
	}
	for i, score := range scores {
		if math.IsNaN(score) {
			delete(n.own, visitors[i])
		}
	}
	return nil
}
