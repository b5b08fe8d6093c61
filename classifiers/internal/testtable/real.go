package testtable

import (
	"compress/gzip"
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ppdp/classifiers"
	"ppdp/datasets"
)

// Half is a real table, the halves of it that reference.py takes, and the attribute whose numbers
// are learnt.
type Half struct {
	Target string
	load   func(tb testing.TB) (table *datasets.Table, train, test []int32)
}

// The tables of reference.py, as it reads them.
var (
	AdultHalf = Half{"age", func(tb testing.TB) (*datasets.Table, []int32, []int32) {
		table := Adult(tb, "diffmulti")
		return table, table.AllRows()[:30_162], table.AllRows()[30_162:]
	}}
	DiabetesHalf = Half{"time_in_hospital", interleaved(4, "tables/diabetic_data.csv.gz",
		"time_in_hospital num_lab_procedures num_procedures num_medications number_outpatient "+
			"number_emergency number_inpatient number_diagnoses",
		"encounter_id patient_nbr weight diag_1 diag_2 diag_3",
		"readmitted", func(s string) bool { return s != "NO" })}
	ACSHalf = Half{"AGEP", interleaved(2, "tables/national2019.csv.gz", "AGEP PWGTP",
		"DENSITY INDP PINCP POVPIP WGTP",
		"PINCP_DECILE", func(s string) bool { return s >= "5" && s <= "9" })}
	// AdultFive is five numeric columns of all rows, those with missing values too.
	AdultFive = Half{"age", func(tb testing.TB) (table *datasets.Table, train, test []int32) {
		lines := Lines(tb, "adult/adult.data.gz")
		first := len(lines)
		lines = append(lines, Lines(tb, "adult/adult.test.gz")...)
		names := strings.Fields("age 1 2 3 education-num 5 6 7 8 9 capital-gain capital-loss " +
			"hours-per-week 13 class")
		table = Build(tb, names, lines, names, strings.Fields("1 2 3 5 6 7 8 9 13"), "class",
			func(s string) bool { return strings.HasPrefix(s, ">50K") })
		return table, table.AllRows()[:first], table.AllRows()[first:]
	}}
)

// interleaved takes every so many rows to learn from and those halfway between to test.
func interleaved(every int, path, numbers, leave, class string, of func(string) bool) func(
	tb testing.TB) (*datasets.Table, []int32, []int32) {
	return func(tb testing.TB) (table *datasets.Table, train, test []int32) {
		lines := Lines(tb, path)
		table = Build(tb, lines[0], lines[1:], strings.Fields(numbers), strings.Fields(leave),
			class, of)
		for row := range table.AllRows() {
			switch row % every {
			case 0:
				train = append(train, int32(row))
			case every / 2:
				test = append(test, int32(row))
			}
		}
		return table, train, test
	}
}

// Lines reads a packed CSV file below $PPDP_DATA, or skips the test. Fields are trimmed, lines that
// are shorter than the longest (headings, empty ones) left out.
func Lines(tb testing.TB, path string) [][]string {
	tb.Helper()
	dir := os.Getenv("PPDP_DATA")
	if dir == "" {
		tb.Skip("PPDP_DATA is not set: no " + path + " to compare with the references")
	}
	file, err := os.Open(filepath.Join(dir, path))
	if os.IsNotExist(err) {
		tb.Skip(path + " is not in $PPDP_DATA: nothing to compare with the references")
	}
	if err != nil {
		tb.Fatal(err)
	}
	defer file.Close()
	packed, err := gzip.NewReader(file)
	if err != nil {
		tb.Fatal(err)
	}
	reader := csv.NewReader(packed)
	reader.FieldsPerRecord, reader.TrimLeadingSpace = -1, true
	lines, err := reader.ReadAll()
	if err != nil {
		tb.Fatal(err)
	}
	width := 0
	for _, line := range lines {
		width = max(width, len(line))
		for i := range line {
			line[i] = strings.TrimSpace(line[i])
		}
	}
	return slices.DeleteFunc(lines, func(line []string) bool { return len(line) < width })
}

