package results

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"ppdp/numeric/elementary"
)

// Metrics that every run has besides those its spec measures. Values of Derived come from the
// records themselves, those of RuntimeMetric from their timings.
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

// Swamped is from how many times the records it was made from on a private release counts as mostly
// noise.
const Swamped = 2.0

// Sample is one measurement of one setting, trial by trial. Summaries, claims, the regression gate,
// figures and exports all start from samples.
type Sample struct {
	*Setting
	Measurement
	// Trials holds the mean over the folds of each trial, from trial 0. It is NaN where a fold
	// failed, has no value, or is missing while other trials of the setting have it. It must not be
	// changed: samples of a run share their memory with it.
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

// Union is a list with those of some values behind it that it does not have.
func Union[T comparable](list []T, values ...T) []T {
	for _, v := range values {
		if !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

// Entry is the first value of a list that suits, or one that is added to it.
func Entry[T any](list *[]T, added T, suits func(T) bool) *T {
	at := slices.IndexFunc(*list, suits)
	if at < 0 {
		at = len(*list)
		*list = append(*list, added)
	}
	return &(*list)[at]
}

// Order has the numbers below n sorted by a comparison, equal ones as they were.
func Order(n int, compare func(i, j int) int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Or(compare(i, j), i-j) })
	return order
}

// Count is how many items of a list suit.
func Count[T any](list []T, suits func(T) bool) (n int) {
	for _, x := range list {
		if suits(x) {
			n++
		}
	}
	return n
}

// Mapped is what a function makes of each item of a list.
func Mapped[T, U any](list []T, f func(T) U) (all []U) {
	for _, x := range list {
		all = append(all, f(x))
	}
	return all
}

// Each has a pointer to each item of a list.
func Each[T any](list []T) iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for i := range list {
			if !yield(&list[i]) {
				return
			}
		}
	}
}

// Grouped splits a list by a key, in the order in which the keys first occur.
func Grouped[T any](list []T, key func(T) string) (groups [][]T) {
	at := make(map[string]int)
	for _, x := range list {
		k := key(x)
		i, known := at[k]
		if !known {
			i = len(groups)
			at[k] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], x)
	}
	return groups
}

// IntervalMethod says how Lo95 and Hi95 are computed; the manifest carries it.
const IntervalMethod = "two-sided 95 % Student-t interval over trial means " +
	"(folds averaged within a trial first), not corrected for multiple comparisons"

// confidence is the coverage of Lo95..Hi95.
const confidence = 0.95

// Row is one sample and its summary over trials: a line of summary.csv.
type Row struct {
	Sample
	N, Failed            int // trials with a value and without
	Mean, SE, Lo95, Hi95 float64
	// Broken says that a release of the setting has no finite proven loss, and that this is more
	// than nobody's having looked at a program outside: its guarantee is broken.
	Broken bool
}

// Rows summarises samples. SE, Lo95 and Hi95 are NaN where fewer than two trials have a value, Mean
// too where none has. Trials that agree exactly have SE 0 and an interval of no width.
func Rows(samples []Sample) []Row {
	rows := make([]Row, len(samples))
	for i := range samples {
		s := &samples[i]
		trials := s.Finite()
		row := Row{Sample: *s, N: len(trials), Failed: len(s.Trials) - len(trials),
			Mean: Mean(trials), SE: StandardError(trials), Lo95: math.NaN(), Hi95: math.NaN()}
		if row.N > 1 { // mean ± t(0.975, n-1)·SE
			half := float64(studentQuantile(confidence, row.N-1) * row.SE)
			row.Lo95, row.Hi95 = row.Mean-half, row.Mean+half
		}
		rows[i] = row
	}
	return rows
}

// StandardError is s/√n, NaN for fewer than two values.
func StandardError(x []float64) float64 {
	if len(x) < 2 {
		return math.NaN()
	}
	return math.Sqrt(Variance(x) / float64(len(x)))
}

// Variance is the unbiased variance of a sample, 0 for fewer than two values.
func Variance(x []float64) float64 {
	average, squares := Mean(x), 0.0
	for _, v := range x {
		d := v - average
		squares += float64(d * d)
	}
	return squares / float64(max(1, len(x)-1))
}

