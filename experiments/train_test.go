package experiments

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ppdp/internal/results"
)

func TestTrainParse(t *testing.T) {
	for text, want := range map[string]int{"7": 7, "2/3": 6, "0.8": 7, "1/9": 1, "8/9": 8} {
		var train Train
		if !train.parse(text) {
			t.Errorf("%q is refused", text)
			continue
		}
		if got, err := train.of(9); err != nil || got != want {
			t.Errorf("%q of 9 rows: %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0", "-1", "07", "+7", "1", "0/3", "3/3", "4/3", "-1/3",
		"1/-3", "1/0", "0.0", "1.0", "NaN", "Inf", "a", "1/2/3", "0x7"} {
		var train Train
		if train.parse(text) && text != "1" {
			t.Errorf("%q is taken for %+v", text, train)
		}
	}
	for _, text := range []string{"9", "10", "0.1", "1/10"} {
		var train Train
		if !train.parse(text) {
			t.Fatalf("%q is refused", text)
		}
		if rows, err := train.of(9); err == nil || !strings.Contains(err.Error(), "both sides") {
			t.Errorf("%q of 9 rows: %d, %v, want an error", text, rows, err)
		}
	}
}

func FuzzTrain(f *testing.F) {
	for _, text := range []string{"30162", "2/3", "0.8", "1e-3", "1/", "/", "9223372036854775808"} {
		f.Add(text, 100)
	}
	f.Fuzz(func(t *testing.T, text string, n int) {
		var train Train
		if !train.parse(text) {
			return
		}
		if rows, err := train.of(n); err == nil && (rows < 1 || rows >= n) {
			t.Errorf("%q of %d rows: %d", text, n, rows)
		}
	})
}

// TestTrainPartsTheRows: the first rows are released, the others are the test set.
func TestTrainPartsTheRows(t *testing.T) {
	m := &cellData{rows: []int32{0, 1, 2, 3, 4}, train: 3}
	train, test := m.split(-1)
	if !slices.Equal(train, []int32{0, 1, 2}) || !slices.Equal(test, []int32{3, 4}) {
		t.Errorf("split into %v and %v", train, test)
	}
}

// TestTrainAndTrials runs a spec to its records: six of ten rows are published, and an entry's own
// number of trials is a cap while the rest of the experiment keeps its own.
func TestTrainAndTrials(t *testing.T) {
	t.Parallel()
	const text = `
name: trials
trials: 4
train: 2/3
dataset: {name: discrete, n: 10}
algorithms:
  - {name: identity, series: few, trials: 2}
  - {name: identity, series: all}
measure: [{metric: records}]
`
	for override, want := range map[int][2]int{0: {2, 4}, 1: {1, 1}, 6: {2, 6}} {
		out := t.TempDir()
		mustRun(t, mustPlan(t, text, Overrides{Trials: override}), options(t, out))
		outcome, err := results.Read(filepath.Join(out, "trials"))
		if err != nil {
			t.Fatal(err)
		}
		var cells [2]int
		for _, record := range outcome.Cells {
			if record.Series == "few" {
				cells[0]++
			} else {
				cells[1]++
			}
			if record.Fold != nil {
				t.Errorf("fold %d without folds", *record.Fold)
			}
			if got := *record.Values[0].Value; got != 6 {
				t.Errorf("%v records published, want 6", got)
			}
		}
		if cells != want {
			t.Errorf("--trials %d: %v cells, want %v", override, cells, want)
		}
	}
}
