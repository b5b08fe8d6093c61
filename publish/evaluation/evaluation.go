// Package evaluation reads a run that measured releases in files beside controls made from the
// original: what each release is worth and gives away, between the controls. It leaves out the page
// around it (package report).
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
	Title   string   `json:"title"`
	Notes   []string `json:"notes"`   // what a reader must know, and what is not measured and why
	Columns []Column `json:"columns"` // releases first, then controls
	// Kinds are those of which something was measured.
	Kinds []*Kind `json:"kinds"`

	whole, guess int // columns of the copy and of the majority class, -1 for none
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
	Short        []string       `json:"short"`
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
	Name           string  `json:"name"` // for people
	Unit           string  `json:"unit,omitempty"`
	HigherIsBetter bool    `json:"higher_is_better"` // for who uses the release
	Values         []Value `json:"values"`           // of each column

	metric string // without its settings
	params []results.Param
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
	// Allowed is the most that the guarantee of the release, where it has one, leaves to an attack.
	Allowed *float64 `json:"allowed,omitempty"`
	// Sample is the share of the original's records, drawn at random, that is as good or, of a
	// disclosure, gives away as much. It is that of SampleText: "12 %", "≤ 0.1 %".
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

// attacks are the metrics of what a release gives away, by which higher values are worse for the
// people in it.
var attacks = []string{"unique-matches", "closest-record", "membership", "attribute-inference"}

// regressions are those of what can be learned that take no classifier.
var regressions = []string{"r2", "mae"}

// aside says of a measurement that a release is not judged by it. A classifier that knows no more
// than how frequent classes are is calibrated, and as wrong for any group.
// What is found out of people whom the release was not made from, the population's pattern gives
// away.
func (m *Measurement) aside() bool {
	return m.metric == "calibration" || m.metric == "group-gap" || m.ofOthers()
}

// bySize reports whether a metric depends on the number of records as much as on their
// distribution, so that samples are no yardstick: a few records are easily told from many.
func (m *Measurement) bySize() bool { return m.metric == "pmse" }

// ofOthers reports whether a disclosure is about people whom the release was not made from.
func (m *Measurement) ofOthers() bool { return m.of() == "held-out" }

// of is what a metric gives of several, "" for the first.
func (m *Measurement) of() string {
	for _, p := range m.params {
		if p.Name == "of" {
			return p.Value
		}
	}
	return ""
}

const (
	fidelity = iota
	utility
	disclosure
)

// kind tells the question that a measurement answers.
func (m *Measurement) kind() int {
	switch {
	case slices.Contains(attacks, m.metric):
		return disclosure
	case m.Classifier != "" || slices.Contains(regressions, m.metric):
		return utility
	}
	return fidelity
}

