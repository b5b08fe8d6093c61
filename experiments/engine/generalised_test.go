package engine

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ppdp/experiments/language"
	"ppdp/numeric/random"
)

// generalisedSchema has every kind of attribute that is written generalised: whole numbers,
// continuous ones with a last job that is cut off, categories with and without a taxonomy.
const generalisedSchema = `
class: buys
attributes:
  - {name: age, kind: numeric, low: 18, high: 80}
  - {name: income, kind: numeric, low: 0, high: 1.05, step: 0.15, continuous: true}
  - {name: job, kind: categorical, values: [clerk, cook, pilot, smith], order: given}
  - name: place
    kind: categorical
    taxonomy: {anywhere: {north: [ayr, bath], south: [deal, eye, ely]}}
  - {name: bill, kind: numeric, low: 0, high: 300, role: sensitive}
  - {name: buys, kind: categorical, values: ["no", "yes"]}
`

// generalisedRows are 300 rows of it, sorted by age. The bill is the number of the row.
func generalisedRows() [][]string {
	draw := random.NewKey(1).Stream()
	pick := func(texts ...string) string { return texts[draw.Uint32N(uint32(len(texts)))] }
	rows := make([][]string, 300)
	for i := range rows {
		rows[i] = []string{strconv.Itoa(18 + i/5), fmt.Sprint(float64(draw.Uint32N(1050)) / 1000),
			pick("clerk", "cook", "pilot", "smith"), pick("ayr", "bath", "deal", "eye", "ely"),
			strconv.Itoa(i), pick("no", "yes")}
	}
	return rows
}

// covers reports whether a published text stands for a value, by what docs/your-table.md says of
// it.
func covers(t *testing.T, text, value string) bool {
	t.Helper()
	nodes := map[string][]string{"anywhere": {"ayr", "bath", "deal", "eye", "ely"},
		"north": {"ayr", "bath"}, "south": {"deal", "eye", "ely"},
		"job": {"clerk", "cook", "pilot", "smith"}}
	if list, ok := strings.CutPrefix(text, "{"); ok {
		return slices.Contains(strings.Split(strings.TrimSuffix(list, "}"), ", "), value)
	}
	if interval, ok := strings.CutPrefix(text, "["); ok {
		low, high, _ := strings.Cut(strings.TrimSuffix(interval, ")"), ", ")
		var numbers [3]float64
		for i, text := range []string{low, value, high} {
			number := must(strconv.ParseFloat(text, 64))
			numbers[i] = number
		}
		return numbers[0] <= numbers[1] && numbers[1] < numbers[2]
	}
	return text == value || slices.Contains(nodes[text], value)
}

// TestGeneralisedTable: what is written of a release under k-anonymity is a k-anonymous table as a
// file, is true of the rows, keeps the other attributes, and is not in their order.
func TestGeneralisedTable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rows := generalisedRows()
	var table strings.Builder
	out := csv.NewWriter(&table)
	header := []string{"age", "income", "job", "place", "bill", "buys"}
	noError(t, out.WriteAll(append([][]string{header}, rows...)))
	for name, text := range map[string]string{"my.csv": table.String(),
		"my.schema.yaml": generalisedSchema} {
		noError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	for _, c := range []struct {
		algorithm, params string
		k                 int
		kept              bool // no row may be suppressed
		drawn             bool
	}{
		{"mondrian", "k: 5", 5, true, true},
		{"mondrian", "k: 7, mode: relaxed", 7, true, true},
		{"mondrian", "k: 3, records: mean", 3, true, true},
		{"incognito", "k: 5", 5, true, false},
		{"koptimize", "k: 6, suppression: 1", 6, false, false},
	} {
		t.Run(c.algorithm+" "+c.params, func(t *testing.T) {
			t.Parallel()
			parsed := must(language.Parse(filepath.Join(dir, "spec.yaml"), []byte(fmt.Sprintf(
				"name: test/own\nseed: 3\ndataset: {name: csv, csv: my.csv, schema: "+
					"my.schema.yaml}\nalgorithms: [{name: %s, params: {%s}}]\n"+
					"measure: [{metric: discernibility}]\n", c.algorithm, c.params))))
			plan := must(parsed.Plan(language.Overrides{}))
			opts := options(t, t.TempDir())
			opts.WriteReleases = true
			mustRun(t, plan, opts)
			if again := mustRun(t, plan, opts); again.Cached != 1 {
				t.Errorf("a written release is made again")
			}
			files := releaseFiles(t, opts.Out, "test/own")
			if drawn := len(files) == 2; drawn != c.drawn {
				t.Errorf("%d files, drawn records %t", len(files), c.drawn)
			}
			for name, text := range files { // order-free: each is checked
				if strings.HasSuffix(name, ".drawn.csv") {
					continue
				}
				published := must(csv.NewReader(strings.NewReader(text)).ReadAll())
				if !slices.Equal(published[0], header) {
					t.Errorf("header %q", published[0])
				}
				checkGeneralised(t, rows, published[1:], c.k, c.kept)
			}
		})
	}
}

func checkGeneralised(t *testing.T, rows, published [][]string, k int, kept bool) {
	t.Helper()
	if kept && len(published) != len(rows) {
		t.Errorf("%d rows of %d are published", len(published), len(rows))
	}
	classes := make(map[string]int)
	for _, row := range published {
		classes[strings.Join(row[:4], "|")]++
	}
	if len(classes) < 2 {
		t.Errorf("%d classes: nothing is tested", len(classes))
	}
	for class, size := range classes { // order-free: each is checked
		if size < k {
			t.Errorf("class %s has %d rows, must be %d", class, size, k)
		}
	}
	inOrder, last, class := 0, -1, ""
	for _, row := range published {
		number := must(strconv.Atoi(row[4]))
		for j, text := range row {
			if !covers(t, text, rows[number][j]) {
				t.Errorf("%q is published of row %d, %q", row, number, rows[number])
			}
		}
		if here := strings.Join(row[:4], "|"); here != class {
			class, last = here, -1
		}
		if number > last {
			inOrder++
		}
		last = number
	}
	// In random order a row follows a lower one half of the time, and the first of a class always.
	if most := len(classes) + (len(published)-len(classes))*2/3; inOrder > most {
		t.Errorf("%d of %d rows follow a lower one of their class, must be at most %d",
			inOrder, len(published), most)
	}
}
