package labeltree

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ppdp/algorithms"
	"ppdp/algorithms/internal/testinput"
	"ppdp/algorithms/kernel/margins"
	"ppdp/datasets"
)

// drawn draws a schema with a taxonomy whose leaves are not in the order of the codes, a number and
// a flat attribute, and rows of it.
func drawn(t *rapid.T, most int) (*datasets.Schema, [][]uint32) {
	schema := &datasets.Schema{Attributes: []datasets.Attribute{
		{Name: "work", Kind: datasets.Categorical, Values: []string{"baker", "clerk", "smith"},
			Taxonomy: &datasets.Taxonomy{Nodes: []datasets.TaxonomyNode{
				{Name: "any", Parent: -1, Children: []int{1, 2}},
				{Name: "craft", Parent: 0, Children: []int{3, 4}},
				{Name: "clerk", Parent: 0}, {Name: "baker", Parent: 1}, {Name: "smith", Parent: 1},
			}}},
		{Name: "number", Step: 1,
			High: float64(rapid.SampledFrom([]int{1, 2, 7, 100, 1 << 20}).Draw(t, "numbers"))},
		{Name: "flat", Kind: datasets.Categorical, Values: []string{"a", "b", "c", "d"}},
		testinput.Class(rapid.IntRange(2, 4).Draw(t, "classes")),
	}}
	schema.Attributes[1].Bins = testinput.DrawBins(t, schema.Attributes[1].Cells())
	return schema, testinput.DrawRows(t, schema, most)
}

// classesOf counts the classes of rows that belong.
func classesOf(classes int, rows [][]uint32, belongs func(row []uint32) bool) []int {
	counts := make([]int, classes)
	for _, row := range rows {
		if belongs(row) {
			counts[row[3]]++
		}
	}
	return counts
}

// value is what a part with these class counts is worth: what it labels rightly, and for the first
// levels the mean of that and the records less their Gini impurity, n(1-Σp²).
func value(counts []int, mixed bool) float64 {
	most, n, sum := 0.0, 0.0, 0.0
	for _, count := range counts {
		most, n = max(most, float64(count)), n+float64(count)
	}
	for _, count := range counts {
		sum += math.Pow(float64(count)/max(1, n), 2)
	}
	if mixed {
		return (most + n - n*(1-sum)) / 2
	}
	return most
}

// scored lists the scores of the cuts of the whole domain.
func scored(schema *datasets.Schema, rows [][]uint32, params *Params, mixed bool) (*grower,
	[]float64) {
	in := testinput.Input(testinput.Table(schema, rows...), params, algorithms.Strict, 1, 1)
	g := newGrower(context.Background(), &in, params)
	all := make([]int32, len(rows))
	for i := range all {
		all[i] = int32(i)
	}
	g.score(all, mixed)
	return g, g.scores
}

// TestScores compares scores with their definition, and those of neighbours with each other.
func TestScores(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		schema, rows := drawn(t, 20)
		params := DefaultParams()
		mixed := rapid.Bool().Draw(t, "mixed")
		g, scores := scored(schema, rows, params, mixed)
		if len(scores) != len(g.open) {
			t.Fatalf("%d scores of %d cuts", len(scores), len(g.open))
		}
		offset, sensitivity, places := 0.5, majoritySensitivity, []uint32{}
		if mixed {
			offset, sensitivity = 0.25, mixedSensitivity
		}
		for i, c := range g.open {
			parts := []func(row []uint32) bool{
				func(row []uint32) bool { return row[0] == 0 || row[0] == 2 },
				func(row []uint32) bool { return row[0] == 1 },
			}
			switch c.dim {
			case 1:
				places = append(places, c.at)
				parts = []func(row []uint32) bool{
					func(row []uint32) bool { return row[1] < c.at },
					func(row []uint32) bool { return row[1] >= c.at },
				}
			case 2:
				parts = nil
				for v := range uint32(4) {
					parts = append(parts, func(row []uint32) bool { return row[2] == v })
				}
			}
			want := -offset * float64(len(rows))
			for _, part := range parts {
				want += value(classesOf(g.classes, rows, part), mixed)
			}
			if math.Abs(scores[i]-want) > 1e-9 {
				t.Fatalf("cut %+v scores %v, want %v", c, scores[i], want)
			}
		}
		width, bins := schema.Attributes[1].Cells(), schema.Attributes[1].Bins
		if bins != nil {
			width = len(bins)
		}
		if slices.Contains(places, 0) || len(slices.Compact(places)) != min(mostCuts, width-1) {
			t.Fatalf("cuts of a number below %d at %v, bins %v", width, places, bins)
		}
		for _, at := range places {
			if bins != nil && !slices.Contains(bins, at) {
				t.Fatalf("a cut at %d, bins %v", at, bins)
			}
		}
		if len(rows) == 0 {
			return
		}
		without := rapid.IntRange(0, len(rows)-1).Draw(t, "without")
		_, other := scored(schema, slices.Delete(slices.Clone(rows), without, without+1), params,
			mixed)
		for i := range scores {
			if math.Abs(scores[i]-other[i]) > sensitivity+1e-9 {
				t.Fatalf("cut %+v moves from %v to %v", g.open[i], scores[i], other[i])
			}
		}
	})
}

