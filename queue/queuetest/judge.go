package queuetest

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"myredis/queue"
)

// judge looks at the store after each command and at the instances' events, as
// a visitor and an operator would, and holds both against the invariants.
type judge struct {
	w          *world
	stale      bool // the store has changed since it was read
	violations map[queue.Invariant]Violation

	order    map[string]int       // visitor -> rank of their join; equal ranks have no order
	told     map[string]time.Time // visitor -> end of the session an instance confirmed
	served   map[string]bool      // was inside while the session had time left
	gone     map[string]bool      // has begun to leave
	waiting  map[string]float64
	active   map[string]float64
	progress int // the step since which a seat is free, somebody waits and nobody is admitted
}

func newJudge(w *world) *judge {
	return &judge{
		w: w, stale: true, violations: map[queue.Invariant]Violation{},
		order: map[string]int{}, told: map[string]time.Time{},
		served: map[string]bool{}, gone: map[string]bool{},
	}
}

func (j *judge) broken(i queue.Invariant, format string, args ...any) {
	if _, seen := j.violations[i]; !seen {
		j.violations[i] = Violation{Invariant: i, Step: len(j.w.lines), What: fmt.Sprintf(format, args...)}
	}
}

func (j *judge) joined(visitor string, rank int) { j.order[visitor] = rank }

func (j *judge) leaves(visitor string) { j.gone[visitor] = true }

// event takes an instance's word for an admission.
func (j *judge) event(e queue.Event) {
	if e.Kind != queue.Admitted {
		return
	}
	if _, twice := j.told[e.Visitor]; twice {
		j.broken(queue.OnePlace, "%s is admitted twice", e.Visitor)
	}
	j.told[e.Visitor] = e.Expires
	j.served[e.Visitor] = j.served[e.Visitor] || e.Expires.After(j.w.clock.now())
	j.progress = len(j.w.lines) + 1
}

// inside lists those who are confirmed, unexpired and not leaving, told by an
// event or by what their status would say.
func (j *judge) inside() []string {
	var in []string
	for visitor := range j.order {
		if j.gone[visitor] {
			continue
		}
		if j.told[visitor].After(j.w.clock.now()) || j.visible(visitor) {
			in = append(in, visitor)
		}
	}
	slices.Sort(in) // map order must not decide what a Chooser chooses from
	return in
}

// visible is what the visitor's status says: a whole score is an admission.
func (j *judge) visible(visitor string) bool {
	score, found := j.active[visitor]
	return found && score == math.Trunc(score) && time.UnixMilli(int64(score)).After(j.w.clock.now())
}

// look judges what must hold at every instant.
func (j *judge) look() {
	if j.stale {
		j.waiting, j.active, j.stale = j.read("waiting"), j.read("active"), false
	}
	for visitor := range j.active {
		j.served[visitor] = j.served[visitor] || j.visible(visitor)
	}
	inside := j.inside()
	if len(inside) > j.w.Slot {
		j.broken(queue.Cap, "%d inside for %d seats: %v", len(inside), j.w.Slot, inside)
	}
	if len(j.active) > j.w.Slot {
		j.broken(queue.CapObserved, "ZCARD active is %d for %d seats", len(j.active), j.w.Slot)
	}
	for _, in := range inside {
		for out := range j.waiting {
			if joined, known := j.order[out]; known && joined < j.order[in] && !j.gone[out] {
				j.broken(queue.FIFO, "%s is inside while %s, who joined before, is in the line", in, out)
			}
		}
	}
	j.round()
}

// round judges progress without faults: in a whole cycle of every instance
// with a free seat and a waiter throughout, somebody must get in.
func (j *judge) round() {
	step := len(j.w.lines)
	if j.seats() >= j.w.Slot || len(j.waiting) == 0 {
		j.progress = step + 1
	}
	if j.w.Fault != queue.NoFault {
		return
	}
	for _, a := range j.w.actors {
		if a.instance && a.whole < j.progress {
			return
		}
	}
	j.broken(queue.Progress, "a round since step %d with a free seat and a waiter admitted nobody", j.progress)
}

// settled judges what must hold when no instance is in a cycle.
func (j *judge) settled() {
	for visitor := range j.order {
		_, waits := j.waiting[visitor]
		if waits && j.visible(visitor) {
			j.broken(queue.OnePlace, "%s is in the line and inside", visitor)
		}
		if !waits && !j.served[visitor] && !j.gone[visitor] {
			j.broken(queue.NoneLost, "%s is nowhere and was never inside", visitor)
		}
	}
}

// resumed judges progress after everything has run out.
func (j *judge) resumed() {
	if seats := j.seats(); len(j.waiting) > 0 && seats < j.w.Slot {
		j.broken(queue.Progress, "%d inside for %d seats with %d in the line, after two calm rounds", seats, j.w.Slot, len(j.waiting))
	}
}

// seats counts those inside as the store has it, leaving or not.
func (j *judge) seats() (n int) {
	for visitor := range j.active {
		if j.visible(visitor) {
			n++
		}
	}
	return n
}

// read returns a sorted set of the room, past the scheduler.
func (j *judge) read(name string) map[string]float64 {
	reply, err := j.w.store.Do(context.Background(), "ZRANGE", j.w.key(name), 0, -1, "WITHSCORES")
	if err != nil {
		j.w.err = err
		return nil
	}
	set := map[string]float64{}
	var flat []any
	for _, e := range reply.([]any) {
		if pair, ok := e.([]any); ok { // RESP3
			flat = append(flat, pair...)
		} else {
			flat = append(flat, e)
		}
	}
	for i := 0; i < len(flat); i += 2 {
		score, err := strconv.ParseFloat(fmt.Sprint(flat[i+1]), 64)
		if err != nil {
			j.w.err = err
		}
		set[fmt.Sprint(flat[i])] = score
	}
	return set
}
