package classifiers

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ppdp/datasets"
	"ppdp/internal/must"
	"ppdp/numeric/random"
)

func pair() *datasets.Table {
	schema := &datasets.Schema{Attributes: []datasets.Attribute{
		{Name: "x", Kind: datasets.Categorical, Values: []string{"p", "q"}},
		{Name: "y", Kind: datasets.Categorical, Values: []string{"n", "y"}, Role: datasets.Class},
	}}
	b := datasets.NewBuilder(schema, 2)
	b.AddRow()
	b.Set(b.AddRow(), 1, 1)
	return b.Table()
}

func TestCheckSaysEverything(t *testing.T) {
	table := pair()
	schema := *table.Schema()
	schema.Attributes = append([]datasets.Attribute(nil), schema.Attributes...)
	schema.Attributes[1].Role = datasets.QuasiIdentifier
	classless := must.Get(table.WithSchema(&schema))
	bad := Data{Table: classless, Rows: []int32{0, 2}, Weights: []float64{math.NaN()}}
	err := bad.Check(t.Context())
	if !errors.Is(err, ErrNoClass) {
		t.Errorf("error %v, must wrap %v", err, ErrNoClass)
	}
	for _, part := range []string{"row 2 of a table of 2 rows", "1 weights for a table of 2 rows",
		"weight NaN of row 0"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("error %v does not say %q", err, part)
		}
	}
	for _, weights := range [][]float64{{1, -1}, {math.Inf(1), 1}} {
		if err := (Data{Table: table, Weights: weights}).Check(t.Context()); err == nil {
			t.Errorf("weights %v were accepted", weights)
		}
	}
	heavy := Data{Table: table, Rows: []int32{0, 1},
		Weights: []float64{math.MaxFloat64, math.MaxFloat64}}
	if err := heavy.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "add up") {
		t.Errorf("weights beyond all numbers together: error %v", err)
	}
	heavy.Rows = heavy.Rows[:1]
	if err := heavy.Check(t.Context()); err != nil {
		t.Errorf("the largest weight by itself: error %v", err)
	}
	if err := (Data{}).Check(t.Context()); err == nil {
		t.Error("no table was accepted")
	}
	good := Data{Table: table, Rows: []int32{1, 0}, Weights: []float64{0, 0.5}}
	if err := good.Check(t.Context()); err != nil {
		t.Errorf("error %v of good data", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := good.Check(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
}

func TestLabelsLeaveOutWeightless(t *testing.T) {
	rows, labels, weights := Data{Table: pair(), Rows: []int32{1, 0, 1},
		Weights: []float64{0, 2}}.Labels()
	if len(rows) != 2 || rows[0] != 1 || rows[1] != 1 || labels[0] != 1 || labels[1] != 1 ||
		weights[0] != 2 || weights[1] != 2 {
		t.Errorf("rows %v, labels %v, weights %v", rows, labels, weights)
	}
}

// checkTiling fails unless the folds' test parts tile 0..n-1 in sizes that differ by at most 1 and
// every training part is the complement.
func checkTiling(t *rapid.T, folds []Fold, n int) {
	seen := make([]int, n)
	least, most := n, 0
	for _, fold := range folds {
		least, most = min(least, len(fold.Test)), max(most, len(fold.Test))
		for _, position := range fold.Test {
			seen[position]++
		}
		if !slices.IsSorted(fold.Train) || !slices.IsSorted(fold.Test) {
			t.Fatalf("positions are not ascending: %v", fold)
		}
		both := append(slices.Clone(fold.Train), fold.Test...)
		slices.Sort(both)
		for i, position := range both {
			if len(both) != n || int32(i) != position {
				t.Fatalf("training and test parts %v of %d rows", fold, n)
			}
		}
	}
	if most-least > 1 {
		t.Fatalf("folds of %d to %d rows", least, most)
	}
	for position, times := range seen {
		if times != 1 {
			t.Fatalf("position %d is tested %d times", position, times)
		}
	}
}

func TestFoldsTile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 200).Draw(t, "rows")
		k := rapid.IntRange(2, min(n, 20)).Draw(t, "folds")
		folds := must.Get(Folds(random.NewKey(rapid.Uint64().Draw(t, "seed")), n, k))
		if len(folds) != k {
			t.Fatalf("%d folds, asked for %d", len(folds), k)
		}
		checkTiling(t, folds, n)
	})
}

func TestStratifiedBalancesClasses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		labels := rapid.SliceOfN(rapid.Uint32Range(0, 3), 2, 200).Draw(t, "labels")
		k := rapid.IntRange(2, min(len(labels), 20)).Draw(t, "folds")
		folds := must.Get(Stratified(random.NewKey(rapid.Uint64().Draw(t, "seed")), labels, k))
		checkTiling(t, folds, len(labels))
		for class := range uint32(4) {
			least, most := len(labels), 0
			for _, fold := range folds {
				count := 0
				for _, position := range fold.Test {
					if labels[position] == class {
						count++
					}
				}
				least, most = min(least, count), max(most, count)
			}
			if most-least > 1 {
				t.Fatalf("class %d has %d to %d rows in a fold", class, least, most)
			}
		}
	})
}

func TestFoldsFollowTheirKey(t *testing.T) {
	first := func(seed uint64) []int32 {
		folds := must.Get(Folds(random.NewKey(seed), 100, 5))
		return folds[0].Test
	}
	if !slices.Equal(first(1), first(1)) {
		t.Error("one seed gave two divisions")
	}
	// Two random 20-subsets of 100 coincide with probability 1/C(100,20), below 1e-20.
	if slices.Equal(first(1), first(2)) {
		t.Error("two seeds gave one division")
	}
	labels := make([]uint32, 100)
	a, _ := Stratified(random.NewKey(1), labels, 5)
	b, _ := Stratified(random.NewKey(2), labels, 5)
	if slices.Equal(a[0].Test, b[0].Test) {
		t.Error("two seeds gave one stratified division")
	}
}

// TestFoldsAreUniform counts how often each of 10 positions is tested in the first of two folds
// over 4000 seeds: binomial with mean 2000 and standard deviation 31.6. The band of 5 deviations is
// left by one of the ten with probability below 1e-5.
func TestFoldsAreUniform(t *testing.T) {
	for name, divide := range map[string]func(key random.Key) ([]Fold, error){
		"plain": func(key random.Key) ([]Fold, error) { return Folds(key, 10, 2) },
		"stratified": func(key random.Key) ([]Fold, error) {
			return Stratified(key, []uint32{0, 1, 0, 1, 0, 1, 0, 1, 0, 0}, 2)
		},
	} {
		var times [10]int
		for seed := range uint64(4000) {
			folds := must.Get(divide(random.NewKey(seed)))
			for _, position := range folds[0].Test {
				times[position]++
			}
		}
		for position, count := range times {
			if count < 2000-158 || count > 2000+158 {
				t.Errorf("%s: position %d is in the first fold %d times of 4000",
					name, position, count)
			}
		}
	}
}

func TestFoldsRefuse(t *testing.T) {
	for _, bad := range []struct{ n, k int }{{10, 1}, {10, 0}, {10, -1}, {10, 11}, {0, 2}, {1, 2}} {
		if _, err := Folds(random.NewKey(1), bad.n, bad.k); err == nil {
			t.Errorf("%d folds of %d rows were accepted", bad.k, bad.n)
		}
		if _, err := Stratified(random.NewKey(1), make([]uint32, bad.n), bad.k); err == nil {
			t.Errorf("%d stratified folds of %d rows were accepted", bad.k, bad.n)
		}
	}
}
