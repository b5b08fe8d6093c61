package claims

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"ppdp/results"
)

// Options of an evaluation. The zero value judges everything in the published variant.
type Options struct {
	Variant string // of the ledgers' algorithms under test; "" is published
	// Experiments are the names there are. A ledger that names any other is in error; nil takes every name.
	Experiments []string
	// Specs are the texts of the experiments. A run of another text may lack what a ledger selects, which is no
	// fault of the ledger's then; experiments without a text are taken to be current.
	Specs map[string]string
}

// Variants a claim can be judged in.
const (
	Published = "published"
	Strict    = "strict"
)

// Judgement is a claim with its verdict and the evidence.
type Judgement struct {
	ID        string   `json:"id"`
	Paper     string   `json:"paper"`
	Variant   string   `json:"variant"`
	Reading   string   `json:"reading,omitempty"` // "" is the claim itself
	Statement string   `json:"statement"`
	Source    []string `json:"source"`
	Errata    []string `json:"errata,omitempty"`
	Verdict   Verdict  `json:"verdict"`
	Basis     string   `json:"basis,omitempty"`  // "records", or "tests" when only tests of this module speak to it
	Reason    string   `json:"reason,omitempty"` // of not-covered and no-data
	// Expect and Why are the ledger's; Surprise is a verdict other than Expect. A run on stand-ins, with
	// overridden trials or grid, or of another variant is expected to be anything, and so are times.
	Expect      Verdict     `json:"expect,omitempty"`
	Why         string      `json:"why,omitempty"`
	Surprise    bool        `json:"surprise,omitempty"`
	StandIn     bool        `json:"standIn,omitempty"` // judged on generated data that stand in for the paper's
	Reduced     bool        `json:"reduced,omitempty"` // judged on a run with overridden trials or grid
	Clock       bool        `json:"clock,omitempty"`   // judged on running times, so of the machine that ran it; never a surprise
	Experiments []string    `json:"experiments,omitempty"`
	Checks      []Evidence  `json:"checks,omitempty"`
	Tests       []string    `json:"tests,omitempty"`
	Readings    []Judgement `json:"readings,omitempty"`
}

// Evidence is what one check found.
type Evidence struct {
	Predicate string  `json:"predicate"`
	Verdict   Verdict `json:"verdict"`
	Supports  int     `json:"supports"` // points
	Opposes   int     `json:"opposes"`
	Points    []Point `json:"points"`
	// Detectable is the median over the points of the smallest excess over the bound that would have
	// been seen with a chance of 80 %: (2 + t(0.8, n-1)) standard errors.
	Detectable float64 `json:"detectable"`
}

// Point is one place of a check's grid.
type Point struct {
	At    string  `json:"at"`
	Value float64 `json:"value"` // of the predicate's statistic: a difference, a mean, a rank correlation
	SE    float64 `json:"se"`
	N     int     `json:"n"`     // paired trials; 0 when nothing depends on trials
	State string  `json:"state"` // supports, opposes or undecided
	P     float64 `json:"p"`     // one-sided, of the direction Value points to, Holm-adjusted over the claim's points
}

// States of a point.
const (
	supports  = "supports"
	opposes   = "opposes"
	undecided = "undecided"
)

// Thresholds of the decision rule.
const (
	standardErrors = 2.0  // how far beyond the bound a point must lie to count
	most           = 0.8  // the part of supporting points that makes holds-mostly
	familyError    = 0.05 // chance that a verdict takes a side where nothing does
	power          = 0.8  // of the smallest excess told as detectable
)

// Evaluate judges every claim of a ledger on the outcomes of runs.
//
// Each check gives a statistic and its standard error at every point of its grid: paired over trials,
// folds averaged first. A point supports the check when the accepted values hold
// the statistic and two standard errors on either side; it opposes when it lies outside by more than two; else
// it is undecided. The check holds when all its points support it, holds mostly when four fifths do, is
// contradicted when more than half oppose it, and is not reproduced otherwise. Two standard errors are a
// 5.8 % test at five trials, so a side is taken only when the most significant point in its favour
// stays significant, at 5 %, after Holm's correction over all points of the claim: that bounds the chance of
// taking a side when nothing is there. The claim's verdict is its worst check's.
//
// A claim whose records are missing, failed or have one trial where error must be known has no data. A selection
// that cannot match (an experiment, fact or value that does not exist) is an error with the ledger's line; all are
// returned together, and the claims they are in have no data.
func Evaluate(l *Ledger, runs []*results.Run, o Options) ([]Judgement, error) {
	e := &evaluation{ledger: l, options: o, runs: make(map[string]*run)}
	if e.options.Variant == "" {
		e.options.Variant = Published
	}
	for _, r := range runs {
		e.runs[r.Manifest.Experiment] = &run{Run: r}
	}
	judgements := make([]Judgement, len(l.Claims))
	for i := range l.Claims {
		judgements[i] = e.claim(&l.Claims[i])
	}
	return judgements, errors.Join(e.problems...)
}

