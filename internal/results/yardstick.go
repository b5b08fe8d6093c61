package results

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"ppdp/numeric/elementary"
)

// The control whose releases are samples of the true records, and its parameter.
const (
	SampleAlgorithm = "sample"
	ShareParam      = "share"
)

// Other releases of an evaluation: those that files hold, the data as they are, a table's or a
// graph's, and the data with the columns permuted that a parameter names.
const (
	FileAlgorithm     = "file"
	CopyAlgorithm     = "identity"
	DegreesAlgorithm  = "perfect"
	PermutedAlgorithm = "permuted"
	ColumnsParam      = "columns"
)

// FreshSeries is the series of a file of people whom no release was made from: a control.
const FreshSeries = "Fresh people (the holdout)"

// SampleEquivalent is the axis on which a figure shows, in place of a measurement, how large a
// sample of the true records measures as much.
const SampleEquivalent = "sample-equivalent"

// Yardstick is the learning curve of one measurement on samples of the true records. Means are made
// monotone in the share by pooling adjacent violators (Ayer et al. 1955) and joined by straight
// lines over the logarithm of the share, or as Linear and Errors say. The zero value is not ready
// for use; it does not change and is safe for concurrent use.
type Yardstick struct {
	shares []float64 // ascending
	means  []float64 // never falling: negated where lower is better
	halves []float64 // half widths of the means' intervals, NaN where unknown
	sign   float64
	law    law
}

// law is over what the means are joined.
type law int

const (
	logarithmic law = iota
	linear
	ofErrors
)

// Linear is the same curve, joined over the share itself: a release that holds a share of the
// records and nothing else discloses that share, wherever it lies between two samples.
func (y *Yardstick) Linear() *Yardstick {
	own := *y
	own.law = linear
	return &own
}

// Errors is the same curve of errors. An error is how much worse a mean is than the last, which is
// of all records. Its square is joined over one over the share, since the mean of n of N records,
// drawn without replacement, has a variance of S²·(1/n - 1/N). Example: between errors of 2 at a
// share of 1/5 and of 1 at 1/2, √2 is at 1/3. As many other people have that error, since their
// variance is S²·(1/N + 1/N).
func (y *Yardstick) Errors() *Yardstick {
	own := *y
	own.law = ofErrors
	return &own
}

// NewYardstick returns the curve of the rows of the control at several shares, nil where fewer than
// two have a mean.
func NewYardstick(rows []*Row, higherIsBetter bool) *Yardstick {
	y := &Yardstick{sign: -1}
	if higherIsBetter {
		y.sign = 1
	}
	share := func(r *Row) float64 {
		x, _ := r.Number(ShareParam)
		if !(x > 0) || math.IsNaN(r.Mean) {
			return math.NaN()
		}
		return x
	}
	rows = slices.DeleteFunc(slices.Clone(rows), func(r *Row) bool { return math.IsNaN(share(r)) })
	slices.SortStableFunc(rows, func(a, b *Row) int { return cmp.Compare(share(a), share(b)) })
	if len(rows) < 2 {
		return nil
	}
	for _, r := range rows {
		y.shares = append(y.shares, share(r))
		y.means = append(y.means, float64(y.sign*r.Mean))
		y.halves = append(y.halves, (r.Hi95-r.Lo95)/2)
	}
	for end := range y.means { // pool what falls, from the end of the part that is monotone
		start := end
		for start > 0 && y.means[start-1] > Mean(y.means[start:end+1]) {
			for start--; start > 0 && y.means[start-1] == y.means[start]; {
				start--
			}
		}
		pooled := Mean(y.means[start : end+1])
		for i := start; i <= end; i++ {
			y.means[i] = pooled
		}
	}
	return y
}

// Equivalent is the share of the true records whose sample is as good as a release, from Lo to Hi.
// Least and Most are the ends of what was measured. A share of Least means at most that, one of
// Most at least that. Lo and Hi are NaN where they are unknown.
type Equivalent struct{ Share, Lo, Hi, Least, Most float64 }

