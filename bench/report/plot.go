package report

import (
	"image/color"
	"math"
	"os"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// palette is the page's, for pictures that stand on white: told apart by those
// who do not see all colours too.
var palette = []color.Color{
	color.RGBA{0x00, 0x72, 0xb2, 0xff}, color.RGBA{0xd5, 0x5e, 0x00, 0xff}, color.RGBA{0x00, 0x7a, 0x5a, 0xff}, color.RGBA{0xb2, 0x57, 0x8f, 0xff},
	color.RGBA{0x9a, 0x6b, 0x00, 0xff}, color.RGBA{0x3b, 0x7f, 0xc4, 0xff}, color.RGBA{0x55, 0x5b, 0x63, 0xff}, color.RGBA{0x7a, 0x3f, 0xb0, 0xff},
}

var dashes = [][]vg.Length{nil, {vg.Points(6), vg.Points(3)}, {vg.Points(2), vg.Points(2)}, {vg.Points(7), vg.Points(3), vg.Points(2), vg.Points(3)}}

var capColour = color.RGBA{0xb3, 0x26, 0x1e, 0xff}

// plots writes a figure's panels, two in a row, as name.svg and name.png into
// dir.
func (g *figure) plots(dir string) error {
	columns := min(len(g.panels), 2)
	rows := (len(g.panels) + columns - 1) / columns
	tiles := make([][]*plot.Plot, rows)
	for r := range tiles {
		tiles[r] = make([]*plot.Plot, columns)
	}
	for i, p := range g.panels {
		drawn, err := g.plot(p, i == 0)
		if err != nil {
			return err
		}
		tiles[i/columns][i%columns] = drawn
	}
	width, height := vg.Length(columns)*5.2*vg.Inch, vg.Length(rows)*3.2*vg.Inch
	svg := vgsvg.New(width, height)
	png := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(96))
	for _, c := range []draw.Canvas{draw.New(svg), draw.New(png)} {
		layout := draw.Tiles{Rows: rows, Cols: columns, PadX: vg.Points(12), PadY: vg.Points(12), PadTop: vg.Points(4), PadBottom: vg.Points(4), PadLeft: vg.Points(4), PadRight: vg.Points(8)}
		canvases := plot.Align(tiles, layout, c)
		for r := range tiles {
			for k, p := range tiles[r] {
				if p != nil {
					p.Draw(canvases[r][k])
				}
			}
		}
	}
	if err := save(filepath.Join(dir, g.name+".svg"), svg.WriteTo); err != nil {
		return err
	}
	return save(filepath.Join(dir, g.name+".png"), vgimg.PngCanvas{Canvas: png}.WriteTo)
}

func save[N any](path string, write func(w writer) (N, error)) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if _, err := write(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// plot draws one panel; the first one has the legend.
func (g *figure) plot(p panel, legend bool) (*plot.Plot, error) {
	out := plot.New()
	out.Title.Text = p.title
	out.X.Label.Text, out.Y.Label.Text = g.x, g.y
	out.Y.Min, out.Y.Max = g.minY, g.maxY
	out.Legend.Top = true
	out.Legend.TextStyle.Font.Size = vg.Points(8)
	grid := plotter.NewGrid()
	grid.Vertical.Color = color.Transparent
	grid.Horizontal.Color = color.Gray{0xdd}
	out.Add(grid)
	var err error
	if g.groups == nil {
		err = g.plotLines(out, p, legend)
	} else {
		err = g.plotBars(out, p, legend)
	}
	if err != nil {
		return nil, err
	}
	if p.limit > 0 {
		limit, err := plotter.NewLine(plotter.XYs{{X: out.X.Min, Y: p.limit}, {X: out.X.Max, Y: p.limit}})
		if err != nil {
			return nil, err
		}
		limit.Color, limit.Dashes, limit.Width = capColour, dashes[1], vg.Points(1.2)
		out.Add(limit)
	}
	return out, nil
}

func (g *figure) plotLines(out *plot.Plot, p panel, legend bool) error {
	out.X.Min, out.X.Max = g.minX, g.maxX
	if g.chart.LogX {
		out.X.Scale, out.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	}
	if g.chart.LogY {
		out.Y.Scale, out.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	}
	for _, l := range p.lines {
		var xys plotter.XYs
		for _, point := range thin(l.points) {
			xys = append(xys, plotter.XY{X: max(point[0], g.minX), Y: max(point[1], g.minY)})
		}
		drawn, err := plotter.NewLine(xys)
		if err != nil {
			return err
		}
		i := index(&g.series, l.series)
		drawn.Color, drawn.Dashes, drawn.Width = palette[i%len(palette)], dashes[i%4], vg.Points(1.4)
		if g.chart.Stepped {
			drawn.StepStyle = plotter.PostStep
		}
		out.Add(drawn)
		if legend {
			out.Legend.Add(l.series, drawn)
		}
	}
	return nil
}

func (g *figure) plotBars(out *plot.Plot, p panel, legend bool) error {
	shown := g.groupsOf(p)
	width := vg.Points(min(18, 260/float64(len(shown)*len(g.series)+len(shown))))
	for s, name := range g.series {
		if p.bars[name] == nil {
			continue
		}
		var values plotter.Values
		for _, i := range shown {
			v := p.bars[name][i]
			if math.IsNaN(v) {
				v = 0
			}
			values = append(values, v)
		}
		bars, err := plotter.NewBarChart(values, width)
		if err != nil {
			return err
		}
		bars.Color, bars.LineStyle.Width = palette[s%len(palette)], 0
		bars.Offset = width * vg.Length(float64(s)-float64(len(g.series)-1)/2)
		out.Add(bars)
		if legend && name != "" {
			out.Legend.Add(name, bars)
		}
	}
	var names []string
	for _, i := range shown {
		names = append(names, g.groups[i])
	}
	out.NominalX(names...)
	out.X.Tick.Label.Rotation = 0.35
	out.X.Tick.Label.XAlign = draw.XRight
	return nil
}
