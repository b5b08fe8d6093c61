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
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ppdp/internal/must"
	"ppdp/internal/results"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
	"gonum.org/v1/plot/vg/vgimg"
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
			got := must.Get(test.Render("svg"))
			path := filepath.Join("testdata", test.name+".svg")
			if *update {
				must.Do(t, os.WriteFile(path, got, 0o644))
			}
			want := must.Get(os.ReadFile(path))
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("run with -update and look, if this is meant:\n%s", diff)
			}
		})
	}
}

// Curves, whiskers and lines stay inside the frame, on linear and log axes and with limits that cut
// data off; nothing has a coordinate that is not a number.
func TestNothingLeavesTheFrame(t *testing.T) {
	private := results.Filter{"series": "RPS|Hay"}
	for _, figure := range []results.Figure{
		{Name: "a", X: "epsilon", X2: "k", Y: "w1", YLim: []float64{5, 22},
			XLim: []float64{0.5, 20}},
		{Name: "a", X: "epsilon", Y: "w1", XScale: "log", YScale: "log", Where: private},
		{Name: "a", X: "epsilon", Y: "w1", XScale: "log", YScale: "log", Where: private,
			YLim: []float64{5, 15}},
	} {
		p := drawn(t, of(figure), tinyRows()).panels[0]
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
						t.Fatalf("figure %+v: drawn to %v", figure, step.Pos)
					}
				}
			}
		}
		if strokes == 0 {
			t.Errorf("figure %+v: nothing is drawn", figure)
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
		a, b := must.Get(os.ReadFile(filepath.Join(first, name))), must.Get(os.ReadFile(path))
		if !bytes.Equal(a, b) {
			t.Errorf("%s differs from run to run", name)
		}
		const date = " (D:20000101000000)"
		if filepath.Ext(name) == ".pdf" && (!bytes.Contains(a, []byte("/CreationDate"+date)) ||
			!bytes.Contains(a, []byte("/ModDate"+date))) {
			t.Errorf("%s has another date than the fixed one", name)
		}
		for page, want := range map[string]string{"combined.svg": ">Panel 7<",
			"combined-2.svg": ">Panel 9<"} {
			if bytes.Contains(a, []byte(want)) != (name == page) &&
				strings.HasPrefix(name, "combined") && filepath.Ext(name) == ".svg" {
				t.Errorf("%q is not on %s alone", want, page)
			}
		}
	}
}

func TestWriteExperimentReportsAndGoesOn(t *testing.T) {
	m, rows := manyFigures("nothing", "w1")
	for _, name := range []string{"../x", "combined-2"} {
		m.Figures = append(m.Figures, results.Figure{Name: name, X: "epsilon", Y: "w1"})
	}
	dir := t.TempDir()
	paths, _, err := WriteExperiment(dir, runOf(m, rows))
	for _, want := range []string{"metric nothing", `figure "../x", must be letters`,
		`figure "combined-2", must be another name`} {
		must.Fail(t, err, want)
	}
	if len(paths) == 0 || filepath.Base(paths[0]) != "p1.pdf" {
		t.Errorf("wrote %v, want the good figure all the same", paths)
	}
}

func TestSeriesOrder(t *testing.T) {
	panel := func(labels ...string) *chart {
		return &chart{curves: results.Mapped(labels,
			func(label string) curve { return curve{series: label, name: label} })}
	}
	l := newCurveStyles([]*chart{panel("a", "b", "c"), panel("d", "a")}, []string{"c", "d"})
	for i, name := range []string{"c", "d", "a", "b"} {
		must.Be(t, fmt.Sprint(l[name]), fmt.Sprint(styleOf(i)), name, l[name], i)
	}
}

