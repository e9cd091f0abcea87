package report

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

type writer = io.Writer

// Write makes the report of a run in its folder: report.html by itself, and
// report.md with its pictures in plots/. It returns the paths.
func Write(dir string, findings []*Finding, lang string) (page, text string, err error) {
	suffix := ""
	if lang != "en" {
		suffix = "." + lang
	}
	page, text = filepath.Join(dir, "report"+suffix+".html"), filepath.Join(dir, "report"+suffix+".md")
	if err := into(page, func(w io.Writer) error { return writePage(w, findings, lang) }); err != nil {
		return "", "", err
	}
	plots := filepath.Join(dir, "plots")
	if err := os.MkdirAll(plots, 0o755); err != nil {
		return "", "", err
	}
	for _, f := range findings {
		for _, g := range figures(f, "en") { // the plots' fonts have no Hangul
			if err := g.plots(plots); err != nil {
				return "", "", fmt.Errorf("plot %s: %w", g.name, err)
			}
		}
	}
	return page, text, into(text, func(w io.Writer) error { return writeMarkdown(w, findings, lang) })
}

func into(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	if err := write(w); err != nil {
		f.Close()
		return err
	}
	if err := w.Flush(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

func writeMarkdown(w io.Writer, findings []*Finding, lang string) error {
	fmt.Fprintf(w, "# %s\n\n%s\n\n", word(lang, "Report of the laboratory"), madeAll(findings, lang))
	writeAnswers(w, findings, lang)
	for _, f := range findings {
		if err := markdownOf(w, f, lang); err != nil {
			return err
		}
	}
	return nil
}

// writeAnswers writes a table of every question and its answer.
func writeAnswers(w io.Writer, findings []*Finding, lang string) {
	fmt.Fprintf(w, "| %s | %s | %s | %s |\n|---|---|---|---|\n", word(lang, "experiment"), word(lang, "Question"), word(lang, "Answer"), word(lang, "verdict"))
	for _, f := range findings {
		fmt.Fprintf(w, "| `%s` | %s | %s | %s |\n", f.Experiment.Name, bar(f.Experiment.Question.In(lang)), bar(f.Verdict().Text.In(lang)), mark(f, lang))
	}
}

// bar keeps a text from ending a table's cell.
func bar(text string) string { return strings.ReplaceAll(text, "|", "\\|") }

func markdownOf(w io.Writer, f *Finding, lang string) error {
	e := f.Experiment
	fmt.Fprintf(w, "\n## %s\n\n**%s**\n\n> %s (%s)\n", e.Name, e.Question.In(lang), f.Verdict().Text.In(lang), mark(f, lang))
	for _, g := range figures(f, lang) {
		fmt.Fprintf(w, "\n![%s](plots/%s.svg)\n", g.title, g.name)
	}
	writeTables(w, f, lang)
	fmt.Fprintf(w, "\n- %s: %s\n- %s: %s\n- %s: %s\n- %s: `%s`\n", word(lang, "Varies"), e.Varies.In(lang), word(lang, "Measured"), e.Measured.In(lang),
		word(lang, "Expected"), e.Expected.In(lang), word(lang, "Made with"), madeWith(f, lang))
	return nil
}

func writeTables(w io.Writer, f *Finding, lang string) {
	for _, t := range f.Experiment.Tables {
		rows := merged(t, f.Results[t.Name])
		if len(rows) == 0 {
			continue
		}
		fmt.Fprintf(w, "\n%s\n\n", t.Title.In(lang))
		head, rule := "|", "|"
		for _, c := range t.Columns {
			head += " " + bar(c.Title.In(lang)) + " |"
			if c.Label {
				rule += "---|"
			} else {
				rule += "---:|"
			}
		}
		fmt.Fprintln(w, head+"\n"+rule)
		for _, row := range rows {
			line := "|"
			for _, c := range cells(t, row, lang) {
				text := bar(c.Text)
				if c.Over {
					text = "**" + text + "**"
				}
				line += " " + text + " |"
			}
			fmt.Fprintln(w, line)
		}
	}
}