// Of returns the smallest share at which the curve reaches a mean. lo and hi are the ends of the
// mean's 95 % interval. The shares between the equivalent's own are those at which the curve cannot
// be distinguished from the mean: they differ by at most √(a²+b²), for half widths a of the mean's
// interval and b of the curve's.
func (y *Yardstick) Of(mean, lo, hi float64) Equivalent {
	last := len(y.shares) - 1
	e := Equivalent{Share: math.NaN(), Lo: math.NaN(), Hi: math.NaN(),
		Least: y.shares[0], Most: y.shares[last]}
	if math.IsNaN(mean) {
		return e
	}
	mean = float64(y.sign * mean)
	e.Share = y.reaches(mean, y.means)
	upper, lower := slices.Clone(y.means), slices.Clone(y.means)
	for i := range y.shares {
		own, half := (hi-lo)/2, y.halves[i]
		half = math.Sqrt(float64(own*own) + float64(half*half))
		if math.IsNaN(half) {
			return e
		}
		upper[i] += half
		lower[i] -= half
	}
	e.Lo, e.Hi = y.reaches(mean, upper), e.Least
	for i := last; i >= 0; i-- {
		if lower[i] > mean {
			continue
		}
		e.Hi = y.shares[i]
		if i < last {
			e.Hi = y.between(i, mean, lower)
		}
		break
	}
	return e
}

// reaches is the first share at which a curve over the shares is at least a value.
func (y *Yardstick) reaches(value float64, curve []float64) float64 {
	i := slices.IndexFunc(curve, func(v float64) bool { return v >= value })
	switch i {
	case -1:
		return y.shares[len(y.shares)-1]
	case 0:
		return y.shares[0]
	}
	return y.between(i-1, value, curve)
}

// between is the share at which a curve has a value, between one measured and the next.
func (y *Yardstick) between(i int, value float64, curve []float64) float64 {
	scale := func(v float64) float64 { return v }
	if y.law == ofErrors {
		all := y.means[len(y.means)-1]
		scale = func(v float64) float64 { return (v - all) * math.Abs(v-all) }
	}
	from, to := scale(curve[i]), scale(curve[i+1])
	part := (scale(value) - from) / (to - from)
	switch part { // without the rounding of logarithms
	case 0:
		return y.shares[i]
	case 1:
		return y.shares[i+1]
	}
	switch y.law {
	case linear:
		return y.shares[i] + float64(part*(y.shares[i+1]-y.shares[i]))
	case ofErrors:
		return 1 / (1/y.shares[i] + float64(part*(1/y.shares[i+1]-1/y.shares[i])))
	}
	from, to = elementary.Log(y.shares[i]), elementary.Log(y.shares[i+1])
	return elementary.Exp(from + float64(part*(to-from)))
}

// String is the share in per cent, of two digits: "3.2 %", "≤ 0.05 %", "≥ 100 %".
func (e Equivalent) String() string {
	switch text := e.percent(e.Share); {
	case math.IsNaN(e.Share):
		return "unknown"
	case e.Share <= e.Least:
		return "≤ " + text + " %"
	case e.Share >= e.Most:
		return "≥ " + text + " %"
	default:
		return text + " %"
	}
}

// Interval is the range of the share in per cent, "" where it is unknown: "2.1 to 5 %".
func (e Equivalent) Interval() string {
	if math.IsNaN(e.Lo) {
		return ""
	}
	return e.percent(e.Lo) + " to " + e.percent(e.Hi) + " %"
}

func (e Equivalent) percent(share float64) string {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(100*share, 'g', 2, 64), 64)
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// Yardsticks are the learning curves of a run, by dataset and measurement.
type Yardsticks map[string]*Yardstick

func keyOfYardstick(r *Row) string { return r.Dataset.Label() + "\n" + r.Measurement.String() }

// Yardsticks returns the learning curves that rows of the run have: of every measurement that the
// control was measured by. What cannot be learned from records, such as run time, has none.
func (m *Manifest) Yardsticks(rows []Row) Yardsticks {
	var control []*Row
	for r := range Each(rows) {
		if r.Algorithm == SampleAlgorithm && !slices.ContainsFunc(DerivedMeasures,
			func(u MeasureUse) bool { return u.Metric == r.Metric }) {
			control = append(control, r)
		}
	}
	all := make(Yardsticks)
	for _, rows := range Grouped(control, keyOfYardstick) {
		y := NewYardstick(rows, m.Measure(rows[0].Metric).HigherIsBetter)
		if y != nil {
			all[keyOfYardstick(rows[0])] = y
		}
	}
	return all
}

// Of returns what a row equals; ok is false where its measurement has no curve.
func (all Yardsticks) Of(r *Row) (e Equivalent, ok bool) {
	y := all[keyOfYardstick(r)]
	if y == nil {
		return Equivalent{}, false
	}
	return y.Of(r.Mean, r.Lo95, r.Hi95), true
}
