package plots

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ppdp/internal/must"
	"ppdp/internal/results"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

// manyFigures has panels of two metrics, the first with heading lines of its own.
func manyFigures(of ...string) (results.Manifest, []results.Row) {
	m := results.Manifest{Experiment: "e", Title: "Many panels", Source: "nobody, Fig. 9"}
	var rows []results.Row
	for i, metric := range of {
		m.Figures = append(m.Figures, results.Figure{Name: fmt.Sprintf("p%d", i),
			Title: fmt.Sprintf("Panel %d", i), X: "epsilon", XScale: "log", Y: metric,
			YScale: "log"})
	}
	for _, metric := range []string{"w1", "w2"} {
		for i, epsilon := range []float64{0.01, 0.1, 1} {
			rows = append(rows, at(madeUpRow("RPS", metric, 5, 100/float64(i+1), 3), epsilon),
				at(madeUpRow("Hay", metric, 5, 20/float64(i+1), 1), epsilon))
		}
	}
	return m, rows
}

func repeat(metric string, n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = metric
	}
	return all
}

// TestPages: how many pages combined figures take, and what is on them.
func TestPages(t *testing.T) {
	mixed := func(n int) []string { // w1, w2, w1, w2, ...
		all := repeat("w1", n)
		for i := 1; i < n; i += 2 {
			all[i] = "w2"
		}
		return all
	}
	for name, test := range map[string]struct {
		metrics []string
		want    string
	}{
		"as many as fit":             {repeat("w1", 9), "9w1"},
		"two metrics that fit":       {mixed(8), "8w1w2"},
		"a page each":                {mixed(16), "8w1 8w2"},
		"one metric too many":        {repeat("w1", 11), "9w1 2w1"},
		"a few more of another kind": {append(repeat("w1", 9), "w2"), "9w1 1w2"},
		"the rest and the next":      {append(repeat("w1", 11), repeat("w2", 3)...), "9w1 5w1w2"},
		"four of each letter":        {repeat("letters", 12), "8letters 4letters"},
	} {
		var charts []*chart
		for i, metric := range test.metrics {
			f := results.Figure{Y: metric}
			if metric == "letters" {
				f.Name = fmt.Sprintf("%c-%d", 'a'+i/4, i)
			}
			charts = append(charts, &chart{figure: f})
		}
		var got []string
		for _, page := range pages(charts) {
			text, seen := strconv.Itoa(len(page)), ""
			for _, c := range page {
				if !strings.Contains(seen, c.figure.Y) {
					seen += c.figure.Y
				}
			}
			got = append(got, text+seen)
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: pages of %q, want %s", name, got, test.want)
		}
	}
}

// TestCombinedFitsAPage: whatever the number of panels, a combined figure is as wide as a page and
// no higher.
func TestCombinedFitsAPage(t *testing.T) {
	for n := 2; n <= combinedPanels; n++ {
		m, rows := manyFigures(repeat("w1", n)...)
		d := drawn(t, m, rows)
		if height := d.height(); d.width != combinedWidth || height > pageHeight+0.01 {
			t.Errorf("%d panels: %.1f by %.1f cm, want at most %.1f by %.1f", n,
				d.width/vg.Centimeter, height/vg.Centimeter, combinedWidth/vg.Centimeter,
				pageHeight/vg.Centimeter)
		}
		if d.panelHeight < lowestPanel {
			t.Errorf("%d panels: each %.1f cm high", n, d.panelHeight/vg.Centimeter)
		}
	}
}

