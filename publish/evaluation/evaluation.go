// Package evaluation reads a run that measured releases in files beside controls made from the
// original: the utility of each release and what it discloses, between the controls. It leaves out
// the page around it (package report).
package evaluation

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"ppdp/internal/results"
	"ppdp/report/contest"
)

// Evaluation is all that is said of a run's releases: a document of its own as JSON.
type Evaluation struct {
	Title string `json:"title"`
	// Verdicts say of each release what it may be used for and what it discloses at worst.
	Verdicts []*Verdict `json:"verdicts"`
	// Attributes are column by column how releases describe them, Seed and the rest what made the
	// numbers: the run's seed, the revision of ppdp where it is known, and Go's.
	Attributes []*Attribute `json:"attributes"`
	// Pairs are the pairs of columns that are furthest off in some release.
	Pairs []*Pair `json:"pairs,omitempty"`

	Seed      uint64 `json:"seed"`
	Commit    string `json:"commit,omitempty"`
	GoVersion string `json:"go_version"`
	// Notes are what a reader must know, and what is not measured and why.
	Notes   []string `json:"notes"`
	Columns []Column `json:"columns"` // releases first, then controls
	// Kinds are those of which something was measured.
	Kinds []*Kind `json:"kinds"`

	// Columns of the copy, fresh people, the target permuted and independent ones; -1 for none.
	whole, fresh, permuted, independent int

	settings []*results.Setting // of the columns
	measured map[place]*results.Row
}

type place struct {
	*results.Setting
	results.Measurement
}

// Column is a release or a control.
type Column struct {
	Name    string `json:"name"`
	Release bool   `json:"release"`
}

// Kind is one of the questions that measurements answer.
type Kind struct {
	Name  string `json:"name"` // fidelity, utility or disclosure
	Title string `json:"-"`
	// Short says it in a sentence for each release, in the order of the columns.
	Short []string `json:"short"`
	// Headlines are the numbers of Short.
	Headlines    []*Headline    `json:"headlines"`
	Measurements []*Measurement `json:"measurements"`
}

// Has reports whether a column has some value.
func (k *Kind) Has(column int) bool {
	return slices.ContainsFunc(k.Measurements,
		func(m *Measurement) bool { return m.Values[column].Value != nil })
}

// Measurement is one measurement of all columns.
type Measurement struct {
	results.Measurement
	// Measure is the metric without its settings, which Params are.
	Measure        string            `json:"measure"`
	Params         map[string]string `json:"params,omitempty"`
	Definition     string            `json:"definition,omitempty"`
	Name           string            `json:"name"` // for people
	Unit           string            `json:"unit,omitempty"`
	HigherIsBetter bool              `json:"higher_is_better"` // for who uses the release
	Values         []Value           `json:"values"`           // of each column
}

// Direction says in words which values are better.
func (m *Measurement) Direction() string {
	switch {
	case m.Metric == "records":
		return ""
	case m.ofOthers():
		return "of people who are not in it: no breach"
	case m.kind() == disclosure:
		return "lower gives less away"
	case m.HigherIsBetter:
		return "higher is better"
	}
	return "lower is better"
}

// Value is what a column reaches.
type Value struct {
	Value *float64 `json:"value"`                    // nil where it is undefined or was not measured
	SE    *float64 `json:"standard_error,omitempty"` // where there are several trials
	// Low and High are the ends of the measurement's own 95 % interval, where it has one.
	Low  *float64 `json:"low,omitempty"`
	High *float64 `json:"high,omitempty"`
	// Numerator and Denominator are those of a share. Ties are halves, and trials that depend on
	// one another count as fewer.
	Numerator   *float64 `json:"numerator,omitempty"`
	Denominator *float64 `json:"denominator,omitempty"`
	// Nothing says of an attack that it found no more than chance; CouldSee is then the share of
	// the original that it would have found if the release had held it.
	Nothing  bool     `json:"nothing_found,omitempty"`
	CouldSee *float64 `json:"could_have_seen,omitempty"`
	// Allowed is the most that the guarantee of the release, where it has one, leaves to an attack.
	Allowed *float64 `json:"allowed,omitempty"`
	// Sample is the share of the original's records, drawn at random, that is as good or, of a
	// disclosure, discloses as much. It is that of SampleText: "12 %", "≤ 0.1 %".
	Sample     *float64 `json:"sample,omitempty"`
	SampleText string   `json:"sample_text,omitempty"`
	// NoBetter says that columns without any relation to each other are about as good, or better:
	// the value lies less than a twentieth of the way from theirs to the copy's.
	NoBetter bool `json:"no_better_than_independent,omitempty"`
}

// Text is the value for people, "" without one; Spread is its standard error, "" for none.
func (v Value) Text() string {
	if v.Value == nil {
		return ""
	}
	return text(*v.Value, 3)
}

