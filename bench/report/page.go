package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strings"
)

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

// page is what the template shows.
type page struct {
	Lang     string
	Style    template.CSS
	Made     string
	Sections []section
}

type section struct {
	Name, Question, Answer, Mark         string
	Varies, Measured, Expected, MadeWith string
	Good, Complete                       bool
	Figures                              []pageFigure
	Tables                               []pageTable
}

type pageFigure struct {
	Title  string
	Legend template.HTML
	Panels []pagePanel
}

type pagePanel struct {
	Title string
	SVG   template.HTML
	Head  []string
	Rows  [][]string
}

type pageTable struct {
	Title string
	Head  []string
	Rows  [][]cell
}

// page writes one file that needs nothing else: no network, no script.
func writePage(w io.Writer, findings []*Finding, lang string) error {
	t, err := template.New("page").Funcs(template.FuncMap{"word": func(s string) string { return word(lang, s) }}).Parse(pageHTML)
	if err != nil {
		return err
	}
	p := page{Lang: lang, Style: template.CSS(pageCSS), Made: madeAll(findings, lang)}
	for _, f := range findings {
		p.Sections = append(p.Sections, newSection(f, lang))
	}
	return t.Execute(w, p)
}

func newSection(f *Finding, lang string) section {
	e, v := f.Experiment, f.Verdict()
	s := section{Name: e.Name, Question: e.Question.In(lang), Answer: v.Text.In(lang), Good: v.Expected && f.Complete, Complete: f.Complete, Mark: mark(f, lang),
		Varies: e.Varies.In(lang), Measured: e.Measured.In(lang), Expected: e.Expected.In(lang), MadeWith: madeWith(f, lang)}
	for _, g := range figures(f, lang) {
		s.Figures = append(s.Figures, newPageFigure(g, lang))
	}
	for _, t := range e.Tables {
		rows := merged(t, f.Results[t.Name])
		if len(rows) == 0 {
			continue
		}
		pt := pageTable{Title: t.Title.In(lang)}
		for _, c := range t.Columns {
			pt.Head = append(pt.Head, c.Title.In(lang))
		}
		for _, row := range rows {
			pt.Rows = append(pt.Rows, cells(t, row, lang))
		}
		s.Tables = append(s.Tables, pt)
	}
	return s
}

func newPageFigure(g *figure, lang string) pageFigure {
	capped := ""
	for _, p := range g.panels {
		if p.limit > 0 {
			capped = g.limitName(lang)
		}
	}
	pf := pageFigure{Title: g.title, Legend: template.HTML(g.legend(capped))} // escaped where it is made
	for _, p := range g.panels {
		head, rows := g.data(p, lang)
		title := g.title
		if p.title != "" {
			title += ", " + p.title
		}
		pf.Panels = append(pf.Panels, pagePanel{Title: title, SVG: template.HTML(g.svg(p, title)), Head: head, Rows: rows})
	}
	return pf
}

// limitName says what the horizontal line of a chart is.
func (g *figure) limitName(lang string) string {
	if g.chart.Target {
		return word(lang, g.chart.Cap)
	}
	return word(lang, "the cap")
}

// mark is a verdict in a word or two.
func mark(f *Finding, lang string) string {
	switch {
	case !f.Complete:
		return word(lang, "interrupted")
	case f.Verdict().Expected:
		return word(lang, "as expected")
	}
	return word(lang, "NOT as expected")
}

// madeAll says with what the whole report was made: of the first record, since
// a folder is one run.
func madeAll(findings []*Finding, lang string) string {
	h := findings[0].Header
	return strings.Join([]string{
		h.Time.Format("2006-01-02 15:04"), h.CPU, fmt.Sprintf("%d %s", h.Cores, word(lang, "cores")), h.OS, h.Go,
		word(lang, "stores") + " " + strings.Join(h.Stores, ", "), word(lang, "commit") + " " + h.Commit,
	}, " · ")
}

func madeWith(f *Finding, lang string) string {
	var flags []string
	for _, name := range slices.Sorted(maps.Keys(f.Header.Flags)) {
		flags = append(flags, fmt.Sprintf("--%s %v", name, f.Header.Flags[name]))
	}
	return fmt.Sprintf("bench run %s %s · %s %d · %s %d · %s %s · %s %s", f.Experiment.Name, strings.Join(flags, " "),
		word(lang, "seed"), f.Header.Seed, word(lang, "rounds"), f.Header.Rounds, word(lang, "budget"), f.Header.Budget, word(lang, "raw lines"), f.File)
}
