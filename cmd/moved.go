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

// numbers are comparisons, of points and of curves where these are tested.
type numbers []*regress.Comparison

// grouped divides comparisons, those that only the run has left out, by what of says, in the order
// of first use.
func grouped[K comparable](all numbers, of func(*regress.Comparison) K) (groups []numbers) {
	at := make(map[K]int)
	for _, c := range all {
		if c.Verdict == regress.Added {
			continue
		}
		if _, known := at[of(c)]; !known {
			at[of(c)] = len(groups)
			groups = append(groups, nil)
		}
		groups[at[of(c)]] = append(groups[at[of(c)]], c)
	}
	return groups
}

func byAlgorithm(c *regress.Comparison) string { return c.Algorithm }

func byMeasurement(c *regress.Comparison) results.Measurement { return c.Measurement }

// moved are those that changed or are missing.
func (all numbers) moved() (moved numbers) {
	for _, c := range all {
		if c.Verdict == regress.Changed || c.Verdict == regress.Missing {
			moved = append(moved, c)
		}
	}
	return moved
}

// measurementsShown is how many measurements of an algorithm that moved have a line.
const measurementsShown = 5

// movedText is a paragraph for each algorithm that moved: what, by how much and probably why.
func movedText(all numbers) string {
	var text strings.Builder
	algorithms := grouped(all, byAlgorithm)
	for _, own := range algorithms {
		moved := own.moved()
		if len(moved) == 0 {
			continue
		}
		in := moved[0].Experiment
		if n := len(grouped(moved, func(c *regress.Comparison) string {
			return c.Experiment
		})); n > 1 {
			in = counted(n, "experiment")
		}
		fmt.Fprintf(&text, "%s moved: %d of its %d numbers, in %s\n", own[0].Algorithm, len(moved),
			len(own), in)
		parts := grouped(own, byMeasurement)
		parts = slices.DeleteFunc(parts, func(p numbers) bool { return len(p.moved()) == 0 })
		slices.SortStableFunc(parts, func(a, b numbers) int {
			return len(b.moved()) - len(a.moved())
		})
		for _, part := range parts[:min(len(parts), measurementsShown)] {
			fmt.Fprintf(&text, "  %s\n", part.text())
		}
		if n := len(parts) - measurementsShown; n > 0 {
			fmt.Fprintf(&text, "  and %s; -v has all\n", counted(n, "more measurement"))
		}
		is := func(verdict string, revised bool) bool {
			return slices.ContainsFunc(moved, func(c *regress.Comparison) bool {
				return c.Verdict == verdict && c.Revised == revised
			})
		}
		cause := likelyCause(own[0].Algorithm, algorithms)
		switch {
		case is(regress.Changed, true):
			text.WriteString("  A Revision was raised.\n")
		case is(regress.Changed, false):
			text.WriteString("  No Revision was raised: do so if the change is meant " +
				"(docs/reproduce.md).\n")
		default:
			cause = "the spec or a parameter is another, because numbers are missing"
		}
		fmt.Fprintf(&text, "  Likely cause: %s.\n\n", cause)
	}
	return text.String()
}

// text says what became of the numbers of one measurement.
func (all numbers) text() string {
	up, down, missing := 0, 0, 0
	var sizes []float64
	var largest *regress.Comparison
	for _, c := range all.moved() {
		switch {
		case c.Old == nil || c.New == nil:
			missing++
		case *c.New > *c.Old:
			up++
		case *c.New < *c.Old:
			down++
		}
		if c.Change != nil {
			sizes = append(sizes, *c.Change)
			if largest == nil || math.Abs(*c.Change) > math.Abs(*largest.Change) {
				largest = c
			}
		}
	}
	text := fmt.Sprintf("%v: %d of %d, %d up, %d down, %d missing", all[0].Measurement,
		len(all.moved()), len(all), up, down, missing)
	if n := len(sizes); n > 0 {
		slices.Sort(sizes)
		text += fmt.Sprintf("; median %+.3g %%, largest %+.3g %% at %s, %s",
			50*(sizes[(n-1)/2]+sizes[n/2]), 100**largest.Change, largest.Experiment,
			comparisonRow(largest)[1])
	}
	return text
}

// likelyCause is the code that those algorithms have in common which moved, without what the others
// use; or a metric or classifier, where measurements moved for all algorithms and others for none.
func likelyCause(algorithm string, all []numbers) string {
	packages := registry.Packages("algorithm", algorithm)
	own := strings.Join(packages[max(0, len(packages)-1):], "")
	common, still, moved := source.Of(packages...), make(source.Code), 0
	same, changed := make(map[results.Measurement]bool), make(map[results.Measurement]bool)
	for _, other := range all {
		code := source.Of(registry.Packages("algorithm", other[0].Algorithm)...)
		for _, part := range grouped(other, byMeasurement) {
			changed[part[0].Measurement] = changed[part[0].Measurement] || len(part.moved()) > 0
			same[part[0].Measurement] = same[part[0].Measurement] || len(part.moved()) == 0
		}
		if len(other.moved()) == 0 {
			maps.Copy(still, code)
			continue
		}
		moved++
		maps.DeleteFunc(common, func(name, _ string) bool { return code[name] == "" })
	}
	measured, mixed := false, false
	for name := range same { // order-free: any of them
		measured, mixed = measured || !changed[name], mixed || same[name] && changed[name]
	}
	maps.DeleteFunc(common, func(name, _ string) bool { return still[name] != "" })
	switch {
	case moved > 1 && measured && !mixed:
		return "a metric or classifier: measurements moved for all algorithms, others for none"
	case moved == 1 && len(still) == 0:
		return fmt.Sprintf("%s or what it imports; no other algorithm was compared", own)
	case len(common) > 0 && len(still) > 0:
		return fmt.Sprintf("%s, which no algorithm uses whose numbers are the same",
			strings.Join(slices.Sorted(maps.Keys(common)), " or "))
	default:
		return fmt.Sprintf("%s, or what the %d algorithms share that moved", own, moved)
	}
}
