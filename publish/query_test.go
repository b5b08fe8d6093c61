package publish

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/datasets/adult"
	csvtable "ppdp/datasets/csv"
	"ppdp/datasets/uci"
	"ppdp/internal/must"
	"ppdp/numeric/random"
)

// asked is a query with the table's own answer, worked out row by row.
type asked struct {
	text string
	keep func(row func(attribute string) string) bool
	mean string // the attribute, "" for a count
}

func (q asked) truth(table *datasets.Table) float64 {
	schema, n, sum := table.Schema(), 0., 0.
	for row := range int32(table.Len()) {
		if q.keep(func(name string) string {
			at := schema.Index(name)
			return schema.Attributes[at].Text(table.Column(at).At(row))
		}) {
			n++
			if q.mean != "" {
				sum += table.Number(row, schema.Index(q.mean))
			}
		}
	}
	if q.mean != "" {
		return sum / n
	}
	return n
}

// coverage makes releases and counts how often the intervals of measured queries hold the truth,
// and those of means in wide bins, which may hold it more often than at 95. One record stands for
// the releases', on which only values depend.
func coverage(t *testing.T, table *datasets.Table, name string, epsilon, delta float64,
	releases int, params []string, queries []asked) {
	t.Helper()
	parsed, truths := make([]*datasets.Query, len(queries)), make([]float64, len(queries))
	for i, q := range queries {
		parsed[i], truths[i] = must.Get(datasets.ParseQuery(q.text, table.Schema())), q.truth(table)
	}
	var record bytes.Buffer
	must.Do(t, csvtable.Write(&record, table, []int32{0}, nil))
	dir := t.TempDir()
	write(t, filepath.Join(dir, RecordsFile), record.String())
	wide := make([]bool, len(queries))
	held, errors, counted := make([]int, len(queries)), make([]float64, len(queries)),
		make([]int, len(queries))
	for trial := range releases {
		release, c := measured(t, table, name, epsilon, delta, uint64(trial), params...)
		a := &Answerer{Schema: table.Schema(), certificate: c, marginals: release.Marginals,
			dir: dir}
		for i, q := range parsed {
			answer, err := a.Answer(q)
			if err != nil || !answer.Measured && answer.Note != notedWide {
				continue // of methods that choose what they measure
			}
			counted[i]++
			if wide[i] = !answer.Measured; !wide[i] {
				errors[i] += (answer.Value - truths[i]) / *answer.Error
			}
			if answer.Interval[0] <= truths[i] && truths[i] <= answer.Interval[1] {
				held[i]++
			}
		}
	}
	for i, q := range queries {
		n := float64(counted[i])
		share := float64(held[i]) / n
		t.Logf("%s, epsilon %v, delta %v: %s: %v of %d releases measure it, %.2f %% of intervals "+
			"hold it; mean error %.3f standard errors", name, epsilon, delta, q.text, n, releases,
			100*share, errors[i]/n)
		if n < 0.9*float64(releases) {
			continue
		}
		if share < 0.93 || share > 0.97 && !wide[i] {
			t.Errorf("%s, epsilon %v, delta %v: %s: %.2f %% of intervals hold it", name, epsilon,
				delta, q.text, 100*share)
		}
		if math.Abs(errors[i]/n) > 5/math.Sqrt(n) {
			t.Errorf("%s: %s: the mean error is %v standard errors", name, q.text, errors[i]/n)
		}
	}
}

// smallTable is a table of a number of 6 cells, 3 categories and a class of 2.
func smallTable(rows int) *datasets.Table {
	schema := &datasets.Schema{Attributes: []datasets.Attribute{
		{Name: "age", Kind: datasets.Numeric, Low: 20, High: 80, Step: 10},
		{Name: "job", Kind: datasets.Categorical, Values: []string{"admin", "services", "[tech]"}},
		{Name: "y", Kind: datasets.Categorical, Role: datasets.Class,
			Values: []string{"no", "yes"}},
	}}
	b, stream := datasets.NewBuilder(schema, rows), random.NewKey(8).Stream()
	for range rows {
		row := b.AddRow()
		for i := range schema.Attributes {
			b.Set(row, i, uint32(stream.IntN(schema.Attributes[i].Cells())))
		}
	}
	return b.Table()
}