// TestCaption: what points and bars are and of how many trials, what is left out or hidden,
// the spec's note, and the machine wherever times are drawn.
func TestCaption(t *testing.T) {
	nan := math.NaN()
	figure := func(name, y string) results.Figure {
		return results.Figure{Name: name, X: "epsilon", Y: y}
	}
	plain := figure("a", "w1")
	limited, some := plain, figure("b", "w1")
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
		single: {[]results.Row{one, timed}, []results.Figure{plain, figure("b", timed.Metric)}},
		"Points and error bars: mean ± standard error of n = 1 to 3 trials. " +
			"Trials without a value are left out at 1 of the points.": {
			[]results.Row{one, three}, []results.Figure{plain}},
		single + " Beyond the axes: s, 1 of 1 points.": {
			[]results.Row{one}, []results.Figure{limited}},
		single + " Hidden under another curve: Below in a.": {
			covered, []results.Figure{plain, some}},
	} {
		m := results.Manifest{Note: "Release alone", CPU: "A Chip", Figures: test.figures,
			Source: "Somebody 2012, Fig. 3, section 5.1"}
		want += " Release alone."
		if slices.ContainsFunc(test.rows, func(r results.Row) bool { return r.Metric != "w1" }) {
			want += " Times on A Chip."
		}
		want += " After Somebody 2012, Fig. 3, section 5.1."
		must.Be(t, drawn(t, m, test.rows).caption(), want, "caption")
	}
}

// The outline of a character covers the pixels that the font's own rasteriser inks.
func TestOutlinesMatchTheFont(t *testing.T) {
	style := pageStyle{1}.text(40, color.Black)
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

// TestInline: the element of a page is the picture of the SVG file, shape by shape and word by
// word, without anything that fixes its colours or its size.
func TestInline(t *testing.T) {
	var rows []results.Row
	for _, epsilon := range []float64{0.1, 1, 10} {
		rows = append(rows, at(madeUpRow("s", "w1", 2, 1/epsilon, 0.1), epsilon))
	}
	figure := results.Figure{Name: "a", X: "epsilon", Y: "w1"}
	run := runOf(results.Manifest{Experiment: "e", Figures: []results.Figure{figure}}, rows)
	drawings, _, err := Experiment(run)
	if err != nil || len(drawings) != 1 || drawings[0].Figure.Name != "a" {
		t.Fatalf("%d drawings, %v", len(drawings), err)
	}
	inline := must.Get(drawings[0].Inline("W1 by epsilon"))
	file := must.Get(drawings[0].Render("svg"))
	shapes := regexp.MustCompile(` d="[^"]*"|>[^<]*</text>`)
	got, want := shapes.FindAllString(string(inline), -1), shapes.FindAllString(string(file), -1)
	if len(want) < 20 || !slices.Equal(got, want) {
		t.Errorf("%d shapes and texts, want the %d of the file", len(got), len(want))
	}
	if text := string(inline); !strings.HasPrefix(text, "<svg ") || strings.Contains(text, ":#") ||
		strings.Contains(text, `width="340`) {
		t.Errorf("has a prolog, a fixed colour or a fixed size: %.300s", text)
	}
	const group = "<g class=\"curve\"><title>s</title>\n"
	_, curve, _ := strings.Cut(string(inline), group)
	curve, _, _ = strings.Cut(curve, "</g>")
	centre := regexp.MustCompile(`M([0-9.]+),([0-9.]+)A(?s:.*?)cx="([0-9.]+)" cy="([0-9.]+)"` +
		` r="6"><title>(.*?)</title>`)
	var says []string
	for _, m := range centre.FindAllStringSubmatch(curve, -1) {
		right, x := must.Get(strconv.ParseFloat(m[1], 64)), must.Get(strconv.ParseFloat(m[3], 64))
		if m[2] != m[4] || math.Abs(right-2.7-x) > 0.01 { // a disc begins at its right
			t.Errorf("a point at %s, %s is on a disc from %s, %s on", m[3], m[4], m[1], m[2])
		}
		says = append(says, m[5])
	}
	want = []string{"at 0.1: 10 ± 0.1, n = 2", "at 1: 1 ± 0.1, n = 2", "at 10: 0.1 ± 0.1, n = 2"}
	if !slices.Equal(says, want) || strings.Count(string(inline), group) != 1 ||
		!strings.Contains(string(inline), `<g class="entry"><title>s</title>`) {
		t.Errorf("the points say %q, want %q", says, want)
	}
	if bytes.Contains(file, []byte("<title>")) {
		t.Error("the file has tags, too")
	}
	if inline, err = drawings[0].Inline(`"><script>`); err != nil ||
		!bytes.Contains(inline, []byte(`aria-label="&#34;&gt;&lt;script&gt;"`)) {
		t.Errorf("a label with markup: %v, %.300s", err, inline)
	}
}

// TestXMLText: what XML does not allow is replaced, all else is left.
func TestXMLText(t *testing.T) {
	const text = "RPS <5> & \"ε\"\t\x1b[31m\x00 \xff \ufffe \u009b"
	const want = "RPS <5> & \"ε\"\t\ufffd[31m\ufffd \ufffd \ufffd \ufffd"
	must.Be(t, xmlText(text), want)
}

// deficiencies turn linear RGB into what people see who lack one kind of cone (Machado, Oliveira &
// Fernandes 2009, Table 1, severity 1.0).
var deficiencies = map[string][3][3]float64{
	"full colour": {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia": {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216},
		{-0.003882, -0.048116, 1.051998}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413},
		{-0.011820, 0.042940, 0.968881}},
	"tritanopia": {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602},
		{0.004733, 0.691367, 0.303900}},
}

