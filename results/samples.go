package results

import (
	"cmp"
	"math"
	"slices"
)

// Metrics that every run has besides those its spec measures. Values of Derived come from the cells
// themselves, those of RuntimeMetric from their timings.
const (
	RuntimeMetric = "runtime"     // seconds of the release, where the run kept timings
	NodesMetric   = "tree-nodes"  // of the partition, as are the next two
	LeavesMetric  = "tree-leaves" //
	DepthMetric   = "tree-depth"  //
	GapMetric     = "gap"         // share of the optimised cost not proven necessary
	// most expensive path by claimed sensitivities, as a part of epsilon
	SpentMetric = "spent"
	// the same by proven sensitivities; undefined without a finite bound
	LossMetric = "loss"
)

// DerivedMeasures describes the metrics above as a manifest describes measured ones.
var DerivedMeasures = []MeasureUse{
	{Measurement: Measurement{Metric: RuntimeMetric}, Title: "Run time of a release", Unit: "s"},
	{Measurement: Measurement{Metric: NodesMetric}, Title: "Nodes of the partition"},
	{Measurement: Measurement{Metric: LeavesMetric}, Title: "Leaves of the partition"},
	{Measurement: Measurement{Metric: DepthMetric}, Title: "Depth of the partition"},
	{Measurement: Measurement{Metric: GapMetric}, Title: "Share of the cost not proven necessary"},
	{Measurement: Measurement{Metric: SpentMetric}, Title: "Claimed privacy loss / ε"},
	{Measurement: Measurement{Metric: LossMetric}, Title: "Proven privacy loss / ε"},
}

// Sample is one measurement of one setting, trial by trial. Summaries, claims, the regression gate,
// figures and exports all start from samples.
type Sample struct {
	*Setting
	Measurement
	// Trials holds the mean over the folds of each trial, from trial 0. It is NaN where a fold
	// failed, has no value, or is missing while other trials of the setting have it.
	Trials []float64
}

// Fact is Setting.Fact with the facts of a measurement: metric and classifier.
func (s *Sample) Fact(name string) (value string, known bool) {
	switch name {
	case "metric":
		return s.Metric, true
	case "classifier":
		return s.Classifier, true
	}
	return s.Setting.Fact(name)
}

// Facts returns everything that Fact knows, by name.
func (s *Sample) Facts() map[string]string {
	facts := s.Setting.Facts()
	facts["metric"], facts["classifier"] = s.Metric, s.Classifier
	return facts
}

// Finite returns the values of the trials that have one.
func (s *Sample) Finite() []float64 {
	return slices.DeleteFunc(slices.Clone(s.Trials), math.IsNaN)
}

// Samples groups cells by setting, in order of first appearance, and gives one sample for each
// measurement. Folds are averaged within a trial. A setting none of whose cells succeeded has all
// measurements of the others, without values, so that it cannot vanish; where nothing succeeded at
// all, one measurement without a name.
func Samples(cells []Cell) []Sample {
	samples := groupCells(cells, func(i int) []Value { return cells[i].Values })
	if len(samples) > 0 || len(cells) == 0 {
		return samples
	}
	nothing := []Value{{}}
	failed := slices.Clone(cells)
	for i := range failed {
		failed[i].Status = OK
	}
	return groupCells(failed, func(int) []Value { return nothing })
}

// Samples returns the run's measured samples.
func (r *Run) Samples() []Sample { return Samples(r.Cells) }

// Derived returns samples of the metrics of DerivedMeasures.
func (r *Run) Derived() []Sample {
	return groupCells(r.Cells, func(i int) (values []Value) {
		add := func(metric string, value float64) {
			values = append(values, Value{Measurement{Metric: metric}, &value})
		}
		c := &r.Cells[i]
		if r.Timings != nil {
			add(RuntimeMetric, r.Timings[i].Release)
		}
		if s := c.Structure; s != nil {
			add(NodesMetric, float64(s.Nodes))
			add(LeavesMetric, float64(s.Leaves))
			add(DepthMetric, float64(s.Depth))
			add(GapMetric, s.Gap)
		}
		if total, ok := c.Budget(); ok && c.Spent != nil {
			add(SpentMetric, c.Spent.Claimed/total)
			if c.Spent.Proven.Finite() {
				add(LossMetric, float64(c.Spent.Proven)/total)
			}
		}
		return values
	})
}

// group is the cells of one setting.
type group struct {
	cells    []int // indices by ascending trial, then fold
	folds    map[int]bool
	measured []Measurement
}

func groupCells(cells []Cell, valuesOf func(i int) []Value) []Sample {
	var groups []*group
	bySetting := make(map[*Setting]*group)
	var everywhere []Measurement
	add := func(list *[]Measurement, m Measurement) {
		if !slices.Contains(*list, m) { // a handful: searched, not hashed
			*list = append(*list, m)
		}
	}
	values := make([][]Value, len(cells)) // nil for failed cells
	for i := range cells {
		c := &cells[i]
		g := bySetting[c.Setting]
		if g == nil {
			g = &group{folds: make(map[int]bool)}
			bySetting[c.Setting] = g
			groups = append(groups, g)
		}
		g.cells = append(g.cells, i)
		g.folds[c.FoldIndex()] = true
		if c.Status == OK {
			values[i] = valuesOf(i)
		}
		for _, v := range values[i] {
			add(&g.measured, v.Measurement)
		}
	}
	for _, g := range groups {
		for _, m := range g.measured {
			add(&everywhere, m)
		}
		slices.SortStableFunc(g.cells, func(a, b int) int {
			x, y := &cells[a], &cells[b]
			return cmp.Or(cmp.Compare(x.Trial, y.Trial), cmp.Compare(x.FoldIndex(), y.FoldIndex()))
		})
	}
	var samples []Sample
	for _, g := range groups {
		measured := g.measured
		if len(measured) == 0 {
			measured = everywhere
		}
		for _, m := range measured {
			trials := g.trials(cells, values, m)
			samples = append(samples, Sample{cells[g.cells[0]].Setting, m, trials})
		}
	}
	return samples
}

// trials returns the means of a measurement over the folds of each trial.
func (g *group) trials(cells []Cell, values [][]Value, m Measurement) []float64 {
	var trials, folds []float64
	for i := 0; i < len(g.cells); {
		trial, first := cells[g.cells[i]].Trial, i
		folds = folds[:0]
		for ; i < len(g.cells) && cells[g.cells[i]].Trial == trial; i++ {
			for _, v := range values[g.cells[i]] {
				if v.Measurement == m && v.Value != nil {
					folds = append(folds, *v.Value)
				}
			}
		}
		for len(trials) < trial {
			trials = append(trials, math.NaN())
		}
		value := math.NaN()
		if len(folds) == i-first && len(folds) == len(g.folds) {
			value = Mean(folds)
		}
		trials = append(trials, value)
	}
	return trials
}

// Mean of a sample, NaN of none. Equal values give that value itself, which the rounding of sum and
// quotient would not.
func Mean(x []float64) float64 {
	if len(x) > 0 && Constant(x) {
		return x[0]
	}
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// Constant reports whether all values are equal.
func Constant(x []float64) bool {
	return !slices.ContainsFunc(x, func(v float64) bool { return v != x[0] })
}