// TestCoverage: 93 to 97 % of intervals of 1,000 releases hold the table's answer, in either unit
// of privacy, of sums of few draws of noise and of many, and of means. Binomial shares are outside
// of that with a chance of 0.4 % each; seeds are fixed.
func TestCoverage(t *testing.T) {
	queries := []asked{
		{"all", func(func(string) string) bool { return true }, ""},
		{"y = yes", func(row func(string) string) bool { return row("y") == "yes" }, ""},
		{`job in {admin, "[tech]"} and not (y = "no")`, func(row func(string) string) bool {
			return row("job") != "services" && row("y") == "yes"
		}, ""},
		{"age = 20 and y = yes", func(row func(string) string) bool {
			return row("age") == "20" && row("y") == "yes"
		}, ""},
		{"age > 30 and age <= 50 or age >= 70", func(row func(string) string) bool {
			age := row("age")
			return age == "40" || age == "50" || age == "70"
		}, ""},
		{"mean(age) where y = yes", func(row func(string) string) bool {
			return row("y") == "yes"
		}, "age"},
	}
	for _, delta := range []float64{0, 1e-6} {
		coverage(t, smallTable(300), "nb-model", 0.5, delta, 1000,
			[]string{"iterations=1", "max_rows=1"}, queries)
	}
}

// TestCoverageOnData is TestCoverage on the real tables, by methods that choose what they measure.
// Bins of 1,000 hold the capital gains, which are 0 for 11 of 12 people.
func TestCoverageOnData(t *testing.T) {
	if os.Getenv("PPDP_LONG") == "" {
		t.Skip("PPDP_LONG is not set: make test-long makes 8,000 releases of real tables")
	}
	is := func(name string, values ...string) func(func(string) string) bool {
		return func(row func(string) string) bool {
			for _, value := range values {
				if row(name) == value {
					return true
				}
			}
			return false
		}
	}
	everybody := func(func(string) string) bool { return true }
	for dataset, queries := range map[string][]asked{ // order-free: separate checks
		"adult": {{"all", everybody, ""}, {"sex = Female", is("sex", "Female"), ""},
			{"education in {Bachelors, Masters}", is("education", "Bachelors", "Masters"), ""},
			{"age >= 20 and age < 30", func(row func(string) string) bool {
				return row("age") >= "20" && row("age") < "30"
			}, ""},
			{"mean(age)", everybody, "age"},
			{"mean(capital-gain)", everybody, "capital-gain"}},
		"acs": {{"all", everybody, ""}, {"SEX = 2", is("SEX", "2"), ""},
			{"EDU >= 11", is("EDU", "11", "12"), ""},
			{"RAC1P = 2 or RAC1P = 6", is("RAC1P", "2", "6"), ""},
			{"mean(AGEP)", everybody, "AGEP"}},
	} {
		source := must.Get(datasets.Lookup(dataset))
		params := source.Params()
		switch p := params.(type) {
		case *uci.ACSParams:
			p.Select = uci.Ten
		case *adult.Params:
			p.Select = "all" // with amounts
		}
		set, err := source.Load(t.Context(), datasets.Request{Files: datasets.DefaultFiles(""),
			Params: params, Key: random.NewKey(1)})
		if err != nil {
			t.Skip(err)
		}
		for _, delta := range []float64{0, 1e-9} {
			for _, name := range []string{"nb-model", "mst"} {
				t.Run(fmt.Sprint(dataset, name, delta), func(t *testing.T) {
					coverage(t, set.Table, name, 1, delta, 1000,
						[]string{"bins=100", "iterations=1", "max_rows=1"}, queries)
				})
			}
		}
	}
}

// exactly answers from marginals without noise in them, of which the certificate says otherwise.
func exactly(table *datasets.Table, sets ...[]int) *Answerer {
	a := &Answerer{Schema: table.Schema(), certificate: &Certificate{Mechanisms: []Mechanism{
		{Purpose: "counts", Mechanism: "discrete laplace", Sensitivity: 1}}}}
	for _, set := range sets {
		m := algorithms.Marginal{Attributes: set, Purpose: "counts", Cost: 2}
		cells := 1
		for _, at := range set {
			var values [][]datasets.Span
			for code := range uint32(a.Schema.Attributes[at].Cells()) {
				values = append(values, []datasets.Span{{Low: code, High: code + 1}})
			}
			if cells *= len(values); at == 0 { // bins of two cells
				cells /= 2
				values = [][]datasets.Span{{{Low: 0, High: 2}}, {{Low: 2, High: 4}},
					{{Low: 4, High: 6}}}
			}
			m.Values = append(m.Values, values)
		}
		m.Counts = make([]float64, cells)
		for row := range int32(table.Len()) {
			cell := 0
			for d, at := range set {
				code := int(table.Column(at).At(row))
				if at == 0 {
					code /= 2
				}
				cell = cell*len(m.Values[d]) + code
			}
			m.Counts[cell]++
		}
		a.marginals = append(a.marginals, m)
	}
	return a
}

