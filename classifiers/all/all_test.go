package all_test

import (
	"context"
	"errors"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ppdp/classifiers"
	_ "ppdp/classifiers/all"
	"ppdp/classifiers/internal/testtable"
	"ppdp/datasets"
)

// every runs a property for each registered classifier. nominal says that it takes no numeric attributes.
func every(t *testing.T, property func(t *rapid.T, c classifiers.Classifier, nominal bool)) {
	for _, name := range classifiers.Names() {
		c, err := classifiers.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { property(t, c, name == "id3") })
		})
	}
}

func TestEveryFolderIsRegistered(t *testing.T) {
	entries, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	var folders []string
	for _, entry := range entries {
		if name := entry.Name(); entry.IsDir() && name != "all" && name != "internal" && name != "testdata" {
			folders = append(folders, name)
		}
	}
	registered := classifiers.Names()
	for _, folder := range folders {
		name := folder
		switch folder {
		case "bayes":
			name = "naive-bayes"
		case "leafmajority":
			name = "leaf-majority"
		}
		if !slices.Contains(registered, name) {
			t.Errorf("folder %s is not listed in all: registered are %v", folder, registered)
		}
	}
	for _, name := range registered {
		c, err := classifiers.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if info := c.Info(); info.Title == "" || info.Source == "" || info.Revision < 1 {
			t.Errorf("%s: incomplete description %+v", name, info)
		}
	}
}

// weigh draws whole weights from 0 to 3 for every row.
func weigh(t *rapid.T, table *datasets.Table) []float64 {
	weights := make([]float64, table.Len())
	for row := range weights {
		weights[row] = float64(rapid.IntRange(0, 3).Draw(t, "weight"))
	}
	return weights
}

func fit(t *rapid.T, c classifiers.Classifier, table *datasets.Table, rows []int32, weights []float64) []uint32 {
	model := testtable.Fit(t, c, classifiers.Data{Table: table, Rows: rows, Weights: weights})
	return testtable.Predict(model, table)
}

// TestWeightsAreRepetitions: a row of weight w counts like w rows, weight 0 like none.
func TestWeightsAreRepetitions(t *testing.T) {
	every(t, func(t *rapid.T, c classifiers.Classifier, nominal bool) {
		table := testtable.Random(t, 60, !nominal)
		weights := weigh(t, table)
		var repeated []int32
		for row, w := range weights {
			for range int(w) {
				repeated = append(repeated, int32(row))
			}
		}
		got := fit(t, c, table, table.AllRows(), weights)
		if want := fit(t, c, table, repeated, nil); !slices.Equal(got, want) {
			t.Fatalf("weighted %v, repeated %v", got, want)
		}
	})
}

// TestRowOrderDoesNotMatter also holds the rows apart from their place in the table.
func TestRowOrderDoesNotMatter(t *testing.T) {
	every(t, func(t *rapid.T, c classifiers.Classifier, nominal bool) {
		table := testtable.Random(t, 60, !nominal)
		weights := weigh(t, table)
		rows := table.AllRows()
		want := fit(t, c, table, rows, weights)
		shuffled := rapid.Permutation(rows).Draw(t, "order")
		if got := fit(t, c, table, shuffled, weights); !slices.Equal(got, want) {
			t.Fatalf("in order %v, shuffled %v", want, got)
		}
	})
}

// TestLabelsAreNotRead: a model must not look at the class of the rows it predicts, nor may a second fit
// differ from the first.
func TestLabelsAreNotRead(t *testing.T) {
	every(t, func(t *rapid.T, c classifiers.Classifier, nominal bool) {
		table := testtable.Random(t, 60, !nominal)
		model := testtable.Fit(t, c, classifiers.Data{Table: table, Rows: table.AllRows()})
		hidden := datasets.NewBuilder(table.Schema(), table.Len())
		for row := range table.Len() {
			hidden.AddRow()
			for _, at := range classifiers.Features(table.Schema()) {
				hidden.Set(row, at, table.Column(at).At(int32(row)))
			}
		}
		want := testtable.Predict(model, table)
		if got := testtable.Predict(model, hidden.Table()); !slices.Equal(got, want) {
			t.Fatalf("with labels %v, without %v", want, got)
		}
		if again := fit(t, c, table, table.AllRows(), nil); !slices.Equal(again, want) {
			t.Fatalf("first fit %v, second %v", want, again)
		}
	})
}

