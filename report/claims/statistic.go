package claims

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"ppdp/internal/results"

	"gonum.org/v1/gonum/stat/distuv"
)

// quantity is a number that depends on the trials it is computed from, such as the mean of a sample
// or the difference of two means. It is kept as a function of the trials, because the jackknife has
// to compute it again without each of them.
type quantity struct {
	facts  map[string]string          // those the selection mentions: the place on the grid
	along  float64                    // the place on the axis that its curve runs along, or NaN
	label  string                     // distinguishes quantities of one place
	trials []int                      // ascending; nil where fixed
	fixed  bool                       // the same whatever the trials
	steps  []*quantity                // of a curve, between neighbours
	made   []made                     // what it is computed from
	at     func(trials []int) float64 // NaN where undefined
	linear bool                       // over trials it is the mean of what it is in each

	// An extreme is the largest among its parts or, if least, the smallest; what is made of
	// extremes keeps its operands. Its estimate is biased, the more the closer its parts are, so
	// that it is tested through them. Mixed is what has no such test: a mean of extremes.
	among    []*quantity
	least    bool
	operands []*quantity
	of       function
	mixed    bool
}

// made is a setting of an experiment.
type made struct {
	experiment string
	setting    *results.Setting
}

// measured turns a sample into a quantity, a statistic over its trials (Side.Stat).
func measured(x *results.Sample, stat string, exact bool) *quantity {
	q := &quantity{linear: stat == "" || stat == "mean"}
	for trial, value := range x.Trials {
		if !math.IsNaN(value) {
			q.trials = append(q.trials, trial)
		}
	}
	if exact && len(q.trials) == 1 {
		value := x.Trials[q.trials[0]]
		q.trials, q.fixed = nil, true
		q.at = func([]int) float64 { return value }
		return q
	}
	of := results.Mean
	switch stat {
	case "se":
		of = results.StandardError
	case "min":
		of = slices.Min[[]float64]
	}
	values := make([]float64, len(q.trials)) // used again: the jackknife asks once a trial
	q.at = func(trials []int) float64 {
		for i, trial := range trials {
			values[i] = x.Trials[trial]
		}
		return of(values[:len(trials)])
	}
	return q
}

// combined makes a quantity of several, over the trials that all of them have: trials are paired.
func combined(facts map[string]string, parts []*quantity, f function) *quantity {
	q := &quantity{facts: facts, fixed: true, along: math.NaN(), linear: f.linear}
	for _, p := range parts {
		q.linear = q.linear && p.linear
		if p.among != nil || p.operands != nil {
			q.operands, q.of = parts, f
		}
		q.mixed = q.mixed || p.mixed || q.operands != nil && !f.tested
		q.made = append(q.made, p.made...)
		if math.IsNaN(q.along) { // all that have a place have the same
			q.along = p.along
		}
		switch {
		case p.fixed:
		case q.fixed:
			q.fixed, q.trials = false, p.trials
		default:
			q.trials = slices.DeleteFunc(slices.Clone(q.trials), func(trial int) bool {
				_, found := slices.BinarySearch(p.trials, trial)
				return !found
			})
		}
	}
	q.at = func(trials []int) float64 {
		values := make([]float64, len(parts))
		for i, p := range parts {
			values[i] = p.at(trials)
		}
		return f.at(values)
	}
	return q
}

// reduced is a reduction of several quantities, not in each trial. A spread is the largest of all
// differences.
func reduced(facts map[string]string, parts []*quantity, how string) *quantity {
	q := combined(facts, parts, takes[how])
	if how == "mean" {
		return q
	}
	q.among, q.least, q.operands = parts, how == "min", nil
	if how == "spread" {
		q.among = nil
		for _, a := range parts {
			for _, b := range parts {
				if a != b {
					q.among = append(q.among, combined(facts, []*quantity{a, b}, difference))
				}
			}
		}
	}
	return q
}