// studentQuantile is the t within ±t of which Student's variate with whole degrees of freedom has
// the given coverage, between 0 and 1. It is exact to about 13 digits, and the same everywhere.
//
// With t = √n·tan θ the density is that of cosⁿ⁻¹θ, whose integral from -θ to θ is, by parts, a sum
// of n/2 terms and θ itself where n is odd. It is solved for θ, counted in half turns.
func studentQuantile(coverage float64, degrees int) float64 {
	angle := bisect(func(angle float64) bool { return studentCoverage(angle, degrees) < coverage })
	return math.Sqrt(float64(degrees)) * elementary.TanPi(angle)
}

// bisect returns the angle, in half turns between 0 and 1/2, up to which below holds. It stops
// where no other number lies between the ends of its interval.
func bisect(below func(angle float64) bool) float64 {
	low, high := 0.0, 0.5
	for {
		middle := float64((low + high) / 2)
		switch {
		case middle <= low || middle >= high:
			return middle
		case below(middle):
			low = middle
		default:
			high = middle
		}
	}
}

// studentCoverage is the probability of |t| below √n·tan θ, with θ = π·halfTurns.
func studentCoverage(halfTurns float64, degrees int) float64 {
	tangent := elementary.TanPi(halfTurns)
	cosine2 := 1 / (1 + float64(tangent*tangent))
	sine, cosine := float64(tangent*math.Sqrt(cosine2)), math.Sqrt(cosine2)
	// the terms of odd degrees have factors 2/3, 4/5, ..., of even ones 1/2, 3/4, ...
	term, k := 1.0, 2
	if degrees%2 == 1 {
		term, k = cosine, 3
	}
	sum := 0.0
	for ; k <= degrees; k += 2 {
		sum += term
		term = float64(term * float64(k-1) / float64(k) * cosine2)
	}
	if degrees%2 == 0 {
		return float64(sine * sum)
	}
	return float64(2*halfTurns) + float64(2/math.Pi*float64(sine*sum))
}

// Difference is what a paired test says of two samples.
type Difference struct {
	N    int     // trials that both samples have a value of
	Mean float64 // of the differences, trial by trial
	SE   float64 // standard error of Mean; NaN for fewer than two trials
	// P is the two-sided p-value of Student's test, NaN for fewer than two trials. Where all
	// differences are equal the test has no spread to go by: P is then that of their signs, and 1
	// if they are 0.
	P float64
}

// Paired tests whether two samples have the same mean, by the differences y - x of the trials that
// both have.
func Paired(x, y []float64) Difference {
	var differences []float64
	for trial := range min(len(x), len(y)) {
		if d := y[trial] - x[trial]; !math.IsNaN(d) {
			differences = append(differences, d)
		}
	}
	d := Difference{N: len(differences), Mean: Mean(differences), SE: StandardError(differences)}
	d.test()
	return d
}

// PairedFolds is Paired of values that are each of one of k folds, two or more. Folds share records
// to learn from, so that the variance of the mean of n values is s²·(1/n + 1/(k-1)) for theirs of
// s² (Nadeau and Bengio 2003).
func PairedFolds(x, y []float64, k int) Difference {
	d := Paired(x, y)
	d.SE *= math.Sqrt(1 + float64(d.N)/float64(k-1))
	d.test()
	return d
}

// test sets P from the rest.
func (d *Difference) test() {
	switch {
	case d.N < 2:
		d.P = math.NaN()
	case d.SE == 0 && d.Mean == 0:
		d.P = 1
	case d.SE == 0: // all signs alike, one way or the other
		d.P = math.Ldexp(1, 1-d.N)
	default:
		tangent := math.Abs(d.Mean) / d.SE / math.Sqrt(float64(d.N-1))
		angle := bisect(func(angle float64) bool { return elementary.TanPi(angle) < tangent })
		d.P = max(0, 1-studentCoverage(angle, d.N-1))
	}
}

// Holm returns p-values adjusted for testing all of them (Holm 1979): where one is at most α, the
// chance that any true hypothesis is among those rejected is at most α, however the tests depend on
// each other.
func Holm(p []float64) []float64 {
	order := Order(len(p), func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	adjusted := make([]float64, len(p))
	worst := 0.0
	for rank, i := range order {
		worst = math.Max(worst, math.Min(1, float64(len(p)-rank)*p[i]))
		adjusted[i] = worst
	}
	return adjusted
}