// TestSensitivityIsReached: the bounds on scores are no larger than they need be. A record joins
// many of its class in one cut, and many of others in another.
func TestSensitivityIsReached(t *testing.T) {
	schema := &datasets.Schema{Attributes: []datasets.Attribute{
		{Name: "one", High: 2, Step: 1}, {Name: "two", High: 2, Step: 1},
		{Name: "three", High: 2, Step: 1}, testinput.Class(2),
	}}
	rows := [][]uint32{{0, 0, 0, 1}} // the record: others of its class are with it in one, not two
	for range 1000 {
		rows = append(rows, []uint32{0, 1, 0, 1}, []uint32{1, 0, 1, 0})
	}
	for _, mixed := range []bool{false, true} {
		g, with := scored(schema, rows, DefaultParams(), mixed)
		_, without := scored(schema, rows[1:], DefaultParams(), mixed)
		low, high := math.Inf(1), math.Inf(-1)
		for i := range g.open {
			low, high = min(low, with[i]-without[i]), max(high, with[i]-without[i])
		}
		want := majoritySensitivity
		if mixed {
			want = mixedSensitivity
		}
		if math.Abs(high-want) > 0.01 || math.Abs(low+want) > 0.01 {
			t.Errorf("mixed %v: scores move by %v to %v, want ∓%v", mixed, low, high, want)
		}
	}
}

// TestWithoutNoise: with all the budget there could be, every leaf has the counts of its rows, its
// records have the class of most of them, and the first cut is a best one of all public places.
func TestWithoutNoise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		schema, rows := drawn(t, 40)
		params := DefaultParams()
		params.Levels = rapid.IntRange(1, 5).Draw(t, "levels")
		params.Cut = rapid.SampledFrom([]margins.Cut{margins.Equal, margins.Private}).Draw(t, "cut")
		in := testinput.Input(testinput.Table(schema, rows...), params, algorithms.Strict, 1e9, 1)
		r := testinput.Release(t, Algorithm{}, in)
		if r.Structure.Depth > params.Levels {
			t.Fatalf("depth %d of %d levels", r.Structure.Depth, params.Levels)
		}
		classes := schema.Classes()
		want := make([]float64, len(r.Regions.Counts))
		for _, row := range rows {
			want[r.Regions.Locate(row[:3])*classes+int(row[3])]++
		}
		if !slices.Equal(want, r.Regions.Counts) {
			t.Fatalf("counts %v, want %v", r.Regions.Counts, want)
		}
		if r.Table.Len() != len(rows) {
			t.Fatalf("%d records of %d", r.Table.Len(), len(rows))
		}
		for row := range int32(r.Table.Len()) {
			point := []uint32{r.Table.Column(0).At(row), r.Table.Column(1).At(row),
				r.Table.Column(2).At(row)}
			counts := r.Regions.Count(r.Regions.Locate(point))
			if label := r.Table.Column(3).At(row); counts[label] < slices.Max(counts) {
				t.Fatalf("label %d in a region of %v", label, counts)
			}
		}
		if params.Cut == margins.Private {
			return
		}
		g, scores := scored(schema, rows, params, true)
		first, best := r.Regions.Tree[0], math.Inf(-1)
		for i, c := range g.open {
			if c.dim == first.Dim && (c.dim != 1 || c.at == first.At) {
				best = scores[i]
			}
		}
		if best < slices.Max(scores)-1e-6 {
			t.Fatalf("first cut %+v scores %v, the best %v", first, best, slices.Max(scores))
		}
	})
}