type evaluation struct {
	ledger   *Ledger
	options  Options
	runs     map[string]*run // by experiment
	problems []error
	told     map[string]bool
}

// run is a run and, once asked for, its samples.
type run struct {
	*results.Run
	samples []*sample
}

// reduced reports whether the run differs from its spec in more than the seed.
func (r *run) reduced() bool { return r.Manifest.Overrides.Reduced() }

// outdated reports whether the run is of another version of its experiment.
func (e *evaluation) outdated(r *run) bool {
	text, known := e.options.Specs[r.Manifest.Experiment]
	return known && text != r.Manifest.Spec
}

// missing is why a check has no data.
type missing string

func (m missing) Error() string { return string(m) }

func (e *evaluation) claim(c *Claim) Judgement {
	j := Judgement{ID: c.ID, Paper: e.ledger.Paper, Variant: e.options.Variant, Statement: c.Statement, Source: c.Source, Errata: c.Errata,
		Expect: c.Expect, Why: c.Why, Tests: c.Tests}
	switch {
	case c.NotCovered != "":
		j.Verdict, j.Reason = NotCovered, c.NotCovered
		return j
	case len(c.Checks) == 0:
		j.Verdict, j.Basis = c.Expect, "tests"
		if j.Variant == Strict && c.Strict != "" {
			j.Verdict = c.Strict
		}
		return j
	}
	e.judge(&j, c, nil)
	for i := range c.Readings {
		reading := &c.Readings[i]
		r := Judgement{ID: c.ID, Paper: e.ledger.Paper, Variant: e.options.Variant, Reading: reading.Name, Statement: c.Statement, Source: c.Source,
			Expect: reading.Expect, Why: reading.Why}
		e.judge(&r, c, reading)
		j.Readings = append(j.Readings, r)
	}
	return j
}

// judge fills in verdict and evidence of a claim, or of one reading of it.
func (e *evaluation) judge(j *Judgement, c *Claim, reading *Reading) {
	j.Basis = "records"
	var reasons []string
	for i := range c.Checks {
		s := &scope{evaluation: e, check: &c.Checks[i], experiment: c.Checks[i].Experiment, where: c.Checks[i].Where, judgement: j}
		if e.options.Variant == Strict {
			s.replace(c.Checks[i].Strict)
		}
		if reading != nil {
			s.read(reading)
		}
		evidence, err := s.evaluate()
		if err != nil {
			if none := missing(""); !errors.As(err, &none) {
				e.problem(err)
			}
			if reason := err.Error(); !slices.Contains(reasons, reason) {
				reasons = append(reasons, reason)
			}
			continue
		}
		j.Checks = append(j.Checks, evidence)
	}
	slices.Sort(j.Experiments)
	j.Experiments = slices.Compact(j.Experiments)
	if len(reasons) > 0 {
		j.Verdict, j.Reason, j.Checks = NoData, strings.Join(reasons, "; "), nil
		return
	}
	decide(j)
	j.Surprise = j.Verdict != j.Expect && j.Variant == Published && !j.StandIn && !j.Reduced && !j.Clock
}

// problem notes an error once.
func (e *evaluation) problem(err error) {
	if e.told == nil {
		e.told = make(map[string]bool)
	}
	if !e.told[err.Error()] {
		e.told[err.Error()] = true
		e.problems = append(e.problems, err)
	}
}

