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
	"ppdp/internal/terminal"
)

// numbers are comparisons, of points and of curves where these are tested.
type numbers []*regress.Comparison

// moved are those that changed or are missing.
func (all numbers) moved() (moved numbers) {
	for _, c := range all {
		if c.Verdict == regress.Changed || c.Verdict == regress.Missing {
			moved = append(moved, c)
		}
	}
	return moved
}

// movedText is a paragraph for each algorithm that moved: what, by how much and probably why.
func movedText(all numbers) string {
	all = slices.DeleteFunc(slices.Clone(all), func(c *regress.Comparison) bool {
		return c.Verdict == regress.Added // only the run has it: nothing moved
	})
	algorithms := results.Grouped(all, func(c *regress.Comparison) string { return c.Algorithm })
	var text strings.Builder
	for _, own := range algorithms {
		moved := numbers(own).moved()
		if len(moved) == 0 {
			continue
		}
		in := moved[0].Experiment
		if n := len(results.Grouped(moved, func(c *regress.Comparison) string {
			return c.Experiment
		})); n > 1 {
			in = terminal.Counted(n, "experiment")
		}
		fmt.Fprintf(&text, "%s moved: %d of its %d numbers, in %s\n", own[0].Algorithm, len(moved),
			len(own), in)
		for _, part := range results.Grouped(own, func(c *regress.Comparison) string {
			return c.Measurement.String()
		}) {
			text.WriteString(numbers(part).text())
		}
		cause := likelyCause(own[0].Algorithm, algorithms)
		at := slices.IndexFunc(moved, func(c *regress.Comparison) bool {
			return c.Verdict == regress.Changed
		})
		switch {
		case at < 0:
			cause = "the spec or a parameter is another, because numbers are missing"
		case moved[at].Revised:
			text.WriteString("  A Revision was raised.\n")
		default:
			text.WriteString("  No Revision was raised: do so if the change is meant " +
				"(docs/reproduce.md).\n")
		}
		fmt.Fprintf(&text, "  Likely cause: %s.\n\n", cause)
	}
	return text.String()
}

// text is a line on the numbers of one measurement, "" where none moved.
func (all numbers) text() string {
	up, missing := 0, 0
	var sizes []float64
	var largest *regress.Comparison
	moved := all.moved()
	for _, c := range moved {
		switch {
		case c.Old == nil || c.New == nil:
			missing++
		case *c.New > *c.Old:
			up++
		}
		if c.Change != nil {
			sizes = append(sizes, *c.Change)
			if largest == nil || math.Abs(*c.Change) > math.Abs(*largest.Change) {
				largest = c
			}
		}
	}
	if len(moved) == 0 {
		return ""
	}
	text := fmt.Sprintf("  %v: %d of %d, %d up, %d down, %d missing", all[0].Measurement,
		len(moved), len(all), up, len(moved)-up-missing, missing)
	if n := len(sizes); n > 0 {
		slices.Sort(sizes)
		text += fmt.Sprintf("; median %+.3g %%, largest %+.3g %% at %s, %s",
			50*(sizes[(n-1)/2]+sizes[n/2]), 100**largest.Change, largest.Experiment,
			comparisonRow(largest)[1])
	}
	return text + "\n"
}

// likelyCause is the code that those algorithms have in common which moved, without what the others
// use.
func likelyCause(algorithm string, all [][]*regress.Comparison) string {
	packages := registry.Packages("algorithm", algorithm)
	own := strings.Join(packages[max(0, len(packages)-1):], "")
	common, still, moved := source.Of(packages...), make(source.Code), 0
	for _, other := range all {
		code := source.Of(registry.Packages("algorithm", other[0].Algorithm)...)
		if len(numbers(other).moved()) == 0 {
			maps.Copy(still, code)
			continue
		}
		moved++
		maps.DeleteFunc(common, func(name, _ string) bool { return code[name] == "" })
	}
	maps.DeleteFunc(common, func(name, _ string) bool { return still[name] != "" })
	switch {
	case moved == 1 && len(still) == 0:
		return fmt.Sprintf("%s or what it imports; no other algorithm was compared", own)
	case len(common) > 0 && len(still) > 0:
		return fmt.Sprintf("%s, which no algorithm uses whose numbers are the same",
			strings.Join(slices.Sorted(maps.Keys(common)), " or "))
	default:
		return fmt.Sprintf("%s, or what the %d algorithms share that moved, a metric or "+
			"classifier among it", own, moved)
	}
}
