package plots

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ppdp/internal/must"
	"ppdp/internal/results"

	"gonum.org/v1/plot/vg"
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

func repeat(metric string, n int) []string { return slices.Repeat([]string{metric}, n) }

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
		style := pageStyle{combinedScale}
		var entries []legendEntry
		for _, text := range test.texts {
			entries = append(entries, legendEntry{text: text})
		}
		const width = 17 * vg.Centimeter
		columnWidths := columnsOf(style, entries, width)
		if len(columnWidths) != test.columns {
			t.Errorf("%s: %d columns, want %d", name, len(columnWidths), test.columns)
			continue
		}
		wide := sum(columnWidths) + style.points(columnGap)*vg.Length(len(columnWidths)-1)
		if wide > width {
			t.Errorf("%s: %v wide, want at most %v", name, wide, width)
		}
		for i, e := range entries {
			for _, line := range e.lines {
				w := style.points(sampleWidth+sampleGap) + style.text(smallText, ink).Width(line)
				if w > columnWidths[i%len(columnWidths)] {
					t.Errorf("%s: %q takes %v of a column of %v", name, line, w,
						columnWidths[i%len(columnWidths)])
				}
			}
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
	must.Be(t, len(edges), 2, edges)
	svg := string(must.Get(d.Render("svg")))
	must.Say(t, svg, ">a long label a long", "(×1e8)<")
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
	entries := entriesOf(page.panels)
	if got := entries[1]; got.text != "True degree sequence (off scale: 0)" || got.sample != nil {
		t.Errorf("legend entry %q with a sample: %v", got.text, got.sample != nil)
	}
	if got := entries[2]; got.text != "Original data" || got.sample == nil {
		t.Errorf("legend entry %q with a sample: %v", got.text, got.sample != nil)
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
			must.Be(t, [2]float64{c.y.min, c.y.max}, test.want[i], test.own, i)
		}
	}
	limited := &chart{figure: results.Figure{Name: "a", Y: "w1", YLim: []float64{0, 1}}}
	if other := (&chart{figure: results.Figure{Name: "b", Y: "w1"}}); limited.heights() ==
		other.heights() {
		t.Error("limits that a spec gives are changed")
	}
}

// TestNotPrivate: the legend says of every curve that is not private that it is not, and of no
// other; the numbers beside a figure say it too.
func TestNotPrivate(t *testing.T) {
	row := func(series, variant string, broken bool) results.Row {
		r := with(at(madeUpRow(series, "w1", 5, 1, 0.1), 1), func(s *results.Setting) {
			s.Variant, s.ShowVariant = variant, variant != ""
		})
		r.Broken = broken
		return r
	}
	variants := []results.Row{row("h 3", "published", true), row("h 3", "strict", false),
		row("all", "", true), row("none", "", false), row("RPS, not private", "", true)}
	page := drawn(t, of(results.Figure{Name: "a", X: "epsilon", Y: "w1"}), variants)
	got := results.Mapped(entriesOf(page.panels), func(e legendEntry) string { return e.text })
	want := []string{"h 3 (published, not private)", "h 3 (strict)", "all, not private", "none",
		"RPS, not private"}
	must.Equal(t, got, want)
	for i, line := range page.panels[0].lines {
		must.Be(t, line.Label, want[i], "a line is called")
	}
}

// TestHeading: panels carry the letters that legend and caption call them by.
func TestHeading(t *testing.T) {
	for name, want := range map[string]string{"a": "(a) T", "b-Caltech36": "(b) T",
		"strict-a": "T"} {
		must.Be(t, heading(results.Figure{Name: name, Title: "T"}), want, name)
	}
	must.Be(t, heading(results.Figure{Name: "a"}), "(a)", "without a title")
}