// words are settings for people; without a value those of any, which follows.
var words = map[string]string{
	"rows": "", "of=tpr": "members found", "original=true": "of the original",
	"ratio=true": "as a multiple of what chance makes", "of=held-out": "people who are not in it",
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
// another: "low" and "high" are the ends of its interval, "true" is what a guarantee allows.
func newMeasurement(use *results.MeasureUse) (m *Measurement, role string) {
	m = &Measurement{Measurement: use.Measurement, Unit: use.Unit,
		HigherIsBetter: use.HigherIsBetter}
	m.metric, m.params = use.Parts()
	m.params = slices.DeleteFunc(m.params, func(p results.Param) bool {
		beside := p.Name == "end" || p.Name == "allowed"
		if beside {
			role = p.Value
		}
		return beside
	})
	plainly := *use
	plainly.Metric = m.metric
	m.Name = contest.NameOf(&plainly)
	for _, p := range m.params {
		if said := inWords(p); said != "" {
			m.Name += ", " + said
		}
	}
	m.Name = strings.ToUpper(m.Name[:1]) + m.Name[1:]
	return m, role
}

// majority is the classifier that is a control.
const majority = "majority"

// Of reads a run; nil where it measured no release in a file.
func Of(run *results.Summary) *Evaluation {
	rows := run.Rows()
	var settings []*results.Setting
	measured := make(map[*results.Setting]map[results.Measurement]*results.Row)
	for i := range rows {
		row := &rows[i]
		if measured[row.Setting] == nil {
			settings = append(settings, row.Setting)
			measured[row.Setting] = make(map[results.Measurement]*results.Row)
		}
		measured[row.Setting][row.Measurement] = row
	}
	order := []string{results.SampleAlgorithm, results.CopyAlgorithm, results.FileAlgorithm}
	place := func(s *results.Setting) int { return -slices.Index(order, s.Algorithm) }
	share := func(s *results.Setting) float64 { x, _ := s.Number(results.ShareParam); return x }
	slices.SortStableFunc(settings, func(a, b *results.Setting) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(share(b), share(a)))
	})
	if len(settings) == 0 || settings[0].Algorithm != results.FileAlgorithm {
		return nil
	}
	e := &Evaluation{Title: run.Manifest.Title, Notes: []string{}, guess: -1}
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
		e.Columns = append(e.Columns, Column{name, s.Algorithm == results.FileAlgorithm})
	}
	kinds := []*Kind{{Name: "fidelity", Title: "Fidelity: how near it is to the original"},
		{Name: "utility", Title: "Utility: what learners get out of it"},
		{Name: "disclosure", Title: "Disclosure: what it gives away of people"}}
	guessed := false
	for i := range run.Manifest.Measures {
		use := &run.Manifest.Measures[i]
		if use.Classifier == majority {
			guessed = true
			continue
		}
		m, role := newMeasurement(use)
		if role != "" {
			continue
		}
		beside := make(map[string]results.Measurement) // by their roles
		for i := range run.Manifest.Measures {
			other, role := newMeasurement(&run.Manifest.Measures[i])
			if role != "" && other.metric == m.metric && other.Classifier == m.Classifier &&
				slices.Equal(other.params, m.params) {
				beside[role] = other.Measurement
			}
		}
		m.measure(settings, measured, beside)
		kinds[m.kind()].Measurements = append(kinds[m.kind()].Measurements, m)
	}
	if guessed && e.whole >= 0 {
		e.guess = len(e.Columns)
		e.Columns = append(e.Columns, Column{Name: "Majority class"})
		for _, k := range kinds {
			for _, m := range k.Measurements {
				guess := results.Measurement{Metric: m.Metric, Classifier: majority}
				var value Value
				if m.Classifier != "" {
					value = valueOf(measured[settings[e.whole]][guess])
				}
				m.Values = append(m.Values, value)
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

func valueOf(row *results.Row) (v Value) {
	if row != nil && row.N > 0 {
		v.Value = &row.Mean
		if row.N > 1 {
			v.SE = &row.SE
		}
	}
	return v
}

// measure fills in the values of a measurement, those of releases between those of controls.
func (m *Measurement) measure(settings []*results.Setting,
	measured map[*results.Setting]map[results.Measurement]*results.Row,
	beside map[string]results.Measurement) {
	attack := m.kind() == disclosure
	var curve []*results.Row
	var whole, independent *results.Row
	for _, s := range settings {
		row := measured[s][m.Measurement]
		v := valueOf(row)
		v.Low = valueOf(measured[s][beside["low"]]).Value
		v.High = valueOf(measured[s][beside["high"]]).Value
		v.Allowed = valueOf(measured[s][beside["true"]]).Value
		m.Values = append(m.Values, v)
		switch {
		case row == nil || row.N == 0:
		case s.Algorithm == results.SampleAlgorithm:
			curve = append(curve, row)
		case s.Algorithm == results.CopyAlgorithm: // the sample of all
			all, own := *row, *s
			own.Params = maps.Clone(s.Params)
			if own.Params == nil {
				own.Params = make(map[string]string)
			}
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
	if y == nil || whole == nil || m.ofOthers() || m.bySize() {
		return
	}
	if e := y.Of(whole.Mean, whole.Lo95, whole.Hi95); e.Share <= e.Least {
		return // it measures nothing that the original has more of than a few of its records
	}
	better := func(a, b float64) bool { return a != b && a > b == m.HigherIsBetter }
	for i, s := range settings {
		row := measured[s][m.Measurement]
		if s.Algorithm != results.FileAlgorithm || row == nil || row.N == 0 {
			continue
		}
		equal, v := y.Of(row.Mean, row.Lo95, row.Hi95), &m.Values[i]
		v.Sample, v.SampleText = &equal.Share, equal.String()
		if !attack && independent != nil && better(whole.Mean, independent.Mean) {
			way := (row.Mean - independent.Mean) / (whole.Mean - independent.Mean)
			v.NoBetter = way < 1./20
		}
	}
}

// short says in a sentence what the measurements of a kind say of a release.
func (e *Evaluation) short(k *Kind, column int) string {
	var held []*Measurement // against samples, the best first
	worse := 0
	for _, m := range k.Measurements {
		v := &m.Values[column]
		if v.Sample != nil && !m.aside() {
			held = append(held, m)
			if v.NoBetter {
				worse++
			}
		}
	}
	slices.SortStableFunc(held, func(a, b *Measurement) int {
		return cmp.Compare(*b.Values[column].Sample, *a.Values[column].Sample)
	})
	if len(held) == 0 {
		return "Nothing here can be held against samples of the original."
	}
	text := func(m *Measurement) string { return m.Values[column].SampleText }
	first, middle, last := held[0], held[len(held)/2], held[len(held)-1]
	says := "As good as a sample of " + text(middle) + " of the original's records"
	if k.Name == "disclosure" {
		says = "It gives away as much as a sample of " + text(middle) + " of the original's records"
	}
	if len(held) > 1 {
		says += fmt.Sprintf(", by the median of %d measures", len(held))
		if text(first) != text(last) {
			says += fmt.Sprintf(": from %s (%s) to %s (%s)", text(last), last.Name, text(first),
				first.Name)
		}
	}
	if than := "no better than independent columns"; worse > 0 {
		if 2*worse >= len(held) {
			than = strings.ToUpper(than)
		}
		says += fmt.Sprintf("; %s by %d of %d", than, worse, len(held))
	}
	return says + "." + e.learned(k, column) + k.recognised(column)
}

// recognised says how well the attack on membership does that does best.
func (k *Kind) recognised(column int) string {
	var best *Measurement
	for _, m := range k.Measurements {
		if m.metric == "membership" && m.of() == "" &&
			m.Values[column].Value != nil && (best == nil ||
			*m.Values[column].Value > *best.Values[column].Value) {
			best = m
		}
	}
	if best == nil {
		return ""
	}
	v := best.Values[column]
	return fmt.Sprintf(" %s: %s, where 0.5 is guessing (%s).", best.Name, v.Text(), v.Spread())
}

// learned names the learner that a release serves best, and what it reaches with the original and
// by guessing.
func (e *Evaluation) learned(k *Kind, column int) string {
	var best *Measurement
	value := func(m *Measurement) float64 {
		if v := m.Values[column].Value; v != nil {
			return *v
		}
		return math.Inf(-1)
	}
	for _, m := range k.Measurements {
		if m.metric == "accuracy" && (best == nil || value(m) > value(best)) {
			best = m
		}
	}
	if best == nil || math.IsInf(value(best), -1) || e.whole < 0 ||
		best.Values[e.whole].Value == nil {
		return ""
	}
	says := fmt.Sprintf(" %s: %s, with the original %s", best.Name,
		contest.Number(value(best), 3), contest.Number(*best.Values[e.whole].Value, 3))
	if e.guess < 0 || best.Values[e.guess].Value == nil {
		return says + "."
	}
	guess := *best.Values[e.guess].Value
	says += ", by guessing the majority class " + contest.Number(guess, 3) + "."
	if value(best) <= guess {
		says += " NO LEARNER DOES BETTER THAN GUESSING."
	}
	return says
}
