package commands

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// LATENCY DOCTOR. Each event has a line of figures, worded as Redis words it
// for the programs that read it; the advice is about this server and so in
// other words than Redis's.

func latencyDoctor(c *Call) error {
	c.Verbatim("txt", c.Engine.latencyReport())
	return nil
}

func (e *Engine) latencyReport() string {
	switch {
	case len(e.latency) == 0 && e.Config.LatencyMonitorThreshold == 0:
		return "Latency monitoring is off. CONFIG SET latency-monitor-threshold <milliseconds> turns it on.\n"
	case len(e.latency) == 0:
		return "Nothing has taken as long as latency-monitor-threshold.\n"
	}
	var text strings.Builder
	text.WriteString("Latency spikes were observed:\n\n")
	var advice []string
	for i, event := range slices.Sorted(maps.Keys(e.latency)) {
		s := e.latency[event]
		mean, deviation := s.spread()
		period := max(1, e.clock.last/1_000_000-s.samples[0].second)
		n := len(s.samples)
		fmt.Fprintf(&text, "%d. %s: %d latency spikes (average %dms, mean deviation %dms, period %.2f sec). Worst all time event %dms.\n",
			i+1, event, n, mean, deviation, float64(period)/float64(n), s.worst)
		advice = append(advice, e.latencyAdvice(event)...)
	}
	if len(advice) > 0 {
		text.WriteString("\nAdvice:\n\n")
		for _, line := range advice {
			text.WriteString("- " + line + "\n")
		}
	}
	return text.String()
}

// spread returns the mean of the samples and their mean distance from it.
func (s *latencySeries) spread() (mean, deviation int64) {
	n := int64(len(s.samples))
	for _, sample := range s.samples {
		mean += sample.ms
	}
	mean /= n
	for _, sample := range s.samples {
		deviation += max(sample.ms-mean, mean-sample.ms)
	}
	return mean, deviation / n
}

// latencyAdvice says what may help against an event.
func (e *Engine) latencyAdvice(event string) (advice []string) {
	threshold := e.Config.LatencyMonitorThreshold * 1000
	switch event {
	case "command":
		if slower := e.Config.SlowlogLogSlowerThan; slower < 0 || slower > threshold {
			advice = append(advice, fmt.Sprintf("The slow log leaves these commands out: CONFIG SET slowlog-log-slower-than %d.", threshold))
		}
		return append(advice, "SLOWLOG GET shows which commands took long. Those that look at many elements at once can often be cut into several.")
	case "fast-command":
		return []string{"Commands took long that do next to nothing: other processes take the processor, or the machine swaps. redis-cli --intrinsic-latency 100 measures what the system alone does."}
	case "eviction-cycle":
		return []string{"Many keys had to go at once: maxmemory was lowered, or large values were stored. Lower it in steps, or leave more room."}
	}
	return nil
}