// Spread is said at Text; where the value has an interval of its own it is that. What a guarantee
// allows follows.
func (v Value) Spread() (says string) {
	switch {
	case v.Low != nil && v.High != nil:
		says = text(*v.Low, 2) + " to " + text(*v.High, 2)
	case v.SE != nil && *v.SE != 0:
		says = "± " + text(*v.SE, 2)
	}
	if v.Denominator != nil {
		says = strings.TrimPrefix(fmt.Sprintf("%s; %s of %s", says, text(*v.Numerator, 4),
			text(*v.Denominator, 4)), "; ")
	}
	if v.Nothing {
		says += "; nothing found"
		if v.CouldSee != nil {
			says += ", could have seen " + percent(*v.CouldSee)
		}
	}
	if v.Allowed != nil {
		says += "; the guarantee allows " + text(*v.Allowed, 3)
	}
	return says
}

func text(x float64, digits int) string {
	if x == math.Trunc(x) && math.Abs(x) < 1e15 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return contest.Number(x, digits)
}

// attacks are the metrics of what a release discloses, by which higher values are worse for the
// people in it.
var attacks = []string{"linkage", "verbatim", "unique-matches", "closest-record", "membership",
	"attribute-inference"}

// regressions are those of what can be learned that take no classifier.
var regressions = []string{"r2", "mae"}

// aside says of a measurement that a release is not judged by it. A classifier that knows no more
// than how frequent classes are is calibrated, and as wrong for any group.
// What is found out of people whom the release was not made from, the population's pattern gives
// away; so it does a part of what a join finds of members.
func (m *Measurement) aside() bool {
	return m.Measure == "calibration" || m.Measure == "group-gap" || m.ofOthers() ||
		m.Measure == "linkage" && m.of() == "members"
}

// ofRelease reports whether an attack's share is one of the released records: how many are copies.
func (m *Measurement) ofRelease() bool {
	return m.Measure == "closest-record" || m.Measure == "verbatim"
}

// ofOthers reports whether a disclosure is about people whom the release was not made from.
func (m *Measurement) ofOthers() bool { return m.of() == "held-out" }

// of is what a metric gives of several, "" for the first.
func (m *Measurement) of() string { return m.Params["of"] }

const (
	fidelity = iota
	utility
	disclosure
)

// kind tells the question that a measurement answers.
func (m *Measurement) kind() int {
	switch {
	case slices.Contains(attacks, m.Measure):
		return disclosure
	case m.Classifier != "" || slices.Contains(regressions, m.Measure):
		return utility
	}
	return fidelity
}

// words are settings for people; without a value those of any, which follows.
var words = map[string]string{
	"rows": "", "of=members": "members", "of=tpr": "members found",
	"of=held-out":   "people who are not in it",
	"of=difference": "members less people who are not in it", "of=error": "errors",
	"score=distance": "by distance", "score=classifier": "by a classifier", "attribute": "of ",
	"attributes=1": "one attribute", "attributes=3": "three attributes", "sets": "sets drawn: ",
	"model=boosting": "by boosting", "target": "of ", "regressor=ridge": "by ridge regression",
}

// inWords is a setting for people, "" for one that a note says.
func inWords(p results.Param) string {
	if said, known := words[p.Name+"="+p.Value]; known {
		return said
	}
	if of, known := words[p.Name]; known && of == "" {
		return ""
	} else if known {
		return of + p.Value
	}
	if rate, err := strconv.ParseFloat(p.Value, 64); p.Name == "fpr" && err == nil {
		return fmt.Sprintf("where %.3g %% of others are taken for members", 100*rate)
	}
	return p.Name + " " + p.Value
}

// newMeasurement is a measurement without its values. role is "" but for one that stands beside
// another: "low" and "high" are the ends of its interval, "of" the number of its trials, "true" is
// what a guarantee allows.
func newMeasurement(use *results.MeasureUse) (m *Measurement, role string) {
	m = &Measurement{Measurement: use.Measurement, Unit: use.Unit,
		HigherIsBetter: use.HigherIsBetter}
	metric, params := use.Parts()
	m.Measure, m.Definition = metric, definition(metric, use.Classifier)
	m.Params = make(map[string]string)
	plainly := *use
	plainly.Metric = metric
	m.Name = contest.NameOf(&plainly)
	for _, p := range params {
		if p.Name == "end" || p.Name == "allowed" {
			role = p.Value
			continue
		}
		m.Params[p.Name] = p.Value
		if said := inWords(p); said != "" {
			m.Name += ", " + said
		}
	}
	m.Name = strings.ToUpper(m.Name[:1]) + m.Name[1:]
	return m, role
}

// majority is the classifier that is a control.
const majority = "majority"

// fresh reports whether a file is a control.
func fresh(s *results.Setting) bool {
	return s.Algorithm == results.FileAlgorithm && s.Series == results.FreshSeries
}

