package all

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ppdp/algorithms"
	"ppdp/algorithms/internal/testinput"
	"ppdp/datasets"
	"ppdp/datasets/uci"
	"ppdp/elementary"
	"ppdp/metrics"
	"ppdp/privacy"
	"ppdp/random"

	"gopkg.in/yaml.v3"
)

func num(name string, low, high, step float64) datasets.Attribute {
	return datasets.Attribute{Name: name, Kind: datasets.Numeric, Low: low, High: high, Step: step}
}

func gauss(s *random.Stream) float64 {
	return math.Sqrt(-2*elementary.Log(s.Open01())) * math.Sin(2*math.Pi*s.Open01())
}

// tuning: columns of many shapes; factor widens the bounds
func tuningTable(rows int, factor float64) *datasets.Table {
	s := random.NewKey(99).Stream()
	w := func(x float64) float64 { return math.Round(x * factor) }
	schema := &datasets.Schema{Attributes: []datasets.Attribute{
		num("zeroinf", 0, w(30000), 1), num("pay", 0, w(60000), 1), num("sym", -w(5000), w(5000), 1),
		num("late", 0, w(10000)*2, 1), num("age", 0, 90, 1), num("hours", 0, 99, 1),
	}}
	for i, n := range []int{2, 3, 5, 8, 4, 2, 6} {
		a := datasets.Attribute{Name: fmt.Sprint("c", i), Kind: datasets.Categorical}
		for v := range n {
			a.Values = append(a.Values, strconv.Itoa(v))
		}
		schema.Attributes = append(schema.Attributes, a)
	}
	schema.Attributes[len(schema.Attributes)-1].Role = datasets.Class
	b := datasets.NewBuilder(schema, rows)
	for range rows {
		row := b.AddRow()
		z := gauss(s)
		set := func(i int, x float64) {
			a := &schema.Attributes[i]
			x = math.Round(min(max(x, a.Low), a.High-1))
			if err := b.SetNumber(row, i, x); err != nil {
				panic(err)
			}
		}
		mix := func(r float64) float64 { return float64(r*z) + math.Sqrt(1-r*r)*gauss(s) }
		zi := 0.0
		if mix(.5) > .3 {
			zi = 200 * elementary.Exp(mix(.4))
		}
		set(0, zi)
		set(1, 2500*elementary.Exp(.8*mix(.6)))
		set(2, 800*mix(.5))
		set(3, w(10000)+1000*mix(.4))
		set(4, 40+15*mix(.6))
		h := 40.0
		if s.Open01() < .5 {
			h = 40 + 12*mix(.5)
		}
		set(5, h)
		for i := 6; i < len(schema.Attributes); i++ {
			n := float64(schema.Attributes[i].Cells())
			v := int(n * 0.5 * math.Erfc(-mix(.5)/1.41421356))
			b.Set(row, i, uint32(min(v, int(n)-1)))
		}
	}
	return b.Table()
}

// reported: one lognormal, 14 others
func lognormalTable(rows int, sigma float64) *datasets.Table {
	s := random.NewKey(5).Stream()
	p99 := 1000 * elementary.Exp(sigma*2.3263)
	schema := &datasets.Schema{Attributes: []datasets.Attribute{num("pay", 0, math.Round(400*p99), 1)}}
	for i := range 14 {
		a := datasets.Attribute{Name: fmt.Sprint("c", i), Kind: datasets.Categorical}
		for v := range 2 + i%6 {
			a.Values = append(a.Values, strconv.Itoa(v))
		}
		schema.Attributes = append(schema.Attributes, a)
	}
	b := datasets.NewBuilder(schema, rows)
	for range rows {
		row := b.AddRow()
		z := gauss(s)
		b.SetNumber(row, 0, math.Round(1000*elementary.Exp(sigma*z)))
		for i := 1; i < 15; i++ {
			n := schema.Attributes[i].Cells()
			u := 0.5 * math.Erfc(-(.5*z+.866*gauss(s))/1.41421356)
			b.Set(row, i, uint32(min(int(float64(n)*u), n-1)))
		}
	}
	return b.Table()
}

