package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"myredis/queue"
	"myredis/queue/check"
)

func TestWalkThroughASchedule(t *testing.T) {
	r, err := check.Search(check.Scenario{Strategy: "naive", Fault: queue.NoFault, Instances: 2, Slot: 1, Visitors: 2})
	require.NoError(t, err)
	s := r.Broken[queue.Cap]
	require.NotNil(t, s)
	var out bytes.Buffer
	walk(strings.NewReader("\n\nb\nx\n99\n12\nq\n1\n"), &out, s)
	text := out.String()
	require.Equal(t, 2, strings.Count(text, "   2 of 12"), "forwards, and backwards again")
	require.Contains(t, text, `"x" is no step from 1 to 12`)
	require.Contains(t, text, `"99" is no step`)
	require.Contains(t, text, "^ cap broken: 2 inside for 1 seats")
	require.Equal(t, 1, strings.Count(text, "   1 of 12"), "nothing after q")
}
