package check_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"myredis/queue"
	"myredis/queue/check"
)

// The promises of every strategy under every fault, within the quick bounds:
// what is promised holds, and what is not really breaks, so that the search is
// known to see.
func TestPromises(t *testing.T) {
	bounds := check.Quick
	if underRace {
		bounds.Limit = 300
	}
	var cells []check.Cell
	for _, s := range queue.Strategies() {
		for _, f := range queue.Faults() {
			cell, err := check.Examine(s, f, bounds)
			require.NoError(t, err)
			for _, i := range queue.Invariants() {
				require.False(t, cell.Broken(i) != nil && s.Promises[f].Holds(i), "%s", cell.Broken(i))
			}
			if !underRace {
				require.Empty(t, cell.Mismatches())
			}
			cells = append(cells, cell)
		}
	}
	var table bytes.Buffer
	check.Print(&table, cells)
	t.Logf("\n%s", table.String())
}

func TestASchedulePlaysAgainAndIsKept(t *testing.T) {
	r, err := check.Search(check.Scenario{Strategy: "naive", Fault: queue.NoFault, Instances: 2, Slot: 1, Visitors: 2})
	require.NoError(t, err)
	require.True(t, r.Complete)
	found := r.Broken[queue.Cap]
	require.NotNil(t, found)
	require.Contains(t, found.What, "2 inside for 1 seats")
	var file bytes.Buffer
	require.NoError(t, found.Write(&file))
	read, err := check.Read(&file)
	require.NoError(t, err)
	require.Equal(t, found, read)
	_, err = check.Read(bytes.NewBufferString("{}x"))
	require.Error(t, err)
}
