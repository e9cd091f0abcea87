package check

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"myredis/queue"
)

// Bounds say how far to search.
type Bounds struct {
	Instances int // at most
	Limit     int // states of one search, after which it is cut off
}

// Quick is for every commit, Deep for a night.
var (
	Quick = Bounds{Instances: 2, Limit: 12_000}
	Deep  = Bounds{Instances: 3, Limit: 2_000_000}
)

// Scenarios are those in which a strategy is searched under a fault: the
// smallest that show all there is to see.
func Scenarios(strategy string, fault queue.Fault, b Bounds) (list []Scenario) {
	base := Scenario{Strategy: strategy, Fault: fault, Instances: 2, Slot: 1, Visitors: 3, Leavers: 1, Jumps: 1, Limit: b.Limit}
	if strategy == "ticket" { // whose status is more than one command, and means something
		base.Visitors, base.Askers = 2, 1
	}
	if fault == queue.LostWrites { // of one who joins and is let in, and then another is
		base.Instances, base.Visitors, base.Late, base.Leavers, base.Askers = 1, 0, 2, 0, 0
		list = append(list, base)
		base.Visitors, base.Late, base.Leavers = 2, 1, 1
	}
	list = append(list, base)
	if fault == queue.NoFault || b.Instances > 2 {
		three := base
		three.Instances = 3
		list = append(list, three)
	}
	if b.Instances > 2 {
		two := base
		two.Slot, two.Visitors, two.Late = 2, 4, 1
		list = append(list, two)
	}
	return list
}

// Cell is what was found of one strategy under one fault.
type Cell struct {
	Strategy queue.Strategy
	Fault    queue.Fault
	Results  []*Result
}

// Examine searches the scenarios of a cell.
func Examine(s queue.Strategy, f queue.Fault, b Bounds) (Cell, error) {
	c := Cell{Strategy: s, Fault: f}
	for _, scenario := range Scenarios(s.Name, f, b) {
		r, err := Search(scenario)
		if err != nil {
			return c, fmt.Errorf("%s: %w", scenario, err)
		}
		c.Results = append(c.Results, r)
	}
	return c, nil
}

// Broken is a shortest schedule that breaks the invariant; nil if none was
// found.
func (c Cell) Broken(i queue.Invariant) (shortest *Schedule) {
	for _, r := range c.Results {
		if s := r.Broken[i]; s != nil && (shortest == nil || len(s.Steps) < len(shortest.Steps)) {
			shortest = s
		}
	}
	return shortest
}

// States is how many were visited, and whether those were all.
func (c Cell) States() (n int, complete bool) {
	complete = true
	for _, r := range c.Results {
		n += r.States
		complete = complete && r.Complete
	}
	return n, complete
}

// unseen are what is not promised and not seen broken within [Quick], with the
// reason.
var unseen = map[string]map[queue.Fault]map[queue.Invariant]string{
	"naive":       {queue.LostReply: {queue.FIFO: "takes two seats"}, queue.LostWrites: {queue.FIFO: lateOrder}},
	"naive-local": {queue.LostReply: {queue.FIFO: "takes two seats"}, queue.LostWrites: {queue.FIFO: lateOrder}},
	"leader":      {queue.LostWrites: {queue.FIFO: lateOrder}},
	"two-set": {
		queue.LostReply: {queue.OnePlace: "takes a lost reply, another instance and a lapse in a row", queue.CapObserved: "takes a leaver in the middle of leaving, and more states"},
	},
	"ticket": {queue.LostWrites: {queue.FIFO: lateOrder, queue.CapObserved: countedByRank, queue.Cap: tooFar, queue.OnePlace: tooFar},
		queue.Stall: {queue.NoneLost: tooFar}},
	"atomic": {queue.LostWrites: {queue.FIFO: lateOrder, queue.CapObserved: "the set that came back is within the cap; those told before are not in it"}},
}

const (
	tooFar        = "more states than these bounds"
	lateOrder     = "only those who are in the line from the start have an order, and their joins are not lost"
	countedByRank = "the active count is a minimum with the slot"
)

// Mismatches lists where what was found and what is declared differ: promises
// that are broken, and what is not promised and yet was not seen broken, but
// for what is known to need more than the quick bounds.
//
// What breaks without a fault breaks under every fault, which may not strike:
// that is not looked for again.
func (c Cell) Mismatches() (list []string) {
	for _, i := range queue.Invariants() {
		found, promised := c.Broken(i), c.Strategy.Promises[c.Fault].Holds(i)
		switch {
		case found != nil && promised:
			list = append(list, fmt.Sprintf("%s promises %q under %q, and yet\n%s", c.Strategy.Name, i, c.Fault, found))
		case !c.Strategy.Promises[queue.NoFault].Holds(i) && promised:
			list = append(list, fmt.Sprintf("%s promises %q under %q, but not without a fault", c.Strategy.Name, i, c.Fault))
		case found == nil && !promised && !c.excused(i):
			list = append(list, fmt.Sprintf("%s does not promise %q under %q, and yet it was not seen broken", c.Strategy.Name, i, c.Fault))
		}
	}
	return list
}

func (c Cell) excused(i queue.Invariant) bool {
	return unseen[c.Strategy.Name][c.Fault][i] != "" || c.Fault != queue.NoFault && !c.Strategy.Promises[queue.NoFault].Holds(i)
}

// Print writes the cells as a table: "ok" for a promise that held, the length
// of a shortest schedule for what is broken, "-" for what is not promised and
// was not seen broken.
func Print(w io.Writer, cells []Cell) {
	columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	defer columns.Flush()
	head := "strategy\tfault"
	for _, i := range queue.Invariants() {
		head += "\t" + string(i)
	}
	fmt.Fprintln(columns, head+"\tstates")
	last := ""
	for _, c := range cells {
		name := c.Strategy.Name
		if name == last {
			name = ""
		}
		last = c.Strategy.Name
		row := name + "\t" + string(c.Fault)
		for _, i := range queue.Invariants() {
			row += "\t" + c.verdict(i)
		}
		n, complete := c.States()
		states := fmt.Sprint(n)
		if !complete {
			states = "first " + states
		}
		fmt.Fprintln(columns, row+"\t"+states)
	}
}

func (c Cell) verdict(i queue.Invariant) string {
	found, promised := c.Broken(i), c.Strategy.Promises[c.Fault].Holds(i)
	switch {
	case found != nil && promised:
		return fmt.Sprintf("BROKEN at %d", len(found.Steps))
	case found != nil:
		return fmt.Sprintf("breaks at %d", len(found.Steps))
	case promised:
		return "ok"
	}
	return "-"
}

// FileName is a name for a schedule's file.
func (s *Schedule) FileName() string {
	return strings.ReplaceAll(fmt.Sprintf("%s-%s-%s.json", s.Scenario.Strategy, s.Scenario.Fault, s.Invariant), " ", "-")
}
