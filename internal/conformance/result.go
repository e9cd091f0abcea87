package conformance

import (
	"regexp"
	"strings"
)

// Result is what one unit of the suite said.
type Result struct {
	Passed []string
	Failed []Failure
	// Stopped says why the unit ended before its last test; empty if it did not.
	Stopped string
}

// Failure is a test that failed and the first line of why.
type Failure struct{ Test, Why string }

var (
	colour = regexp.MustCompile("\x1b\\[[0-9;]*m")
	taken  = regexp.MustCompile(` \(\d+ ms\)$`)
	script = regexp.MustCompile(` in tests/\S+$`)
	number = regexp.MustCompile(`\d+(\.\d+)?`)
)

// parse reads the output of a unit.
func parse(output string) (r Result) {
	lines := strings.Split(colour.ReplaceAllString(output, ""), "\n")
	next := func(i int) string {
		if i+1 < len(lines) {
			return strings.TrimSpace(lines[i+1])
		}
		return ""
	}
	for i, line := range lines {
		kind, rest, found := strings.Cut(line, "]: ")
		if !found {
			kind, rest = line, ""
		}
		switch {
		case kind == "[ok":
			r.Passed = append(r.Passed, strings.TrimSpace(taken.ReplaceAllString(rest, "")))
		case kind == "[err":
			r.Failed = append(r.Failed, Failure{strings.TrimSpace(script.ReplaceAllString(rest, "")), next(i)})
		case kind == "[exception":
			r.stop(rest + " " + next(i))
		case strings.HasPrefix(line, "[TIMEOUT]"):
			r.stop("a reply that never came")
		}
	}
	return r
}

// stop keeps the first reason.
func (r *Result) stop(why string) {
	if r.Stopped == "" {
		r.Stopped = why
	}
}

// same is what two runs have in common in a test's name: numbers in it are
// drawn at random or measured.
func same(test string) string { return number.ReplaceAllString(test, "#") }

// Short returns those of the expected tests that did not pass, each with why.
func (r *Result) Short(expected []string) (short []Failure) {
	passed, why := map[string]int{}, map[string]string{}
	for _, test := range r.Passed {
		passed[same(test)]++
	}
	for _, f := range r.Failed {
		why[same(f.Test)] = f.Why
	}
	for _, test := range expected {
		if passed[same(test)]--; passed[same(test)] >= 0 {
			continue
		}
		reason, failed := why[same(test)]
		if !failed {
			reason = "not reached"
		}
		short = append(short, Failure{test, reason})
	}
	return short
}
