package claims

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"ppdp/internal/results"
)

// Options of an evaluation. The zero value judges everything in the published variant.
type Options struct {
	Variant string // of the algorithms under test; "" is published
	// Experiments are the names of all experiments. A claims file that names another is an error;
	// nil allows every name.
	Experiments []string
	// Specs are the texts of the experiments. A run of another text may lack what a claims file
	// selects, which is then no error; experiments without a text count as current.
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
	Basis     string   `json:"basis,omitempty"`  // "records", or "tests" for a claim without checks
	Reason    string   `json:"reason,omitempty"` // of not-covered and no-data
	// Expect and Why are the claims file's; Surprise is a verdict other than Expect. Nothing is
	// expected of a run on stand-ins, with overridden trials or grid, of another variant or of
	// times.
	Expect      Verdict     `json:"expect,omitempty"`
	Why         string      `json:"why,omitempty"`
	Surprise    bool        `json:"surprise,omitempty"`
	StandIn     bool        `json:"standIn,omitempty"`  // judged on generated data
	Reduced     bool        `json:"reduced,omitempty"`  // judged with overridden trials or grid
	Clock       bool        `json:"clock,omitempty"`    // judged on running times
	Machines    []string    `json:"machines,omitempty"` // the processors that times are of
	Experiments []string    `json:"experiments,omitempty"`
	Checks      []Evidence  `json:"checks,omitempty"`
	Tests       []string    `json:"tests,omitempty"`
	Readings    []Judgement `json:"readings,omitempty"`
}

// timed notes that times of a machine were used.
func (j *Judgement) timed(machine string) {
	j.Clock = true
	if machine != "" && !slices.Contains(j.Machines, machine) {
		j.Machines = append(j.Machines, machine)
	}
}

// Remarks say what keeps a verdict from being about the paper's data and setting, or from being the
// one expected, each in a few words.
func (j *Judgement) Remarks() (remarks []string) {
	for _, r := range []struct {
		applies bool
		text    string
	}{
		{j.Variant == Strict, "strict variant"},
		{j.StandIn, "on stand-in data"},
		{j.Reduced, "on a reduced run"},
		{j.Clock, strings.TrimSuffix(byTheClock+": "+strings.Join(j.Machines, ", "), ": ")},
		{j.Surprise, "a surprise: " + string(j.Expect) + " was expected"},
	} {
		if r.applies {
			remarks = append(remarks, r.text)
		}
	}
	return remarks
}

// Remark is the remarks in brackets after a blank, "" without any.
func (j *Judgement) Remark() string {
	if remarks := j.Remarks(); len(remarks) > 0 {
		return " (" + strings.Join(remarks, ", ") + ")"
	}
	return ""
}

// byTheClock marks a verdict on running times, which another machine may find otherwise.
const byTheClock = "by the clock of the machine that ran it"

// Evidence is what one check found.
type Evidence struct {
	Predicate string  `json:"predicate"`
	Verdict   Verdict `json:"verdict"`
	Supports  int     `json:"supports"` // points
	Opposes   int     `json:"opposes"`
	Points    []Point `json:"points"`
	// Detectable is the median over the points of the smallest excess over the bound that would
	// have been seen with a chance of 80 %: (2 + t(0.8, n-1)) standard errors.
	Detectable float64 `json:"detectable"`
}

// Point is one place of a check's grid.
type Point struct {
	At    string  `json:"at"`
	Value float64 `json:"value"` // of the statistic: a difference, a mean, a rank correlation
	SE    float64 `json:"se"`
	N     int     `json:"n"`     // paired trials; 0 when nothing depends on trials
	State string  `json:"state"` // supports, opposes or undecided
	P     float64 `json:"p"`     // one-sided, towards Value, Holm-adjusted over the claim's points
}

// Evaluate judges every claim of a file on the results of runs.
//
// Each check gives a statistic and its standard error at every point of its grid: paired over
// trials, folds averaged first. A point supports the check when the accepted values hold the
// statistic and two standard errors on either side; it opposes when it lies outside by more than
// two; else it is undecided. The check holds when all its points support it, holds mostly when four
// fifths do, is contradicted when more than half oppose it, and is not reproduced otherwise. Two
// standard errors are a 5.8 % test at five trials, so a check takes a side only when the most
// significant point on that side stays significant, at 5 %, after Holm's correction over all points
// of the claim. That bounds the chance of taking a side without an effect. The claim's verdict is
// its worst check's.
//
// A claim has no data when records are missing or failed, or when there is one trial where the
// error must be known. A selection that cannot match (an experiment, fact or value that does not
// exist) is an error with the file's line; all are returned together, and their claims have no
// data.
func Evaluate(f *File, runs []*results.Summary, o Options) ([]Judgement, error) {
	e := &evaluation{file: f, options: o, runs: make(map[string]*run)}
	e.options.Variant = cmp.Or(o.Variant, Published)
	for _, r := range runs {
		e.runs[r.Manifest.Experiment] = &run{Summary: r}
	}
	judgements := make([]Judgement, len(f.Claims))
	for i := range f.Claims {
		judgements[i] = e.claim(&f.Claims[i])
	}
	return judgements, errors.Join(e.problems...)
}

type evaluation struct {
	file     *File
	options  Options
	runs     map[string]*run // by experiment
	problems []error
}

