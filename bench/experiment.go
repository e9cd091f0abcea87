package bench

import (
	"context"
	"flag"
	"time"
)

// Text is what people read, in the languages of the report.
type Text struct{ EN, KO string }

// In returns the text in a language; English where there is no other.
func (t Text) In(lang string) string {
	if lang == "ko" && t.KO != "" {
		return t.KO
	}
	return t.EN
}

// Experiment is one row of the laboratory's table: what is asked, and all that
// is needed to run it and to show what came out.
type Experiment struct {
	Name     string
	Question Text
	Varies   Text
	Measured Text
	Expected Text // what we expect, and why
	Budget   time.Duration

	Tables []Table
	Charts []Chart
	// Answer reads the results, of which there is at least one, and says what
	// they come to in one line.
	Answer func(Results) Verdict
	// New returns the settings of a run, at their defaults.
	New func() Settings
}

// Verdict is an experiment's answer.
type Verdict struct {
	Text     Text
	Expected bool // the results are what the experiment expects
}

// Settings are what can be varied in an experiment.
type Settings interface {
	// Flags declares the settings as flags.
	Flags(*flag.FlagSet)
	// Cases lists what is to be run, one after the other.
	Cases(*Lab) ([]Case, error)
}

// Case is a part of an experiment that runs by itself.
type Case struct {
	Name  string        // for the progress bar
	Share float64       // of the experiment's budget; zero counts as 1
	Least time.Duration // measured for this long even if the budget is used up; zero means 1s
	Run   func(context.Context, *Run) error
}

func (c Case) share() float64 {
	if c.Share == 0 {
		return 1
	}
	return c.Share
}

// Table says how an experiment's results are shown. Results are the record's
// lines of this name.
type Table struct {
	Name    string
	Title   Text
	Columns []Column
}

// Column is one field of a table's results.
type Column struct {
	Key    string
	Title  Text
	Label  bool   // tells one case from another; the others are measured
	Named  bool   // the value says little without the title: "period 2s"
	Places int    // digits after the point
	Cap    string // the column that this one must not exceed, "" for none
	Better int    // 1: more is better, -1: less is, 0: neither
}

// Labels returns the keys of the columns that tell the cases apart.
func (t Table) Labels() (keys []string) {
	for _, c := range t.Columns {
		if c.Label {
			keys = append(keys, c.Key)
		}
	}
	return keys
}

// Chart is a picture of results: bars, of a table's column, or lines, of the
// record's curves of its name. Each Panel, a combination of labels, is drawn by
// itself, and each Series has a colour.
type Chart struct {
	Name    string
	Title   Text
	X, Y    Text
	Table   string // bars of this table; "" for lines of the curves named Name
	Value   string // bars: the column that is drawn
	Groups  string // bars: the label along the axis
	Series  []string
	Panels  []string
	Cap     string // the label or column that holds where the line of the cap is
	Target  bool   // that line is not a cap but something to reach
	LogX    bool
	LogY    bool
	Hero    bool // the one to show where there is room for one only
	Stepped bool // a curve keeps its value until the next point
}

// Experiments is the table, in the order in which it is told.
func Experiments() []Experiment {
	return []Experiment{
		overshootExperiment, doubleLeaderExperiment, leverExperiment, staleExperiment,
		failoverExperiment, strategiesExperiment, rampExperiment, crowdExperiment,
	}
}

// FindExperiment returns the experiment of that name.
func FindExperiment(name string) (Experiment, bool) {
	for _, e := range Experiments() {
		if e.Name == name {
			return e, true
		}
	}
	return Experiment{}, false
}
