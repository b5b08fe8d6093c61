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
	// Specs are the texts of the experiments. A run of another text may lack what a claims file
	// selects, which is then no error; experiments without a text count as current.
	Specs map[string]string
	// Settled says that the runs are settled ones, judged at several looks.
	Settled bool
	// Planned says that the runs have no values yet, so that all points are open.
	Planned bool
	// Open, unless nil, is called with each setting that an open point is made of which can still
	// change the verdict of its claim or reading, unless that is judged by the clock.
	Open func(experiment string, setting *results.Setting)
	// Used, unless nil, is called with each sample that a check or reading selects.
	Used func(experiment string, x *results.Sample)
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
	Meaning   string   `json:"meaning,omitempty"` // a digest of the checks, with those of readings
	Reading   string   `json:"reading,omitempty"` // "" where the paper leaves nothing open
	Statement string   `json:"statement"`
	Source    []string `json:"source"`
	Errata    []string `json:"errata,omitempty"`
	Verdict   Verdict  `json:"verdict"`          // of the run
	Basis     string   `json:"basis,omitempty"`  // "records", or "tests" for a claim without checks
	Reason    string   `json:"reason,omitempty"` // of not-covered and no-data
	// Published is what comes with ppdp: the committed settled verdict with its numbers or, where
	// nothing is settled, the expected one; nil where none is published. See Beside.
	Published *Judgement `json:"published,omitempty"`
	// PaperWords are the paper's words, in ours, that speak for the reading, Note the verdict's
	// cause: both from the claims file.
	PaperWords string `json:"words,omitempty"`
	Note       string `json:"note,omitempty"`
	// Debt is why nothing decides a claim of which undecided is expected.
	Debt string `json:"undecided,omitempty"`
	// Calibration is the claims file's reason why the verdict is no evidence.
	Calibration string `json:"calibration,omitempty"`
	// Headline is what Stands says.
	Headline Verdict `json:"headline,omitempty"`
	// Effect is the median point, by its value, of the check that decided the verdict.
	Effect *Point `json:"effect,omitempty"`
	// Settled says that the records are those of a settled run. Papers is then the verdict at the
	// papers' numbers of trials, "" where they say nothing.
	Settled bool    `json:"settled,omitempty"`
	Papers  Verdict `json:"papers,omitempty"`
	// Expect is the claims file's; Surprise says that the verdict differs from it: that both are
	// decided, and not alike.
	Expect      Verdict     `json:"expect,omitempty"`
	Surprise    bool        `json:"surprise,omitempty"`
	StandIn     bool        `json:"standIn,omitempty"`  // judged on generated data
	Reduced     bool        `json:"reduced,omitempty"`  // judged with overridden trials or grid
	Clock       bool        `json:"clock,omitempty"`    // judged on running times
	Machines    []string    `json:"machines,omitempty"` // the processors that times are of
	Experiments []string    `json:"experiments,omitempty"`
	Checks      []Evidence  `json:"checks,omitempty"`
	Tests       []string    `json:"tests,omitempty"`
	Beside      bool        `json:"beside,omitempty"` // of a reading: a control, not counted
	Readings    []Judgement `json:"readings,omitempty"`

	released bool // rests on a release that is not the data themselves
	absent   bool // an experiment was not run
}