// decide applies the rule of Evaluate to points whose state is known and whose P is not yet adjusted.
func decide(j *Judgement) {
	var p []float64
	for _, c := range j.Checks {
		for _, point := range c.Points {
			p = append(p, point.P)
		}
	}
	p = results.Holm(p)
	worst := 0
	next := 0
	for i := range j.Checks {
		c := &j.Checks[i]
		surestSupport, surestOpposite := 1.0, 1.0
		for k := range c.Points {
			point := &c.Points[k]
			point.P = p[next]
			next++
			switch point.State {
			case supports:
				c.Supports++
				surestSupport = min(surestSupport, point.P)
			case opposes:
				c.Opposes++
				surestOpposite = min(surestOpposite, point.P)
			}
		}
		n := float64(len(c.Points))
		switch {
		case c.Supports == len(c.Points) && surestSupport <= familyError:
			c.Verdict = Holds
		case float64(c.Supports) >= most*n && surestSupport <= familyError:
			c.Verdict = HoldsMostly
		case 2*c.Opposes > len(c.Points) && surestOpposite <= familyError:
			c.Verdict = Contradicted
		default:
			c.Verdict = NotReproduced
		}
		worst = max(worst, slices.Index(fromBest, c.Verdict))
	}
	j.Verdict = fromBest[worst]
}

// fromBest orders the verdicts of checks.
var fromBest = []Verdict{Holds, HoldsMostly, NotReproduced, Contradicted}

// scope is one check under evaluation.
type scope struct {
	*evaluation
	check      *Check
	experiment string
	where      Selector
	replaced   Selector   // takes the place of terms of equal keys wherever they stand
	judgement  *Judgement // told which experiments and what kind of data were used
}

// read changes the scope to another reading of the claim.
func (s *scope) read(reading *Reading) {
	s.experiment = cmp.Or(reading.Experiment, s.experiment)
	s.check = s.check.with(reading)
	s.replace(reading.Where)
}

// replace puts terms in the place of those of equal keys, wherever they stand; a key that no side mentions holds
// for all sides.
func (s *scope) replace(where Selector) {
	s.replaced = s.replaced.with(where)
	sides := s.check.sides()
	for _, t := range where.terms {
		if !slices.ContainsFunc(sides, func(side *Side) bool { return side.Where.mentions(t.key) }) {
			s.where = s.where.with(Selector{[]term{t}})
		}
	}
}

func (s *scope) evaluate() (Evidence, error) {
	c := s.check
	var statistics []*placed
	var err error
	switch {
	case c.Order != nil:
		statistics, err = s.join(&c.Order.Left, &c.Order.Right, c.Each, func(v []float64) float64 { return v[0] - v[1] })
	case c.Range != nil:
		statistics, err = s.side(&c.Range.Of, c.Each)
	case c.Near != nil:
		statistics, err = s.side(&c.Near.Of, c.Each)
	case c.Growth != nil:
		statistics, err = s.curves(&c.Growth.Of, c.Growth.Along, minGrowth, c.Growth.exponent)
	default:
		statistics, err = s.curves(&c.Monotone.Of, c.Monotone.Along, minTrend, spearman)
	}
	if err != nil {
		return Evidence{}, err
	}
	if len(statistics) > 1 && !slices.ContainsFunc(statistics, func(p *placed) bool { return p.label != statistics[0].label }) {
		for _, p := range statistics { // the predicate says which sides are compared, everywhere the same
			p.label = ""
		}
	}
	evidence := Evidence{Predicate: s.describe()}
	b := c.bounds()
	var detectable []float64
	for _, statistic := range statistics {
		at := statistic.name(c.Each)
		value, se, n := statistic.estimate()
		switch {
		case n == 0 && !statistic.fixed:
			return Evidence{}, missing(fmt.Sprintf("%s: at %s no trial has succeeded on all sides", s.experiment, at))
		case !finite(value):
			return Evidence{}, missing(fmt.Sprintf("%s: undefined at %s", s.experiment, at))
		case n == 1 && c.Exact:
			se = 0
		case math.IsNaN(se):
			return Evidence{}, missing(fmt.Sprintf("%s: %s at %s, too few to know the error", s.experiment, counted(n, "trial"), at))
		}
		s.judgement.StandIn = s.judgement.StandIn || statistic.standIn
		evidence.Points = append(evidence.Points, b.place(Point{At: at, Value: value, SE: se, N: n}))
		if n > 1 {
			detectable = append(detectable, (standardErrors+quantileT(power, n-1))*se)
		}
	}
	if len(detectable) > 0 {
		slices.Sort(detectable)
		evidence.Detectable = detectable[len(detectable)/2]
	}
	return evidence, nil
}