// parts are the quantities among which it is the largest or, if least, the smallest; nil unless it
// is an extreme. max A - max B is the largest of a - max B and the smallest of max A - b: of two
// such forms, prefer says whether it shall be the one with the smallest.
func (q *quantity) parts(prefer bool) (among []*quantity, least bool) {
	if q.operands == nil {
		return q.among, q.least
	}
	at := -1
	for i, operand := range q.operands {
		falls := i > 0 // with its second operand
		of, smallest := operand.parts(prefer != falls)
		if smallest = smallest != falls; of != nil && (at < 0 || smallest == prefer) {
			among, least, at = of, smallest, i
		}
	}
	whole := make([]*quantity, len(among))
	for i, part := range among {
		operands := slices.Clone(q.operands)
		operands[at] = part
		whole[i] = combined(q.facts, operands, q.of)
	}
	return whole, least
}

// beyond is the one-sided p-value of an extreme lying above a bound or, where sign is -1, below it.
// The largest of k parts is above it if one of them is, with k times that one's p-value
// (Bonferroni), and below it if all are, with the largest p-value. The smallest mirrors that.
// "max A - max B above x" thus asks, for every b, for some a with a - b above x.
func (q *quantity) beyond(sign, bound float64, trials []int) float64 {
	parts, least := q.parts(sign > 0)
	if len(parts) == 0 {
		part := *q
		part.trials = trials
		if part.linear && !part.fixed { // as estimate, in less time
			return meanOf(part.each(trials)).beyond(sign, bound)
		}
		return part.estimate().beyond(sign, bound)
	}
	all, some := 0.0, 1.0
	for _, part := range parts {
		p := part.beyond(sign, bound, trials)
		all, some = max(all, p), min(some, p)
	}
	if least == (sign > 0) {
		return all
	}
	return min(1, float64(len(parts))*some)
}

// each is what the quantity is in each trial alone.
func (q *quantity) each(trials []int) []float64 {
	values := make([]float64, len(trials))
	for i := range trials {
		values[i] = q.at(trials[i : i+1])
	}
	return values
}

// trialwise is the mean over trials of the quantity computed from one trial at a time.
func (q *quantity) trialwise() *quantity {
	if q.fixed {
		return q
	}
	return &quantity{facts: q.facts, along: q.along, trials: q.trials, made: q.made, linear: true,
		at: func(trials []int) float64 { return results.Mean(q.each(trials)) }}
}

// function makes one number of several.
type function struct {
	at     func(values []float64) float64
	linear bool
	tested bool // also of extremes
}

// Differences and ratios (of what is positive, as penalties and times are) grow with the first of
// two values and fall with the second.
var (
	difference = function{func(v []float64) float64 { return v[0] - v[1] }, true, true}
	ratio      = function{func(v []float64) float64 { return v[0] / v[1] }, false, true}
)

// takes are the reductions that a claims file may ask for.
var takes = map[string]function{
	"min":  {slices.Min[[]float64], false, true},
	"max":  {slices.Max[[]float64], false, true},
	"mean": {results.Mean, true, false},
	"spread": {func(values []float64) float64 { return slices.Max(values) - slices.Min(values) },
		false, true},
}

// estimate is the quantity over all its trials, with its standard error by the delete-one jackknife
// over trials (s/√n for a mean or a paired difference) and the skewness of what it leaves out. N is
// 0 and the error 0 for what does not depend on trials; the error is NaN with a single trial.
func (q *quantity) estimate() Point {
	if q.fixed {
		return Point{Value: q.at(nil)}
	}
	n := len(q.trials)
	if n == 0 {
		return Point{Value: math.NaN(), SE: math.NaN()}
	}
	value := q.at(q.trials)
	if n == 1 {
		return Point{Value: value, SE: math.NaN(), N: n}
	}
	without, others := make([]float64, n), slices.Clone(q.trials[1:])
	for i, trial := range q.trials {
		without[i] = q.at(others)
		if i < len(others) {
			others[i] = trial
		}
	}
	average := results.Mean(without)
	squares := 0.0
	for _, x := range without {
		d := x - average
		squares += float64(d * d)
	}
	se := math.Sqrt(squares * float64(n-1) / float64(n))
	if se < rounding*math.Abs(value) {
		se = 0
	}
	return Point{Value: value, SE: se, N: n, skew: -skewness(without, average)}
}

