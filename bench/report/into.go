package report

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strings"

	"myredis/bench"
)

// block is a place in a document that holds figures of a run:
//
//	<!-- bench: NAME -->…<!-- /bench -->        an experiment's answer and tables
//	<!-- bench: NAME first -->…<!-- /bench -->  of the first store only
//	<!-- bench: answers -->…<!-- /bench -->     every experiment's question and answer
var block = regexp.MustCompile(`(?s)<!-- bench: ([a-z-]+)( first)? -->\n.*?<!-- /bench -->`)

// Into puts a run's figures into a document's blocks, and leaves blocks alone
// of which the run has none.
func Into(path string, findings []*Finding, lang string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	known := map[string]*Finding{}
	for _, f := range findings {
		known[f.Experiment.Name] = f
	}
	out := block.ReplaceAllStringFunc(string(text), func(old string) string {
		parts := block.FindStringSubmatch(old)
		f := known[parts[1]]
		var b bytes.Buffer
		switch {
		case parts[1] == "answers":
			writeAnswers(&b, findings, lang)
		case f == nil:
			return old
		default:
			if parts[2] != "" {
				f = onFirst(f)
			}
			fmt.Fprintf(&b, "> %s\n", f.Verdict().Text.In(lang))
			writeTables(&b, f, lang)
			fmt.Fprintf(&b, "\n%s\n", madeAll([]*Finding{f}, lang))
		}
		head, _, _ := strings.Cut(old, "\n")
		return head + "\n" + b.String() + "<!-- /bench -->"
	})
	return os.WriteFile(path, []byte(out), 0o644)
}

// onFirst keeps the results on the first store.
func onFirst(f *Finding) *Finding {
	first := *f
	first.Results = bench.Results{}
	for table, rows := range f.Results {
		for _, row := range rows {
			if row.Label("store") == rows[0].Label("store") {
				first.Results[table] = append(first.Results[table], row)
			}
		}
	}
	return &first
}
