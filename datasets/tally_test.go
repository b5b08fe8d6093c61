package datasets_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"ppdp/datasets"
)

// TestTally compares with the definition, pair by pair.
func TestTally(t *testing.T) {
	schema := &datasets.Schema{Attributes: []datasets.Attribute{
		{Name: "x", Low: -1, High: 1, Step: 1, Continuous: true},
		{Name: "y", High: 70_000, Step: 1},
		{Name: "z", Kind: datasets.Categorical, Values: []string{"a", "b"}}}}
	draw := func(t *rapid.T, name string) *datasets.Table {
		n := rapid.IntRange(0, 30).Draw(t, name)
		b := datasets.NewBuilder(schema, n)
		for row := range n {
			b.AddRow()
			x := rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 0.25, 0.5}).Draw(t, "x")
			b.Set(row, 0, 1)
			b.Column(0).Exact[row] = x
			b.Set(row, 1, rapid.SampledFrom([]uint32{0, 1, 69_999}).Draw(t, "y"))
			b.Set(row, 2, uint32(rapid.IntRange(0, 1).Draw(t, "z")))
		}
		return b.Table()
	}
	rapid.Check(t, func(t *rapid.T) {
		counted, sought := draw(t, "counted"), draw(t, "sought")
		rows := counted.AllRows()[rapid.IntRange(0, counted.Len()).Draw(t, "left out"):]
		tally, total := datasets.NewTally(counted, rows), 0
		for place := range tally.Places() {
			total += tally.Count(place)
		}
		if total != len(rows) {
			t.Fatalf("%d rows counted, must be %d", total, len(rows))
		}
		for _, row := range sought.AllRows() {
			equal := 0
			for _, other := range rows {
				if sought.Number(row, 0) == counted.Number(other, 0) &&
					sought.Number(row, 1) == counted.Number(other, 1) &&
					sought.Column(2).At(row) == counted.Column(2).At(other) {
					equal++
				}
			}
			if n := tally.Count(tally.Find(sought, row)); n != equal {
				t.Fatalf("row %d: %d are equal, must be %d", row, n, equal)
			}
		}
	})
}
