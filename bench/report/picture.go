package report

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"myredis/bench"
)

// Picture writes the main picture of the first finding that has one, a single
// panel, as an SVG file that stands by itself and follows light and dark.
func Picture(path string, findings []*Finding, lang string) error {
	if !strings.HasSuffix(path, ".svg") {
		return fmt.Errorf("%s: a picture's name must end in .svg", path)
	}
	for _, f := range findings {
		for _, g := range figures(f, lang) {
			if g.chart.Hero {
				return os.WriteFile(path, picture(g, f.Header, lang), 0o644)
			}
		}
	}
	return fmt.Errorf("none of the records has a main picture")
}

func picture(g *figure, h bench.Header, lang string) []byte {
	p := g.panels[0]
	title := g.title
	if p.title != "" {
		title += ", " + p.title
	}
	var b bytes.Buffer
	const rowHeight, perRow = 17, 4
	rows := (len(g.series) + perRow) / perRow // one more for the cap
	height := panelHeight + rows*rowHeight + 8
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="%s">`, panelWidth, height, title)
	fmt.Fprintf(&b, "\n<!-- seed %d, %s, commit %s -->\n<style>%s svg{background:var(--bg)}</style>\n", h.Seed, strings.Join(h.Stores, ", "), h.Commit, pageCSS)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" style="fill:var(--bg)"/>`)
	inner := g.svg(panel{title: title, limit: p.limit, lines: coarse(p.lines), bars: p.bars}, title)
	inner = inner[strings.Index(inner, ">")+1 : strings.LastIndex(inner, "</svg>")]
	b.WriteString(inner)
	b.WriteByte('\n')
	for i, name := range append(append([]string(nil), g.series...), g.limitName(lang)) {
		x, y := marginLeft+i%perRow*(panelWidth-marginLeft)/perRow, panelHeight+8+i/perRow*rowHeight
		class := fmt.Sprintf("line c%d d%d", i%colours, i%4)
		if i == len(g.series) {
			class = "cap"
		}
		fmt.Fprintf(&b, `<path class="%s" d="M%d %dh20"/><text x="%d" y="%d">%s</text>`, class, x, y, x+25, y+4, name)
	}
	b.WriteString("\n</svg>\n")
	return b.Bytes()
}

// coarse keeps, of each few points, the highest: a peak must not go missing in
// a small picture.
func coarse(lines []line) (out []line) {
	const most = 160
	for _, l := range lines {
		group := (len(l.points) + most - 1) / most
		var points [][2]float64
		for i, p := range l.points {
			if i%group == 0 {
				points = append(points, p)
				continue
			}
			last := &points[len(points)-1]
			last[1] = max(last[1], p[1])
		}
		out = append(out, line{l.series, points})
	}
	return out
}
