package metrics

import (
	"testing"

	"ppdp/datasets"
)

// TestMissingPatterns: of the original's rows a half lacks nothing, a quarter x, a quarter x and m;
// of the published weight a half lacks nothing and a half m. Means leave out what is missing, and
// marginals have a bin for it.
func TestMissingPatterns(t *testing.T) {
	x, m := number("x", 10), category("m", "a", "?")
	marker := "?"
	x.Missing, m.Missing = &marker, &marker
	attributes := []datasets.Attribute{x, m}
	c := against(
		codedTable(attributes, []uint32{1, 0}, []uint32{3, 0}, []uint32{10, 0}, []uint32{10, 1}),
		codedTable(attributes, []uint32{2, 0}, []uint32{2, 1}, []uint32{2, 1}), []float64{2, 1, 1})
	if got := defined(t, "missing-patterns", c, nil); !near(got, 0.5) {
		t.Errorf("patterns: %v", got)
	}
	if got := defined(t, "w1", c, nil); !near(got, 1) { // of 1 and 3 from 2 and 2
		t.Errorf("distance of the numbers: %v", got)
	}
	if got := defined(t, "marginal-distance", c, func(p Params) {
		*p.(*MarginalDistanceParams) = MarginalDistanceParams{Attributes: 1, Bins: 1, Cut: Equally}
	}); !near(got, (0.5+0.25)/2) { // x or none; m is "a" of 3 in 4, and of 2 in 4
		t.Errorf("marginals: %v", got)
	}
	for name, want := range map[string]float64{"x": 0, "m": 0.5} { // 2 of 4 in weight
		if got := defined(t, "column", c, func(p Params) {
			p.(*ColumnParams).Of, p.(*ColumnParams).Attribute = ColumnMissing, name
		}); !near(got, want) {
			t.Errorf("missing in %s: %v, want %v", name, got, want)
		}
	}
	plain := codedTable([]datasets.Attribute{number("x", 10)}, []uint32{1})
	refuses(t, "missing-patterns", against(plain, plain, nil), "keeps no missing values")
}
