package report

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// The size of a panel and the room around its plot, in SVG units.
const (
	panelWidth, panelHeight = 440, 260
	marginLeft, marginRight = 52, 12
	marginTop, marginBottom = 26, 44
)

// colours is how many the stylesheet has; series beyond get the same ones with
// other dashes.
const colours = 8

// svg draws one panel. Colours are the page's, by class, so that they follow
// light and dark. Those who hear the page hear the description, and find the
// data in the table beside.
func (g *figure) svg(p panel, described string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="chart" viewBox="0 0 %d %d" role="img" aria-label="%s">`, panelWidth, panelHeight, html.EscapeString(described))
	fmt.Fprintf(&b, `<text class="panel" x="%d" y="15">%s</text>`, marginLeft, html.EscapeString(p.title))
	y := scale{g.minY, g.maxY, panelHeight - marginBottom, marginTop, g.chart.LogY}
	for _, v := range y.ticks(5) {
		fmt.Fprintf(&b, `<line class="grid" x1="%d" x2="%d" y1="%.1f" y2="%.1f"/>`, marginLeft, panelWidth-marginRight, y.at(v), y.at(v))
		fmt.Fprintf(&b, `<text class="tick" x="%d" y="%.1f" text-anchor="end">%s</text>`, marginLeft-5, y.at(v)+3.5, tick(v))
	}
	fmt.Fprintf(&b, `<text class="axis" transform="translate(12 %d) rotate(-90)" text-anchor="middle">%s</text>`, (marginTop+panelHeight-marginBottom)/2, html.EscapeString(g.y))
	if g.groups == nil {
		g.svgLines(&b, p, y)
	} else {
		g.svgBars(&b, p, y)
	}
	if p.limit > 0 {
		fmt.Fprintf(&b, `<line class="cap" x1="%d" x2="%d" y1="%.1f" y2="%.1f"/>`, marginLeft, panelWidth-marginRight, y.at(p.limit), y.at(p.limit))
	}
	b.WriteString(`</svg>`)
	return b.String()
}

func (g *figure) svgLines(b *strings.Builder, p panel, y scale) {
	x := scale{g.minX, g.maxX, marginLeft, panelWidth - marginRight, g.chart.LogX}
	for _, v := range x.ticks(6) {
		fmt.Fprintf(b, `<text class="tick" x="%.1f" y="%d" text-anchor="middle">%s</text>`, x.at(v), panelHeight-marginBottom+15, tick(v))
	}
	fmt.Fprintf(b, `<text class="axis" x="%d" y="%d" text-anchor="middle">%s</text>`, (marginLeft+panelWidth-marginRight)/2, panelHeight-8, html.EscapeString(g.x))
	for _, l := range p.lines {
		i := index(&g.series, l.series)
		var path strings.Builder
		last := math.NaN()
		for n, point := range thin(l.points) {
			px, py := x.at(point[0]), y.at(point[1])
			switch {
			case n == 0:
				fmt.Fprintf(&path, "M%.1f %.1f", px, py)
			case g.chart.Stepped && py == last:
				fmt.Fprintf(&path, "H%.1f", px)
			case g.chart.Stepped:
				fmt.Fprintf(&path, "H%.1fV%.1f", px, py)
			default:
				fmt.Fprintf(&path, "L%.1f %.1f", px, py)
			}
			last = py
		}
		fmt.Fprintf(b, `<path class="line c%d d%d" d="%s"><title>%s</title></path>`, i%colours, i%4, path.String(), html.EscapeString(l.series))
		if len(l.points) <= 12 {
			for _, point := range l.points {
				fmt.Fprintf(b, `<circle class="f%d" cx="%.1f" cy="%.1f" r="2.5"><title>%s: %s</title></circle>`, i%colours, x.at(point[0]), y.at(point[1]), html.EscapeString(l.series), number(point[1]))
			}
		}
	}
}

// thin leaves out points of a curve in which the value stays, and of many
// points keeps those that a picture can show.
func thin(points [][2]float64) (out [][2]float64) {
	for i, p := range points {
		if i == 0 || i == len(points)-1 || p[1] != points[i-1][1] || p[1] != points[i+1][1] {
			out = append(out, p)
		}
	}
	return out
}

func (g *figure) svgBars(b *strings.Builder, p panel, y scale) {
	shown := g.groupsOf(p)
	width := float64(panelWidth-marginLeft-marginRight) / float64(len(shown))
	bar := min(width*0.8/float64(len(g.series)), 36)
	for place, i := range shown {
		group := g.groups[i]
		middle := marginLeft + width*(float64(place)+0.5)
		anchor, turn := "middle", ""
		if len(shown) > 5 {
			anchor, turn = "end", fmt.Sprintf(` transform="rotate(-24 %.1f %d)"`, middle, panelHeight-marginBottom+14)
		}
		fmt.Fprintf(b, `<text class="tick" x="%.1f" y="%d" text-anchor="%s"%s>%s</text>`, middle, panelHeight-marginBottom+14, anchor, turn, html.EscapeString(group))
		for s, name := range g.series {
			if p.bars[name] == nil || math.IsNaN(p.bars[name][i]) {
				continue
			}
			v := p.bars[name][i]
			left := middle + bar*(float64(s)-float64(len(g.series))/2)
			top := y.at(v)
			over := ""
			if p.limit > 0 && v > p.limit && !g.chart.Target {
				over = " over"
			}
			fmt.Fprintf(b, `<rect class="f%d%s" x="%.1f" y="%.1f" width="%.1f" height="%.1f"><title>%s, %s: %s</title></rect>`, s%colours, over, left, top, bar*0.92,
				max(y.from-top, 0.5), html.EscapeString(group), html.EscapeString(orDash(name)), number(v))
			if bar > 21 {
				fmt.Fprintf(b, `<text class="value" x="%.1f" y="%.1f" text-anchor="middle">%s</text>`, left+bar*0.46, top-3, number(v))
			}
		}
	}
}

// legend names the series with their colours and dashes.
func (g *figure) legend(capped string) string {
	var b strings.Builder
	b.WriteString(`<p class="legend">`)
	for i, name := range g.series {
		if len(g.series) == 1 && name == "" {
			continue
		}
		if g.groups == nil {
			fmt.Fprintf(&b, `<span><svg width="26" height="10" aria-hidden="true"><path class="line c%d d%d" d="M1 5H25"/></svg> %s</span> `, i%colours, i%4, html.EscapeString(name))
		} else {
			fmt.Fprintf(&b, `<span><svg width="12" height="12" aria-hidden="true"><rect class="f%d" width="12" height="12"/></svg> %s</span> `, i%colours, html.EscapeString(name))
		}
	}
	if capped != "" {
		fmt.Fprintf(&b, `<span><svg width="26" height="10" aria-hidden="true"><path class="cap" d="M1 5H25"/></svg> %s</span>`, html.EscapeString(capped))
	}
	b.WriteString(`</p>`)
	return b.String()
}