func meanOf(values []float64) Point {
	mean := results.Mean(values)
	return Point{Value: mean, SE: results.StandardError(values), N: len(values),
		skew: skewness(values, mean)}
}

// skewness is the third central moment of values by the power 3/2 of the second.
func skewness(values []float64, mean float64) float64 {
	var squares, cubes float64
	for _, x := range values {
		d := x - mean
		squares += float64(d * d)
		cubes += float64(d * d * d)
	}
	n := float64(len(values))
	return cubes / squares * math.Sqrt(n/squares)
}

// medianOf is the median of values of trials. Its error is half the width of the narrowest interval
// between two of them, as far from either end, that has the median with a chance of 68 %.
func medianOf(values []float64) Point {
	n := len(values)
	if most := slices.Max(values); math.IsNaN(most) || n < 2 {
		return Point{Value: most, SE: math.NaN(), N: n}
	}
	slices.Sort(values)
	coin := distuv.Binomial{N: float64(n), P: 0.5}
	// The interval misses the median if at most from values are on one of its sides. √n is two of
	// their number's standard deviations.
	from := max(0, n/2-int(math.Sqrt(float64(n))))
	for 2*(from+1) < n && 2*coin.CDF(float64(from+1)) <= 1-0.68 {
		from++
	}
	return Point{Value: (values[(n-1)/2] + values[n/2]) / 2,
		SE: (values[n-1-from] - values[from]) / 2, N: n, values: values}
}

// rounding is the part of a value below which its standard error is that of the arithmetic: sums of
// up to a few thousand doubles lose no more.
const rounding = 1e-12

func studentT(degrees int) distuv.StudentsT {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(degrees)}
}

// place is where the quantity is on the grid, in words.
func (q *quantity) place(axes []string) string {
	parts := q.texts(axes)
	if q.label != "" {
		parts = append(parts, q.label)
	}
	return cmp.Or(strings.Join(parts, ", "), "all")
}

// texts are the facts that a quantity has of those named, in words.
func (q *quantity) texts(names []string) (texts []string) {
	for _, name := range names {
		if value := q.facts[name]; value != "" {
			texts = append(texts, name+" "+value)
		}
	}
	return texts
}

// side evaluates a side of a predicate: it returns a quantity for every point of the axes that the
// side's records have. Errors are those of the claims file, or missing data.
func (s *scope) side(side *Side, axes []string) ([]*quantity, error) {
	own, err := s.selection(side, axes)
	if err == nil && side.Minus != nil {
		own, err = s.pair(own, side.Minus, axes, difference)
	}
	if err == nil && side.Per != nil {
		own, err = s.pair(own, side.Per, axes, ratio)
	}
	return own, err
}

// pair combines every quantity with every one of another side that has the same place on the axes
// both have: a side without an axis is constant along it.
func (s *scope) pair(left []*quantity, other *Side, axes []string, f function) ([]*quantity,
	error) {
	right, err := s.side(other, axes)
	if err != nil {
		return nil, err
	}
	var pairs []*quantity
	met := make(map[*quantity]bool)
	for _, l := range left {
		for _, r := range right {
			facts, same := union(l.facts, r.facts, axes)
			if !same {
				continue
			}
			met[l], met[r] = true, true
			both := combined(facts, []*quantity{l, r}, f)
			both.label = l.label
			if r.label != "" {
				both.label = cmp.Or(l.label, "this") + " vs " + r.label
			}
			pairs = append(pairs, both)
		}
	}
	for _, q := range slices.Concat(left, right) {
		if !met[q] {
			return nil, fmt.Errorf("%s: %s has no counterpart on the other side, "+
				"both must have the same grid", s.file.lineOf(other.Node), q.place(axes))
		}
	}
	return pairs, nil
}

