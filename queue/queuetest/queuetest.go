package queuetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"myredis/queue"
)

// seeds is how many schedules are played for each strategy and fault.
const seeds = 30

// Run checks every strategy on the store that newBackend returns, which must be
// empty: the contract of a room, and every promise under every fault that a
// server can be put through. That what is not promised really breaks is for
// package check, which searches and does not draw.
func Run(t *testing.T, newBackend func(t *testing.T) queue.Backend) {
	for _, s := range queue.Strategies() {
		t.Run(s.Name, func(t *testing.T) {
			backend := newBackend(t)
			t.Run("contract", func(t *testing.T) { contract(t, backend, s) })
			for _, fault := range queue.Faults() {
				if fault == queue.LostWrites {
					continue // a server cannot be asked to go back in time; package check can
				}
				t.Run(string(fault), func(t *testing.T) { promises(t, backend, s, fault) })
			}
		})
	}
}

// promises plays schedules and holds each promise against them.
func promises(t *testing.T, backend queue.Backend, s queue.Strategy, fault queue.Fault) {
	broken := map[queue.Invariant]int{}
	for seed := uint64(1); seed <= seeds; seed++ {
		room := strings.ReplaceAll(fmt.Sprintf("%s-%s-%d", s.Name, fault, seed), " ", "-")
		outcome, err := Play(backend, Small(room, s.Name, fault), Random(seed))
		require.NoError(t, err, "seed %d\n%s", seed, outcome)
		for i := range outcome.Violations {
			require.False(t, s.Promises[fault].Holds(i),
				"%s promises %q under %q; seed %d\n%s", s.Name, i, fault, seed, outcome)
			broken[i]++
		}
	}
	t.Logf("%d schedules, broken in: %v", seeds, broken)
}