// Of reads a run; nil where it measured no release in a file.
func Of(run *results.Summary) *Evaluation {
	e := &Evaluation{Title: run.Manifest.Title, Notes: []string{}, Seed: run.Manifest.Seed,
		Commit: run.Manifest.Commit, GoVersion: run.Manifest.GoVersion,
		measured: make(map[place]*results.Row)}
	for row := range results.Each(run.Rows()) {
		e.settings = results.Union(e.settings, row.Setting)
		e.measured[place{row.Setting, row.Measurement}] = row
	}
	settings := e.settings
	order := []string{results.SampleAlgorithm, results.CopyAlgorithm, results.FileAlgorithm}
	place := func(s *results.Setting) int {
		if fresh(s) {
			return -1 // after the copy's
		}
		return -slices.Index(order, s.Algorithm)
	}
	share := func(s *results.Setting) float64 { x, _ := s.Number(results.ShareParam); return x }
	slices.SortStableFunc(settings, func(a, b *results.Setting) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(share(b), share(a)))
	})
	if len(settings) == 0 || settings[0].Algorithm != results.FileAlgorithm || fresh(settings[0]) {
		return nil
	}
	e.fresh = slices.IndexFunc(settings, fresh)
	e.permuted = slices.IndexFunc(settings, func(s *results.Setting) bool {
		return s.Algorithm == results.PermutedAlgorithm && s.Params[results.ColumnsParam] != "all"
	})
	e.independent = slices.IndexFunc(settings, func(s *results.Setting) bool {
		return s.Algorithm == results.PermutedAlgorithm && s.Params[results.ColumnsParam] == "all"
	})
	e.whole = slices.IndexFunc(settings,
		func(s *results.Setting) bool { return s.Algorithm == results.CopyAlgorithm })
	if run.Manifest.Note != "" {
		e.Notes = strings.Split(run.Manifest.Note, "\n")
	}
	for _, warning := range run.Warnings { // such as what was left out of a file
		e.Notes = append(e.Notes, warning.Text)
	}
	for _, s := range settings {
		name := s.Label()
		if s.Algorithm == results.SampleAlgorithm {
			name = "Sample of " + strconv.FormatFloat(float64(100*share(s)), 'g', 3, 64) + " %"
		}
		release := s.Algorithm == results.FileAlgorithm && !fresh(s)
		e.Columns = append(e.Columns, Column{name, release})
	}
	kinds := []*Kind{{Name: "fidelity", Title: "Fidelity: how near it is to the original"},
		{Name: "utility", Title: "Utility: what models trained on it reach"},
		{Name: "disclosure", Title: "Disclosure: what it reveals of people"}}
	guessed := false
	for use := range results.Each(run.Manifest.Measures) {
		if use.Classifier == majority {
			guessed = true
			continue
		}
		m, role := newMeasurement(use)
		if role != "" {
			continue
		}
		if m.Measure == "column" {
			e.describe(m)
			continue
		}
		beside := make(map[string]results.Measurement) // by their roles
		for use := range results.Each(run.Manifest.Measures) {
			other, role := newMeasurement(use)
			if role != "" && other.Measure == m.Measure && other.Classifier == m.Classifier &&
				maps.Equal(other.Params, m.Params) {
				beside[role] = other.Measurement
			}
		}
		m.measure(e, beside)
		if e.fresh >= 0 && m.kind() != fidelity && (m.kind() == utility || m.of() != "" ||
			m.Measure != "verbatim" && m.Measure != "unique-matches") {
			m.Values[e.fresh] = Value{} // it was not made from the original
		}
		kinds[m.kind()].Measurements = append(kinds[m.kind()].Measurements, m)
	}
	if guessed && e.whole >= 0 {
		e.Columns = append(e.Columns, Column{Name: "Majority class"})
		for _, k := range kinds {
			for _, m := range k.Measurements {
				guess := results.Measurement{Metric: m.Metric, Classifier: majority}
				m.Values = append(m.Values, e.value(settings[e.whole], guess))
			}
		}
	}
	for _, k := range kinds {
		if len(k.Measurements) > 0 {
			e.Kinds = append(e.Kinds, k)
			for column, c := range e.Columns {
				if c.Release {
					k.Short = append(k.Short, e.short(k, column))
				}
			}
		}
	}
	e.judge()
	return e
}

// Sampled reports whether some value is held against samples.
func (e *Evaluation) Sampled() bool {
	return slices.ContainsFunc(e.Kinds, func(k *Kind) bool {
		return slices.ContainsFunc(k.Measurements, func(m *Measurement) bool {
			return slices.ContainsFunc(m.Values, func(v Value) bool { return v.Sample != nil })
		})
	})
}

