package claims

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"ppdp/internal/results"
)

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
func (s *scope) pair(
	left []*quantity, other *Side, axes []string, f function,
) ([]*quantity, error) {
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
				"both must have the same grid", other.at, q.place(axes))
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
	samples, err := s.selected(experiment, where, side.at)
	if err != nil {
		return nil, err
	}
	names := slices.Clone(axes) // of the facts mentioned
	for _, t := range where.terms {
		names = append(names, t.key)
	}
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
			s.judgement.timed(s.runs[experiment].Manifest.CPU)
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
				side.at, experiment, differing(other.Facts(), x.Facts()))
		}
		first[key] = x
		own = append(own, q)
	}
	for _, take := range side.Take {
		names = slices.DeleteFunc(names, func(name string) bool { return name == take.over })
		for _, q := range own {
			if _, known := q.facts[take.over]; !known {
				return nil, fmt.Errorf("%s: %s: take %s: no selected record has %s",
					side.at, experiment, take.text, take.over)
			}
			delete(q.facts, take.over)
			if take.over == s.along {
				q.along = math.NaN()
			}
		}
		groups := results.Grouped(own, func(q *quantity) string { return keyOf(q.facts, names) })
		own = make([]*quantity, len(groups))
		for i, group := range groups {
			if take.inEachTrial {
				own[i] = combined(group[0].facts, group, takes[take.how]).trialwise()
			} else {
				own[i] = reduced(group[0].facts, group, take.how)
			}
		}
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