// place decides a point's state and its p-value, not yet adjusted.
func (b bounds) place(p Point) Point {
	if !b.open { // a value computed to be the end itself must not miss it by its last bit
		b.lo -= rounding * math.Abs(b.lo)
		b.hi += rounding * math.Abs(b.hi)
	}
	lo, hi := p.Value-float64(standardErrors*p.SE), p.Value+float64(standardErrors*p.SE)
	inside, outside := lo >= b.lo && hi <= b.hi, hi < b.lo || lo > b.hi
	if b.open {
		inside = lo > b.lo && hi < b.hi
	}
	belowLo, aboveHi := 1.0, 1.0 // p-values of being outside
	if !math.IsInf(b.lo, -1) {
		belowLo = pAbove(-p.Value, p.SE, p.N, -b.lo)
	}
	if !math.IsInf(b.hi, 1) {
		aboveHi = pAbove(p.Value, p.SE, p.N, b.hi)
	}
	in, out := max(pAbove(p.Value, p.SE, p.N, b.lo), pAbove(-p.Value, p.SE, p.N, -b.hi)), min(belowLo, aboveHi)
	if !math.IsInf(b.lo, -1) && !math.IsInf(b.hi, 1) {
		out = min(1, 2*out) // either end may be passed
	}
	if p.SE == 0 { // nothing is left to chance; a closed bound includes its end
		in, out = 1, 1
		if inside {
			in = 0
		} else if outside {
			out = 0
		}
	}
	p.State, p.P = undecided, min(in, out)
	switch {
	case inside:
		p.State, p.P = supports, in
	case outside:
		p.State, p.P = opposes, out
	}
	return p
}

// placed is a quantity with its place on the grid.
type placed struct {
	*quantity
	label string // tells apart what the axes do not
}

// name is the point's place in words.
func (p *placed) name(axes []string) string {
	var parts []string
	for _, axis := range axes {
		if value := p.facts[axis]; value != "" {
			parts = append(parts, axis+" "+value)
		}
	}
	if p.label != "" {
		parts = append(parts, p.label)
	}
	if len(parts) == 0 {
		return "all"
	}
	return strings.Join(parts, ", ")
}

// side evaluates a side at every point of the axes it has.
func (s *scope) side(side *Side, axes []string) ([]*placed, error) {
	own, err := s.selection(side, axes)
	if err != nil {
		return nil, err
	}
	if side.Minus != nil {
		if own, err = s.pair(own, side.Minus, axes, side.at, func(v []float64) float64 { return v[0] - v[1] }); err != nil {
			return nil, err
		}
	}
	if side.Per != nil {
		return s.pair(own, side.Per, axes, side.at, func(v []float64) float64 { return v[0] / v[1] })
	}
	return own, nil
}

func (s *scope) join(left, right *Side, axes []string, f func([]float64) float64) ([]*placed, error) {
	own, err := s.side(left, axes)
	if err != nil {
		return nil, err
	}
	return s.pair(own, right, axes, right.at, f)
}

// pair puts every quantity beside every one of another side that has the same place on the axes both
// have: a side without an axis is constant along it.
func (s *scope) pair(left []*placed, other *Side, axes []string, at Position, f func([]float64) float64) ([]*placed, error) {
	right, err := s.side(other, axes)
	if err != nil {
		return nil, err
	}
	var pairs []*placed
	met := make(map[*placed]bool)
	for _, l := range left {
		for _, r := range right {
			facts, same := maps.Clone(l.facts), true
			for _, axis := range axes {
				switch a, b := l.facts[axis], r.facts[axis]; {
				case a != "" && b != "" && !results.Matches(a, b):
					same = false
				case a == "" && b != "":
					facts[axis] = b
				}
			}
			if !same {
				continue
			}
			met[l], met[r] = true, true
			label := l.label
			if r.label != "" {
				label = cmp.Or(label, "this") + " vs " + r.label
			}
			pairs = append(pairs, &placed{combined(facts, []*quantity{l.quantity, r.quantity}, f), label})
		}
	}
	for _, p := range append(slices.Clip(left), right...) {
		if !met[p] {
			return nil, fmt.Errorf("%s: nothing stands beside %s of the other side; the two must have the same grid", at, p.name(axes))
		}
	}
	return pairs, nil
}

