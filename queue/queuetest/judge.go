package queuetest

import (
	"context"
	"fmt"
	"slices"
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
	waiting  map[string]bool
	admitted map[string]time.Time // what they would read: visitor -> end of the session
	active   int64                // what an operator would read
	progress int                  // the step since which a seat is free, somebody waits and nobody is admitted
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

// visible is what the visitor's status says.
func (j *judge) visible(visitor string) bool { return j.admitted[visitor].After(j.w.clock.now()) }

// look judges what must hold at every instant.
func (j *judge) look() {
	if j.stale {
		j.read()
	}
	for visitor := range j.admitted {
		j.served[visitor] = j.served[visitor] || j.visible(visitor)
	}
	inside := j.inside()
	if len(inside) > j.w.Slot {
		j.broken(queue.Cap, "%d inside for %d seats: %v", len(inside), j.w.Slot, inside)
	}
	if j.active > int64(j.w.Slot) {
		j.broken(queue.CapObserved, "the active count is %d for %d seats", j.active, j.w.Slot)
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
// with a free seat and a waiter throughout, somebody must get in. A seat is free
// once the leave that gave it back has returned.
func (j *judge) round() {
	step := len(j.w.lines)
	if j.seats() >= j.w.Slot || len(j.waiting) == 0 || j.w.someoneLeaves() {
		j.progress = step + 1
	}
	if j.w.Fault != queue.NoFault || len(j.w.actors) == 0 {
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
		waits := j.waiting[visitor]
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
	for visitor := range j.admitted {
		if j.visible(visitor) {
			n++
		}
	}
	return n
}

// read asks past the scheduler what everybody would be told.
func (j *judge) read() {
	ctx := context.Background()
	all, err := j.w.desk.Census(ctx)
	if err != nil {
		j.w.err = err
		return
	}
	state, err := j.w.desk.State(ctx)
	if err != nil {
		j.w.err = err
		return
	}
	j.waiting, j.admitted, j.active, j.stale = map[string]bool{}, map[string]time.Time{}, state.Active, false
	for _, s := range all {
		if s.State == queue.StateAdmitted {
			j.admitted[s.Visitor] = s.Expires
		} else {
			j.waiting[s.Visitor] = true
		}
	}
}
