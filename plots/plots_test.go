package plots

import (
	"bytes"
	"flag"
	"fmt"
	"image"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
	"gonum.org/v1/plot/vg/vgimg"

	"ppdp/internal/results"
)

var update = flag.Bool("update", false,
	"rewrite the golden files with what is drawn now; check them before committing")

func tinyRows() []results.Row {
	nan := math.NaN()
	rows := []results.Row{
		at(madeUpRow("RPS", "w1", 5, 10, 2), 0.1), at(madeUpRow("RPS", "w1", 5, 4, 5), 1),
		at(madeUpRow("RPS", "w1", 5, 1, 0.5), 10),
		at(madeUpRow("Hay", "w1", 5, 40, 4), 0.1), at(madeUpRow("Hay", "w1", 0, nan, nan), 1),
		at(madeUpRow("Hay", "w1", 5, 20, 4), 10),
		withParams(madeUpRow("Mondrian", "w1", 5, 30, 0), map[string]string{"k": "2"}),
		withParams(madeUpRow("Mondrian", "w1", 5, 35, 1), map[string]string{"k": "8"}),
		madeUpRow("Original", "w1", 5, 2, 0),
	}
	rows[4].Failed = 5
	rows[8] = with(rows[8], func(s *results.Setting) { s.Algorithm = "identity" })
	for i := range rows {
		rows[i] = with(rows[i], func(s *results.Setting) { s.Dataset = standIn("tiny") })
	}
	return rows
}

func TestGolden(t *testing.T) {
	linear := results.Figure{Name: "a", Title: "two axes", X: "epsilon", X2: "k", Y: "w1",
		Reference: []string{"identity"}}
	log := results.Figure{Name: "b", Title: "log axes", X: "epsilon", Y: "w1", XScale: "log",
		YScale: "log", Where: map[string]string{"series": "RPS|Hay"}}
	m := results.Manifest{Title: "Tiny", Source: "nobody", Figures: []results.Figure{linear, log}}
	alone := func(f results.Figure) *Drawing {
		d := drawing(t, f, tinyRows())
		d.sheet.title, d.sheet.source = m.Title, m.Source
		return d
	}
	for _, test := range []struct {
		name string
		*Drawing
	}{{"linear", alone(linear)}, {"log", alone(log)}, {"combined", sideBySide(t, m, tinyRows())}} {
		t.Run(test.name, func(t *testing.T) {
			got := must(test.Render("svg"))
			path := filepath.Join("testdata", test.name+".svg")
			if *update {
				noError(t, os.WriteFile(path, got, 0o644))
			}
			want := must(os.ReadFile(path))
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("run with -update and look, if this is meant:\n%s", diff)
			}
		})
	}
}

// What must be readable in the picture, whatever its layout.
func TestTextsOnTheSheet(t *testing.T) {
	m, rows := adultFigures(true)
	picture := must(sideBySide(t, m, rows).Render("svg"))
	for _, want := range []string{"STAND-IN DATA", "adult-standin",
		"mean ± standard error of n = 5 trials", "Qardaji &amp; Li 2012, Fig. 3",
		">k (Mondrian)<", ">Privacy budget ε<", ">Mondrian (top axis)<", ">Original data<",
		">Majority class (off scale: b: 0.7511)<", ">(b) C4.5<", ">RPS, stop 0 (strict)<",
		"'Liberation Sans',Arimo,Arial"} {
		if !strings.Contains(string(picture), want) {
			t.Errorf("the picture lacks %q", want)
		}
	}
	if n := strings.Count(string(picture), ">RPS, stop 5 (strict)<"); n != 1 {
		t.Errorf("a curve is in the shared legend %d times, want once", n)
	}
	m, rows = adultFigures(false)
	if picture, _ := drawing(t, m.Figures[0], rows).Render("svg"); strings.Contains(string(picture),
		"STAND-IN") {
		t.Error("real data are called stand-ins")
	}
}

