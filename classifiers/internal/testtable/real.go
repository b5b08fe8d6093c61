package testtable

import (
	"compress/gzip"
	"encoding/csv"
	"maps"
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

// half is a real table, the halves of it that reference.py takes, and the attribute whose numbers
// are learnt.
type half struct {
	target string
	load   func(tb testing.TB) (table *datasets.Table, train, test []int32)
}

// halves are the tables of reference.py, as it reads them.
var halves = map[string]half{
	"adult": {"age", func(tb testing.TB) (*datasets.Table, []int32, []int32) {
		table := Adult(tb, "diffmulti")
		return table, table.AllRows()[:30_162], table.AllRows()[30_162:]
	}},
	// Five numeric columns of all rows, those with missing values too.
	"adult-five": {"age", func(tb testing.TB) (*datasets.Table, []int32, []int32) {
		rows := lines(tb, "adult/adult.data.gz")
		first := len(rows)
		rows = append(rows, lines(tb, "adult/adult.test.gz")...)
		names := strings.Fields("age 1 2 3 education-num 5 6 7 8 9 capital-gain capital-loss " +
			"hours-per-week 13 class")
		table := build(tb, names, rows, names, strings.Fields("1 2 3 5 6 7 8 9 13"), "class",
			func(s string) bool { return strings.HasPrefix(s, ">50K") })
		return table, table.AllRows()[:first], table.AllRows()[first:]
	}},
	"diabetes": {"time_in_hospital", interleaved(4, "tables/diabetic_data.csv.gz",
		"time_in_hospital num_lab_procedures num_procedures num_medications number_outpatient "+
			"number_emergency number_inpatient number_diagnoses",
		"encounter_id patient_nbr weight diag_1 diag_2 diag_3",
		"readmitted", func(s string) bool { return s != "NO" })},
	"acs": {"AGEP", interleaved(2, "tables/national2019.csv.gz", "AGEP PWGTP",
		"DENSITY INDP PINCP POVPIP WGTP",
		"PINCP_DECILE", func(s string) bool { return s >= "5" && s <= "9" })},
}

// interleaved takes rows at equal steps to learn from and those halfway between to test.
func interleaved(every int, path, numbers, leave, class string, of func(string) bool) func(
	tb testing.TB) (*datasets.Table, []int32, []int32) {
	return func(tb testing.TB) (table *datasets.Table, train, test []int32) {
		rows := lines(tb, path)
		var taken [][]string
		for i, row := range rows[1:] {
			switch i % every {
			case 0:
				train = append(train, int32(len(taken)))
			case every / 2:
				test = append(test, int32(len(taken)))
			default:
				continue
			}
			taken = append(taken, row)
		}
		table = build(tb, rows[0], taken, strings.Fields(numbers), strings.Fields(leave), class, of)
		return table, train, test
	}
}

// coded is a half whose categorical attributes are numbers: the places of their values in
// alphabetical order.
func coded(h half) half {
	return half{h.target, func(tb testing.TB) (*datasets.Table, []int32, []int32) {
		table, train, test := h.load(tb)
		schema := &datasets.Schema{Attributes: slices.Clone(table.Schema().Attributes)}
		places := make([][]uint32, len(schema.Attributes))
		for at := range schema.Attributes {
			a := &schema.Attributes[at]
			if a.Kind == datasets.Numeric || a.Role == datasets.Class {
				continue
			}
			for _, value := range a.Values {
				place := 0
				for _, other := range a.Values {
					if other < value {
						place++
					}
				}
				places[at] = append(places[at], uint32(place))
			}
			*a = datasets.Attribute{Name: a.Name, High: float64(len(a.Values)), Step: 1}
		}
		b := datasets.NewBuilder(schema, table.Len())
		for row := range table.Len() {
			b.AddRow()
			for at := range schema.Attributes {
				code := table.Column(at).At(int32(row))
				if places[at] != nil {
					code = places[at][code]
				}
				b.Set(row, at, code)
			}
		}
		return b.Table(), train, test
	}}
}

// lines reads a packed CSV file below $PPDP_DATA, or skips the test. Fields are trimmed, lines that
// are shorter than the longest (headings, empty ones) left out.
func lines(tb testing.TB, path string) [][]string {
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

// build makes a table of lines whose columns are named. Those of leave are left out; numbers are
// whole, from the smallest to the largest that occurs; the others are categorical. The class is
// whether of holds for the column named class.
func build(tb testing.TB, names []string, lines [][]string, numbers, leave []string, class string,
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

// Reference is what another program finds on a half of a table after learning from the other: the
// share of right classes and the area under the ROC curve, or R² and the mean absolute error.
type Reference struct{ Accuracy, AUC, R2, MAE float64 }

// Compare compares a classifier with references on halves of tables, by name: the accuracy within a
// tolerance, the area within 0.004, unless there is none. With ", codes" behind the name,
// categorical attributes are numbers.
func Compare(t *testing.T, c classifiers.Classifier, tolerance float64,
	references map[string]Reference) {
	each(t, references, func(t *testing.T, h half, want Reference) {
		table, train, test := h.load(t)
		model := Fit(t, c, classifiers.Data{Table: table, Rows: train})
		check(t, "accuracy", Accuracy(model, table, test), want.Accuracy, tolerance)
		if want.AUC == 0 {
			return
		}
		p := make([]float64, 2*len(test))
		model.(classifiers.ProbabilityModel).Probabilities(p, table, test)
		of := table.Column(table.Schema().Class())
		var sure [2][]float64
		for i, row := range test {
			sure[of.At(row)] = append(sure[of.At(row)], p[2*i+1])
		}
		slices.Sort(sure[0])
		below := 0.0
		for _, x := range sure[1] {
			from, _ := slices.BinarySearch(sure[0], x)
			to, _ := slices.BinarySearch(sure[0], math.Nextafter(x, 2))
			below += float64(float64(from+to) / 2)
		}
		check(t, "area", below/(float64(len(sure[0]))*float64(len(sure[1]))), want.AUC, 0.004)
	})
}

// CompareNumbers compares a regressor with references on halves of tables, by name: R² within the
// tolerance, the mean absolute error within that share of it.
func CompareNumbers(t *testing.T, r classifiers.Regressor, tolerance float64,
	references map[string]Reference) {
	each(t, references, func(t *testing.T, h half, want Reference) {
		table, train, test := h.load(t)
		at := table.Schema().Index(h.target)
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
			left += float64((predicted[i] - y) * (predicted[i] - y))
			all += float64((mean - y) * (mean - y))
			off += math.Abs(predicted[i]-y) / float64(len(test))
		}
		check(t, "R²", 1-left/all, want.R2, tolerance)
		check(t, "mean error", off, want.MAE, tolerance*want.MAE)
	})
}

func each(t *testing.T, references map[string]Reference,
	compare func(t *testing.T, h half, want Reference)) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(references)) {
		t.Run(name, func(t *testing.T) {
			table, codes := strings.CutSuffix(name, ", codes")
			h := halves[table]
			if codes {
				h = coded(h)
			}
			compare(t, h, references[name])
		})
	}
}

func check(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	t.Logf("%s %.5f, the reference is %.5f", what, got, want)
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s %.5f, the reference is %.5f within %v", what, got, want, tolerance)
	}
}