// TestAnswers: without noise in the counts, what is measured is right, bounds are the counts of the
// cells that surely and that possibly belong to a query, give or take the noise that is claimed,
// and so is the interval of a mean where bins hide the values.
func TestAnswers(t *testing.T) {
	table := smallTable(3000)
	a := exactly(table, []int{0, 2}, []int{1, 2}, []int{2})
	count := func(keep func(age, job, y int) bool) (n float64) {
		for row := range int32(table.Len()) {
			code := func(at int) int { return int(table.Column(at).At(row)) }
			if keep(code(0), code(1), code(2)) {
				n++
			}
		}
		return n
	}
	for _, c := range []struct {
		text      string
		marginals int // that hold it
		keep      func(age, job, y int) bool
	}{
		{"all", 3, func(int, int, int) bool { return true }},
		{"y = no", 3, func(_, _, y int) bool { return y == 0 }},
		{"age >= 40 and age < 60 or y = yes", 1, func(age, _, y int) bool {
			return age == 2 || age == 3 || y == 1
		}},
		{"job = services and not y = no", 1, func(_, job, y int) bool {
			return job == 1 && y == 1
		}},
		{"not all", 3, func(int, int, int) bool { return false }},
	} {
		q := must.Get(datasets.ParseQuery(c.text, a.Schema))
		answer := must.Get(a.Answer(q))
		if !answer.Measured || answer.Marginals != c.marginals ||
			math.Abs(answer.Value-count(c.keep)) > 1e-9 {
			t.Errorf("%s: %+v, want %v of %d marginals", c.text, answer, count(c.keep), c.marginals)
		}
	}
	// not all or nothing of a bin: the answer lies between two counts
	q := must.Get(datasets.ParseQuery("age >= 30 and y = yes", a.Schema))
	answer := &Answer{}
	var around []*selected
	for i := range a.marginals {
		around = append(around, a.selects(&a.marginals[i], q))
	}
	answer.bound(around[:1])
	low := count(func(age, _, y int) bool { return age >= 2 && y == 1 })
	high := count(func(_, _, y int) bool { return y == 1 })
	if i := answer.Interval; i[0] > low || i[0] < low-10 || i[1] < high || i[1] > high+10 {
		t.Errorf("between %v and %v, want %v and %v and the noise of three", i[0], i[1], low, high)
	}
	// bins of ages are 20 to 30, 40 to 50 and 60 to 70, and the release's records are all of 20
	a.dir = t.TempDir()
	write(t, filepath.Join(a.dir, RecordsFile), "age,job,y\n20,admin,yes\n")
	least := 0.0
	for bin := range 3 {
		least += (20 + 20*float64(bin)) / high * count(func(age, _, y int) bool {
			return age/2 == bin && y == 1
		})
	}
	mean := must.Get(a.Answer(must.Get(datasets.ParseQuery("mean(age) where y = yes", a.Schema))))
	if i := mean.Interval; mean.Value != 20 || mean.Measured || mean.Error != nil ||
		mean.Note != notedWide || i[0] >= least || i[0] < least-1 || i[1] <= least+10 ||
		i[1] > least+11 {
		t.Errorf("%+v %v, want a mean of %v to %v", mean, i, least, least+10)
	}
	for i := range a.marginals {
		clear(a.marginals[i].Counts)
	}
	answer = must.Get(a.Answer(must.Get(datasets.ParseQuery("mean(age)", a.Schema))))
	if answer.Value != 20 || answer.Measured || answer.Interval != nil ||
		answer.Note != notedModel {
		t.Errorf("a mean of counts of 0: %+v", answer)
	}
}

// TestCountedRecords: a generalised record counts by the share of its cells that a query holds, a
// weighted one by its weight.
func TestCountedRecords(t *testing.T) {
	dir := t.TempDir()
	a := &Answerer{Schema: smallTable(0).Schema(), dir: dir, certificate: &Certificate{
		Weighted: true, Guarantee: Promise{K: 2}}}
	write(t, filepath.Join(dir, RecordsFile), `age,job,y,weight
"[20, 50)",admin,no,1
30,"{admin, services}",yes,2
"[20, 80)","{admin, services}",yes,0.5
`)
	for text, want := range map[string]float64{ // order-free: separate checks
		"all":                            3.5,
		"age >= 30 and age < 50":         2./3 + 2 + 0.5*2/6,
		"job = admin and age = 30":       1./3 + 1 + 0.5/12,
		"y = yes":                        2.5,
		"not (y = no or job = services)": 1.25,
		"mean(age) where y = yes":        (2*30 + 0.5*45) / 2.5,
	} {
		answer := must.Get(a.Answer(must.Get(datasets.ParseQuery(text, a.Schema))))
		if math.Abs(answer.Value-want) > 1e-9 || answer.Measured || answer.Interval != nil ||
			answer.Note != notedNone {
			t.Errorf("%s: %+v, want %v", text, answer, want)
		}
	}
	if _, err := a.Answer(must.Get(datasets.ParseQuery("mean(age) where age = 70 and age = 60",
		a.Schema))); err == nil {
		t.Error("a mean of no records")
	}
}
