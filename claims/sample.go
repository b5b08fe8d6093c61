package claims

import (
	"slices"
	"strconv"
	"strings"

	"ppdp/results"
)

// Metrics that every record has besides those its experiment measured.
const (
	metricRuntime = results.RuntimeMetric // seconds of the release, where the run kept timings
	metricNodes   = "tree-nodes"          // of the partition, as are the next two
	metricLeaves  = "tree-leaves"
	metricDepth   = "tree-depth"
	metricGap     = "gap"   // share of the optimised cost not proven necessary
	metricSpent   = "spent" // most expensive path by claimed sensitivities, as a part of epsilon
	metricLoss    = "loss"  // the same by proven sensitivities; undefined where no bound is known
)

// sample is one measurement of one configuration: what is known of it and a value a trial.
type sample struct {
	facts   map[string]string
	trials  []int // ascending; those in which every fold has a value
	values  []float64
	standIn bool
}

// value returns the value of a trial that the sample has.
func (s *sample) value(trial int) float64 {
	i, _ := slices.BinarySearch(s.trials, trial)
	return s.values[i]
}

// standInSuffix ends the name of a dataset that stands in for another.
const standInSuffix = "-standin"

// samplesOf gives one sample per configuration and measurement of an outcome, in order of first
// appearance. Folds are averaged within a trial; a trial of which a fold is missing or undefined is left out, as in
// results.Summarise.
func samplesOf(o *results.Outcome) []*sample {
	seconds := make(map[int]float64, len(o.Timings))
	for _, t := range o.Timings {
		seconds[t.Cell] = t.Release
	}
	type cell struct {
		trial, fold int
		index       int
	}
	type configuration struct {
		cells []cell
		folds map[int]bool
	}
	var order []*configuration
	byKey := make(map[string]*configuration)
	for i := range o.Records {
		r := &o.Records[i]
		key := configurationKey(r)
		c := byKey[key]
		if c == nil {
			c = &configuration{folds: make(map[int]bool)}
			byKey[key] = c
			order = append(order, c)
		}
		fold := -1
		if r.Fold != nil {
			fold = *r.Fold
		}
		c.cells = append(c.cells, cell{r.Trial, fold, i})
		c.folds[fold] = true
	}
	type measurement struct{ metric, classifier string }
	var everywhere []measurement // of the experiment, in order of first appearance
	measure := func(list []measurement, values []results.Value) []measurement {
		for _, v := range values {
			if m := (measurement{v.Metric, v.Classifier}); !slices.Contains(list, m) {
				list = append(list, m)
			}
		}
		return list
	}
	measured := make([][]measurement, len(order))
	values := make([][]results.Value, len(o.Records))
	for k, c := range order {
		slices.SortStableFunc(c.cells, func(a, b cell) int {
			if a.trial != b.trial {
				return a.trial - b.trial
			}
			return a.fold - b.fold
		})
		for _, cell := range c.cells {
			if r := &o.Records[cell.index]; r.Status == results.OK {
				values[cell.index] = allValues(r, seconds, cell.index)
				measured[k] = measure(measured[k], values[cell.index])
			}
		}
		for _, m := range measured[k] {
			if !slices.Contains(everywhere, m) {
				everywhere = append(everywhere, m)
			}
		}
	}
	var samples []*sample
	for k, c := range order {
		first := &o.Records[c.cells[0].index]
		if len(measured[k]) == 0 { // every cell failed: the configuration must not vanish
			measured[k] = everywhere
		}
		for _, m := range measured[k] {
			s := &sample{facts: factsOf(first, m.metric, m.classifier), standIn: first.StandIn}
			for start := 0; start < len(c.cells); {
				trial := c.cells[start].trial
				var folds []float64
				end := start
				for ; end < len(c.cells) && c.cells[end].trial == trial; end++ {
					for _, v := range values[c.cells[end].index] {
						if v.Metric == m.metric && v.Classifier == m.classifier && v.Value != nil {
							folds = append(folds, *v.Value)
						}
					}
				}
				if len(folds) == end-start && len(folds) == len(c.folds) {
					s.trials = append(s.trials, trial)
					s.values = append(s.values, mean(folds))
				}
				start = end
			}
			samples = append(samples, s)
		}
	}
	return samples
}

func configurationKey(r *results.Record) string {
	epsilon := ""
	if r.Epsilon != nil {
		epsilon = formatNumber(*r.Epsilon)
	}
	return strings.Join([]string{r.Series, r.Dataset, r.Algorithm, r.Variant, epsilon, results.FormatParams(r.Params)}, "\x00")
}

func factsOf(r *results.Record, metric, classifier string) map[string]string {
	facts := make(map[string]string, len(r.Params)+7)
	for name, value := range r.Params {
		facts[name] = value
	}
	dataset := r.Dataset
	if r.StandIn { // a ledger names the data that is stood in for
		name, params, _ := strings.Cut(dataset, " ")
		dataset = strings.TrimSuffix(name, standInSuffix)
		if params != "" {
			dataset += " " + params
		}
	}
	facts["series"], facts["dataset"], facts["algorithm"], facts["variant"] = r.Series, dataset, r.Algorithm, r.Variant
	facts["metric"], facts["classifier"] = metric, classifier
	if r.Epsilon != nil {
		facts["epsilon"] = formatNumber(*r.Epsilon)
	}
	return facts
}

// allValues are a record's measurements and those every record has.
func allValues(r *results.Record, seconds map[int]float64, cell int) []results.Value {
	values := slices.Clip(r.Values)
	add := func(metric string, value float64) {
		values = append(values, results.Value{Metric: metric, Value: &value})
	}
	if s, timed := seconds[cell]; timed {
		add(metricRuntime, s)
	}
	if r.Structure != nil {
		add(metricNodes, float64(r.Structure.Nodes))
		add(metricLeaves, float64(r.Structure.Leaves))
		add(metricDepth, float64(r.Structure.Depth))
		add(metricGap, r.Structure.Gap)
	}
	if r.Spent != nil && r.Epsilon != nil && *r.Epsilon > 0 {
		add(metricSpent, r.Spent.Claimed / *r.Epsilon)
		if finite(r.Spent.Proven) {
			add(metricLoss, r.Spent.Proven / *r.Epsilon)
		}
	}
	return values
}

func formatNumber(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
