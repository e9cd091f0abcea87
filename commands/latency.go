package commands

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"myredis/internal/histogram"
	"myredis/wire"
)

const latencyFlags = Admin | NoScript | Loading | Stale

var latencyTips = []string{"nondeterministic_output", "request_policy:all_nodes", "response_policy:special"}

// latencyCommands is LATENCY, which shows what has held the server up.
var latencyCommands = []*Command{{
	Name: "latency", Arity: -2, Group: GroupServer, Categories: CatNone, Since: "2.8.13", Summary: "Shows what has held the server up.",
	Sub: []*Command{
		{Name: "doctor", Arity: 2, Flags: latencyFlags, Group: GroupServer, Categories: CatNone, Run: latencyDoctor, Since: "2.8.13", Cost: "O(1)", Summary: "Answers a report with advice.", Tips: latencyTips},
		{Name: "graph", Arity: 3, Flags: latencyFlags, Group: GroupServer, Categories: CatNone, Run: latencyGraph, Since: "2.8.13", Cost: "O(1)", Summary: "Draws the samples of an event.", Syntax: "event", Tips: latencyTips},
		{Name: "history", Arity: 3, Flags: latencyFlags, Group: GroupServer, Categories: CatNone, Run: latencyHistory, Since: "2.8.13", Cost: "O(1)", Summary: "Answers the samples of an event.", Syntax: "event", Tips: latencyTips},
		{Name: "latest", Arity: 2, Flags: latencyFlags, Group: GroupServer, Categories: CatNone, Run: latencyLatest, Since: "2.8.13", Cost: "O(1)", Summary: "Answers the latest sample of each event.", Tips: latencyTips},
		{Name: "reset", Arity: -2, Flags: latencyFlags, Group: GroupServer, Categories: CatNone, Run: latencyReset, Since: "2.8.13", Cost: "O(1)", Summary: "Forgets the samples of events, or all.", Syntax: "[event [event ...]]", Tips: []string{"request_policy:all_nodes", "response_policy:all_succeeded"}},
		{Name: "histogram", Arity: -2, Flags: latencyFlags, Group: GroupServer, Categories: CatNone, Run: latencyHistogram, Since: "7.0.0", Cost: "O(N) with N commands", Summary: "Answers how long commands took.", Syntax: "[command [command ...]]", Tips: latencyTips},
	},
}}

// latencyMonitor keeps, by event, what has held the server up for
// latency-monitor-threshold or longer.
type latencyMonitor map[string]*latencySeries

// latencySeries are the latest samples of an event, the oldest first, at most
// one for a second: the worst of it.
type latencySeries struct {
	samples []latencySample
	worst   int64 // of all times, in milliseconds
}

type latencySample struct{ second, ms int64 }

const latencySamples = 160

// sampleLatency notes that an event took so long, if that is worth a note.
func (e *Engine) sampleLatency(event string, micros int64) {
	threshold := e.Config.LatencyMonitorThreshold
	if threshold == 0 || micros/1000 < threshold {
		return
	}
	if e.latency == nil {
		e.latency = latencyMonitor{}
	}
	series := e.latency[event]
	if series == nil {
		series = &latencySeries{}
		e.latency[event] = series
	}
	series.add(latencySample{e.clock.last / 1_000_000, micros / 1000})
}

func (s *latencySeries) add(sample latencySample) {
	s.worst = max(s.worst, sample.ms)
	if n := len(s.samples); n > 0 && s.samples[n-1].second == sample.second {
		s.samples[n-1].ms = max(s.samples[n-1].ms, sample.ms)
		return
	}
	if len(s.samples) == latencySamples {
		s.samples = slices.Delete(s.samples, 0, 1)
	}
	s.samples = append(s.samples, sample)
}

// measured notes how long a command took.
func (e *Engine) measured(cmd *Command, micros int64) {
	if e.Config.LatencyTracking {
		if cmd.latency == nil {
			cmd.latency = new(histogram.Histogram)
		}
		cmd.latency.Record(micros * 1000)
	}
	if e.Config.LatencyMonitorThreshold > 0 {
		event := "command"
		if cmd.Flags&Fast != 0 {
			event = "fast-command"
		}
		e.sampleLatency(event, micros)
	}
}

func latencyHistory(c *Call) error {
	series := c.Engine.latency[view(c.Args[2])]
	if series == nil {
		series = &latencySeries{}
	}
	c.Array(len(series.samples))
	for _, sample := range series.samples {
		c.Array(2)
		c.Int(sample.second)
		c.Int(sample.ms)
	}
	return nil
}

func latencyLatest(c *Call) error {
	events := slices.Sorted(maps.Keys(c.Engine.latency))
	c.Array(len(events))
	for _, event := range events {
		series := c.Engine.latency[event]
		last := series.samples[len(series.samples)-1]
		c.Array(4)
		c.BulkString(event)
		c.Int(last.second)
		c.Int(last.ms)
		c.Int(series.worst)
	}
	return nil
}

func latencyReset(c *Call) error {
	n := len(c.Engine.latency)
	maps.DeleteFunc(c.Engine.latency, func(event string, _ *latencySeries) bool {
		return len(c.Args) == 2 || slices.ContainsFunc(c.Args[2:], func(arg []byte) bool { return strings.EqualFold(event, view(arg)) })
	})
	c.Int(int64(n - len(c.Engine.latency)))
	return nil
}

func latencyHistogram(c *Call) error {
	rows := c.Engine.allRows()
	if len(c.Args) > 2 {
		rows = nil
		for _, arg := range c.Args[2:] {
			if cmd := c.Engine.named(arg); cmd != nil {
				rows = append(append(rows, cmd), cmd.Sub...)
			}
		}
	}
	rows = slices.DeleteFunc(rows, func(cmd *Command) bool { return cmd.latency == nil || cmd.latency.Total() == 0 })
	c.Map(len(rows))
	for _, cmd := range rows {
		c.BulkString(cmd.full)
		c.histogram(cmd.latency)
	}
	return nil
}

// histogram replies with how many durations were up to a microsecond long,
// two, four, and so on.
func (c *Call) histogram(h *histogram.Histogram) {
	c.Map(2)
	c.BulkString("calls")
	c.Int(h.Total())
	c.BulkString("histogram_usec")
	mark, n := c.Defer(), 0
	for upTo, count := range h.Doublings() {
		c.Int(upTo / 1000)
		c.Int(count)
		n++
	}
	c.Resolve(mark, wire.KindMap, n)
}

func (e *Engine) infoLatencystats(t *infoText) {
	for _, cmd := range e.allRows() {
		if cmd.latency == nil || cmd.latency.Total() == 0 {
			continue
		}
		var figures []string
		for _, p := range e.Config.LatencyPercentiles {
			figures = append(figures, fmt.Sprintf("p%s=%.3f", shortFloat(p), float64(cmd.latency.Percentile(p))/1000))
		}
		t.field("latency_percentiles_usec_"+cmd.full, strings.Join(figures, ","))
	}
}

// shortFloat prints up to six decimals, as many as there are.
func shortFloat(f float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%f", f), "0"), ".")
}