// TestLegendColumns: entries neither overlap nor reach over the strip, and no fewer rows would do.
func TestLegendColumns(t *testing.T) {
	long := "PrivBayes published, replace one record, number of records public"
	for name, test := range map[string]struct {
		texts   []string
		columns int
	}{
		"one long": {[]string{"DiffMulti published, add or remove one record", "strict", long,
			"strict", "Original data", "Majority class"}, 2},
		"even block": {[]string{"a", "b", "c", "d"}, 4},
		"all long":   {[]string{long, long, long}, 1},
		"none":       {nil, 0},
	} {
		l := legend{style: newPageStyle(combinedScale)}
		for _, text := range test.texts {
			l.entries = append(l.entries, legendEntry{text: text})
		}
		const width = 17 * vg.Centimeter
		columnWidths := l.layout(width)
		if len(columnWidths) != test.columns {
			t.Errorf("%s: %d columns, want %d", name, len(columnWidths), test.columns)
			continue
		}
		sum := l.style.points(columnGap) * vg.Length(len(columnWidths)-1)
		for _, w := range columnWidths {
			sum += w
		}
		if sum > width {
			t.Errorf("%s: %v wide, want at most %v", name, sum, width)
		}
		for i, e := range l.entries {
			for _, line := range e.lines {
				w := l.style.points(sampleWidth+sampleGap) +
					l.style.text(smallText, ink).Width(line)
				if w > columnWidths[i%len(columnWidths)] {
					t.Errorf("%s: %q takes %v of a column of %v", name, line, w,
						columnWidths[i%len(columnWidths)])
				}
			}
		}
	}
}

// TestRowsLieBelowEachOther: a heading of two lines takes room in its own row only.
func TestRowsLieBelowEachOther(t *testing.T) {
	m, rows := manyFigures(repeat("w1", 6)...)
	m.Title, m.Source = "", ""
	plain := drawn(t, m, rows)
	m.Figures[0].Title = strings.Repeat("a long heading ", 4)
	tall := drawn(t, m, rows)
	strips, plainStrips := tall.topStrips(), plain.topStrips()
	if strips[0] <= plainStrips[0] || strips[1] != plainStrips[1] {
		t.Errorf("strips %v, want a taller first one than %v", strips, plainStrips)
	}
	more, want := tall.height()-plain.height(), strips[0]-plainStrips[0]
	if math.Abs(float64(more-want)) > 1e-9 {
		t.Errorf("the page is %v higher, want %v", more, want)
	}
	// The frames of the second row lie where they lay, as seen from below.
	first, second := frames(t, plain), frames(t, tall)
	if len(first) != 6 || len(second) != 6 {
		t.Fatalf("%d and %d frames, want 6", len(first), len(second))
	}
	for i := 3; i < 6; i++ {
		if first[i] != second[i] {
			t.Errorf("frame %d at %v, want %v", i, second[i], first[i])
		}
	}
}

// TestLongAxisLabels: a label longer than its axis takes two lines, and frames beside each other
// stay equally high. A power of ten in a label stays with it.
func TestLongAxisLabels(t *testing.T) {
	m, rows := manyFigures(repeat("w1", 3)...)
	for i := range rows {
		rows[i].Mean *= 1e6
	}
	m.Figures[1].YLabel = strings.Repeat("a long label ", 4)
	m.Figures[1].YScale = ""
	d := drawn(t, m, rows)
	edges := make(map[string]bool)
	for _, frame := range frames(t, d) {
		for _, corner := range regexp.MustCompile(`,([0-9.]+)`).FindAllStringSubmatch(frame, -1) {
			edges[corner[1]] = true
		}
	}
	if len(edges) != 2 {
		t.Errorf("frames begin and end at %v, want the same for all", edges)
	}
	svg := string(must.Get(d.Render("svg")))
	for _, want := range []string{">a long label a long", ">7<"} { // 10 to the 7
		if !strings.Contains(svg, want) {
			t.Errorf("the page has no %q", want)
		}
	}
}

// frames are the panels' frames in an SVG, in its order: closed shapes of ink without ground and
// with four corners.
func frames(t *testing.T, d *Page) []string {
	t.Helper()
	svg := must.Get(d.Render("svg"))
	var all []string
	for line := range strings.Lines(string(svg)) {
		if path, style, found := strings.Cut(line, `" style="`); found &&
			strings.HasPrefix(style, "fill:none;stroke:#202020") && strings.HasSuffix(path, "Z") {
			all = append(all, path)
		}
	}
	return all
}

