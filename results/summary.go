package results

import (
	"errors"
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"
)

// IntervalMethod says how Lo95 and Hi95 are made; the manifest carries it.
const IntervalMethod = "two-sided 95 % Student-t interval over trial means (folds averaged within a trial first), not corrected for multiple comparisons"

// RuntimeMetric is the metric RuntimeRows makes from timings: seconds per release.
const RuntimeMetric = "runtime"

// confidence is the coverage of Lo95..Hi95.
const confidence = 0.95

// Summarise gives one Row per configuration and measurement, in order of first appearance.
//
// Folds are averaged within a trial first, then mean, standard error and interval are taken over
// the trials. A trial counts only when every one of its folds has a value: a failed cell, an
// undefined or absent value, or a fold that other trials of the configuration have and this one
// lacks makes it a failed trial, which is left out of N and counted in Failed. N + Failed is
// therefore always the number of trials on record. SE, Lo95 and Hi95 are NaN when N < 2, Mean too
// when N = 0. Trials that agree exactly have SE 0 and an interval of no width.
//
// A configuration none of whose cells succeeded is reported under every measurement its experiment
// makes elsewhere, or under an empty metric when there is none, so that it cannot vanish.
//
// The sums run over trials and folds in ascending order, whatever the order of the records.
func Summarise(records []Record) []Row {
	var rows []Row
	configurations := groupByConfiguration(records)
	everywhere := measurementsByExperiment(records)
	for _, c := range configurations {
		measurements := c.measurements
		if !c.succeeded {
			measurements = everywhere[c.first.Experiment]
			if len(measurements) == 0 {
				measurements = []measurement{{}}
			}
		}
		for _, m := range measurements {
			rows = append(rows, c.summarise(records, m))
		}
	}
	return rows
}