// TestBudget: a path spends all of epsilon, in the shares stated; levels follow from epsilon times
// records, by cuts of four parts: 18·4³ ≤ 1500 < 18·4⁴.
func TestBudget(t *testing.T) {
	schema := &datasets.Schema{Attributes: []datasets.Attribute{testinput.Class(2)}}
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		schema.Attributes = append(schema.Attributes, datasets.Attribute{Name: name,
			Kind: datasets.Categorical, Values: []string{"0", "1", "2", "3"}})
	}
	rows := make([][]uint32, 1500)
	for i := range rows {
		rows[i] = []uint32{0, 0, 0, 0, 0, 0}
	}
	for levels, want := range []map[string]float64{
		{"number of records": .02, "first cuts": .5 * 3 / 7, "cuts": .5 * 4 / 7,
			"class counts": .48},
		{"first cuts": .5, "class counts": .5},
		{"first cuts": .5 / 3, "cuts": 1. / 3, "class counts": .5},
	} {
		params := DefaultParams()
		params.Levels = levels
		in := testinput.Input(testinput.Table(schema, rows...), params, algorithms.Strict, 1, 1)
		r := testinput.Release(t, Algorithm{}, in)
		if depth := []int{3, 1, 2}[levels]; r.Structure.Depth != depth {
			t.Errorf("levels %d: depth %d, want %d", levels, r.Structure.Depth, depth)
		}
		for _, row := range in.Budget.Ledger() {
			if math.Abs(row.Cost-want[row.Purpose]) > 1e-12 || float64(row.Loss) != row.Cost {
				t.Errorf("levels %d: %s costs %v with a loss of %v, want %v", levels, row.Purpose,
					row.Cost, row.Loss, want[row.Purpose])
			}
		}
	}
}

// TestLabel works an example by hand: a root over a leaf of 20 and 0 and a region of two leaves
// with 0 and 3, -3 and 1. Below the root 17 and 4 add up, below the region -3 and 4.
func TestLabel(t *testing.T) {
	for _, c := range []struct {
		strength float64
		want     []float64
	}{
		{0, []float64{20, 0, 0, 3, 0, 0}}, // by counts alone
		// Of 8 counts the root says 8·17/21 = 6.5 and 1.5. The region then has 6.5 and 5.5, of 8
		// counts 4.3 and 3.7: its first leaf 4.3 and 6.7.
		{8, []float64{20, 0, 0, 3, 0, 0}},
		// Of 21 counts the root says 17 and 4, the region's 17 and 8 are 14.3 and 6.7: its first
		// leaf has 14.3 and 9.7, and keeps its size.
		{21, []float64{20, 0, 3, 0, 0, 0}},
	} {
		g := &grower{problem: problem{classes: 2, strength: c.strength},
			parents: []int32{-1, 0}, above: []int32{0, 1, 1},
			noisy: []float64{20, 0, 0, 3, -3, 1}}
		if got := g.label(); !slices.Equal(got, c.want) {
			t.Errorf("strength %v: %v, want %v", c.strength, got, c.want)
		}
	}
	alone := &grower{problem: problem{classes: 2, strength: 8}, above: []int32{-1},
		noisy: []float64{-1, 4}}
	if got := alone.label(); !slices.Equal(got, []float64{0, 3}) {
		t.Errorf("without a cut: %v", got)
	}
}

func TestNeedsAClass(t *testing.T) {
	table := testinput.Numbers(0, []int{3, 3}, []uint32{0, 1})
	_, err := Algorithm{}.Release(t.Context(), testinput.Input(table, DefaultParams(),
		algorithms.Strict, 1, 1))
	if err == nil || !strings.Contains(err.Error(), "needs a class of at least two values") {
		t.Errorf("without a class: %v", err)
	}
}

// TestCutsOfWideNumbers: where a number crowds in a 500th of its bounds and the class depends on
// which half of them it is in, private bins find the place up to a 4,000th of the bounds. Places at
// equal distances come near it by chance alone.
func TestCutsOfWideNumbers(t *testing.T) {
	schema := &datasets.Schema{Attributes: []datasets.Attribute{
		{Name: "x", High: 2_000_000, Step: 1}, testinput.Class(2)}}
	b := datasets.NewBuilder(schema, 4000)
	for i := range uint32(4000) {
		b.AddRow(700_000+i, i/2000)
	}
	table := b.Table()
	for cut, want := range map[margins.Cut]int{ // order-free: each for itself
		margins.Equal: 2800, margins.Private: 3500} {
		params := DefaultParams()
		params.Cut = cut
		r := testinput.Release(t, Algorithm{}, testinput.Input(table, params, algorithms.Strict, 1,
			3))
		warned := slices.ContainsFunc(r.Warnings, func(w string) bool {
			return strings.HasPrefix(w, "x: ") && strings.Contains(w, " in one interval, from ")
		})
		if warned != (cut == margins.Equal) {
			t.Errorf("cut: %s: warnings %q", cut, r.Warnings)
		}
		right := 0
		for row := range int32(table.Len()) {
			counts := r.Regions.Count(r.Regions.Locate([]uint32{table.Column(0).At(row)}))
			if label := table.Column(1).At(row); counts[label] > counts[1-label] {
				right++
			}
		}
		if cut == margins.Private && right < want || cut == margins.Equal && right > want {
			t.Errorf("cut: %s: %d of 4000 records are in a region of their class, bound %d",
				cut, right, want)
		}
	}
}
