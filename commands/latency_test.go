package commands

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The graph that the Redis documentation of LATENCY GRAPH shows.
func TestLatencyGraphOfTheDocumentation(t *testing.T) {
	const now = 1000
	samples := []latencySample{{now - 15, 101}, {now - 14, 201}, {now - 12, 301}, {now - 8, 500}, {now - 6, 401}}
	var text strings.Builder
	drawColumns(&text, samples, 101, 500, now)
	require.Equal(t, strings.Join([]string{
		"   #_",
		"  _||",
		" _|||",
		"_||||",
		"     ",
		"11186",
		"542ss",
		"sss  ",
		"",
	}, "\n"), text.String())
}

// A series keeps the worst of each second, and so many seconds.
func TestLatencySeries(t *testing.T) {
	var s latencySeries
	for second := range int64(latencySamples + 10) {
		s.add(latencySample{second, 5})
		s.add(latencySample{second, 7})
		s.add(latencySample{second, 6})
	}
	require.Len(t, s.samples, latencySamples)
	require.Equal(t, latencySample{10, 7}, s.samples[0])
	s.add(latencySample{10_000, 3})
	require.Equal(t, int64(7), s.worst)
	mean, deviation := s.spread()
	require.Equal(t, int64(6), mean)
	require.LessOrEqual(t, deviation, int64(1))
}
