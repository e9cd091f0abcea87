package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"myredis/bench"
)

// merged returns a table's rows with the rounds of each case brought together:
// of each measured value the worst where a cap is to be kept, else the mean.
func merged(t bench.Table, rows []bench.Row) (out []bench.Row) {
	groups := map[string][]bench.Row{}
	var order []string
	for _, row := range rows {
		key := row.Key(t.Labels())
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], row)
	}
	for _, key := range order {
		out = append(out, merge(t, groups[key]))
	}
	return out
}

func merge(t bench.Table, rows []bench.Row) bench.Row {
	if len(rows) == 1 {
		return rows[0]
	}
	row := bench.Row{}
	for _, c := range t.Columns {
		sum, most, n := 0.0, 0.0, 0.0
		for _, r := range rows {
			v, ok := r.Number(c.Key)
			if !ok {
				continue
			}
			if n == 0 || v > most {
				most = v
			}
			sum, n = sum+v, n+1
		}
		switch {
		case c.Label || n == 0:
			row[c.Key] = rows[0][c.Key]
		case c.Cap != "":
			row[c.Key] = most
		default:
			row[c.Key] = sum / n
		}
	}
	return row
}

// cell is a value as a table shows it.
type cell struct {
	Text   string
	Number bool
	Over   bool // over its cap
}

func cells(t bench.Table, row bench.Row, lang string) (out []cell) {
	for _, c := range t.Columns {
		v, number := row.Number(c.Key)
		text := row.Label(c.Key)
		_, yesNo := row[c.Key].(bool)
		switch {
		case number && !c.Label:
			text = strconv.FormatFloat(v, 'f', c.Places, 64)
		case yesNo || text == "yes" || text == "no":
			text = word(lang, text)
		}
		limit, capped := row.Number(c.Cap)
		out = append(out, cell{Text: text, Number: number, Over: capped && number && v > limit})
	}
	return out
}

// Text prints tables for a terminal.
func Text(w io.Writer, f *Finding, lang string) {
	for _, t := range f.Experiment.Tables {
		rows := merged(t, f.Results[t.Name])
		if len(rows) == 0 {
			continue
		}
		fmt.Fprintf(w, "\n%s: %s\n\n", f.Experiment.Name, t.Title.In(lang))
		tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		var titles []string
		for _, c := range t.Columns {
			titles = append(titles, c.Title.In(lang))
		}
		fmt.Fprintln(tab, strings.Join(titles, "\t"))
		for _, row := range rows {
			var texts []string
			for _, c := range cells(t, row, lang) {
				if c.Over {
					c.Text += " !"
				}
				texts = append(texts, c.Text)
			}
			fmt.Fprintln(tab, strings.Join(texts, "\t"))
		}
		tab.Flush()
	}
}

// Answers prints a line for each experiment: the question and the answer.
func Answers(w io.Writer, findings []*Finding, lang string) {
	for _, f := range findings {
		v := f.Verdict()
		mark := word(lang, "as expected")
		if !v.Expected {
			mark = word(lang, "NOT as expected")
		}
		if !f.Complete {
			mark = word(lang, "interrupted")
		}
		fmt.Fprintf(w, "%-14s %s\n%-14s -> %s [%s]\n", f.Experiment.Name, f.Experiment.Question.In(lang), "", v.Text.In(lang), mark)
	}
}