// TestBenchmarkAtZeroOnALogAxis: the legend has its value; there is no line to show, and nothing to
// warn of.
func TestBenchmarkAtZeroOnALogAxis(t *testing.T) {
	rows := append(tinyRows(), madeUpRow("True", "w1", 5, 0, 0))
	rows[len(rows)-1].Setting.Algorithm = "perfect"
	figure := results.Figure{Name: "a", X: "epsilon", Y: "w1", YScale: "log",
		Reference: []string{"perfect", "identity"}, Where: map[string]string{"series": "RPS"}}
	page := drawn(t, of(figure), rows)
	for _, warning := range page.panels[0].warnings {
		if strings.Contains(warning, "True degree sequence") {
			t.Errorf("warning %q", warning)
		}
	}
	l := newLegend(page.style, page.panels)
	if got := l.entries[1]; got.text != "True degree sequence: 0, not on a log axis" ||
		got.sample != nil {
		t.Errorf("legend entry %q with a sample: %v", got.text, got.sample != nil)
	}
	if got := l.entries[2]; got.text != "Original data" || got.sample == nil {
		t.Errorf("legend entry %q with a sample: %v", got.text, got.sample != nil)
	}
}

// TestSuperscripts: without superscripts it is the library's text, with them it is as wide as its
// parts, and the exponent is higher, smaller and behind its base, also where the text is turned.
func TestSuperscripts(t *testing.T) {
	style := newPageStyle(1).text(40, ink)
	plain := style
	plain.Handler = plot.DefaultTextHandler
	for _, s := range []string{"", "Records", "10"} {
		if style.Width(s) != plain.Width(s) || style.Height(s) != plain.Height(s) {
			t.Errorf("%q: %v by %v, want %v by %v", s, style.Width(s), style.Height(s),
				plain.Width(s), plain.Height(s))
		}
	}
	power := "(×" + powerOfTen("-6") + ")"
	exponent := plain
	exponent.Font = small(plain.Font)
	want := plain.Width("(×10") + exponent.Width("−6") + plain.Width(")")
	if math.Abs(float64(style.Width(power)-want)) > 1e-9 ||
		style.Height(power) != plain.Height("(") {
		t.Errorf("%v by %v, want %v by %v", style.Width(power), style.Height(power), want,
			plain.Height("("))
	}
	for _, rotation := range []float64{0, math.Pi / 2} {
		style.Rotation = rotation
		var record recorder.Canvas
		canvas := draw.NewCanvas(&record, 100, 100)
		canvas.FillText(style, vg.Point{X: 50, Y: 50}, powerOfTen("6"))
		var texts []*recorder.FillString
		turned := 0.0
		for _, action := range record.Actions {
			switch a := action.(type) {
			case *recorder.FillString:
				texts = append(texts, a)
			case *recorder.Rotate:
				turned = a.Angle
			}
		}
		if len(texts) != 2 || texts[0].String != "10" || texts[1].String != "6" {
			t.Fatalf("drawn are %v", texts)
		}
		base, exponent := texts[0], texts[1]
		if exponent.Point.X != base.Point.X+plain.Width("10") ||
			exponent.Point.Y <= base.Point.Y || exponent.Size >= base.Size || turned != rotation {
			t.Errorf("turned by %v: the exponent is at %v, of %v, its base at %v, of %v", turned,
				exponent.Point, exponent.Size, base.Point, base.Size)
		}
	}
}

