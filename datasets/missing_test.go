package datasets

import (
	"math"
	"testing"

	"ppdp/internal/must"
)

// lackingTable has numbers 0 to 3, one missing, and an ordered category, one missing.
func lackingTable() *Table {
	marker := "?"
	s := &Schema{Attributes: []Attribute{
		{Name: "n", Kind: Numeric, High: 4, Step: 1, Missing: &marker},
		{Name: "o", Kind: Categorical, Values: []string{"low", "?", "high"}, Ordered: true,
			Missing: &marker},
	}}
	b := NewBuilder(s, 0)
	for _, codes := range [][2]uint32{{0, 0}, {1, 2}, {3, 1}, {4, 0}, {4, 2}} {
		b.AddRow(codes[0], codes[1])
	}
	return b.Table()
}

// TestMissingCompared: a missing value is equal to itself alone, above and below nothing, and in no
// mean.
func TestMissingCompared(t *testing.T) {
	table := lackingTable()
	for text, want := range map[string][]int32{
		"n >= 1": {1, 2}, "n < 3": {0, 1}, "n = 3": {2}, "n != 3": {0, 1, 3, 4},
		`n = "?"`: {3, 4}, `n != "?"`: {0, 1, 2},
		"o > low": {1, 4}, "o <= high": {0, 1, 3, 4}, "o != low": {1, 2, 4}, `o = "?"`: {2},
		`o != "?"`: {0, 1, 3, 4}, "o < high": {0, 3}, "o >= low": {0, 1, 3, 4},
	} {
		q, err := ParseQuery(text, table.Schema())
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		var asked []int32
		for row := range int32(table.Len()) {
			truth := q.Truth(func(set int) Truth {
				code := table.Column(q.Sets[set].Attribute).At(row)
				return q.Sets[set].Of([]Span{{code, code + 1}})
			})
			if truth.All != truth.Any || truth.Share != 0 && truth.Share != 1 {
				t.Errorf("%s: row %d is %+v", text, row, truth)
			}
			if truth.All {
				asked = append(asked, row)
			}
		}
		must.Equal(t, asked, want, text)
	}
	if q, err := ParseQuery("mean(n)", table.Schema()); err != nil || len(q.Sets) != 1 ||
		q.Sets[0].Of([]Span{{4, 5}}).Any || !q.Sets[0].Of([]Span{{0, 4}}).All {
		t.Errorf("a mean of missing numbers: %v", err)
	}
	_, err := ParseQuery("n = NA", table.Schema())
	must.Fail(t, err, `from 0 to 4, or "?", which stands for a missing one`)
	if _, err := ParseQuery(`n < "?"`, table.Schema()); err == nil {
		t.Error("below what is missing")
	}
	must.Equal(t, table.Present(table.AllRows(), 0), []int32{0, 1, 2}, "rows with a number")
	a := &table.Schema().Attributes[0]
	if !math.IsNaN(a.Number(4)) || a.Cells() != 5 || a.Numbers() != 4 || a.Text(4) != "?" {
		t.Errorf("a missing number: %v, %d cells", a.Number(4), a.Cells())
	}
}