// missingData is why a check has no data.
type missingData struct{ error }

func missing(format string, args ...any) error { return missingData{fmt.Errorf(format, args...)} }

func (e *evaluation) claim(c *Claim) Judgement {
	common := Judgement{ID: c.ID, Paper: e.file.Paper, Variant: e.options.Variant,
		Statement: c.Statement, Source: c.Source}
	j := common
	j.Errata, j.Expect, j.Why, j.Tests = c.Errata, c.Expect, c.Why, c.Tests
	switch {
	case c.NotCovered != "":
		j.Verdict, j.Reason = NotCovered, c.NotCovered
		return j
	case len(c.Checks) == 0:
		j.Verdict, j.Basis = c.Expect, "tests"
		if j.Variant == Strict {
			j.Verdict = cmp.Or(c.Strict, c.Expect)
		}
		return j
	}
	e.judge(&j, c, &Reading{})
	for i := range c.Readings {
		reading, r := &c.Readings[i], common
		r.Reading, r.Expect, r.Why = reading.Name, reading.Expect, reading.Why
		e.judge(&r, c, reading)
		j.Readings = append(j.Readings, r)
	}
	return j
}

// judge fills in verdict and evidence of a claim in one reading. The empty reading is the claim's
// own.
func (e *evaluation) judge(j *Judgement, c *Claim, reading *Reading) {
	j.Basis = "records"
	var reasons []string
	for i := range c.Checks {
		evidence, err := e.scope(j, &c.Checks[i], reading).evaluate()
		if err == nil {
			j.Checks = append(j.Checks, evidence)
			continue
		}
		text := err.Error()
		known := func(problem error) bool { return problem.Error() == text }
		if !errors.As(err, new(missingData)) && !slices.ContainsFunc(e.problems, known) {
			e.problems = append(e.problems, err)
		}
		if !slices.Contains(reasons, text) {
			reasons = append(reasons, text)
		}
	}
	slices.Sort(j.Experiments)
	j.Experiments = slices.Compact(j.Experiments)
	if len(reasons) > 0 {
		j.Verdict, j.Reason, j.Checks = NoData, strings.Join(reasons, "; "), nil
		return
	}
	decide(j)
	j.Surprise = j.Verdict != j.Expect && j.Variant == Published &&
		!j.StandIn && !j.Reduced && !j.Clock
}

// scope is one check under evaluation, in one reading and variant: the check's own parts with what
// the reading and the variant replace.
type scope struct {
	*evaluation
	check      *Check
	sides      []*Side
	experiment string     // of sides that name none
	where      Selector   // for all sides
	replaced   Selector   // replaces terms of equal keys in all sides
	along      string     // the fact that curves run along; "" for a check of single points
	judgement  *Judgement // records which experiments and what kind of data were used
}

func (e *evaluation) scope(j *Judgement, c *Check, reading *Reading) *scope {
	s := &scope{evaluation: e, check: c, sides: c.predicate.sides(&Reading{}), where: c.Where,
		experiment: cmp.Or(reading.Experiment, c.Experiment), judgement: j}
	if e.options.Variant == Strict {
		s.replace(c.Strict)
	}
	s.sides = c.predicate.sides(reading)
	s.replace(reading.Where)
	return s
}

// replace replaces terms of equal keys in all sides; a key that no side mentions holds for all.
func (s *scope) replace(where Selector) {
	s.replaced = s.replaced.with(where)
	sides := within(s.sides...)
	for _, t := range where.terms {
		mentions := func(side *Side) bool { return side.Where.mentions(t.key) }
		if !slices.ContainsFunc(sides, mentions) {
			s.where = s.where.with(Selector{[]term{t}})
		}
	}
}

func (s *scope) evaluate() (Evidence, error) {
	c := s.check
	statistics, err := c.predicate.statistics(s)
	if err != nil {
		return Evidence{}, err
	}
	differs := func(p *quantity) bool { return p.label != statistics[0].label }
	if len(statistics) > 1 && !slices.ContainsFunc(statistics, differs) {
		for _, p := range statistics { // the predicate names the sides compared
			p.label = ""
		}
	}
	evidence := Evidence{Predicate: s.describe()}
	var detectable []float64
	for _, statistic := range statistics {
		at := statistic.place(c.Each)
		value, se, n := statistic.estimate()
		switch {
		case n == 0 && !statistic.fixed:
			return Evidence{}, missing("%s: no trial at %s succeeded on all sides",
				s.experiment, at)
		case math.IsNaN(value) || math.IsInf(value, 0):
			return Evidence{}, missing("%s: undefined at %s", s.experiment, at)
		case n == 1 && c.Exact:
			se = 0
		case math.IsNaN(se):
			return Evidence{}, missing("%s: n = %d at %s, too few for a standard error",
				s.experiment, n, at)
		}
		s.judgement.StandIn = s.judgement.StandIn || statistic.standIn
		point := c.predicate.bounds().place(Point{At: at, Value: value, SE: se, N: n})
		evidence.Points = append(evidence.Points, point)
		if n > 1 {
			detectable = append(detectable, (standardErrors+studentT(n-1).Quantile(power))*se)
		}
	}
	if len(detectable) > 0 {
		slices.Sort(detectable)
		evidence.Detectable = detectable[len(detectable)/2]
	}
	return evidence, nil
}