// TestDegenerateTables: no rows predict class 0, one class predicts that class.
func TestDegenerateTables(t *testing.T) {
	every(t, func(t *rapid.T, c classifiers.Classifier, nominal bool) {
		table := testtable.Random(t, 30, !nominal)
		for _, class := range fit(t, c, table, nil, nil) {
			if class != 0 {
				t.Fatalf("without training rows predicted %d", class)
			}
		}
		for _, class := range fit(t, c, table, table.AllRows(), make([]float64, table.Len())) {
			if class != 0 {
				t.Fatalf("without any weight predicted %d", class)
			}
		}
		if table.Len() == 0 {
			return
		}
		only := table.Column(table.Schema().Class()).At(0)
		rows := slices.DeleteFunc(table.AllRows(), func(row int32) bool {
			return table.Column(table.Schema().Class()).At(row) != only
		})
		for _, class := range fit(t, c, table, rows, nil) {
			if class != only {
				t.Fatalf("trained on class %d alone, predicted %d", only, class)
			}
		}
	})
}

// TestOnlyAClass: a schema without features leaves the majority.
func TestOnlyAClass(t *testing.T) {
	table, err := testtable.Weather(false).Project("play")
	if err != nil {
		t.Fatal(err)
	}
	every(t, func(t *rapid.T, c classifiers.Classifier, _ bool) {
		want := slices.Repeat([]uint32{1}, table.Len())
		if diff := cmp.Diff(want, fit(t, c, table, table.AllRows(), nil)); diff != "" {
			t.Fatal(diff)
		}
	})
}

// TestPredictAllocatesNothingPerRow: fifty times the rows need no more allocations.
func TestPredictAllocatesNothingPerRow(t *testing.T) {
	table, err := testtable.Synthetic(t, 5000).Project("workclass", "education", "relationship", "race", "salary")
	if err != nil {
		t.Fatal(err)
	}
	rows, dst := table.AllRows(), make([]uint32, table.Len())
	for _, name := range classifiers.Names() {
		c, err := classifiers.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		model := testtable.Fit(t, c, classifiers.Data{Table: table, Rows: rows})
		few := testing.AllocsPerRun(5, func() { model.Predict(dst, table, rows[:100]) })
		many := testing.AllocsPerRun(5, func() { model.Predict(dst, table, rows) })
		if many > few {
			t.Errorf("%s: %v allocations for 5000 rows, %v for 100", name, many, few)
		}
	}
}

func TestFitRefuses(t *testing.T) {
	table := testtable.Weather(false)
	classless, err := table.Project("outlook", "windy")
	if err != nil {
		t.Fatal(err)
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	every(t, func(t *rapid.T, c classifiers.Classifier, _ bool) {
		if _, err := c.Fit(context.Background(), classifiers.Data{Table: classless, Rows: classless.AllRows()}); !errors.Is(err, classifiers.ErrNoClass) {
			t.Fatalf("without a class: error %v, must wrap %v", err, classifiers.ErrNoClass)
		}
		if _, err := c.Fit(context.Background(), classifiers.Data{Table: table, Rows: []int32{99}}); err == nil {
			t.Fatal("a row outside the table was accepted")
		}
		if _, err := c.Fit(cancelled, classifiers.Data{Table: table, Rows: table.AllRows()}); !errors.Is(err, context.Canceled) {
			t.Fatalf("cancelled: error %v, must be %v", err, context.Canceled)
		}
	})
}

// TestExtremeWeights: counts of a release at a tiny epsilon are beyond all reason, and still finite numbers. A
// classifier may refuse them; it must neither panic nor predict what is no class.
func TestExtremeWeights(t *testing.T) {
	every(t, func(t *rapid.T, c classifiers.Classifier, nominal bool) {
		table := testtable.Random(t, 30, !nominal)
		weights := make([]float64, table.Len())
		for row := range weights {
			weights[row] = rapid.SampledFrom([]float64{0, math.SmallestNonzeroFloat64, 1e-300, 0.3, 1, 1e15, 1e300, 1e306}).Draw(t, "weight")
		}
		model, err := c.Fit(context.Background(), classifiers.Data{Table: table, Rows: table.AllRows(), Weights: weights})
		if err != nil {
			return
		}
		for row, class := range testtable.Predict(model, table) {
			if int(class) >= table.Schema().Classes() {
				t.Fatalf("row %d: class %d of %d", row, class, table.Schema().Classes())
			}
		}
	})
}
