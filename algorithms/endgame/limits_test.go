package endgame

import (
	"testing"

	"pgregory.net/rapid"

	"ppdp/algorithms/internal/testinput"
	"ppdp/datasets"
)

// cheapestWithin is the least discernibility of partitions by cuts whose classes keep the limits:
// it judges finished classes alone, and is -1 where there are none.
func cheapestWithin(table *datasets.Table, rows []int32, p *Params) int64 {
	least := int64(-1)
	if testinput.Keeps(table, rows, table.AllRows(), p.K, &p.Limits) {
		least = square(len(rows))
	}
	for _, d := range table.Schema().QuasiIdentifiers() {
		for at := range uint32(table.Schema().Attributes[d].Cells()) {
			var below, above []int32
			for _, row := range rows {
				if table.Column(d).At(row) < at {
					below = append(below, row)
				} else {
					above = append(above, row)
				}
			}
			if len(below) < p.K || len(above) < p.K {
				continue
			}
			one, other := cheapestWithin(table, below, p), cheapestWithin(table, above, p)
			if one >= 0 && other >= 0 && (least < 0 || one+other < least) {
				least = one + other
			}
		}
	}
	return least
}

// TestExactWithinLimits: a small table gets the least discernibility of all partitions whose
// classes keep the limits, and those of the opening keep them, too.
func TestExactWithinLimits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, draw := DefaultParams(), testinput.Draw(t)
		p.K, p.Limits = 2+draw(2), testinput.DrawLimits(draw)
		table := testinput.Sensitive(draw, p.K+draw(14), 3, 7)
		got, err := divide(t.Context(), table, table.AllRows(), p)
		want := cheapestWithin(table, table.AllRows(), p)
		if (err != nil) != (want < 0) {
			t.Fatalf("%v, the least is %d", err, want)
		}
		if err != nil {
			return
		}
		if cost, _ := got.discernibility(); cost != want {
			t.Fatalf("discernibility %d, the least is %d", cost, want)
		}
		p.Exact = 2 // the opening alone
		if got, err = divide(t.Context(), table, table.AllRows(), p); err != nil {
			t.Fatal(err)
		}
		start := int32(0)
		for _, end := range got.made.Ends {
			rows := got.made.Rows[start:end]
			if !testinput.Keeps(table, rows, table.AllRows(), p.K, &p.Limits) {
				t.Fatalf("a class of the rows %v breaks %+v", rows, *p)
			}
			start = end
		}
	})
}