// TestVariantsOnSeparatePanelsLookAlike: with a panel for each variant a setting keeps its look,
// the legend names it once and the headings name the variants; where one panel has both, or a
// curve without variant has the setting's name, they differ.
func TestVariantsOnSeparatePanelsLookAlike(t *testing.T) {
	row := func(series, variant string) results.Row {
		return with(at(madeUpRow(series, "w1", 3, 1, 0.1), 1), func(s *results.Setting) {
			s.Variant, s.ShowVariant = variant, true
		})
	}
	alone := func(series, variant string) results.Row {
		return with(row(series, variant), func(s *results.Setting) { s.ShowVariant = false })
	}
	rows := []results.Row{row("deep", "published"), row("flat", "published"), row("flat", "strict"),
		row("deep", "strict"), alone("both", "published"), alone("deep", "strict")}
	panel := func(name, title, series string) results.Figure {
		return results.Figure{Name: name, Title: title, X: "epsilon", Y: "w1",
			Where: map[string]string{"series": series}}
	}
	published, strict := panel("a", "Depth", "deep (published)|flat (published)|both"),
		panel("b", "Depth, strict", "flat (strict)|deep (strict)")
	texts := func(figures ...results.Figure) (d *Page, legend, headings string) {
		d = drawn(t, results.Manifest{Figures: figures, SeriesOrder: []string{
			"deep (published)", "deep (strict)", "flat (published)", "flat (strict)"}}, rows)
		for _, e := range newLegend(d.style, d.panels).entries {
			legend += e.text + "; "
		}
		for _, p := range d.panels {
			headings += p.heading + "; "
		}
		return d, legend, headings
	}
	d, legend, headings := texts(published, strict)
	if want := "deep (published, strict); flat (published, strict); both; "; legend != want {
		t.Errorf("legend %q, want %q", legend, want)
	}
	if want := "(a) Depth (published); (b) Depth, strict; "; headings != want {
		t.Errorf("headings %q, want %q", headings, want)
	}
	style := func(d *Page, label string) string {
		for _, p := range d.panels {
			for _, cv := range p.curves {
				if cv.Label == label {
					return fmt.Sprint(p.styles.of(cv))
				}
			}
		}
		t.Fatalf("no curve %q", label)
		return ""
	}
	if style(d, "deep (published)") != style(d, "deep (strict)") ||
		style(d, "deep (strict)") == style(d, "flat (strict)") {
		t.Error("a setting does not look the same under both variants, or two settings do")
	}
	if style(d, "deep (published)") != fmt.Sprint(styleOf(0)) ||
		style(d, "flat (published)") != fmt.Sprint(styleOf(1)) ||
		style(d, "both") != fmt.Sprint(styleOf(2)) {
		t.Error("looks are not in the order of the series")
	}
	for name, figures := range map[string][]results.Figure{
		"both variants on a panel": {published, strict,
			panel("c", "", "deep (published)|deep (strict)")},
		"a namesake": {published, panel("b", "", "deep|deep (strict)")},
	} {
		d, legend, _ := texts(figures...)
		if style(d, "deep (published)") == style(d, "deep (strict)") ||
			!strings.Contains(legend, "deep (published); ") {
			t.Errorf("%s: they look alike, or the legend is %q", name, legend)
		}
	}
	// Alone, a panel names its variant in its legend, and its heading is left as it is.
	if _, legend, headings = texts(published); legend != "deep (published); flat (published); "+
		"both; " || headings != "(a) Depth; " {
		t.Errorf("alone: legend %q, headings %q", legend, headings)
	}
}

// TestShareRange: charts of one measure share a range of y where each fills half of it, those that
// fill less share with their like, and no chart has a range without its own.
func TestShareRange(t *testing.T) {
	for _, test := range []struct {
		log       bool
		own, want [][2]float64
	}{
		{false, [][2]float64{{0, 1}, {0, 0.5}}, [][2]float64{{0, 1}, {0, 1}}},
		{false, [][2]float64{{0, 1}, {0, 0.3}}, [][2]float64{{0, 1}, {0, 0.3}}},
		{false, [][2]float64{{0, 100}, {0, 1}, {0.5, 1}}, [][2]float64{{0, 100}, {0, 1}, {0, 1}}},
		{false, [][2]float64{{0, 1}, {9, 10}}, [][2]float64{{0, 1}, {9, 10}}},
		{true, [][2]float64{{1, 100}, {10, 1000}}, [][2]float64{{1, 1000}, {1, 1000}}},
		{true, [][2]float64{{1, 10}, {1, 1000}}, [][2]float64{{1, 10}, {1, 1000}}},
	} {
		charts := results.Mapped(test.own, func(own [2]float64) *chart {
			return &chart{y: span{own[0], own[1], test.log}}
		})
		shareRange(charts)
		for i, c := range charts {
			if got := [2]float64{c.y.min, c.y.max}; got != test.want[i] {
				t.Errorf("%v: chart %d has %v, want %v", test.own, i, got, test.want[i])
			}
		}
	}
	limited := &chart{figure: results.Figure{Name: "a", Y: "w1", YLim: []float64{0, 1}}}
	if other := (&chart{figure: results.Figure{Name: "b", Y: "w1"}}); limited.heights() ==
		other.heights() {
		t.Error("limits that a spec gives are changed")
	}
}

