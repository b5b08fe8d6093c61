package leafmajority

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ppdp/classifiers"
	"ppdp/classifiers/internal/testtable"
)

// TestFitRegions: the majority, the lowest of equals, and the overall majority (class 2, with 8)
// where nothing was counted.
func TestFitRegions(t *testing.T) {
	counts := []float64{1, 3, 0, 2, 0, 2, 0, 0, 0, 0, 1, 6}
	if got, want := (Classifier{}).FitRegions(counts, 3), []uint32{1, 0, 2,
		2}; !slices.Equal(got, want) {
		t.Errorf("predicted %v, must be %v", got, want)
	}
	if got := (Classifier{}).FitRegions(make([]float64, 4), 2); !slices.Equal(got, []uint32{0, 0}) {
		t.Errorf("without counts predicted %v, must be class 0", got)
	}
}

// TestFit compares with a map from points to counts.
func TestFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := testtable.Random(t, 80, true)
		class := table.Schema().Class()
		classes := table.Schema().Classes()
		train := table.AllRows()[:table.Len()/2]
		point := func(row int32) string {
			var key []byte
			for _, at := range classifiers.Features(table.Schema()) {
				key = append(key, byte(table.Column(at).At(row)))
			}
			return string(key)
		}
		total, counts := make([]float64, classes), make(map[string][]float64)
		for _, row := range train {
			if counts[point(row)] == nil {
				counts[point(row)] = make([]float64, classes)
			}
			counts[point(row)][table.Column(class).At(row)]++
			total[table.Column(class).At(row)]++
		}
		got := testtable.Predict(testtable.Fit(t, Classifier{},
			classifiers.Data{Table: table, Rows: train}), table)
		for _, row := range table.AllRows() {
			of, seen := counts[point(row)]
			if !seen {
				of = total
			}
			if want := uint32(classifiers.Majority(of)); got[row] != want {
				t.Fatalf("row %d predicted %d, must be %d (seen %t)", row, got[row], want, seen)
			}
		}
	})
}
