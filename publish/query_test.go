package publish

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/datasets/uci"
	"ppdp/privacy"
	"ppdp/random"
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

// coverage makes releases and counts how often the intervals of measured queries hold the truth.
func coverage(t *testing.T, table *datasets.Table, name string, epsilon, delta float64,
	releases int, params []string, queries []asked) {
	t.Helper()
	algorithm := must(algorithms.Lookup(name))
	settings := algorithm.Params()
	noError(t, decodeParams(settings, params))
	parsed, truths := make([]*datasets.Query, len(queries)), make([]float64, len(queries))
	for i, q := range queries {
		parsed[i], truths[i] = must(datasets.ParseQuery(q.text, table.Schema())), q.truth(table)
	}
	held, errors, measured := make([]int, len(queries)), make([]float64, len(queries)),
		make([]int, len(queries))
	for trial := range releases {
		in := algorithms.Input{Table: table, Rows: table.AllRows(), Params: settings,
			Variant: algorithms.Strict, Budget: privacy.NewApproximate(epsilon, delta),
			Noise: random.NewStreams(random.NewKey(uint64(trial)))}
		release := must(algorithm.Release(t.Context(), in))
		c := &Certificate{}
		for _, e := range in.Budget.Ledger() {
			c.Mechanisms = append(c.Mechanisms, Mechanism{Purpose: e.Purpose,
				Mechanism: e.Mechanism, Sensitivity: float64(e.Proven)})
		}
		a := &Answerer{Schema: table.Schema(), certificate: c, marginals: release.Marginals}
		for i, q := range parsed {
			answer, err := a.Answer(q)
			if err != nil || !answer.Measured {
				continue // of methods that choose what they measure
			}
			measured[i]++
			errors[i] += (answer.Value - truths[i]) / *answer.Error
			if answer.Interval[0] <= truths[i] && truths[i] <= answer.Interval[1] {
				held[i]++
			}
		}
	}
	for i, q := range queries {
		n := float64(measured[i])
		share := float64(held[i]) / n
		t.Logf("%s, epsilon %v, delta %v: %s: %v of %d releases measure it, %.2f %% of intervals "+
			"hold it; mean error %.3f standard errors", name, epsilon, delta, q.text, n, releases,
			100*share, errors[i]/n)
		if n < 0.9*float64(releases) {
			continue
		}
		if share < 0.93 || share > 0.97 {
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
		{Name: "y", Kind: datasets.Categorical, Role: datasets.Class, Values: []string{"no", "yes"}},
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

// TestCoverage: 93 to 97 % of intervals of 1,000 releases hold the table's answer, in either unit of
// privacy, of sums of few draws of noise and of many, and of means. Binomial shares are outside of
// that with a chance of 0.4 % each; seeds are fixed.
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
			{"mean(age)", everybody, "age"}},
		"acs": {{"all", everybody, ""}, {"SEX = 2", is("SEX", "2"), ""},
			{"EDU >= 11", is("EDU", "11", "12"), ""},
			{"RAC1P = 2 or RAC1P = 6", is("RAC1P", "2", "6"), ""},
			{"mean(AGEP)", everybody, "AGEP"}},
	} {
		source := must(datasets.Lookup(dataset))
		params := source.Params()
		if acs, ok := params.(*uci.ACSParams); ok {
			acs.Select = uci.Ten
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
var _ = fmt.Sprint
var _ = filepath.Join
var _ = strings.Cut
