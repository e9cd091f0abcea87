package bench

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseMonitorLine(t *testing.T) {
	line, err := ParseMonitorLine(`1339518083.107412 [0 127.0.0.1:60866] "SET" "a b" "\x00\n\"\\"`)
	require.NoError(t, err)
	require.Equal(t, MonitorLine{1339518083107412, []string{"SET", "a b", "\x00\n\"\\"}}, line)

	for _, bad := range []string{"", "OK", "1.2 [0 x] \"a\"", `1339518083.107412 [0 x] "a`, `1339518083.107412 [0 x] a`, `1339518083.107412 "a"`} {
		_, err := ParseMonitorLine(bad)
		require.Error(t, err, bad)
	}
}

func TestMonitorKnowsTheSet(t *testing.T) {
	for _, tc := range []struct {
		commands [][]string
		left     map[string]float64
		peak     int
	}{
		{[][]string{{"ZADD", "k", "1", "a", "2", "b"}, {"zrem", "k", "a"}}, map[string]float64{"b": 2}, 2},
		{[][]string{{"ZADD", "k", "1", "a"}, {"ZADD", "other", "1", "x"}}, map[string]float64{"a": 1}, 1},
		{[][]string{{"ZADD", "k", "NX", "1", "a"}, {"ZADD", "k", "NX", "5", "a"}, {"ZADD", "k", "XX", "5", "b"}}, map[string]float64{"a": 1}, 1},
		{[][]string{{"ZADD", "k", "1", "a"}, {"ZADD", "k", "XX", "GT", "CH", "0", "a"}, {"ZADD", "k", "LT", "-1", "a"}}, map[string]float64{"a": -1}, 1},
		{[][]string{{"ZADD", "k", "1", "a", "2", "b", "3", "c"}, {"ZREMRANGEBYSCORE", "k", "-inf", "(3"}}, map[string]float64{"c": 3}, 3},
		{[][]string{{"ZADD", "k", "1", "b", "1", "a", "2", "c"}, {"ZPOPMIN", "k"}, {"ZPOPMIN", "k", "1"}}, map[string]float64{"c": 2}, 3},
		{[][]string{{"ZADD", "k", "1", "a"}, {"DEL", "k"}, {"ZCARD", "k"}}, map[string]float64{}, 1},
	} {
		m := &Monitor{key: "k", members: map[string]float64{}}
		for _, args := range tc.commands {
			require.NoError(t, m.apply(MonitorLine{Args: args}))
		}
		require.Equal(t, tc.left, m.members, "%q", tc.commands)
		require.Equal(t, tc.peak, m.peak, "%q", tc.commands)
	}
	m := &Monitor{key: "k", members: map[string]float64{}}
	require.Error(t, m.apply(MonitorLine{Args: []string{"ZUNIONSTORE", "k", "1", "x"}}), "what it cannot follow it must not pass over")
}