// TestNotPrivate: the legend says of every curve that is not private where it is not, and of no
// other; the numbers beside a figure say it too.
func TestNotPrivate(t *testing.T) {
	row := func(series, variant, dataset string, broken bool) results.Row {
		r := with(at(madeUpRow(series, "w1", 5, 1, 0.1), 1), func(s *results.Setting) {
			s.Variant, s.ShowVariant, s.Dataset = variant, variant != "", named(dataset)
		})
		r.Broken = broken
		return r
	}
	legendOf := func(rows []results.Row, figures ...results.Figure) []string {
		t.Helper()
		for i := range figures {
			figures[i].X, figures[i].Y = "epsilon", "w1"
		}
		page := drawn(t, of(figures...), rows)
		return results.Mapped(newLegend(page.style, page.panels).entries,
			func(e legendEntry) string { return e.text })
	}
	check := func(got []string, want ...string) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("legend %q, want %q", got, want)
		}
	}
	variants := []results.Row{row("h 3", "published", "d", true), row("h 3", "strict", "d", false)}
	check(legendOf(variants, results.Figure{Name: "a"}),
		"h 3 (published, not private)", "h 3 (strict)")
	one := func(variant string) results.Figure {
		return results.Figure{Name: variant, Where: results.Filter{"variant": variant}}
	}
	check(legendOf(variants, one("published"), one("strict")),
		"h 3 (published, not private; strict)")
	control := results.Figure{Name: "c", Where: results.Filter{"dataset": "e"}}
	check(legendOf(append(variants, row("h 3", "", "e", true)), one("published"), one("strict"),
		control), "h 3 (published, not private; strict), not private in c")
	check(legendOf([]results.Row{row("all", "", "d", true), row("none", "", "d", false),
		row("RPS, not private", "", "d", true)}, results.Figure{Name: "a"}),
		"all, not private", "none", "RPS, not private")

	// A curve that is not private in some panels.
	on := func(name, dataset string) results.Figure {
		return results.Figure{Name: name, Where: results.Filter{"dataset": dataset}}
	}
	some := []results.Row{row("x", "", "d", true), row("x", "", "e", true),
		row("x", "", "f", false)}
	check(legendOf(some, on("a-d", "d"), on("a-e", "e"), on("b-f", "f")), "x, not private in a")
	check(legendOf(some, on("a-d", "d"), on("a-f", "f"), on("b", "e")), "x, not private in a-d, b")

	c := mustChart(t, results.Figure{Name: "a", X: "epsilon", Y: "w1"}, variants)
	if got := c.lines[0].Label; got != "h 3 (published, not private)" {
		t.Errorf("a line is called %q", got)
	}
}

// TestHeading: panels carry the letters that legend and caption call them by.
func TestHeading(t *testing.T) {
	for name, want := range map[string]string{"a": "(a) T", "b-Caltech36": "(b) T",
		"strict-a": "T"} {
		if got := heading(results.Figure{Name: name, Title: "T"}); got != want {
			t.Errorf("panel %s is headed %q, want %q", name, got, want)
		}
	}
	if got := heading(results.Figure{Name: "a"}); got != "(a)" {
		t.Errorf("a panel without a title is headed %q", got)
	}
}