// value is what was measured of a setting.
func (e *Evaluation) value(of *results.Setting, m results.Measurement) (v Value) {
	if row := e.measured[place{of, m}]; row != nil && row.N > 0 {
		v.Value = &row.Mean
		if row.N > 1 {
			v.SE = &row.SE
		}
	}
	return v
}

// measure fills in the values of a measurement, those of releases between those of controls.
func (m *Measurement) measure(e *Evaluation, beside map[string]results.Measurement) {
	attack := m.kind() == disclosure
	var curve []*results.Row
	var whole, independent *results.Row
	for _, s := range e.settings {
		row, v := e.measured[place{s, m.Measurement}], e.value(s, m.Measurement)
		v.Low, v.High = e.value(s, beside["low"]).Value, e.value(s, beside["high"]).Value
		v.Allowed = e.value(s, beside["true"]).Value
		if v.Denominator = e.value(s, beside["of"]).Value; v.Denominator != nil && v.Value != nil {
			v.Numerator = new(math.Round(float64(2**v.Value**v.Denominator)) / 2)
		} else {
			v.Denominator = nil
		}
		m.Values = append(m.Values, v)
		switch {
		case row == nil || row.N == 0:
		case s.Algorithm == results.SampleAlgorithm:
			curve = append(curve, row)
		case s.Algorithm == results.CopyAlgorithm: // the sample of all
			all, own := *row, *s
			own.Params = make(map[string]string)
			maps.Copy(own.Params, s.Params)
			own.Params[results.ShareParam] = "1"
			all.Setting, whole = &own, row
			curve = append(curve, &all)
		case s.Algorithm == results.PermutedAlgorithm && s.Params[results.ColumnsParam] == "all":
			independent = row
		}
	}
	// More of the truth gives more away.
	rising := m.HigherIsBetter != attack
	y := results.NewYardstick(curve, rising)
	// By pmse samples are no yardstick: it depends on the number of records as much as on their
	// distribution, a few are easily told from many.
	if y == nil || whole == nil || m.ofOthers() || m.Measure == "pmse" {
		return
	}
	if e := y.Of(whole.Mean, whole.Lo95, whole.Hi95); e.Share <= e.Least && !m.ofRelease() {
		return // it measures nothing that the original has more of than a few of its records
	}
	better := func(a, b float64) bool { return a != b && a > b == m.HigherIsBetter }
	guess := independent
	if row := e.measured[place{whole.Setting, results.Measurement{Metric: m.Metric,
		Classifier: majority}}]; m.Classifier != "" && row != nil && row.N > 0 {
		guess = row
	}
	if learns := m.Classifier != ""; !attack && guess != nil &&
		(learns && !contest.Learned(whole.Mean, guess.Mean, m.HigherIsBetter) ||
			!learns && !better(whole.Mean, guess.Mean)) {
		return // who guesses does as well as who has the original
	}
	if m.kind() == fidelity {
		y = y.Errors()
	} else {
		y = y.Linear()
	}
	if m.ofRelease() { // samples copy all alike
		y = nil
	}
	for i, s := range e.settings {
		row := e.measured[place{s, m.Measurement}]
		if s.Algorithm != results.FileAlgorithm || row == nil || row.N == 0 {
			continue
		}
		v := &m.Values[i]
		if y != nil {
			equal := y.Of(row.Mean, row.Lo95, row.Hi95)
			v.Sample, v.SampleText = &equal.Share, equal.String()
		}
		if attack && v.Low != nil {
			if below := row.Mean - *v.Low; row.Mean-float64(manyAttacks*below) <= m.chance() {
				if *v.Low == 0 && v.High != nil { // few are found: the low end is cut off at 0
					below = max(below, *v.High-row.Mean)
				}
				least := m.chance() + float64(manyAttacks*below)
				v.Nothing, v.Sample, v.SampleText = true, nil, ""
				if y != nil {
					if seen := y.Of(least, least, least); seen.Share < seen.Most {
						v.CouldSee = &seen.Share
					}
				}
			}
		}
		if !attack && independent != nil && better(whole.Mean, independent.Mean) {
			way := (row.Mean - independent.Mean) / (whole.Mean - independent.Mean)
			v.NoBetter = way < 1./20
		}
	}
}

// manyAttacks is how many times as far as an interval of 95 % for one attack that of the strongest
// of fifteen reaches: normal quantiles of 1 - .025/15 and of .975 (Bonferroni).
const manyAttacks = 1.5

// chance is what an attack finds where nothing is disclosed.
func (m *Measurement) chance() float64 {
	switch rate, err := strconv.ParseFloat(m.Params["fpr"], 64); {
	case m.Measure == "closest-record":
		return 0.5
	case m.Measure != "membership":
		return 0
	case err == nil:
		return rate
	case m.of() == "tpr":
		return 0.01
	}
	return 0.5
}
