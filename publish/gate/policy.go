package gate

import (
	"embed"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"ppdp/internal/results"
	"ppdp/internal/spelling"
	"ppdp/internal/strictyaml"
	"ppdp/publish/evaluation"
)

// Policy is what releases must keep to.
type Policy struct {
	Name  string `yaml:"policy"` // one of the program's, whose rules come first; "" for none
	Rules []Rule `yaml:"rules"`
}

// Rule limits a measure, or the attack that does best.
type Rule struct {
	// Measure is a measurement as an evaluation's JSON names it, "membership of=tpr"; without
	// Classifier it is that of each classifier.
	Measure    string `yaml:"measure"`
	Classifier string `yaml:"classifier"`
	Disclosure string `yaml:"disclosure"` // strongest
	// AtLeast and AtMost limit the value or, with Of, its multiple of a control's.
	AtLeast *float64 `yaml:"at-least"`
	AtMost  *float64 `yaml:"at-most"`
	Of      string   `yaml:"of"`
	// These limit the share of a random sample that is as good, or discloses as much.
	AtLeastSample *float64 `yaml:"at-least-sample"`
	AtMostSample  *float64 `yaml:"at-most-sample"`

	strictyaml.Place
}

// limit is one of a rule's.
type limit struct {
	key          string
	value        *float64
	most, sample bool
}

func (u *Rule) limits() []limit {
	all := []limit{{"at-least", u.AtLeast, false, false}, {"at-most", u.AtMost, true, false},
		{"at-least-sample", u.AtLeastSample, false, true},
		{"at-most-sample", u.AtMostSample, true, true}}
	return slices.DeleteFunc(all, func(l limit) bool { return l.value == nil })
}

//go:embed policies/*.yaml
var policies embed.FS

var (
	named = []string{"default", "privacy"} // the policies of the program
	// controls are an evaluation's by the words of rules.
	controls = map[string]string{"copy": "Copy", "independent": "Independent columns",
		"target-permuted": "Target permuted", "majority": "Majority class"}
	// shares are measures from 0 to 1 whose unit does not say so.
	shares = []string{"attribute-inference", "auc", "membership", "unique-matches"}
	free   = []string{"attribute", "rows", "sets", "target"} // settings that rules may leave out
)

// Read reads a policy: one of the program's, by its name, or a file. Rules must be about what will
// be measured, nil where that is not known. All problems are reported at once, by file and line.
func Read(name string, measured []results.MeasureUse) (*Policy, error) {
	file, read := name, os.ReadFile
	if slices.Contains(named, name) {
		file, read, name = "policy "+name, policies.ReadFile, "policies/"+name+".yaml"
	}
	text, err := read(name)
	if err != nil {
		return nil, fmt.Errorf("--policy: %w%s, must be a file or one of %s", err,
			spelling.Hint(name, named), strings.Join(named, ", "))
	}
	return parse(file, text, measured)
}

func parse(file string, text []byte, measured []results.MeasureUse) (p *Policy, err error) {
	r := strictyaml.NewReader(file)
	root := r.Document(text)
	p = new(Policy)
	r.Decode(root, p)
	if p.Name == "" && len(p.Rules) == 0 && r.Problems() == 0 {
		r.Problemf(root, "no rules, must have some")
	}
	for i := range p.Rules {
		if before := r.Problems(); p.Rules[i].Node != nil {
			if p.Rules[i].check(r); r.Problems() == before {
				p.Rules[i].checkMeasured(r, measured)
			}
		}
	}
	if p.Name != "" && oneOf(r, root, "policy", p.Name, "", named) {
		var base *Policy
		if base, err = Read(p.Name, measured); err == nil {
			p.Rules = append(base.Rules, p.Rules...)
		}
	}
	return p, errors.Join(r.Err(), err)
}

// oneOf reports a key's text that is none of those that it may be, and why.
func oneOf(r *strictyaml.Reader, n *strictyaml.Node, key, text, why string, names []string) bool {
	if slices.Contains(names, text) {
		return true
	}
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	r.Problemf(strictyaml.Find(n, key), "%q%s%s, must be one of %s", text,
		spelling.Hint(text, names), why, strings.Join(names, ", "))
	return false
}