// union adds facts of b on the axes to a; same is false where the two differ on an axis.
func union(a, b map[string]string, axes []string) (facts map[string]string, same bool) {
	facts = maps.Clone(a)
	for _, axis := range axes {
		x, y := a[axis], b[axis]
		if x != "" && y != "" && !results.Matches(x, y) {
			return nil, false
		}
		facts[axis] = cmp.Or(x, y)
	}
	return facts, true
}

// selection evaluates a side's own records, without Minus and Per.
func (s *scope) selection(side *Side, axes []string) ([]*quantity, error) {
	experiment := cmp.Or(side.Experiment, s.experiment)
	where := s.where.with(side.Where).replaced(s.replaced)
	at := s.file.lineOf(side.Node)
	samples, err := s.selected(experiment, where, at)
	if err != nil {
		return nil, err
	}
	// Of the facts mentioned.
	names := slices.Concat(axes, results.Mapped(where, func(t term) string { return t.key }))
	var takeTexts []string
	for _, take := range side.Take {
		names = append(names, take.over)
		takeTexts = append(takeTexts, take.text)
	}
	slices.Sort(names)
	names = slices.Compact(names)

	var own []*quantity
	first := make(map[string]*results.Sample)
	for _, x := range samples {
		if x.Metric == results.RuntimeMetric {
			s.judgement.Clock = true
			if machine := s.runs[experiment].Manifest.CPU; machine != "" {
				s.judgement.Machines = results.Union(s.judgement.Machines, machine)
			}
		}
		s.judgement.StandIn = s.judgement.StandIn || x.Dataset.StandIn()
		s.judgement.released = s.judgement.released ||
			x.Algorithm != results.CopyAlgorithm && x.Algorithm != results.DegreesAlgorithm
		q := measured(x, side.Stat, s.check.Exact)
		q.made = []made{{experiment, x.Setting}}
		q.along, _ = x.Number(s.along)
		q.facts = make(map[string]string, len(names))
		for _, name := range names {
			if value, known := x.Fact(name); known {
				q.facts[name] = value
			}
		}
		key := keyOf(q.facts, names)
		if other := first[key]; other != nil {
			return nil, fmt.Errorf("%s: %s: several configurations at one point: "+
				"%s must be fixed under where or named under each or take",
				at, experiment, differing(other.Facts(), x.Facts()))
		}
		first[key] = x
		own = append(own, q)
	}
	for _, take := range side.Take {
		names = slices.DeleteFunc(names, func(name string) bool { return name == take.over })
		for _, q := range own {
			if _, known := q.facts[take.over]; !known {
				return nil, fmt.Errorf("%s: %s: take %s: no selected record has %s",
					at, experiment, take.text, take.over)
			}
			delete(q.facts, take.over)
			if take.over == s.along {
				q.along = math.NaN()
			}
		}
		groups := results.Grouped(own, func(q *quantity) string { return keyOf(q.facts, names) })
		own = results.Mapped(groups, func(group []*quantity) *quantity {
			if take.inEachTrial {
				return combined(group[0].facts, group, takes[take.how]).trialwise()
			}
			return reduced(group[0].facts, group, take.how)
		})
	}
	// What varies off the axes, and what the side itself fixes, says which side it is.
	shown := slices.DeleteFunc(names, func(name string) bool {
		differs := func(q *quantity) bool { return q.facts[name] != own[0].facts[name] }
		return slices.Contains(axes, name) ||
			!side.Where.mentions(name) && !slices.ContainsFunc(own, differs)
	})
	for _, q := range own {
		q.label = cmp.Or(strings.Join(q.texts(shown), " "), strings.Join(takeTexts, " "))
	}
	return own, nil
}

func keyOf(facts map[string]string, names []string) string {
	var b strings.Builder
	for _, name := range names {
		b.WriteString(facts[name])
		b.WriteByte(0)
	}
	return b.String()
}

// differing names the facts in which two configurations differ, without the series, which follows
// from the others.
func differing(a, b map[string]string) string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(all)), func(name string) bool {
		return a[name] == b[name] || name == "series"
	})
	return cmp.Or(strings.Join(names, ", "), "series")
}
