package queue_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"myredis/queue"
	"myredis/queue/check"
)

// Small breaking edits of the strategies are caught, each by the promise that
// PROTOCOLS says it breaks: so the search sees what it is meant to see.
func TestMutantsAreCaught(t *testing.T) {
	names, remove := queue.Mutants()
	defer remove()
	scenarios := map[string]struct {
		check.Scenario
		breaks queue.Invariant
	}{
		"two-set-by-rank":              {check.Scenario{Fault: queue.NoFault, Instances: 2, Slot: 1, Visitors: 3}, queue.Cap},
		"two-set-fresh-expiry":         {check.Scenario{Fault: queue.Stall, Instances: 2, Slot: 1, Visitors: 2, Jumps: 1}, queue.Cap},
		"two-set-releases-claim-first": {check.Scenario{Fault: queue.NoFault, Instances: 2, Slot: 1, Visitors: 2, Leavers: 1}, queue.CapObserved},
		"ticket-enqueued-in-two-steps": {check.Scenario{Fault: queue.NoFault, Instances: 1, Slot: 1, Late: 2}, queue.Cap},
		"atomic-by-client-clock":       {check.Scenario{Fault: queue.Stall, Instances: 2, Slot: 1, Visitors: 2, Jumps: 2}, queue.NoneLost},
		"atomic-not-isolated":          {check.Scenario{Fault: queue.Stall, Instances: 2, Slot: 1, Visitors: 3, Jumps: 1}, queue.Cap},
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			s := scenarios[name]
			s.Strategy, s.Limit = name, 20_000
			r, err := check.Search(s.Scenario)
			require.NoError(t, err)
			require.NotNil(t, r.Broken[s.breaks], "%d states, complete %v, broken: %v", r.States, r.Complete, r.Broken)
			t.Logf("%s breaks after %d steps", s.breaks, len(r.Broken[s.breaks].Steps))
		})
	}
}