// check reports what is wrong with a rule whatever is measured.
func (u *Rule) check(r *strictyaml.Reader) {
	limits, valued := u.limits(), u.AtLeast != nil || u.AtMost != nil
	switch {
	case (u.Measure == "") == (u.Disclosure == ""):
		r.Problemf(u.Node, "must have one of measure and disclosure")
	case u.Disclosure != "" && (u.Classifier != "" || valued):
		r.Problemf(u.Node, "attacks are compared by at-least-sample and at-most-sample alone")
	case len(limits) == 0 || u.Of != "" && !valued:
		r.Problemf(u.Node, "limits nothing, must have at-least or at-most, by themselves or of a "+
			"control, or at-least-sample or at-most-sample")
	case u.Of == "majority" && u.Measure != "accuracy":
		r.Problemf(u.Node, "the majority class is measured by accuracy alone")
	}
	if u.Disclosure != "" {
		oneOf(r, u.Node, "disclosure", u.Disclosure, "", []string{"strongest"})
	}
	if u.Of != "" {
		oneOf(r, u.Node, "of", u.Of, "", slices.Sorted(maps.Keys(controls)))
	}
	for i, l := range limits {
		if x := *l.value; x < 0 && u.Of != "" || (x < 0 || x > 1) && l.sample {
			r.Problemf(strictyaml.Find(u.Node, l.key), "%v, must be at least 0 and, of a "+
				"sample, at most 1", x)
		} else if i > 0 && l.sample == limits[i-1].sample && *limits[i-1].value > x {
			r.Problemf(strictyaml.Find(u.Node, l.key), "%v, must not be below %s: nothing is both",
				x, limits[i-1].key)
		}
	}
}

// checkMeasured reports a rule about what will not be measured, and limits that no value reaches.
func (u *Rule) checkMeasured(r *strictyaml.Reader, measured []results.MeasureUse) {
	metric, _ := (&results.Measurement{Metric: u.Measure}).Parts()
	var all, same, classifiers []string // measures, those of this metric, their classifiers
	share := slices.Contains(shares, metric)
	for use := range results.Each(measured) {
		name, settings := use.Parts()
		if slices.ContainsFunc(settings, func(p results.Param) bool {
			return p.Name == "end" || p.Name == "allowed" // they stand beside another
		}) {
			continue
		}
		if name == metric {
			same = append(same, use.Metric)
			share = share || use.Unit == "fraction"
		}
		if all = append(all, use.Metric); u.measures(&use.Measurement) {
			classifiers = append(classifiers, use.Classifier)
		}
	}
	switch {
	case u.Measure == "" || measured == nil:
	case same == nil:
		oneOf(r, u.Node, "measure", u.Measure, ": not measured here (members take a holdout, "+
			"classifiers a class and records held out)", all)
	case classifiers == nil:
		oneOf(r, u.Node, "measure", u.Measure, ": defaults are left out", same)
	case u.Classifier != "":
		oneOf(r, u.Node, "classifier", u.Classifier, "", classifiers)
	}
	for _, l := range u.limits() {
		if share && u.Of == "" && (*l.value < 0 || *l.value > 1) {
			r.Problemf(strictyaml.Find(u.Node, l.key), "%v, must be from 0 to 1 as %s is", *l.value,
				metric)
		}
	}
}

// measures reports whether a measurement has the rule's metric, the settings that the rule names
// and beside them free ones alone. The majority class is a control.
func (u *Rule) measures(m *results.Measurement) bool {
	metric, asked := (&results.Measurement{Metric: u.Measure}).Parts()
	name, settings := m.Parts()
	return name == metric && m.Classifier != "majority" &&
		!slices.ContainsFunc(asked, func(p results.Param) bool {
			return !slices.Contains(settings, p)
		}) && !slices.ContainsFunc(settings, func(p results.Param) bool {
		return !slices.Contains(asked, p) && !slices.Contains(free, p.Name)
	})
}