// Curves, whiskers and lines stay inside the frame, on linear and log axes and with limits that cut
// data off; nothing has a coordinate that is not a number.
func TestNothingLeavesTheFrame(t *testing.T) {
	_, adult := adultFigures(false)
	_, graphs := graphFigures()
	for _, test := range []struct {
		figure results.Figure
		rows   []results.Row
	}{
		{results.Figure{Name: "a", X: "epsilon", X2: "k", Y: "accuracy",
			Where: map[string]string{"classifier": "c45"}, YLim: []float64{0.79, 0.8},
			XLim: []float64{0.3, 4}}, adult},
		{results.Figure{Name: "a", X: "epsilon", Y: "w1", XScale: "log", YScale: "log"}, graphs},
		{results.Figure{Name: "a", X: "epsilon", Y: "w1", XScale: "log", YScale: "log",
			YLim: []float64{50, 60}}, graphs},
	} {
		c := mustChart(t, test.figure, test.rows)
		p := newPanel(c, 100, newSheetStyle(1), newCurveStyles([]*chart{c}, nil))
		p.heading, p.hasTop = "", false // these are drawn above the frame
		var record recorder.Canvas
		canvas := draw.NewCanvas(&record, 100, 100)
		p.Plot(canvas, plot.New())
		const slack = 5 // points: half a marker or cap and a bit
		strokes := 0
		for _, action := range record.Actions {
			var path vg.Path
			switch a := action.(type) {
			case *recorder.Stroke:
				path = a.Path
				strokes++
			case *recorder.Fill:
				path = a.Path
			}
			for _, step := range path {
				if step.Type == vg.CloseComp {
					continue
				}
				for _, v := range []vg.Length{step.Pos.X, step.Pos.Y} {
					if !(v >= -slack && v <= 100+slack) {
						t.Fatalf("figure %+v: drawn to %v", test.figure, step.Pos)
					}
				}
			}
		}
		if strokes == 0 {
			t.Errorf("figure %+v: nothing is drawn", test.figure)
		}
	}
}

func TestEqualInputGivesEqualBytes(t *testing.T) {
	m, rows := adultFigures(true)
	var first, second []string
	for _, into := range []*[]string{&first, &second} {
		dir := t.TempDir()
		paths, _, err := WriteExperiment(dir, runOf(m, rows))
		if err != nil {
			t.Fatal(err)
		}
		if len(paths) != 9 {
			t.Fatalf("%v, want two panels and both together in three formats", paths)
		}
		for _, path := range paths {
			content := must(os.ReadFile(path))
			*into = append(*into, filepath.Base(path)+string(content))
		}
	}
	for i := range first {
		if first[i] != second[i] {
			t.Errorf("%.12q differs from run to run", first[i])
		}
	}
}