// toXYZ are the tristimulus values of linear sRGB (IEC 61966-2-1); its second row is the luminance.
var toXYZ = [3][3]float64{{0.4124564, 0.3575761, 0.1804375}, {0.2126729, 0.7151522, 0.0721750},
	{0.0193339, 0.1191920, 0.9503041}}

func times(m [3][3]float64, v [3]float64) (out [3]float64) {
	for i := range m {
		for j, x := range v {
			out[i] += float64(m[i][j] * x)
		}
	}
	return out
}

func linear(c color.RGBA) (out [3]float64) {
	for i, v := range []uint8{c.R, c.G, c.B} {
		x := float64(v) / 255
		if out[i] = x / 12.92; x > 0.04045 {
			out[i] = math.Pow((x+0.055)/1.055, 2.4)
		}
	}
	return out
}

// lab is CIE L*a*b* of linear sRGB, against sRGB's white.
func lab(rgb [3]float64) [3]float64 {
	for i, x := range rgb {
		rgb[i] = min(max(x, 0), 1)
	}
	xyz, white := times(toXYZ, rgb), times(toXYZ, [3]float64{1, 1, 1})
	var f [3]float64
	for i := range f {
		t := xyz[i] / white[i]
		if f[i] = (24389./27*t + 16) / 116; t > 216./24389 {
			f[i] = math.Cbrt(t)
		}
	}
	return [3]float64{116*f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])}
}

// difference is CIE 1976's; 2.3 can just be noticed on large fields side by side.
func difference(a, b [3]float64) float64 {
	return math.Sqrt((a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1]) + (a[2]-b[2])*(a[2]-b[2]))
}

// TestPalette: each colour has a contrast with white of 3 or more (WCAG 2.1, criterion 1.4.11), any
// two differ by 29 or more whatever cones an eye lacks (Okabe and Ito's colours: 16), and the first
// three by 13 in lightness alone.
func TestPalette(t *testing.T) {
	if got := lab(linear(color.RGBA{0xFF, 0, 0, 0xFF})); difference(got,
		[3]float64{53.24, 80.09, 67.20}) > 0.05 { // as published for sRGB's red
		t.Fatalf("red is %v in L*a*b*", got)
	}
	for i, c := range palette {
		luminance := times(toXYZ, linear(c))[1]
		if contrast := 1.05 / (luminance + 0.05); contrast < 3 {
			t.Errorf("colour %d has a contrast of %.2f with white", i, contrast)
		}
		for j, other := range palette[:i] {
			for name, m := range deficiencies {
				d := difference(lab(times(m, linear(c))), lab(times(m, linear(other))))
				if d < 29 {
					t.Errorf("colours %d and %d differ by %.1f under %s", j, i, d, name)
				}
			}
			lighter := math.Abs(lab(linear(c))[0] - lab(linear(other))[0])
			if i < 3 && lighter < 13 {
				t.Errorf("colours %d and %d differ by %.1f in grey", j, i, lighter)
			}
		}
	}
}

// TestLooks: the first 210 curves all look different, and the first 30 without colour.
func TestLooks(t *testing.T) {
	seen := make(map[string]bool)
	for i := range 210 {
		style := styleOf(i)
		look, grey := fmt.Sprintf("%#v", style), fmt.Sprintf("%v %#v", style.dashes, style.marker)
		if seen[look] || i < 30 && seen[grey] {
			t.Errorf("curve %d looks like an earlier one", i)
		}
		seen[look], seen[grey] = true, true
	}
}