func exploreTable(t *testing.T, name string) *datasets.Table {
	kind, arg, _ := strings.Cut(name, ":")
	x, _ := strconv.ParseFloat(arg, 64)
	switch kind {
	case "tune":
		return tuningTable(20000, x)
	case "logn":
		return lognormalTable(30000, x)
	case "adult":
		return testinput.Adult(t, "diffmulti")
	case "acs":
		set, err := datasets.Lookup("acs")
		if err != nil {
			t.Fatal(err)
		}
		sel := uci.Ten
		if arg != "" {
			sel = uci.All
		}
		d, err := set.Load(context.Background(), datasets.Request{Params: &uci.ACSParams{Select: sel},
			Files: datasets.Files{Dirs: []string{os.Getenv("PPDP_DATA")}}})
		if err != nil {
			t.Fatal(err)
		}
		if arg != "" {
			p, err := d.Table.Project(strings.Split(arg, "+")...)
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		return d.Table
	}
	t.Fatal(name)
	return nil
}

func TestExplore(t *testing.T) {
	if os.Getenv("X_TABLE") == "" {
		t.Skip()
	}
	seeds, _ := strconv.Atoi(os.Getenv("X_SEEDS"))
	delta, _ := strconv.ParseFloat(os.Getenv("X_DELTA"), 64)
	eps := 1.0
	if e := os.Getenv("X_EPS"); e != "" {
		eps, _ = strconv.ParseFloat(e, 64)
	}
	for _, name := range strings.Fields(os.Getenv("X_TABLE")) {
		table := exploreTable(t, name)
		for _, algo := range strings.Fields(os.Getenv("X_ALGO")) {
			for _, setting := range strings.Split(os.Getenv("X_PARAMS"), ";") {
				a, err := algorithms.Lookup(algo)
				if err != nil {
					t.Fatal(err)
				}
				sums := map[string]float64{}
				warnings := ""
				for seed := range seeds {
					params := a.Params()
					if err := yaml.Unmarshal([]byte("{"+setting+"}"), params); err != nil {
						t.Fatal(err)
					}
					in := testinput.Input(table, params, algorithms.Strict, eps, uint64(seed+1))
					in.Budget = privacy.NewApproximate(eps, delta)
					start := time.Now()
					r := testinput.Release(t, a, in)
					sums["s"] += time.Since(start).Seconds()
					warnings = fmt.Sprint(r.Warnings)
					c := metrics.Case{Table: table, Train: table.AllRows(), Release: r,
						Truth: new(metrics.Memo), Published: new(metrics.Memo)}
					for _, m := range []struct {
						n    string
						a, b int
						q    metrics.Cut
					}{{"T1@24", 1, 24, metrics.Equally}, {"T2@24", 2, 24, metrics.Equally},
						{"T2@100", 2, 100, metrics.Equally}, {"T2q20", 2, 20, metrics.Quantile}, {"T2q24", 2, 24, metrics.Quantile}} {
						c.Params = &metrics.MarginalDistanceParams{Attributes: m.a, Bins: m.b, Cut: m.q}
						d, _ := metrics.Lookup("marginal-distance")
						v, _, err := d.Measure(t.Context(), c)
						if err != nil {
							t.Fatal(err)
						}
						sums[m.n] += v
					}
					for i, at := range table.Schema().Attributes {
						if at.Kind != datasets.Numeric {
							continue
						}
						m0, md0, p0 := stats(table, nil, i)
						m1, md1, p1 := stats(r.Table, nil, i)
						k := "~" + at.Name
						sums[k+".mean"] += math.Abs(m1/m0 - 1)
						sums[k+".med"] += math.Abs(md1/md0 - 1)
						sums[k+".p95"] += math.Abs(p1/p0 - 1)
					}
				}
				keys := []string{}
				for k := range sums {
					keys = append(keys, k)
				}
				slices.Sort(keys)
				out := ""
				for _, k := range keys {
					out += fmt.Sprintf(" %s=%.4f", k, sums[k]/float64(seeds))
				}
				fmt.Printf("%s %s {%s}:%s %s\n", name, algo, setting, out, warnings)
			}
		}
	}
}

func stats(t *datasets.Table, _ []float64, a int) (mean, median, p95 float64) {
	var x []float64
	for _, r := range t.AllRows() {
		x = append(x, t.Number(r, a))
		mean += x[len(x)-1]
	}
	slices.Sort(x)
	return mean / float64(len(x)), x[len(x)/2], x[len(x)*95/100]
}