// selection evaluates a side's own records, without Minus and Per.
func (s *scope) selection(side *Side, axes []string) ([]*placed, error) {
	experiment := cmp.Or(side.Experiment, s.experiment)
	where := s.where.with(side.Where).replaced(s.replaced)
	samples, err := s.selected(experiment, where, side.at)
	if err != nil {
		return nil, err
	}
	mentioned := slices.Clone(axes)
	for _, t := range where.terms {
		mentioned = append(mentioned, t.key)
	}
	for _, take := range side.Take {
		mentioned = append(mentioned, take.Over)
	}
	slices.Sort(mentioned)
	mentioned = slices.Compact(mentioned)

	var own []*quantity
	first := make(map[string]*sample)
	for _, x := range samples {
		s.judgement.Clock = s.judgement.Clock || x.facts["metric"] == results.RuntimeMetric
		key := keyOf(x.facts, mentioned)
		if other := first[key]; other != nil {
			return nil, fmt.Errorf("%s: %s: several configurations at one point: %s must be fixed under where or named under each or take", side.at, experiment, differing(other.facts, x.facts))
		}
		first[key] = x
		q := measured(x, side.Stat, s.check.Exact)
		q.facts = make(map[string]string, len(mentioned))
		for _, name := range mentioned {
			if value, known := x.facts[name]; known {
				q.facts[name] = value
			}
		}
		own = append(own, q)
	}
	for _, take := range side.Take {
		mentioned = slices.DeleteFunc(slices.Clone(mentioned), func(name string) bool { return name == take.Over })
		groups := make(map[string][]*quantity)
		var order []string
		for _, q := range own {
			if _, known := q.facts[take.Over]; !known {
				return nil, fmt.Errorf("%s: %s: take %s: no record selected has %s", side.at, experiment, take, take.Over)
			}
			delete(q.facts, take.Over)
			key := keyOf(q.facts, mentioned)
			if groups[key] == nil {
				order = append(order, key)
			}
			groups[key] = append(groups[key], q)
		}
		own = nil
		for _, key := range order {
			group := groups[key]
			q := combined(group[0].facts, group, func(v []float64) float64 { return reduce(take.How, v) })
			if take.InEachTrial {
				q = q.trialwise()
			}
			own = append(own, q)
		}
	}
	var varying []string
	for _, name := range mentioned {
		differs := slices.ContainsFunc(own, func(q *quantity) bool { return q.facts[name] != own[0].facts[name] })
		// What the side itself fixes says which side it is.
		if (differs || side.Where.mentions(name)) && !slices.Contains(axes, name) {
			varying = append(varying, name)
		}
	}
	list := make([]*placed, len(own))
	for i, q := range own {
		var parts []string
		for _, name := range varying {
			if value, known := q.facts[name]; known {
				parts = append(parts, name+" "+value)
			}
		}
		if len(parts) == 0 {
			for _, take := range side.Take {
				parts = append(parts, take.String())
			}
		}
		list[i] = &placed{q, strings.Join(parts, " ")}
	}
	return list, nil
}

// selected returns the samples of an experiment that a selector keeps, in the variant asked for.
func (s *scope) selected(experiment string, where Selector, at Position) ([]*sample, error) {
	r := s.runs[experiment]
	if r == nil {
		if s.options.Experiments != nil && !slices.Contains(s.options.Experiments, experiment) {
			return nil, fmt.Errorf("%s: experiment: %s, must be one of %s", at, experiment, strings.Join(s.options.Experiments, ", "))
		}
		return nil, missing(experiment + " has not been run")
	}
	if r.samples == nil {
		r.samples = samplesOf(r.Run)
	}
	s.judgement.Experiments = append(s.judgement.Experiments, experiment)
	s.judgement.Reduced = s.judgement.Reduced || r.reduced()
	if len(r.Timings) == 0 && slices.ContainsFunc(where.terms, func(t term) bool { return t.key == "metric" && t.wanted == results.RuntimeMetric }) {
		return nil, missing(experiment + " has no " + results.TimingsFile)
	}
	var problems []error
	for _, t := range where.terms {
		known := false
		for _, x := range r.samples {
			_, has := x.facts[t.key]
			known = known || has
		}
		if !known {
			problems = append(problems, fmt.Errorf("%s: where: no record of %s has %s", t.at, experiment, t.key))
			continue
		}
		for alternative := range strings.SplitSeq(t.wanted, "|") {
			found := slices.ContainsFunc(r.samples, func(x *sample) bool {
				value, has := x.facts[t.key]
				return has && results.Matches(value, alternative)
			})
			// A run with overrides may lack values that the full one has.
			if !found && !r.reduced() {
				problems = append(problems, fmt.Errorf("%s: where: no record of %s has %s %s, must be one of %s", t.at, experiment, t.key, alternative, valuesOf(r.samples, t.key)))
			}
		}
	}
	if len(problems) > 0 {
		if s.outdated(r) {
			return nil, missing(experiment + " was run in another version, without all that is asked for: run it again")
		}
		return nil, errors.Join(problems...)
	}
	var kept []*sample
	for _, x := range r.samples {
		if where.selects(x.facts) {
			kept = append(kept, x)
		}
	}
	if len(kept) == 0 {
		if r.reduced() {
			return nil, missing(fmt.Sprintf("the reduced run of %s has nothing of %s", experiment, where))
		}
		if s.outdated(r) {
			return nil, missing(fmt.Sprintf("%s was run in another version, which has nothing of %s: run it again", experiment, where))
		}
		return nil, fmt.Errorf("%s: no record of %s has all of %s", at, experiment, where)
	}
	if where.mentions("variant") {
		return kept, nil
	}
	inVariant := kept[:0:0]
	for _, x := range kept {
		wanted := Published
		if slices.Contains(s.ledger.UnderTest, x.facts["algorithm"]) {
			wanted = s.options.Variant
		} else if !slices.ContainsFunc(kept, func(y *sample) bool {
			return y.facts["algorithm"] == x.facts["algorithm"] && y.facts["variant"] == wanted
		}) {
			wanted = x.facts["variant"] // the only choice
		}
		if x.facts["variant"] == wanted {
			inVariant = append(inVariant, x)
		}
	}
	if len(inVariant) == 0 {
		return nil, missing(fmt.Sprintf("%s has no record of %s in the %s variant", experiment, where, s.options.Variant))
	}
	return inVariant, nil
}

