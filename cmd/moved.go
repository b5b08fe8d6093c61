package cmd

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"ppdp/internal/registry"
	"ppdp/internal/regress"
	"ppdp/internal/results"
	"ppdp/internal/source"
)

// measurementsShown is how many measurements of an algorithm that moved have a line.
const measurementsShown = 5

// moveText says what moved of an algorithm, by how much and, by what moved of all others, probably
// why.
func moveText(m *regress.Move, all []*regress.Move) string {
	in := counted(len(m.Experiments), "experiment")
	if len(m.Experiments) == 1 {
		in = m.Experiments[0]
	}
	if m.Changed == 0 {
		return fmt.Sprintf("%s: %d of its %d numbers are missing, in %s: the spec or a parameter "+
			"is another", m.Algorithm, m.Missing, m.Numbers, in)
	}
	lines := []string{fmt.Sprintf("%s moved: %d of its %d numbers, in %s", m.Algorithm, m.Moved(),
		m.Numbers, in)}
	moved := slices.DeleteFunc(slices.Clone(m.Measures), func(p *regress.Part) bool {
		return p.Moved() == 0
	})
	for i, p := range moved {
		if i == measurementsShown {
			lines = append(lines, fmt.Sprintf("and %s; -v has all",
				counted(len(moved)-i, "more measurement")))
			break
		}
		line := fmt.Sprintf("%v: %d of %d, %d up and %d down", p.Measurement, p.Moved(), p.Numbers,
			p.Up, p.Down)
		if p.Missing > 0 {
			line += fmt.Sprintf(", %d missing", p.Missing)
		}
		if c := p.Largest; c != nil {
			line += fmt.Sprintf("; median %s, largest %s at %s, %s", percent(p.Median),
				percent(*c.Change), c.Experiment, comparisonRow(c)[1])
		}
		lines = append(lines, line)
	}
	if m.New > m.Old {
		lines = append(lines, fmt.Sprintf("Its Revision was raised from %d to %d.", m.Old, m.New))
	} else {
		lines = append(lines, fmt.Sprintf("Its Revision is %d, as in the reference: raise it if "+
			"the change is meant (docs/regression.md).", m.New))
	}
	return strings.Join(append(lines, "Likely cause: "+likelyCause(m, all)+"."), "\n  ")
}

// likelyCause is the code that those algorithms have in common which moved, without what the others
// use, or a metric or classifier, where an algorithm moved in nothing but what moved for all.
func likelyCause(m *regress.Move, all []*regress.Move) string {
	uses := func(m *regress.Move) source.Code {
		return source.Of(registry.Packages("algorithm", m.Algorithm)...)
	}
	common, still, moved := uses(m), make(source.Code), 0
	for _, other := range all {
		code := uses(other)
		if other.Moved() == 0 {
			maps.Copy(still, code)
			continue
		}
		moved++
		maps.DeleteFunc(common, func(name, _ string) bool { return code[name] == "" })
	}
	maps.DeleteFunc(common, func(name, _ string) bool { return still[name] != "" })
	own := "its own package"
	if packages := registry.Packages("algorithm", m.Algorithm); len(packages) > 0 {
		own = packages[len(packages)-1]
	}
	switch {
	case measuredOtherwise(all):
		return "a metric or classifier, because measurements moved for all algorithms that have " +
			"them, and others for none"
	case moved == 1 && len(still) == 0:
		return own + " or what it imports; no other algorithm was compared"
	case len(common) > 0 && len(still) > 0:
		return strings.Join(slices.Sorted(maps.Keys(common)), " or ") + ", because no algorithm " +
			"uses it whose numbers are the same"
	default:
		return fmt.Sprintf("%s, or what the %d algorithms share that moved", own, moved)
	}
}

// measuredOtherwise reports whether each measurement moved for all algorithms that have it, or for
// none, and there are both kinds and several algorithms of each that moved.
func measuredOtherwise(all []*regress.Move) bool {
	moved, have := make(map[results.Measurement]int), make(map[results.Measurement]int)
	for _, m := range all {
		for _, p := range m.Measures {
			if have[p.Measurement]++; p.Moved() > 0 {
				moved[p.Measurement]++
			}
		}
	}
	for measurement, n := range moved { // order-free: each must do
		if n < 2 || n < have[measurement] {
			return false
		}
	}
	return len(moved) > 0 && len(moved) < len(have)
}

// percent is a relative change in two digits.
func percent(change float64) string {
	if change = 100 * change; math.Abs(change) >= 99.5 {
		return fmt.Sprintf("%+.0f %%", change)
	}
	return fmt.Sprintf("%+.2g %%", change)
}
