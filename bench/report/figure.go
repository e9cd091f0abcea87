package report

import (
	"math"
	"slices"
	"strings"

	"myredis/bench"
)

// figure is a chart with its data: panels that stand side by side and share
// their scales, so that they can be compared by eye.
type figure struct {
	chart  bench.Chart
	name   string // of files
	title  string
	x, y   string
	panels []panel
	series []string // all panels', in the order of their colours
	groups []string // bars: along the axis
	maxX   float64
	minX   float64
	maxY   float64
	minY   float64

	titles map[string]string
}

type panel struct {
	title string
	limit float64 // where the line of the cap is; 0 for none
	lines []line
	bars  map[string][]float64 // by series, a value for each group; NaN where none was measured
}

type line struct {
	series string
	points [][2]float64
}

// figures makes the pictures of a finding that have data.
func figures(f *Finding, lang string) (out []*figure) {
	for _, c := range f.Experiment.Charts {
		g := &figure{chart: c, name: f.Experiment.Name + "-" + c.Name, title: c.Title.In(lang), x: c.X.In(lang), y: c.Y.In(lang), titles: titlesOf(f.Experiment, lang),
			minX: math.Inf(1), maxX: math.Inf(-1), minY: math.Inf(1), maxY: math.Inf(-1)}
		if c.Table == "" {
			g.draw(f)
		} else {
			g.bar(f)
		}
		if len(g.panels) == 0 {
			continue
		}
		g.settle()
		out = append(out, g)
	}
	return out
}

// settle fixes the scales.
func (g *figure) settle() {
	for _, p := range g.panels {
		g.maxY = max(g.maxY, p.limit)
	}
	if !g.chart.LogY {
		g.minY = min(g.minY, 0)
	}
	if g.maxY <= g.minY {
		g.maxY = g.minY + 1
	}
	if g.maxX <= g.minX {
		g.maxX = g.minX + 1
	}
}

func (g *figure) see(x, y float64) {
	if g.chart.LogX && x <= 0 || g.chart.LogY && y <= 0 {
		return
	}
	g.minX, g.maxX = min(g.minX, x), max(g.maxX, x)
	g.minY, g.maxY = min(g.minY, y), max(g.maxY, y)
}

// index returns where a name is in a list, to which it is added if it is new.
func index(names *[]string, name string) int {
	if i := slices.Index(*names, name); i >= 0 {
		return i
	}
	*names = append(*names, name)
	return len(*names) - 1
}

func (g *figure) panel(titles *[]string, row bench.Row) *panel {
	i := index(titles, g.labelled(g.chart.Panels, row))
	if i == len(g.panels) {
		g.panels = append(g.panels, panel{title: (*titles)[i], bars: map[string][]float64{}})
	}
	return &g.panels[i]
}

// labelled joins labels, with their titles where they say little without:
// "seats 5, period 2s".
func (g *figure) labelled(keys []string, row bench.Row) string {
	var parts []string
	for _, k := range keys {
		if row[k] == nil {
			continue
		}
		text := row.Label(k)
		if title, named := g.titles[k]; named {
			text = title + " " + text
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

// titlesOf returns the titles of the labels that are shown with theirs.
func titlesOf(e bench.Experiment, lang string) map[string]string {
	titles := map[string]string{}
	for _, t := range e.Tables {
		for _, c := range t.Columns {
			if c.Named {
				titles[c.Key] = c.Title.In(lang)
			}
		}
	}
	return titles
}

func (g *figure) draw(f *Finding) {
	var titles []string
	for _, c := range f.Curves {
		if c.Chart != g.chart.Name || len(c.Points) == 0 {
			continue
		}
		p := g.panel(&titles, c.Labels)
		p.limit = max(p.limit, c.Cap)
		name := g.labelled(g.chart.Series, c.Labels)
		index(&g.series, name)
		p.lines = append(p.lines, line{name, c.Points})
		for _, point := range c.Points {
			g.see(point[0], point[1])
		}
	}
}

func (g *figure) bar(f *Finding) {
	t, ok := tableOf(f.Experiment, g.chart.Table)
	if !ok {
		return
	}
	var titles []string
	rows := merged(t, f.Results[t.Name])
	for _, row := range rows {
		if _, measured := row.Number(g.chart.Value); measured {
			index(&g.groups, row.Label(g.chart.Groups))
			index(&g.series, g.labelled(g.chart.Series, row))
		}
	}
	for _, row := range rows {
		v, measured := row.Number(g.chart.Value)
		if !measured {
			continue
		}
		p := g.panel(&titles, row)
		if limit, ok := row.Number(g.chart.Cap); ok {
			p.limit = limit
		}
		name := g.labelled(g.chart.Series, row)
		if p.bars[name] == nil {
			p.bars[name] = slices.Repeat([]float64{math.NaN()}, len(g.groups))
		}
		p.bars[name][slices.Index(g.groups, row.Label(g.chart.Groups))] = v
		g.see(1, v)
	}
}

func tableOf(e bench.Experiment, name string) (bench.Table, bool) {
	for _, t := range e.Tables {
		if t.Name == name {
			return t, true
		}
	}
	return bench.Table{}, false
}

// data is a panel as a table, for those who cannot or will not see a picture:
// a column for each series, a row for each group of bars, or for a dozen
// instants of the curves.
func (g *figure) data(p panel, lang string) (head []string, rows [][]string) {
	if g.groups != nil {
		head = []string{word(lang, g.chart.Groups)}
		for _, s := range g.series {
			if p.bars[s] != nil {
				head = append(head, orDash(s))
			}
		}
		for _, i := range g.groupsOf(p) {
			row := []string{g.groups[i]}
			for _, s := range g.series {
				if p.bars[s] != nil {
					row = append(row, number(p.bars[s][i]))
				}
			}
			rows = append(rows, row)
		}
		return head, rows
	}
	head = []string{g.x}
	for _, l := range p.lines {
		head = append(head, orDash(l.series))
	}
	for _, x := range g.instants(p) {
		row := []string{number(x)}
		for _, l := range p.lines {
			row = append(row, number(l.at(x)))
		}
		rows = append(rows, row)
	}
	return head, rows
}

// groupsOf returns the groups of which a panel has a bar.
func (g *figure) groupsOf(p panel) (at []int) {
	for i := range g.groups {
		for _, values := range p.bars {
			if !math.IsNaN(values[i]) {
				at = append(at, i)
				break
			}
		}
	}
	return at
}

func orDash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

// instants are the x of a panel's table: those of its points where they are
// few, else a dozen at even distances.
func (g *figure) instants(p panel) (xs []float64) {
	const few = 12
	for _, l := range p.lines {
		for _, point := range l.points {
			xs = append(xs, point[0])
		}
	}
	slices.Sort(xs)
	xs = slices.Compact(xs)
	if len(xs) <= few {
		return xs
	}
	first, last := xs[0], xs[len(xs)-1]
	xs = nil
	for i := range few {
		xs = append(xs, first+(last-first)*float64(i)/(few-1))
	}
	return xs
}

// at is a line's value at x: of the last point until then.
func (l line) at(x float64) float64 {
	v := math.NaN()
	for _, p := range l.points {
		if p[0] > x+1e-9 {
			break
		}
		v = p[1]
	}
	return v
}
