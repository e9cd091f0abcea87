package check

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"myredis/queue"
	"myredis/queue/queuetest"
)

// Schedule is a sequence of steps that breaks an invariant, as [Search] found
// it: one command after another, with what the store held after each.
type Schedule struct {
	Scenario  Scenario
	Invariant queue.Invariant
	What      string // how the invariant is broken after the last step
	Steps     []Step
}

// Step is one move of the world.
type Step struct {
	Actor   string   `json:",omitempty"` // "" for what happens to all
	Command string   `json:",omitempty"`
	Reply   string   `json:",omitempty"`
	Note    string   `json:",omitempty"` // what was special about it
	Store   []string // the room's keys after it
	Inside  []string `json:",omitempty"` // who may believe to be inside
}

// Write writes the schedule as JSON, for [Read].
func (s *Schedule) Write(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(s)
}

// Read reads what [Schedule.Write] wrote.
func Read(r io.Reader) (*Schedule, error) {
	var s Schedule
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	err := d.Decode(&s)
	if err == nil && (d.More() || len(s.Steps) == 0) {
		err = errors.New("it has no steps, or something after them")
	}
	if err != nil {
		return nil, fmt.Errorf("this is not a schedule: %w", err)
	}
	return &s, nil
}

// String lists the steps.
func (s *Schedule) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", s.Scenario)
	for i, step := range s.Steps {
		fmt.Fprintf(&b, "%4d  %s\n", i+1, step)
	}
	fmt.Fprintf(&b, "      ^ %s broken: %s\n", s.Invariant, s.What)
	return b.String()
}

// String is the step on one line.
func (s Step) String() string {
	line := s.Note
	if s.Command != "" {
		line = fmt.Sprintf("%-4s  %s", s.Actor, s.Command)
		if s.Reply != "" {
			line += "  -> " + s.Reply
		}
		if s.Note != "" {
			line += "  (" + s.Note + ")"
		}
	}
	return line
}

// report records the shortest schedule for what is broken for the first time.
func (x *search) report(b broken, parent int32, last move) error {
	for invariant, what := range b {
		if x.result.Broken[invariant] != nil {
			continue
		}
		s, err := x.replay(append(x.path(parent), last))
		if err != nil {
			return err
		}
		s.Invariant, s.What = invariant, what
		x.result.Broken[invariant] = s
	}
	return nil
}

// path lists the moves that lead to a node.
func (x *search) path(to int32) (moves []move) {
	for n := to; n > 0; n = x.nodes[n].parent {
		moves = append(moves, x.nodes[n].move)
	}
	slices.Reverse(moves)
	return moves
}

// replay makes the moves from the beginning in a world of its own and records
// them.
func (x *search) replay(moves []move) (*Schedule, error) {
	y, st, err := begin(x.Scenario)
	if err != nil {
		return nil, err
	}
	s := &Schedule{Scenario: x.Scenario}
	for _, m := range moves {
		step := y.describe(st, m)
		before := st
		st, _ = y.apply(before, m)
		if m.kind == goOn || m.kind == refuse {
			step.Reply = queuetest.Show(y.answer.reply)
			if y.answer.err != nil {
				step.Reply = y.answer.err.Error()
			}
		}
		step.Store = show(st.store, tag)
		for i, name := range y.names {
			if y.inside(st, i) {
				step.Inside = append(step.Inside, name)
			}
		}
		s.Steps = append(s.Steps, step)
	}
	return s, nil
}

func (x *search) describe(st *state, m move) Step {
	switch m.kind {
	case goDown:
		return Step{Note: fmt.Sprintf("the store refuses %d commands", m.n)}
	case passTime:
		return Step{Note: "every session and lease runs out"}
	case joinLate:
		return Step{Note: fmt.Sprintf("%s begins to join", x.names[x.Visitors+x.Late-st.late])}
	case leave:
		return Step{Note: fmt.Sprintf("%s begins to leave", x.names[m.n])}
	case ask:
		return Step{Note: fmt.Sprintf("%s begins to ask", x.names[m.n])}
	case fallBehind:
		return Step{Note: "the replica falls behind"}
	case failOver:
		return Step{Note: "the replica takes over"}
	}
	a := st.actors[m.actor]
	return Step{
		Actor: a.name, Command: strings.ReplaceAll(queuetest.Show(a.next...), tag, ""),
		Note: map[moveKind]string{
			refuse: "refused", loseReply: "executed, its reply is lost",
			dieBefore: "dies before it", dieAfter: "executed, and dies before the reply",
		}[m.kind],
	}
}