// curves gives a statistic of each curve of a side along an axis, from its points' places on the axis and their values.
func (s *scope) curves(side *Side, along string, fewest int, statistic func(x, y []float64) float64) ([]*placed, error) {
	points, err := s.side(side, append(slices.Clip(s.check.Each), along))
	if err != nil {
		return nil, err
	}
	groups := make(map[string][]*placed)
	var order []string
	for _, p := range points {
		if _, err := strconv.ParseFloat(p.facts[along], 64); err != nil {
			return nil, fmt.Errorf("%s: along: %s of %s is %q, must be a number", s.check.at, along, s.experiment, p.facts[along])
		}
		key := keyOf(p.facts, s.check.Each) + "\x00" + p.label
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], p)
	}
	var curves []*placed
	for _, key := range order {
		group := groups[key]
		if len(group) < fewest {
			return nil, missing(fmt.Sprintf("%s: %s along %s, must be at least %d", s.experiment, counted(len(group), "point"), along, fewest))
		}
		x := make([]float64, len(group))
		parts := make([]*quantity, len(group))
		for i, p := range group {
			x[i], _ = strconv.ParseFloat(p.facts[along], 64) // checked above
			parts[i] = p.quantity
		}
		facts := maps.Clone(group[0].facts)
		delete(facts, along)
		curves = append(curves, &placed{combined(facts, parts, func(y []float64) float64 { return statistic(x, y) }), group[0].label})
	}
	return curves, nil
}

// The fewest points of a curve. A rank correlation needs five: three points without a trend are in order one time in
// six, and trials that agree on that chance say nothing of it. A slope needs one more than it has parameters.
const (
	minTrend  = 5
	minGrowth = 3
)

func keyOf(facts map[string]string, names []string) string {
	var b strings.Builder
	for _, name := range names {
		b.WriteString(facts[name])
		b.WriteByte(0)
	}
	return b.String()
}

// differing names the facts in which two configurations differ, without the series, which follows from the others.
func differing(a, b map[string]string) string {
	names := slices.Sorted(maps.Keys(a))
	names = append(names, slices.Sorted(maps.Keys(b))...)
	slices.Sort(names)
	names = slices.Compact(names)
	names = slices.DeleteFunc(names, func(name string) bool { return a[name] == b[name] || name == "series" })
	if len(names) == 0 {
		return "series"
	}
	return strings.Join(names, ", ")
}

// valuesOf lists the values that samples have of a fact, in order of first appearance.
func valuesOf(samples []*sample, name string) string {
	var values []string
	for _, x := range samples {
		if value, has := x.facts[name]; has && value != "" && !slices.Contains(values, value) {
			values = append(values, value)
		}
	}
	return strings.Join(values, ", ")
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
