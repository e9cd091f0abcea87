package transcript

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"myredis/internal/words"
)

// Play plays the scenarios of files against the server that dial connects to,
// each as a subtest "file/title". The server's data is lost: every scenario
// starts with FLUSHALL.
//
// A reply that differs fails the subtest, with both replies shown, and the
// conversation goes on; a connection that fails or stays silent ends it.
func Play(t *testing.T, dial Dial, files ...string) {
	t.Helper()
	s := &stage{dial: dial}
	defer s.close()
	for _, path := range files {
		file, err := ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			for _, sc := range file.Scenarios {
				t.Run(sc.Title, func(t *testing.T) {
					skip, failures := s.playScenario(path, sc)
					if skip != "" {
						t.Skip("the server lacks: " + skip)
					}
					for _, failure := range failures {
						t.Error(failure)
					}
				})
			}
		})
	}
}

// playScenario returns the requirement that the server does not meet, or what
// went otherwise than written.
func (s *stage) playScenario(path string, sc *Scenario) (skip string, failures []string) {
	at := func(line int, format string, args ...any) {
		failures = append(failures, fmt.Sprintf("%s:%d: ", path, line)+fmt.Sprintf(format, args...))
	}
	skip, err := s.unmet(sc)
	if err != nil {
		at(sc.Line, "%v", err)
	}
	if skip != "" || err != nil {
		return skip, failures
	}
	restore, err := s.set(sc)
	if err != nil {
		at(sc.Line, "%v", err)
		return "", failures
	}
	played := newSession(s.dial, sc, false)
	for _, step := range sc.Steps {
		got, err := played.play(step)
		if err != nil {
			at(step.Line, "%s: %v\n%s", step, err, strings.Join(got, "\n"))
			if got == nil {
				break
			}
		} else if !slices.Equal(got, step.Want) {
			at(step.Line, "%s\n%s", step, diff(step.Want, got))
		}
	}
	if err := played.end(); err != nil {
		at(sc.Line, "at the end: %v", err)
	}
	if err := restore(); err != nil {
		at(sc.Line, "%v", err)
	}
	return "", failures
}

// String is the step as it stands in a file.
func (s *Step) String() string {
	who := ""
	if s.Client > 1 {
		who = fmt.Sprint(s.Client)
	}
	switch {
	case s.Await:
		return who + "<"
	case s.Raw != "":
		return who + "raw> " + words.Quote(s.Raw)
	}
	line := make([]string, len(s.Args))
	for i, arg := range s.Args {
		if line[i] = arg; !plain(arg) || strings.ContainsAny(arg, ` "'\`) {
			line[i] = words.Quote(arg)
		}
	}
	return who + "> " + strings.Join(line, " ")
}

// diff shows two replies line by line: what they begin and end with alike
// once, and between those what was wanted (-) and what came (+).
func diff(want, got []string) string {
	start := 0
	for start < min(len(want), len(got)) && want[start] == got[start] {
		start++
	}
	tail := 0
	for tail < min(len(want), len(got))-start && want[len(want)-1-tail] == got[len(got)-1-tail] {
		tail++
	}
	var b strings.Builder
	show := func(mark string, lines []string) {
		for _, line := range lines {
			b.WriteString(mark + line + "\n")
		}
	}
	show("   ", want[:start])
	show("-  ", want[start:len(want)-tail])
	show("+  ", got[start:len(got)-tail])
	show("   ", want[len(want)-tail:])
	return strings.TrimSuffix(b.String(), "\n")
}
