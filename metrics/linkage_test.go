package metrics

import (
	"slices"
	"testing"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/internal/must"
	"ppdp/numeric/random"
)

// codes is a table of columns of so many values, drawn evenly.
func codes(rows int, seed uint64, values ...uint32) *datasets.Table {
	schema := &datasets.Schema{}
	for a, n := range values {
		schema.Attributes = append(schema.Attributes, datasets.Attribute{
			Name: string(rune('a' + a)), High: float64(n), Step: 1})
	}
	b, draws := datasets.NewBuilder(schema, rows), random.NewKey(seed).Stream()
	for range rows {
		row := b.AddRow()
		for a, n := range values {
			b.Set(row, a, draws.Uint32N(n))
		}
	}
	return b.Table()
}

// changed is the first rows of a table with columns made constant or permuted one by one.
func changed(table *datasets.Table, rows int, how string, columns ...int) *datasets.Table {
	b := datasets.NewBuilder(table.Schema(), rows)
	draws := random.NewKey(9).Stream()
	for range rows {
		b.AddRow()
	}
	for a := range table.Schema().Attributes {
		order := table.AllRows()[:rows]
		if how == "permuted" && slices.Contains(columns, a) {
			draws.Permute(order)
		}
		for row, from := range order {
			code := table.Column(a).At(from)
			if how == "constant" && slices.Contains(columns, a) {
				code = 0
			}
			b.Set(row, a, code)
		}
	}
	return b.Table()
}

var all10 = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}

// TestLinkage: whatever is done to some columns, a join on the others finds every member, and next
// to no one else; of columns that are permuted each by itself nothing is found, though every value
// of the members is there. A tenth of the records is a tenth of the members.
func TestLinkage(t *testing.T) {
	table := codes(1600, 1, 50, 2, 3, 90, 4, 12, 2, 7, 5, 31)
	train, test := table.AllRows()[:800], table.AllRows()[800:]
	for _, of := range []struct {
		name      string
		release   *datasets.Table
		low, high float64
	}{
		{"a copy", table.Select(train), 0.98, 1},
		// The other six make 1,680 cells, of which 800 records fill 1 - exp(-800/1680) = .38: so
		// many others are met.
		{"four constant columns", changed(table, 800, "constant", 0, 3, 5, 9), 0.5, 0.75},
		{"two permuted columns", changed(table, 800, "permuted", 0, 3), 0.98, 1},
		{"three permuted columns", changed(table, 800, "permuted", 0, 3, 9), 0.85, 1},
		{"a tenth, ten times", table.Select(slices.Repeat(train[:80], 10)), 0.05, 0.16},
		{"independent columns", changed(table, 800, "permuted", all10...), -0.05, 0.05},
		{"other people", codes(800, 2, 50, 2, 3, 90, 4, 12, 2, 7, 5, 31), -0.05, 0.05},
		{"the held out", table.Select(test), -1, 0.05},
	} {
		c := attackCase(table, train, test, &algorithms.Release{Table: of.release})
		params := &LinkageParams{Of: Difference, End: Estimate}
		if got := valueOf(t, "linkage", c, params); !(of.low <= got && got <= of.high) {
			t.Errorf("%s: %v, must be from %v to %v", of.name, got, of.low, of.high)
		}
		c.Train, c.Test = c.Test, c.Train
		c.Truth, c.Published = new(Memo), new(Memo)
		repeats := must.Get(JoinOf(t.Context(), c)).Certain()
		must.Be(t, repeats, of.name == "the held out", of.name)
	}
}

// TestLinkageFindsNothing: of 200 releases of other people none is certain, and intervals of 95 %
// hold 0 but for a few: the set of attributes is chosen on other records than it is judged by.
func TestLinkageFindsNothing(t *testing.T) {
	missed := 0
	for seed := range uint64(200) {
		table := codes(200, 100+seed, 9, 2, 3, 20, 4, 12)
		c := attackCase(table, table.AllRows()[:100], table.AllRows()[100:],
			&algorithms.Release{Table: codes(100, 1000+seed, 9, 2, 3, 20, 4, 12)})
		if must.Get(JoinOf(t.Context(), c)).Certain() {
			t.Errorf("seed %d: certain", seed)
		}
		if valueOf(t, "linkage", c, &LinkageParams{Of: Difference, End: Low}) > 0 {
			missed++
		}
	}
	if missed > 10 { // 5 are expected; intervals are wider than need be
		t.Errorf("%d of 200 intervals lie above 0", missed)
	}
}

// TestVerbatim on rows (x, y): members 2a, 0b, held out 5c, 3b; released 2a three times, 5c, 9a.
func TestVerbatim(t *testing.T) {
	table := original()
	c := attackCase(table, table.AllRows()[:2], table.AllRows()[2:], &algorithms.Release{
		Table: tableOf("2a 2a 2a 5c 9a")})
	for _, of := range []struct {
		whose Whose
		end   End
		want  float64
	}{{Members, Estimate, 3. / 5}, {HeldOut, Estimate, 1. / 5},
		{Difference, Estimate, 2. / 5},
		// Three equal ones are one trial of weight 3: (3+1+1)²/(9+1+1).
		{Members, Trials, 25. / 11}} {
		got := valueOf(t, "verbatim", c, &MatchesParams{Of: of.whose, End: of.end})
		must.Near(t, got, of.want, 1e-12, of.whose, of.end)
	}
}

// TestColumn on released x of 1, 1, 3 and 7, which weigh 1, 1, 2 and 4, of 2, 0, 5 and 3, and y of
// a, a, b and c, of a, b, c and b: b is the most frequent of the original.
func TestColumn(t *testing.T) {
	c := attackCase(original(), original().AllRows(), original().AllRows(), &algorithms.Release{
		Table:   tableOf("1a 1a 3b 7c"),
		Weights: []float64{1, 1, 2, 4}, Absent: []float64{0.25, 0, 0}})
	for _, of := range []struct {
		params ColumnParams
		want   float64
	}{
		// Up to 5: 4 of 8 against all.
		{ColumnParams{Attribute: "x", Of: ColumnDistance}, 0.5},
		{ColumnParams{Attribute: "x", Of: ColumnMean}, 36. / 8},
		{ColumnParams{Attribute: "x", Of: ColumnQuantile, At: 0.25}, 1},
		{ColumnParams{Attribute: "x", Of: ColumnQuantile, At: 0.5}, 3},
		{ColumnParams{Attribute: "x", Of: ColumnQuantile, At: 0.51}, 7},
		{ColumnParams{Attribute: "x", Of: ColumnMissing}, 0.25},
		{ColumnParams{Attribute: "y", Of: ColumnShare, Rank: 1}, 0.25},
		{ColumnParams{Attribute: "y", Of: ColumnShare, Rank: 3}, 0.5},
		{ColumnParams{Attribute: "y", Of: ColumnDistance}, 0.25},
	} {
		must.Near(t, valueOf(t, "column", c, &of.params), of.want, 1e-12, of.params)
	}
}