// Judge checks every release of an evaluation by every rule: each limit for each measurement that
// a rule is about. What has no value misses its limits.
func (p *Policy) Judge(e *evaluation.Evaluation) (checks []Check) {
	for column, release := range e.Columns {
		for u := range results.Each(p.Rules) {
			if !release.Release {
				continue
			}
			for _, m := range u.about(e, column) {
				for _, l := range u.limits() {
					c := u.judge(e, m, column, l)
					c.Of = release.Name
					checks = append(checks, c)
				}
			}
		}
	}
	return checks
}

// about lists the measurements that a rule is about, one without values if there are none.
func (u *Rule) about(e *evaluation.Evaluation, column int) (all []*evaluation.Measurement) {
	if u.Disclosure != "" {
		return []*evaluation.Measurement{strongest(e, column)}
	}
	for _, kind := range e.Kinds {
		for _, m := range kind.Measurements {
			if u.measures(&m.Measurement) && (u.Classifier == "" || u.Classifier == m.Classifier) {
				all = append(all, m)
			}
		}
	}
	if all == nil {
		all = []*evaluation.Measurement{nothing(e, u.Measure)}
	}
	return all
}

func nothing(e *evaluation.Evaluation, metric string) *evaluation.Measurement {
	return &evaluation.Measurement{Measurement: results.Measurement{Metric: metric},
		Values: make([]evaluation.Value, len(e.Columns))}
}

// strongest is what the headline of disclosure says of a release, as a measurement.
func strongest(e *evaluation.Evaluation, column int) *evaluation.Measurement {
	m := nothing(e, "attacks")
	for _, kind := range e.Kinds {
		if kind.Name == "disclosure" {
			h := kind.Headlines[column] // releases are the first columns
			m.Name = h.By
			m.Values[column] = evaluation.Value{Sample: h.Sample, Nothing: h.Nothing,
				CouldSee: h.CouldSee}
			if h.Sample != nil {
				m.Values[column].SampleText = fmt.Sprintf("%.2g %%", 100**h.Sample)
			}
		}
	}
	return m
}

// judge holds what was found against a limit, which may be a multiple of what a control has.
func (u *Rule) judge(e *evaluation.Evaluation, m *evaluation.Measurement, column int,
	l limit) Check {
	v, most := m.Values[column], *l.value
	c := Check{Name: strings.TrimSuffix(m.Metric+", "+m.Classifier, ", "), Outcome: Failed,
		Found: v.Value, Limit: &most, Words: v.Text()}
	if u.Disclosure != "" {
		c.Name = "strongest attack"
	}
	c.Name += fmt.Sprintf(": %s %v", l.key, most)
	if spread := v.Spread(); spread != "" {
		c.Words += " (" + spread + ")"
	}
	if l.sample {
		c.Found, c.Words = v.Sample, fmt.Sprintf("%s: like a sample of %s", m.Name, v.SampleText)
		if v.Nothing { // as much may be there as it could not have seen
			c.Found, c.Words = v.CouldSee, m.Name+": nothing found"
			if v.CouldSee != nil {
				c.Words += fmt.Sprintf(", could have seen a sample of %.2g %%", 100**v.CouldSee)
			}
		}
	} else if u.Of != "" {
		c.Name += " of " + u.Of
		at := slices.Index(e.Columns, evaluation.Column{Name: controls[u.Of]})
		if at >= 0 && m.Values[at].Value != nil {
			most *= *m.Values[at].Value
			c.Words += fmt.Sprintf(", limit %.4g of %.4g", most, *m.Values[at].Value)
		} else {
			c.Found = nil
		}
	}
	// Of "≤ 10 %" it is not known how much less it is.
	if c.Found != nil && (l.most && *c.Found <= most || !l.most && *c.Found >= most &&
		!(l.sample && strings.HasPrefix(v.SampleText, "≤"))) {
		c.Outcome = Passed
	}
	if c.Found == nil {
		c.Limit, c.Words = nil, "it, or its control, has no value"
	}
	return c
}