// Remarks say what keeps a verdict from being about the paper's data and setting, or from being the
// one expected, each in a few words.
func (j *Judgement) Remarks() (remarks []string) {
	for _, r := range []struct {
		applies bool
		text    string
	}{
		{j.Variant == Strict, "strict variant"},
		{j.Papers != "" && j.Papers != j.Verdict,
			"at the papers' numbers of trials: " + j.Papers.Text()},
		{j.StandIn, "on stand-in data"},
		{j.Reduced, "on a reduced run"},
		{j.Clock, strings.TrimSuffix(byTheClock+": "+strings.Join(j.Machines, ", "), ": ")},
		{j.Surprise, "differs from the published verdict, " + j.Expect.Text()},
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
	Margin    float64 `json:"margin,omitempty"` // below which a difference counts as none
	Unit      string  `json:"unit,omitempty"`   // of the statistic
	// Difference says that the statistic is one.
	Difference bool    `json:"difference,omitempty"`
	Bound      string  `json:"bound,omitempty"` // that the statistic must keep: "at most 10"
	Verdict    Verdict `json:"verdict"`
	Counts
	Points []Point `json:"points"`
	Where  string  `json:"where,omitempty"` // the places of the points in each state, in words
	// Detectable is the smallest excess over the bound that would have been seen with a chance of
	// 80 %: the median over the open points, or over all where none is open.
	Detectable float64 `json:"detectable"`
}

// Point is one place of a check's grid.
type Point struct {
	At    string  `json:"at"`
	Value float64 `json:"value"` // of the statistic: a difference, a mean, an exponent
	SE    float64 `json:"se"`
	N     int     `json:"n"`     // paired trials; 0 when nothing depends on trials
	State string  `json:"state"` // supports, opposes, equal or open
	// P is the chance of the surest of the first three states, if it is wrong: two-sided, for all
	// looks, and Holm-adjusted over the claim's points.
	P float64 `json:"p"`

	share   float64   // of the allowed error
	skew    float64   // of the trials
	values  []float64 // in each trial, of a median
	extreme *quantity // nil unless it is one
	made    []made
	// place has the values of the check's axes, and what distinguishes points with the same ones.
	place []string
}

// Evaluate judges every claim of a file on the results of runs.
//
// Each check gives a statistic and its standard error at every point of its grid: paired over
// trials, folds averaged first. A point has one of four states. It supports the check when the
// statistic surely lies beyond the bound, and opposes it when it surely lies on the other side. It
// is equal when it surely lies within the check's margin of the bound, and open otherwise.
//
// "Surely" is a test, with Holm's correction over all points of the claim. The chance that any of
// them has a wrong state is at most 5 %; where runs are settled, see Looks, over all looks. For
// medians (Check.By) that is exact, by the sign test. For means it holds as far as Student's t
// does, corrected for skewness: not where single trials are far from all others, as after Cauchy
// noise; such checks are by medians. A maximum, minimum or spread over settings is tested through
// them (quantity.beyond), because its estimate is biased where they tie. The 5 % are for one claim
// in one reading, not for all claims together.
//
// A check holds when all its points support it. It is contradicted when more than a fifth oppose
// it. Otherwise it holds in part when at least half support it, and shows no difference when fewer
// do. It is undecided while open points could change that. The claim's verdict is that of its worst
// check; checks of a single point count together as the points of one.
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
	j.Errata, j.Expect, j.Tests = c.Errata, c.Expect, c.Tests
	j.Reading, j.PaperWords, j.Note, j.Debt = c.Reading, c.Words, c.Note, c.Undecided
	j.Calibration = c.Calibration
	switch {
	case c.NotCovered != "":
		j.Verdict, j.Reason = NotCovered, c.NotCovered
		return j
	case len(c.Checks) == 0:
		j.Verdict, j.Basis = ByTests, "tests"
		if j.Variant == Strict {
			j.Expect = cmp.Or(c.Strict, c.Expect)
		}
		return j
	}
	j.Meaning = c.meaning
	e.judge(&j, c, &Reading{})
	for i := range c.Readings {
		reading, r := &c.Readings[i], common
		r.Reading, r.PaperWords, r.Expect = reading.Name, reading.Words, reading.Expect
		r.Beside = reading.Beside
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
	checks := reading.checks(c)
	for i := range checks {
		evidence, err := e.scope(j, &checks[i], reading).evaluate()
		if err == nil {
			j.Checks = append(j.Checks, evidence)
			continue
		}
		text := err.Error()
		known := func(problem error) bool { return problem.Error() == text }
		if !errors.As(err, new(missingData)) && !slices.ContainsFunc(e.problems, known) {
			e.problems = append(e.problems, err)
		}
		reasons = results.Union(reasons, text)
	}
	slices.Sort(j.Experiments)
	j.Experiments = slices.Compact(j.Experiments)
	itself := j.StandIn && !j.released && !j.absent
	program := (j.StandIn || j.Reduced) && !itself && !j.absent
	if itself {
		reasons = []string{"it is about the data themselves, and they are stand-ins"}
	}
	if len(reasons) > 0 {
		j.Verdict, j.Reason, j.Checks = NoData, strings.Join(reasons, "; "), nil
		if program {
			j.Verdict = ProgramOnly
		}
		return
	}
	decide(j)
	changing := j.changing()
	for i := range j.Checks {
		found := &j.Checks[i]
		found.Where = found.where(checks[i].Each)
		for _, p := range found.Points {
			if p.N > 1 && !j.Clock { // without trials there is nothing to settle
				j.Settled = e.options.Settled
			}
			if e.options.Open != nil && p.State == open && changing[i] && !j.Clock {
				for _, m := range p.made {
					e.options.Open(m.experiment, m.setting)
				}
			}
		}
	}
	if program {
		j.Verdict, j.Effect = ProgramOnly, nil
		for i := range j.Checks {
			j.Checks[i].Verdict = ProgramOnly
		}
	}
	j.Surprise = j.Variant == Published && j.comparable() && j.Verdict != j.Expect
}

// comparable reports whether the verdict can agree with the expected one or differ from it: both
// are decided. What holds in part, with open points only besides, may yet hold.
func (j *Judgement) comparable() bool {
	counts := j.Counts()
	mayHold := j.Verdict == HoldsInPart && counts.Opposes+counts.Equal == 0
	return j.Verdict.decided() && j.Expect.decided() && !(mayHold && j.Expect == Holds)
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
	s := &scope{evaluation: e, check: c, sides: c.predicate().sides(&Reading{}), where: c.Where,
		experiment: cmp.Or(reading.Experiment, c.Experiment), judgement: j}
	if e.options.Variant == Strict {
		s.replace(c.Strict)
	}
	s.sides = c.predicate().sides(reading)
	s.replace(reading.Where)
	return s
}

// replace replaces terms of equal keys in all sides; a key that no side mentions holds for all.
func (s *scope) replace(where Selector) {
	s.replaced = s.replaced.with(where)
	sides := within(s.sides...)
	for _, t := range where {
		mentions := func(side *Side) bool { return side.Where.mentions(t.key) }
		if !slices.ContainsFunc(sides, mentions) {
			s.where = s.where.with(Selector{t})
		}
	}
}

func (s *scope) evaluate() (Evidence, error) {
	c := s.check
	statistics, err := c.predicate().statistics(s)
	if err != nil {
		return Evidence{}, err
	}
	differs := func(p *quantity) bool { return p.label != statistics[0].label }
	if len(statistics) > 1 && !slices.ContainsFunc(statistics, differs) {
		for _, p := range statistics { // the predicate names the sides compared
			p.label = ""
		}
	}
	evidence := Evidence{Predicate: s.describe(), Margin: c.Equal,
		Bound: c.predicate().bounds().text()}
	evidence.Unit, evidence.Difference = s.unit()
	for _, statistic := range statistics {
		point, err := s.point(statistic)
		if err != nil {
			return Evidence{}, err
		}
		evidence.Points = append(evidence.Points, point)
	}
	return evidence, nil
}

// point estimates a statistic and gives it the state that it would have alone.
func (s *scope) point(q *quantity) (Point, error) {
	c := s.check
	var p Point
	switch {
	case s.options.Planned:
		p.P = 1
	case c.By == medians && len(q.trials) > 0:
		p = medianOf(q.each(q.trials))
	default:
		p = q.estimate()
	}
	p.At, p.made, p.share = q.place(c.Each), q.made, 1
	for _, axis := range c.Each {
		p.place = append(p.place, q.facts[axis])
	}
	p.place = append(p.place, q.label)
	if s.options.Planned {
		return p, nil
	}
	switch {
	case p.N == 0 && !q.fixed:
		return p, missing("%s: no trial at %s succeeded on all sides", s.experiment, p.At)
	case math.IsNaN(p.Value) || math.IsInf(p.Value, 0) || math.IsInf(p.SE, 0):
		return p, missing("%s: undefined at %s", s.experiment, p.At)
	case p.N == 1 && c.Exact:
		p.SE = 0
	case math.IsNaN(p.SE):
		return p, missing("%s: n = %d at %s, too few for a standard error", s.experiment, p.N, p.At)
	}
	if p.values == nil && p.N > 1 && (q.among != nil || q.operands != nil) {
		if p.extreme = q; q.mixed {
			return p, fmt.Errorf("%s: a mean or a growth of what max, min or spread leaves has "+
				"no test, must take them in each trial", s.file.lineOf(c.Node))
		}
	}
	p = c.predicate().bounds().decide(p, c.Equal)
	p.share = share(p.N, s.options.Settled)
	if len(q.steps) == 0 {
		return p, nil
	}
	steps := make([]Point, len(q.steps))
	for i, step := range q.steps {
		var err error
		if steps[i], err = s.point(step); err != nil {
			return p, err
		}
	}
	shown := trend(p, steps, c.Monotone.Is == "decreasing", c.Equal)
	shown.made, shown.place = q.made, p.place
	return shown, nil
}