// Build makes a table of lines whose columns are named. Those of leave are left out; numbers are
// whole, from the smallest to the largest that occurs; the others are categorical. The class is
// whether of holds for the column named class.
func Build(tb testing.TB, names []string, lines [][]string, numbers, leave []string, class string,
	of func(string) bool) *datasets.Table {
	tb.Helper()
	schema := &datasets.Schema{}
	columns := make([][]uint32, 0, len(names))
	for c, name := range names {
		if slices.Contains(leave, name) || name == class {
			continue
		}
		codes := make([]uint32, len(lines))
		columns = append(columns, codes)
		if !slices.Contains(numbers, name) {
			position := make(map[string]uint32)
			a := Categorical(name)
			for _, line := range lines {
				if _, known := position[line[c]]; !known {
					position[line[c]] = uint32(len(a.Values))
					a.Values = append(a.Values, line[c])
				}
			}
			for i, line := range lines {
				codes[i] = position[line[c]]
			}
			schema.Attributes = append(schema.Attributes, a)
			continue
		}
		values := make([]float64, len(lines))
		for i, line := range lines {
			var err error
			if values[i], err = strconv.ParseFloat(line[c], 64); err != nil {
				tb.Fatal(err)
			}
		}
		low := slices.Min(values)
		schema.Attributes = append(schema.Attributes,
			datasets.Attribute{Name: name, Low: low, High: slices.Max(values) + 1, Step: 1})
		for i, v := range values {
			codes[i] = uint32(v - low)
		}
	}
	label := Categorical("class", "no", "yes")
	label.Role = datasets.Class
	schema.Attributes = append(schema.Attributes, label)
	if err := schema.Validate(); err != nil {
		tb.Fatal(err)
	}
	at := slices.Index(names, class)
	b := datasets.NewBuilder(schema, len(lines))
	for i, line := range lines {
		row := b.AddRow()
		for c, codes := range columns {
			b.Set(row, c, codes[i])
		}
		if of(line[at]) {
			b.Set(row, len(columns), 1)
		}
	}
	return b.Table()
}

// CompareAccuracy compares the accuracy on a half with a reference, within tolerance.
func CompareAccuracy(t *testing.T, c classifiers.Classifier, half Half, want, tolerance float64) {
	t.Helper()
	table, train, test := half.load(t)
	got := Accuracy(Fit(t, c, classifiers.Data{Table: table, Rows: train}), table, test)
	t.Logf("accuracy %.5f, the reference is %.5f", got, want)
	if math.Abs(got-want) > tolerance {
		t.Errorf("accuracy %.5f, the reference is %.5f within %v", got, want, tolerance)
	}
}

// CompareNumbers compares a regressor with what another program finds of a half's target: R²
// within the tolerance, and the mean absolute error within that share of it.
func CompareNumbers(t *testing.T, r classifiers.Regressor, half Half, r2, mae, tolerance float64) {
	t.Helper()
	table, train, test := half.load(t)
	at := table.Schema().Index(half.Target)
	model, err := r.FitNumber(t.Context(), classifiers.Data{Table: table, Rows: train}, at)
	if err != nil {
		t.Fatal(err)
	}
	predicted := make([]float64, len(test))
	model.Numbers(predicted, table, test)
	mean, left, all, off := 0.0, 0.0, 0.0, 0.0
	for _, row := range test {
		mean += table.Number(row, at) / float64(len(test))
	}
	for i, row := range test {
		y := table.Number(row, at)
		left += math.Pow(predicted[i]-y, 2)
		all += math.Pow(mean-y, 2)
		off += math.Abs(predicted[i]-y) / float64(len(test))
	}
	got := 1 - left/all
	t.Logf("R² %.5f, mean error %.5f, the reference is %.5f and %.5f", got, off, r2, mae)
	if math.Abs(got-r2) > tolerance || math.Abs(off-mae) > tolerance*mae {
		t.Errorf("R² %.5f, mean error %.5f, the reference is %.5f and %.5f within %v",
			got, off, r2, mae, tolerance)
	}
}
