package commands

import (
	"fmt"
	"strings"
)

// LATENCY GRAPH: each sample is a column of four rows of text, filled up to
// its height, over its age written downwards.

const (
	graphColumns = 80
	graphRows    = 4
	// graphFill are the upper ends of a column, by the third of a row that is
	// reached; below them it is filled by bars.
	graphFill = "_o#"
)

func latencyGraph(c *Call) error {
	event := string(c.Args[2])
	series := c.Engine.latency[event]
	if series == nil {
		return errorf("ERR No samples available for event '%s'", cString(c.Args[2]))
	}
	low, high := series.bounds()
	var text strings.Builder
	fmt.Fprintf(&text, "%s - high %d ms, low %d ms (all time high %d ms)\n", event, high, low, series.worst)
	text.WriteString(strings.Repeat("-", graphColumns) + "\n")
	now := c.Now() / 1000
	for i, rest := 0, series.samples; len(rest) > 0; i++ {
		if i > 0 {
			text.WriteString("\n")
		}
		n := min(len(rest), graphColumns)
		drawColumns(&text, rest[:n], low, high, now)
		rest = rest[n:]
	}
	c.Verbatim("txt", text.String())
	return nil
}

// bounds returns the least and the greatest of the samples.
func (s *latencySeries) bounds() (low, high int64) {
	low, high = s.samples[0].ms, s.samples[0].ms
	for _, sample := range s.samples {
		low, high = min(low, sample.ms), max(high, sample.ms)
	}
	return low, high
}

// drawColumns draws samples side by side and their labels below, after an
// empty line.
func drawColumns(text *strings.Builder, samples []latencySample, low, high, now int64) {
	const steps = graphRows * len(graphFill)
	labels, longest := make([]string, len(samples)), 0
	for i, sample := range samples {
		labels[i] = age(now - sample.second)
		longest = max(longest, len(labels[i]))
	}
	line := make([]byte, len(samples))
	for row := range graphRows + 1 + longest {
		for i, sample := range samples {
			line[i] = ' '
			if row < graphRows {
				step := min(int((sample.ms-low)*int64(steps)/max(high-low, 1)), steps-1)
				line[i] = columnAt(step - (graphRows-row-1)*len(graphFill))
			} else if at := row - graphRows - 1; at >= 0 && at < len(labels[i]) {
				line[i] = labels[i][at]
			}
		}
		text.Write(line)
		text.WriteByte('\n')
	}
}

// columnAt is what a column looks like in a row above whose foot it rises by
// so many thirds.
func columnAt(thirds int) byte {
	switch {
	case thirds < 0:
		return ' '
	case thirds < len(graphFill):
		return graphFill[thirds]
	}
	return '|'
}

// age prints a number of seconds in the largest unit that it has one of.
func age(seconds int64) string {
	switch {
	case seconds < 60:
		return fmt.Sprintf("%ds", seconds)
	case seconds < 60*60:
		return fmt.Sprintf("%dm", seconds/60)
	case seconds < 24*60*60:
		return fmt.Sprintf("%dh", seconds/(60*60))
	}
	return fmt.Sprintf("%dd", seconds/(24*60*60))
}
