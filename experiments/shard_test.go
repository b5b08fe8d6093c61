package experiments

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ppdp/internal/results"
)

// fiveSpec has five configurations of one cell.
const fiveSpec = `
name: test/five
dataset: {name: gaussian, n: 50}
epsilon: [1, 2, 3, 4, 5]
algorithms: [{name: test-coin}]
measure: [{metric: w1}]
`

// TestShards: Graham's example (1969) of what the longest first does, jobs of 3, 3, 2, 2 and 2 on
// two machines; jobs that are not known are taken for the mean, and without any costs cells are
// dealt out in turn.
func TestShards(t *testing.T) {
	plan := mustPlan(t, fiveSpec, Overrides{})
	for _, c := range []struct {
		costs []float64
		count int
		want  []int32
	}{
		{[]float64{3, 3, 2, 2, 2}, 2, []int32{0, 1, 0, 1, 0}},
		{[]float64{2, 3, 2, 3, 2}, 2, []int32{0, 0, 1, 1, 0}},
		// 10, 10, 1, 7 and 7: 10|10, the sevens to either, 1 to the first
		{[]float64{10, 10, 1, 0, 0}, 2, []int32{0, 1, 0, 0, 1}},
		{nil, 2, []int32{0, 1, 0, 1, 0}},
		{nil, 9, []int32{0, 1, 2, 3, 4}},
	} {
		if got := plan.shards(c.count, c.costs); !slices.Equal(got, c.want) {
			t.Errorf("costs %v: %v, want %v", c.costs, got, c.want)
		}
	}
}

// TestShardsEndTogether: no part takes longer than 4/3 of the best division, which takes at least
// the mean of the parts and at least one cell (Graham's bound).
func TestShardsEndTogether(t *testing.T) {
	spec, err := Embedded("diffmulti/fig8")
	if err != nil {
		t.Fatal(err)
	}
	plan, err := spec.Plan(Overrides{Trials: 3})
	if err != nil {
		t.Fatal(err)
	}
	costs := make([]float64, len(plan.Configs))
	for i := range costs {
		costs[i] = 0.003 * float64(1+i*i)
	}
	cells := plan.cellCosts(costs)
	for _, count := range []int{1, 2, 7, 64} {
		loads, sum := make([]float64, count), 0.0
		for i, part := range plan.shards(count, costs) {
			loads[part] += cells[i]
			sum += cells[i]
		}
		best := max(sum/float64(count), slices.Max(cells))
		if got := slices.Max(loads); got > best*4/3 {
			t.Errorf("%d shards: the longest takes %v, want at most %v", count, got, best*4/3)
		}
	}
}

// TestCosts: a run's mean times come back through the file; other settings of the same algorithm
// stand in for those that were not run.
func TestCosts(t *testing.T) {
	t.Parallel()
	plan := mustPlan(t, testSpec, Overrides{})
	result := mustRun(t, plan, options(t, t.TempDir()))
	run, err := results.Read(result.Dir)
	if err != nil {
		t.Fatal(err)
	}
	means := make([]float64, len(plan.Configs))
	for i := range run.Timings {
		run.Timings[i].Release, run.Timings[i].Measure = float64(i), 1
		config := slices.Index(plan.Configs, plan.Cells[i].Config)
		means[config] += float64(i+1) / 12 // cells of a configuration
	}
	larger := mustPlan(t, strings.Replace(testSpec, "[0.5, 1]", "[0.5, 1, 8]", 1), Overrides{})
	path := filepath.Join(t.TempDir(), "costs.csv")
	err = results.WriteFile(path, func(w io.Writer) error {
		return WriteCosts(w, []*Plan{larger}, larger.MeasuredCosts(run.Summary()))
	})
	if err != nil {
		t.Fatal(err)
	}
	costs, err := ReadCosts(path)
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range plan.costs(costs) {
		if diff := got - means[i]; diff > 1e-9 || diff < -1e-9 {
			t.Errorf("%s: %v seconds, want %v", plan.Configs[i].Label(), got, means[i])
		}
	}
	// the coin of share 0.2 at epsilon 8: the mean of the same coin at the others
	at := slices.IndexFunc(larger.Configs, func(c *Config) bool {
		return c.EpsilonText() == "8" && c.Setting.Params["share"] == "0.2"
	})
	if got, want := larger.costs(costs)[at], (means[0]+means[1])/2; got < want-1e-9 ||
		got > want+1e-9 {
		t.Errorf("epsilon 8: %v seconds, want %v", got, want)
	}
}

// TestBadCosts: what is wrong with a file of costs is said with its line.
func TestBadCosts(t *testing.T) {
	head := strings.Join(costsHeader, ",") + "\n"
	for text, want := range map[string]string{
		"":                            `:1: "", must be experiment,series`,
		"a,b\n":                       `:1: "a,b", must be experiment,series`,
		head + "e,s,d,a,v,p,1,soon\n": `:2: seconds: "soon", must be empty or a number`,
		head + "e,s,d,a,v,p,1,-1\n":   `:2: seconds: "-1"`,
		head + "e,s,d,a,v,p,1,NaN\n":  `:2: seconds: "NaN"`,
		head + "e,s,d,a,v,p,1,1,1\n":  "record on line 2: wrong number of fields",
		head + "e,s,d\n":              "record on line 2: wrong number of fields",
		head + "e,s\"d,a,v,p,1,1,1\n": "line 2",
		head + "e,s,d,a,v,p,1,2\n" + "e,s,d,a,v,p,1,\n": ":3: a configuration that an earlier",
	} {
		path := filepath.Join(t.TempDir(), "costs.csv")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := ReadCosts(path)
		if err == nil || !strings.Contains(fmt.Sprint(err), want) ||
			!strings.Contains(err.Error(), path) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
