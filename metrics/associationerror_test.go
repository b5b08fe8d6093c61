package metrics

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"ppdp/datasets"
	"ppdp/internal/must"
)

// TestCorrelationRatio is a worked example: marks of five, four and six students in algebra,
// geometry and statistics, whose correlation ratio squared is 6780/9640 (Wikipedia, "Correlation
// ratio").
func TestCorrelationRatio(t *testing.T) {
	marks := [][]uint32{{45, 70, 29, 15, 21}, {40, 20, 30, 42}, {65, 95, 80, 70, 85, 73}}
	var rows [][]uint32
	for topic, of := range marks {
		for _, mark := range of {
			rows = append(rows, []uint32{uint32(topic), mark})
		}
	}
	table := codedTable([]datasets.Attribute{category("topic", "a", "g", "s"),
		number("mark", 101)}, rows...)
	pairs := must.Get(associate(t.Context(), table, table.AllRows(), nil))
	if len(pairs) != 1 || !near(pairs[0].Original, math.Sqrt(6780.0/9640)) {
		t.Errorf("%+v", pairs)
	}
}

// TestCramer: of two by two counts a, b, c, d the square of the mean square contingency is
// (ad-bc)²/(product of the sums of rows and columns); Bergsma 2013, section 2, takes 1/(n-1) from
// it and from the smaller number of values less 1.
func TestCramer(t *testing.T) {
	for _, of := range [][4]uint32{{8, 2, 3, 7}, {10, 0, 0, 10}, {5, 5, 5, 5}, {6, 4, 4, 6}} {
		a, b, c, d := float64(of[0]), float64(of[1]), float64(of[2]), float64(of[3])
		n := a + b + c + d
		phi := (a*d - b*c) * (a*d - b*c) / ((a + b) * (c + d) * (a + c) * (b + d))
		want := math.Sqrt(max(0, phi-1/(n-1)) / (1 - 1/(n-1)))
		var rows [][]uint32
		var weights []float64
		for cell, count := range of {
			rows = append(rows, []uint32{uint32(cell / 2), uint32(cell % 2)})
			weights = append(weights, float64(count))
		}
		table := codedTable([]datasets.Attribute{category("x", "0", "1", "never"),
			category("y", "0", "1")}, rows...)
		pairs := must.Get(associate(t.Context(), table, table.AllRows(), weights))
		if !near(pairs[0].Original, want) {
			t.Errorf("%v: %v, want %v", of, pairs[0].Original, want)
		}
	}
}

// TestAssociations: Pearson's correlation by its definition from sums of products; a weight is a
// number of repetitions; two values of a category are as good as numbers.
func TestAssociations(t *testing.T) {
	attributes := []datasets.Attribute{number("x", 10), number("y", 10), category("c", "0", "1"),
		category("d", "0", "1", "2")}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "rows")
		var rows, repeated [][]uint32
		var weights []float64
		for range n {
			row := []uint32{rapid.Uint32Range(0, 9).Draw(t, "x"),
				rapid.Uint32Range(0, 9).Draw(t, "y"), rapid.Uint32Range(0, 1).Draw(t, "c"),
				rapid.Uint32Range(0, 2).Draw(t, "d")}
			times := rapid.IntRange(0, 3).Draw(t, "times")
			rows, weights = append(rows, row), append(weights, float64(times))
			for range times {
				repeated = append(repeated, row)
			}
		}
		table, other := codedTable(attributes, rows...), codedTable(attributes, repeated...)
		got := must.Get(associate(t.Context(), table, table.AllRows(), weights))
		want := must.Get(associate(t.Context(), other, other.AllRows(), nil))
		if len(got) != len(want) {
			t.Fatalf("%v of weights, %v of repetitions", got, want)
		}
		pearson := func(a, b int) float64 {
			var sx, sy, sxx, syy, sxy float64
			n := float64(len(repeated))
			for _, row := range repeated {
				x, y := float64(row[a]), float64(row[b])
				sx, sy, sxx, syy, sxy = sx+x, sy+y, sxx+x*x, syy+y*y, sxy+x*y
			}
			if n*sxx == sx*sx || n*syy == sy*sy {
				return 0
			}
			return (n*sxy - sx*sy) / math.Sqrt((n*sxx-sx*sx)*(n*syy-sy*sy))
		}
		for i, pair := range want {
			if math.Abs(got[i].Original-pair.Original) > 1e-7 { // roots of what is near 0
				t.Fatalf("%+v of weights, %+v of repetitions", got[i], pair)
			}
			switch pair.First + pair.Second {
			case "xy":
				if math.Abs(pair.Original-pearson(0, 1)) > 1e-9 {
					t.Fatalf("%+v, want %v", pair, pearson(0, 1))
				}
			case "xc":
				if math.Abs(pair.Original-math.Abs(pearson(0, 2))) > 1e-7 {
					t.Fatalf("%+v, want %v", pair, pearson(0, 2))
				}
			}
		}
	})
}

// TestAssociationError: in the rows y is x and c says nothing, in the records y is -x. The pairs'
// errors are 2, 0 and 0.
func TestAssociationError(t *testing.T) {
	attributes := []datasets.Attribute{number("x", 2), number("y", 2), category("c", "0", "1")}
	table := codedTable(attributes, []uint32{0, 0, 0}, []uint32{0, 0, 1}, []uint32{1, 1, 0},
		[]uint32{1, 1, 1})
	records := codedTable(attributes, []uint32{0, 1, 0}, []uint32{1, 0, 0}, []uint32{0, 1, 1},
		[]uint32{1, 0, 1})
	c := against(table, records, nil)
	wants(t, "association-error", c, nil, 2.0/3)
	pairs := must.Get(Associations(t.Context(), c))
	if first := pairs[0]; first.First != "x" || first.Second != "y" || !near(first.Original, 1) ||
		!near(first.Published, -1) {
		t.Errorf("%+v", pairs)
	}
}