func TestWriteExperimentReportsAndGoesOn(t *testing.T) {
	m, rows := depthFigures()
	m.Figures[0].Y = "nothing"
	other := results.Figure{Name: "../x", X: "epsilon", Y: "w2",
		Where: map[string]string{"depth": "50", "stop": "3"}}
	taken := other
	taken.Name = "combined-2"
	m.Figures = append(m.Figures, other, taken, m.Figures[1])
	dir := t.TempDir()
	paths, _, err := WriteExperiment(dir, runOf(m, rows))
	for _, want := range []string{"metric nothing", `figure "../x", must be letters`,
		`figure "combined-2", must be another name`, `figure "b": duplicate name`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	if len(paths) == 0 || filepath.Base(paths[0]) != "b.pdf" {
		t.Errorf("wrote %v, want the good figure all the same", paths)
	}
}

func TestSeriesOrderAndSharedLook(t *testing.T) {
	m, rows := depthFigures()
	a, b := mustChart(t, m.Figures[0], rows), mustChart(t, m.Figures[1], rows)
	l := newCurveStyles([]*chart{a, b}, []string{"depth 100", "stop 10"})
	same := func(got, want curveStyle) bool { return fmt.Sprint(got) == fmt.Sprint(want) }
	if !same(l.curves["depth 100"], styleOf(0)) || !same(l.curves["stop 10"], styleOf(1)) ||
		!same(l.curves["depth 5"], styleOf(2)) {
		t.Error("styles are not given in the order asked for")
	}
	// The last curve would have the colour of the first, which is on its panel; the others keep
	// their own.
	panel := func(labels ...string) *chart {
		c := &chart{}
		for _, label := range labels {
			c.curves = append(c.curves, curve{Line: Line{Label: label}, setting: label})
		}
		return c
	}
	l = newCurveStyles([]*chart{panel("0", "1", "2", "3", "4", "5", "6"), panel("0", "1", "7")},
		nil)
	if got := l.curves["7"].colour; got != palette[2] {
		t.Errorf("the eighth curve is %v, want the third colour, the first free on its panel", got)
	}
	for i := range 7 {
		if !same(l.curves[strconv.Itoa(i)], styleOf(i)) {
			t.Errorf("curve %d has another style than its own", i)
		}
	}
	// Colour, marker and dash together never repeat within the period of their counts.
	seen := make(map[string]bool)
	for i := range 280 {
		style := fmt.Sprint(styleOf(i))
		if seen[style] {
			t.Fatalf("curve %d looks like an earlier one", i)
		}
		seen[style] = true
	}
}

func TestCaption(t *testing.T) {
	rows := []results.Row{at(madeUpRow("s", "w1", 1, 1, math.NaN()), 1)}
	figure := results.Figure{Name: "a", X: "epsilon", Y: "w1"}
	caption := func(rows []results.Row) string {
		c := mustChart(t, figure, rows)
		return strings.Join(single(c, newCurveStyles([]*chart{c}, nil), "", "").captionLines(), " ")
	}
	if got, want := caption(rows), "Points: a single trial (n = 1), no error bars."; got != want {
		t.Errorf("caption %q, want %q", got, want)
	}
	three := at(madeUpRow("s", "w1", 3, 1, 0.5), 2)
	three.Failed = 1
	got, want := caption(append(rows, three)),
		"Points and error bars: mean ± standard error of n = 1 to 3 trials. "+
			"Failed trials are left out at 1 point."
	if got != want {
		t.Errorf("caption %q, want %q", got, want)
	}
	figure.YLim = []float64{2, 4}
	want = "Points: a single trial (n = 1), no error bars. Beyond the axes: s, 1 of 1 points."
	if got = caption(rows); got != want {
		t.Errorf("caption %q, want %q", got, want)
	}
}

// TestCaptionNotes: logarithmic axes, the spec's note, and the machine wherever times are drawn.
func TestCaptionNotes(t *testing.T) {
	rows := []results.Row{at(madeUpRow("s", "w1", 1, 1, math.NaN()), 1),
		at(madeUpRow("s", results.RuntimeMetric, 1, 1, math.NaN()), 1)}
	figure := func(name, y, xscale, yscale string) results.Figure {
		return results.Figure{Name: name, X: "epsilon", Y: y, XScale: xscale, YScale: yscale}
	}
	for want, figures := range map[string][]results.Figure{
		"Release alone.": {figure("a", "w1", "", "")},
		"Logarithmic: x and y. Release alone. Times on A Chip.": {
			figure("a", results.RuntimeMetric, "log", "log")},
		"Logarithmic: x; y in b. Release alone. Times on A Chip.": {
			figure("a", "w1", "log", ""), figure("b", results.RuntimeMetric, "log", "log")},
	} {
		var charts []*chart
		for _, f := range figures {
			charts = append(charts, mustChart(t, f, rows))
		}
		s := combined(charts, newCurveStyles(charts, nil), "", "")
		s.note(&results.Manifest{Note: "Release alone", CPU: "A Chip"})
		got := strings.ReplaceAll(strings.Join(s.captionLines(), " "), noBreak, " ")
		if want = "Points: a single trial (n = 1), no error bars. " + want; got != want {
			t.Errorf("caption %q, want %q", got, want)
		}
	}
}

// The outline of a character covers the pixels that the font's own rasteriser inks.
func TestOutlinesMatchTheFont(t *testing.T) {
	style := newSheetStyle(1).text(40, color.Black)
	face := plot.DefaultTextHandler.Cache().Lookup(style.Font, style.Font.Size)
	for _, r := range "ε±⁶−é" {
		picture := func(drawOn func(c *vgimg.Canvas)) image.Image {
			c := vgimg.NewWith(vgimg.UseWH(60, 60), vgimg.UseDPI(144))
			drawOn(c)
			return c.Image()
		}
		at := vg.Point{X: 10, Y: 20}
		own := picture(func(c *vgimg.Canvas) {
			c.SetColor(color.Black)
			c.Fill(outline(&sfnt.Buffer{}, face, at, r))
		})
		theirs := picture(func(c *vgimg.Canvas) {
			c.SetColor(color.Black)
			c.FillString(face, at, string(r))
		})
		inked, differ := 0, 0
		for y := range own.Bounds().Dy() {
			for x := range own.Bounds().Dx() {
				a, _, _, _ := own.At(x, y).RGBA()
				b, _, _, _ := theirs.At(x, y).RGBA()
				if b < 0x8000 {
					inked++
				}
				if (a < 0x8000) != (b < 0x8000) {
					differ++
				}
			}
		}
		// Pixels on the edge may fall either way: hinting moves edges by less than one pixel.
		if inked < 50 || differ > inked/4 {
			t.Errorf("%q: %d of %d pixels differ", r, differ, inked)
		}
	}
}

func TestPDFHasNoClock(t *testing.T) {
	figure := results.Figure{Name: "a", X: "epsilon", Y: "w1",
		Where: map[string]string{"series": "RPS"}}
	picture := must(drawing(t, figure, tinyRows()).Render("pdf"))
	for _, key := range []string{"/CreationDate", "/ModDate"} {
		if !bytes.Contains(picture, []byte(key+" (D:20000101000000)")) {
			t.Errorf("%s is not the fixed one", key)
		}
	}
}

func BenchmarkDraw(b *testing.B) {
	m, rows := adultFigures(true)
	for _, format := range Formats() {
		b.Run(format, func(b *testing.B) {
			for b.Loop() {
				must(sideBySide(b, m, rows).Render(format))
			}
		})
	}
}
