package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"myredis/bench"
)

// record writes a record of an experiment as a run of n rounds would have
// left it: every column of every table, every chart, for two cases.
func record(t *testing.T, dir string, e bench.Experiment, n int, value func(round int) float64) {
	require.NoError(t, os.MkdirAll(dir, 0o755))
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	require.NoError(t, enc.Encode(bench.Header{Line: "header", Experiment: e.Name, Commit: "c0ffee", Stores: []string{"MyRedis <1>"}, Rounds: n, Flags: map[string]any{"slot": "5"}}))
	require.NoError(t, enc.Encode(map[string]any{"line": "event", "msg": `"line":"result"`}))
	for round := range n {
		for _, table := range e.Tables {
			for _, name := range []string{"first", "second & <b>"} {
				row := bench.Row{"line": "result", "table": table.Name, "round": round}
				for _, c := range table.Columns {
					row[c.Key] = value(round)
					if c.Label {
						row[c.Key] = name
					}
				}
				require.NoError(t, enc.Encode(row))
			}
		}
	}
	for _, c := range e.Charts {
		if c.Table == "" {
			labels := bench.Row{}
			for _, k := range append(c.Series, c.Panels...) {
				labels[k] = "<x>"
			}
			curve := bench.Curve{Chart: c.Name, Labels: labels, Cap: 3, Points: [][2]float64{{1, 2}, {2, 5}, {3, 1}}}
			require.NoError(t, enc.Encode(struct {
				Line string `json:"line"`
				bench.Curve
			}{"curve", curve}))
		}
	}
	require.NoError(t, enc.Encode(map[string]any{"line": "end", "complete": true}))
	require.NoError(t, os.WriteFile(filepath.Join(dir, e.Name+".jsonl"), b.Bytes(), 0o644))
}

func TestReportOfEveryExperiment(t *testing.T) {
	dir := t.TempDir()
	for _, e := range bench.Experiments() {
		record(t, dir, e, 2, func(round int) float64 { return float64(7 + round) })
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "stranger.jsonl"), []byte("{\"a\":1}\n"), 0o644))
	findings, err := Read(dir)
	require.NoError(t, err)
	require.Len(t, findings, len(bench.Experiments()))
	for _, lang := range []string{"en", "ko"} {
		page, text, err := Write(dir, findings, lang)
		require.NoError(t, err)
		html, err := os.ReadFile(page)
		require.NoError(t, err)
		markdown, err := os.ReadFile(text)
		require.NoError(t, err)
		for _, f := range findings {
			require.True(t, f.Complete)
			require.Contains(t, string(html), `id="`+f.Experiment.Name+`"`)
			require.Contains(t, string(markdown), f.Experiment.Question.In(lang))
		}
		// One file, no network, no script; what comes from records is text.
		require.NotRegexp(t, `(?i)<script|<link|<img|@import|url\(|src=`, string(html))
		require.NotContains(t, string(html), "<x>")
		require.NotContains(t, string(html), "<b>")
		// A table stands behind every picture.
		require.Equal(t, strings.Count(string(html), `<svg class="chart"`), strings.Count(string(html), "<details>"))
		require.Equal(t, strings.Count(string(html), `<svg class="chart"`), strings.Count(string(html), `role="img" aria-label="`))
		for _, picture := range regexp.MustCompile(`\]\((plots/[^)]+)\)`).FindAllStringSubmatch(string(markdown), -1) {
			for _, name := range []string{picture[1], strings.TrimSuffix(picture[1], "svg") + "png"} {
				info, err := os.Stat(filepath.Join(dir, name))
				require.NoError(t, err)
				require.Positive(t, info.Size())
			}
		}
	}
	document := filepath.Join(dir, "document.md")
	require.NoError(t, os.WriteFile(document, []byte("a\n<!-- bench: stale first -->\nold\n<!-- /bench -->\nb\n<!-- bench: unknown -->\nkept\n<!-- /bench -->\n"), 0o644))
	for range 2 { // again changes nothing more
		require.NoError(t, Into(document, findings, "en"))
		text, err := os.ReadFile(document)
		require.NoError(t, err)
		require.Regexp(t, `(?s)^a\n<!-- bench: stale first -->\n> Without reclaiming.*\| first \|.*<!-- /bench -->\nb\n<!-- bench: unknown -->\nkept\n`, string(text))
		require.NotContains(t, string(text), "old")
	}
	picture := filepath.Join(dir, "picture.svg")
	require.NoError(t, Picture(picture, findings, "en"))
	info, err := os.Stat(picture)
	require.NoError(t, err)
	require.Less(t, info.Size(), int64(50_000))
}

func TestHalfALineAtTheEndIsPassedOver(t *testing.T) {
	dir := t.TempDir()
	e := bench.Experiments()[0]
	record(t, dir, e, 1, func(int) float64 { return 1 })
	path := filepath.Join(dir, e.Name+".jsonl")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, text[:len(text)-10], 0o644))
	findings, err := Read(dir)
	require.NoError(t, err)
	require.False(t, findings[0].Complete)
	require.NotEmpty(t, findings[0].Results)
}

func TestCompare(t *testing.T) {
	e := bench.Experiments()[0]
	noise := func(base float64) func(int) float64 {
		return func(round int) float64 { return base + float64(round*round%7) }
	}
	a, same, other, few := t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir()
	record(t, a, e, 12, noise(100))
	record(t, same, e, 12, noise(101))
	record(t, other, e, 12, noise(200))
	record(t, few, e, 2, noise(200))
	compared := func(dir string) string {
		left, err := Read(a)
		require.NoError(t, err)
		right, err := Read(dir)
		require.NoError(t, err)
		var b bytes.Buffer
		require.NoError(t, Compare(&b, left, right, false, "en"))
		return b.String()
	}
	require.Contains(t, compared(same), "Nothing differs beyond its noise")
	require.Contains(t, compared(other), "B is worse")
	require.Contains(t, compared(few), "fewer than 4 rounds")
}

func TestMannWhitney(t *testing.T) {
	for _, c := range []struct {
		a, b []float64
		p    float64
	}{
		{[]float64{1, 2, 3, 4}, []float64{5, 6, 7, 8}, 2.0 / 70},
		{[]float64{1, 2, 3}, []float64{4, 5, 6}, 2.0 / 20},
		{[]float64{1, 3, 5, 7}, []float64{2, 4, 6, 8}, 48.0 / 70},
		{[]float64{1, 1, 1, 1}, []float64{1, 1, 1, 1}, 1},
	} {
		require.InDelta(t, c.p, mannWhitney(c.a, c.b), 1e-9, fmt.Sprint(c))
	}
	many := make([]float64, 30)
	more := make([]float64, 30)
	for i := range many {
		many[i], more[i] = float64(i), float64(i)+100
	}
	require.Less(t, mannWhitney(many, more), 0.001)
}

func TestScale(t *testing.T) {
	s := scale{min: 0, max: 300, from: 200, to: 0}
	require.Equal(t, []float64{0, 100, 200, 300}, s.ticks(5))
	require.Equal(t, 100.0, s.at(150))
	log := scale{min: 1, max: 100, from: 0, to: 10, log: true}
	require.Equal(t, []float64{1, 10, 100}, log.ticks(5))
	require.InDelta(t, 5, log.at(10), 1e-9)
}