// RuntimeRows summarises how long the releases took, as rows of RuntimeMetric in seconds. It stands
// apart from Summarise because timings differ from run to run and must not reach summary.csv.
func RuntimeRows(records []Record, timings []Timing) ([]Row, error) {
	seconds := make([]*float64, len(records))
	var problems []error
	for i, t := range timings {
		switch {
		case t.Cell < 0 || t.Cell >= len(records):
			problems = append(problems, fmt.Errorf("timing %d: cell %d, must be 0 to %d", i, t.Cell, len(records)-1))
		case seconds[t.Cell] != nil:
			problems = append(problems, fmt.Errorf("timing %d: cell %d is timed twice", i, t.Cell))
		default:
			seconds[t.Cell] = &timings[i].Release
		}
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	timed := make([]Record, len(records))
	for i, r := range records {
		r.Values = []Value{{Metric: RuntimeMetric, Value: seconds[i]}}
		timed[i] = r
	}
	return Summarise(timed), nil
}

// measurement is one column of an experiment: a metric, and the classifier it evaluates if any.
type measurement struct{ metric, classifier string }

// configuration is all the cells that differ in nothing but trial and fold.
type configuration struct {
	first        Record
	cells        []int // indices of its records by ascending trial, then fold
	measurements []measurement
	succeeded    bool // at least one cell is OK
	folds        map[int]bool
}

func groupByConfiguration(records []Record) []*configuration {
	var order []*configuration
	byKey := make(map[string]*configuration)
	for i := range records {
		r := &records[i]
		key := configurationKey(r)
		c := byKey[key]
		if c == nil {
			c = &configuration{first: *r, folds: make(map[int]bool)}
			byKey[key] = c
			order = append(order, c)
		}
		c.cells = append(c.cells, i)
		c.folds[foldOf(r)] = true
		c.succeeded = c.succeeded || r.Status == OK
		c.measurements = appendMeasurements(c.measurements, r.Values)
	}
	for _, c := range order {
		sort.SliceStable(c.cells, func(a, b int) bool {
			ra, rb := &records[c.cells[a]], &records[c.cells[b]]
			if ra.Trial != rb.Trial {
				return ra.Trial < rb.Trial
			}
			return foldOf(ra) < foldOf(rb)
		})
	}
	return order
}

func measurementsByExperiment(records []Record) map[string][]measurement {
	byExperiment := make(map[string][]measurement)
	for i := range records {
		name := records[i].Experiment
		byExperiment[name] = appendMeasurements(byExperiment[name], records[i].Values)
	}
	return byExperiment
}

// appendMeasurements adds the measurements of values that are not listed yet. The lists are short,
// a handful of metrics and classifiers, so they are searched, not hashed.
func appendMeasurements(list []measurement, values []Value) []measurement {
	for _, v := range values {
		m := measurement{v.Metric, v.Classifier}
		known := false
		for _, other := range list {
			if other == m {
				known = true
				break
			}
		}
		if !known {
			list = append(list, m)
		}
	}
	return list
}

func (c *configuration) summarise(records []Record, m measurement) Row {
	r := &c.first
	row := Row{
		Experiment: r.Experiment, Series: r.Series, Dataset: r.Dataset, Algorithm: r.Algorithm, Variant: r.Variant,
		Params: r.Params, Epsilon: r.Epsilon, Metric: m.metric, Classifier: m.classifier, StandIn: r.StandIn,
	}
	var trials []float64
	for _, t := range c.trialMeans(records, m) {
		if math.IsNaN(t.mean) {
			row.Failed++
		} else {
			trials = append(trials, t.mean)
		}
	}
	row.N = len(trials)
	row.Mean, row.SE, row.Lo95, row.Hi95 = meanAndInterval(trials)
	return row
}

// trialMean is the mean over the folds of one trial, NaN when the trial failed.
type trialMean struct {
	trial int
	mean  float64
}

// trialMeans returns the means of a measurement by ascending trial.
func (c *configuration) trialMeans(records []Record, m measurement) []trialMean {
	var means []trialMean
	for start := 0; start < len(c.cells); {
		trial := records[c.cells[start]].Trial
		end := start
		var folds []float64
		seen := 0
		for ; end < len(c.cells) && records[c.cells[end]].Trial == trial; end++ {
			cell := &records[c.cells[end]]
			if end == start || foldOf(cell) != foldOf(&records[c.cells[end-1]]) {
				seen++
			}
			if v := valueOf(cell, m); v != nil {
				folds = append(folds, *v)
			}
		}
		t := trialMean{trial, math.NaN()}
		if len(folds) == end-start && seen == len(c.folds) {
			t.mean = mean(folds)
		}
		means = append(means, t)
		start = end
	}
	return means
}

// valueOf returns the cell's value of a measurement, nil when the cell failed or the value is
// undefined or absent.
func valueOf(r *Record, m measurement) *float64 {
	if r.Status != OK {
		return nil
	}
	for i := range r.Values {
		if r.Values[i].Metric == m.metric && r.Values[i].Classifier == m.classifier {
			return r.Values[i].Value
		}
	}
	return nil
}

// noFold stands for the only fold of an experiment without folds.
const noFold = -1

func foldOf(r *Record) int {
	if r.Fold == nil {
		return noFold
	}
	return *r.Fold
}

// mean of a non-empty sample. Equal values give that value itself, which the rounding of sum and
// quotient would not.
func mean(x []float64) float64 {
	if constant(x) {
		return x[0]
	}
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

func constant(x []float64) bool {
	for _, v := range x {
		if v != x[0] {
			return false
		}
	}
	return true
}

// meanAndInterval returns the sample mean, its standard error s/√n and the Student-t interval
// mean ± t(0.975, n-1)·SE; what n does not allow is NaN.
func meanAndInterval(x []float64) (average, se, lo, hi float64) {
	nan := math.NaN()
	n := len(x)
	if n == 0 {
		return nan, nan, nan, nan
	}
	average = mean(x)
	if n == 1 {
		return average, nan, nan, nan
	}
	squares := 0.0
	for _, v := range x {
		d := v - average
		squares += float64(d * d)
	}
	se = math.Sqrt(squares / float64(n-1) / float64(n))
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}.Quantile(0.5 + confidence/2)
	half := float64(t * se)
	return average, se, average - half, average + half
}

// configurationKey tells configurations apart. Lengths stand before the strings so that no choice of
// names can make two configurations alike.
func configurationKey(r *Record) string {
	var b strings.Builder
	add := func(s string) {
		b.WriteString(strconv.Itoa(len(s)))
		b.WriteByte(':')
		b.WriteString(s)
	}
	for _, s := range []string{r.Experiment, r.Series, r.Dataset, r.Algorithm, r.Variant} {
		add(s)
	}
	for _, name := range sortedNames(r.Params) {
		add(name)
		add(r.Params[name])
	}
	if r.Epsilon != nil {
		b.WriteString("eps")
		b.WriteString(formatNumber(*r.Epsilon))
	}
	return b.String()
}

func sortedNames(params map[string]string) []string {
	names := make([]string, 0, len(params))
	for name := range params {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
