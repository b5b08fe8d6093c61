package plots

import (
	"slices"
	"testing"

	"ppdp/internal/results"
)

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
	legendOf := func(rows []results.Row, figures ...results.Figure) (texts []string) {
		t.Helper()
		for i := range figures {
			figures[i].X, figures[i].Y = "epsilon", "w1"
		}
		page := drawn(t, of(figures...), rows)
		for _, entry := range newLegend(page.style, page.panels).entries {
			texts = append(texts, entry.text)
		}
		return texts
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
