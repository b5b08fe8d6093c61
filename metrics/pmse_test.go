package metrics

import (
	"slices"
	"testing"

	"ppdp/datasets"
	"ppdp/internal/must"
	"ppdp/numeric/random"
)

func pmseOf(model Propensity) func(Params) {
	return func(p Params) { p.(*PMSEParams).Model = model }
}

// TestPMSEOfAFreshSample: with records from the same distribution N·pMSE/(c(1-c)) is about a
// chi-square variable of d-1 degrees of freedom, 5/4 times as large because models learn from four
// fifths. Over 60 pairs of tables, 8 degrees each, the mean has a standard deviation of
// sqrt(2/(8·60)), 6.5 %; 25 % are allowed for it (3.8 deviations: 1 false alarm in 10,000) with
// terms of a higher order.
func TestPMSEOfAFreshSample(t *testing.T) {
	attributes := []datasets.Attribute{category("a", "0", "1", "2", "3", "4"), number("x", 50),
		category("b", "0", "1", "2"), category("c", "0", "1")}
	draws := random.NewKey(7).Stream()
	table := func(n int) *datasets.Table {
		b := datasets.NewBuilder(&datasets.Schema{Attributes: attributes}, n)
		for range n {
			at := b.AddRow()
			for a := range attributes {
				b.Set(at, a, draws.Uint32N(uint32(attributes[a].Cells())))
			}
		}
		return b.Table()
	}
	const pairs, n, m = 60, 600, 300
	mean := 0.0
	for range pairs {
		c := against(table(n), table(m), nil)
		mean += defined(t, "pmse", c, pmseOf(Logistic)) / pairs
	}
	share, degrees := float64(m)/(n+m), 8.0
	want := 1.25 * share * (1 - share) * degrees / (n + m)
	must.Near(t, mean/want, 1, 0.25, mean, want)
}

// TestPMSEEnds: where a value gives every record away the error is near c(1-c), of
// which the penalty of logistic regression keeps it by some hundredths; where no attribute
// varies nobody can tell; where only a pair of values tells, logistic regression sees nothing and
// boosting nearly all.
func TestPMSEEnds(t *testing.T) {
	attributes := []datasets.Attribute{category("x", "0", "1"), category("y", "0", "1")}
	const n = 400
	table := func(row func(i int) []uint32) *datasets.Table {
		rows := make([][]uint32, n)
		for i := range rows {
			rows[i] = row(i)
		}
		return codedTable(attributes, rows...)
	}
	constant := table(func(int) []uint32 { return []uint32{0, 0} })
	apart := against(constant, table(func(int) []uint32 { return []uint32{1, 0} }), nil)
	same := against(constant, constant, nil)
	equal := table(func(i int) []uint32 { return []uint32{uint32(i % 2), uint32(i % 2)} })
	pair := against(equal, table(func(i int) []uint32 {
		return []uint32{uint32(i % 2), uint32(1 - i%2)}
	}), nil)
	for _, model := range []Propensity{Logistic, Boosting} {
		if got := defined(t, "pmse", apart, pmseOf(model)); got < 0.22 || got > 0.25 {
			t.Errorf("%s, apart: %v", model, got)
		}
		if got := defined(t, "pmse", same, pmseOf(model)); got > 1e-6 {
			t.Errorf("%s, the same: %v", model, got)
		}
	}
	if got := defined(t, "pmse", pair, pmseOf(Logistic)); got > 0.01 {
		t.Errorf("logistic, a pair: %v", got)
	}
	if got := defined(t, "pmse", pair, pmseOf(Boosting)); got < 0.2 {
		t.Errorf("boosting, a pair: %v", got)
	}
	// Three times the weight: c is 3/4.
	apart.Release.Weights = slices.Repeat([]float64{3}, n)
	must.Near(t, defined(t, "pmse", apart, pmseOf(Logistic)), 3.0/16, 0.02, "weighted")
}

// TestPMSERows: of more records than asked for some are drawn, of either table.
func TestPMSERows(t *testing.T) {
	table := codes(300, 3, slices.Repeat([]uint32{20}, 15)...)
	data, mass := bothTables(against(table, table, nil), 100)
	if data.Table.Len() != 200 || mass != [2]float64{100, 100} {
		t.Errorf("%d records, masses %v", data.Table.Len(), mass)
	}
}
