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
	"slices"
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
	page := func(figures ...results.Figure) *Page {
		return drawn(t, results.Manifest{Title: "Tiny", Source: "nobody", Figures: figures},
			tinyRows())
	}
	for _, test := range []struct {
		name string
		*Page
	}{{"linear", page(linear)}, {"log", page(log)}, {"combined", page(linear, log)}} {
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

// Curves, whiskers and lines stay inside the frame, on linear and log axes and with limits that cut
// data off; nothing has a coordinate that is not a number.
func TestNothingLeavesTheFrame(t *testing.T) {
	_, adult := adultFigures(false)
	tiny, private := tinyRows(), results.Filter{"series": "RPS|Hay"}
	for _, test := range []struct {
		figure results.Figure
		rows   []results.Row
	}{
		{results.Figure{Name: "a", X: "epsilon", X2: "k", Y: "accuracy",
			Where: map[string]string{"classifier": "c45"}, YLim: []float64{0.79, 0.8},
			XLim: []float64{0.3, 4}}, adult},
		{results.Figure{Name: "a", X: "epsilon", Y: "w1", XScale: "log", YScale: "log",
			Where: private}, tiny},
		{results.Figure{Name: "a", X: "epsilon", Y: "w1", XScale: "log", YScale: "log",
			Where: private, YLim: []float64{5, 15}}, tiny},
	} {
		p := drawn(t, of(test.figure), test.rows).panels[0]
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

// TestFiles: a file for each figure and for each page of all of them, the same from run to run.
func TestFiles(t *testing.T) {
	m, rows := manyFigures(append(repeat("w1", 8), repeat("w2", 8)...)...)
	first, second := t.TempDir(), t.TempDir()
	var paths []string
	for _, dir := range []string{first, second} {
		var err error
		if paths, _, err = WriteExperiment(dir, runOf(m, rows)); err != nil {
			t.Fatal(err)
		}
	}
	if len(paths) != 3*(16+2) {
		t.Fatalf("%v, want each figure and two pages of all in three formats", paths)
	}
	for _, path := range paths {
		name := filepath.Base(path)
		a, b := must(os.ReadFile(filepath.Join(first, name))), must(os.ReadFile(path))
		if !bytes.Equal(a, b) {
			t.Errorf("%s differs from run to run", name)
		}
		const date = " (D:20000101000000)"
		if filepath.Ext(name) == ".pdf" && (!bytes.Contains(a, []byte("/CreationDate"+date)) ||
			!bytes.Contains(a, []byte("/ModDate"+date))) {
			t.Errorf("%s has another date than the fixed one", name)
		}
		for page, want := range map[string]string{"combined.svg": ">Panel 7<",
			"combined-2.svg": ">Panel 8<"} {
			if bytes.Contains(a, []byte(want)) != (name == page) &&
				strings.HasPrefix(name, "combined") && filepath.Ext(name) == ".svg" {
				t.Errorf("%q is not on %s alone", want, page)
			}
		}
	}
}

func TestWriteExperimentReportsAndGoesOn(t *testing.T) {
	m, rows := manyFigures("nothing", "w1")
	figure := func(name string) results.Figure {
		return results.Figure{Name: name, X: "epsilon", Y: "w1", YScale: "log",
			YLim: []float64{0, 1}}
	}
	m.Figures = append(m.Figures, figure("../x"), figure("combined-2"), figure("p1"))
	dir := t.TempDir()
	paths, _, err := WriteExperiment(dir, runOf(m, rows))
	for _, want := range []string{"metric nothing", `figure "../x", must be letters`,
		`figure "combined-2", must be another name`, `figure "p1": name: duplicate`,
		`figure "p1": ylim: [0 1] on a log axis, must be above 0`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	if len(paths) == 0 || filepath.Base(paths[0]) != "p1.pdf" {
		t.Errorf("wrote %v, want the good figure all the same", paths)
	}
}

func TestSeriesOrderAndSharedLook(t *testing.T) {
	panel := func(labels ...string) *chart {
		c := &chart{}
		for _, label := range labels {
			c.curves = append(c.curves, curve{Line: Line{Label: label}, series: label,
				setting: label})
		}
		return c
	}
	same := func(got, want curveStyle) bool { return fmt.Sprint(got) == fmt.Sprint(want) }
	l := newCurveStyles([]*chart{panel("a", "b", "c"), panel("d")}, []string{"c", "d"})
	if !same(l.curves["c"], styleOf(0)) || !same(l.curves["d"], styleOf(1)) ||
		!same(l.curves["a"], styleOf(2)) {
		t.Error("styles are not given in the order asked for")
	}
	// The last curve would have the colour of the first, which is on its panel; the others keep
	// their own.
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
}

// TestCaption: what points and bars are and of how many trials, what is left out or hidden,
// logarithmic axes, the spec's note, and the machine wherever times are drawn.
func TestCaption(t *testing.T) {
	nan := math.NaN()
	figure := func(name, y, xscale, yscale string) results.Figure {
		return results.Figure{Name: name, X: "epsilon", Y: y, XScale: xscale, YScale: yscale}
	}
	plain := figure("a", "w1", "", "")
	limited, some := plain, figure("b", "w1", "", "")
	limited.YLim, some.Where = []float64{2, 4}, results.Filter{"series": "Apart|Above"}
	one := at(madeUpRow("s", "w1", 1, 1, nan), 1)
	three := at(madeUpRow("s", "w1", 3, 1, 0.5), 2)
	three.Failed = 1
	timed := at(madeUpRow("s", results.RuntimeMetric, 1, 1, nan), 1)
	var covered []results.Row
	for _, epsilon := range []float64{1, 2} {
		covered = append(covered, at(madeUpRow("Below", "w1", 1, epsilon, nan), epsilon),
			at(madeUpRow("Apart", "w1", 1, epsilon+0.5, nan), epsilon),
			at(madeUpRow("Above", "w1", 1, epsilon, nan), epsilon))
	}
	const single = "Points: a single trial (n = 1), no error bars."
	for want, test := range map[string]struct {
		rows    []results.Row
		figures []results.Figure
	}{
		single: {[]results.Row{one}, []results.Figure{plain}},
		"Points and error bars: mean ± standard error of n = 1 to 3 trials. " +
			"Trials without a value are left out at 1 point.": {
			[]results.Row{one, three}, []results.Figure{plain}},
		single + " Beyond the axes: s, 1 of 1 points.": {
			[]results.Row{one}, []results.Figure{limited}},
		single + " Hidden under another curve: Below in a.": {
			covered, []results.Figure{plain, some}},
		single + " Logarithmic: x and y.": {
			[]results.Row{timed}, []results.Figure{figure("a", timed.Metric, "log", "log")}},
		single + " Logarithmic: x; y in b.": {[]results.Row{one, timed},
			[]results.Figure{figure("a", "w1", "log", ""),
				figure("b", timed.Metric, "log", "log")}},
	} {
		m := results.Manifest{Note: "Release alone", CPU: "A Chip", Figures: test.figures,
			Source: "Somebody 2012, Fig. 3, section 5.1"}
		want += " Release alone."
		if slices.ContainsFunc(test.rows, func(r results.Row) bool { return r.Metric != "w1" }) {
			want += " Times on A Chip."
		}
		want += " After Somebody 2012, Fig. 3, section 5.1."
		d := drawn(t, m, test.rows)
		got := strings.ReplaceAll(strings.Join(d.captionLines(), " "), noBreak, " ")
		if got != want {
			t.Errorf("caption %q, want %q", got, want)
		}
		// No line ends with a number's noun.
		for d.width = 5 * vg.Centimeter; d.width < 12*vg.Centimeter; d.width += 3 {
			for _, line := range d.captionLines() {
				for _, head := range []string{"Fig.", "section", "n", "=", "n = 5"} {
					if strings.HasSuffix(line, " "+head) || line == head {
						t.Errorf("at %.1f cm a line ends %q", d.width/vg.Centimeter, line)
					}
				}
			}
		}
	}
}

// The outline of a character covers the pixels that the font's own rasteriser inks.
func TestOutlinesMatchTheFont(t *testing.T) {
	style := newPageStyle(1).text(40, color.Black)
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

func BenchmarkDraw(b *testing.B) {
	m, rows := adultFigures(true)
	for _, format := range Formats() {
		b.Run(format, func(b *testing.B) {
			for b.Loop() {
				must(drawn(b, m, rows).Render(format))
			}
		})
	}
}
