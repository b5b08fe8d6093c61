package regress

import (
	"cmp"
	"math"
	"slices"

	"ppdp/internal/results"
)

// Move is what became of an algorithm's numbers: of points, and of curves where these are tested.
type Move struct {
	Algorithm string
	Old, New  int // revisions; 0 where a manifest does not say
	Part
	Measures []*Part // those with most that moved first
}

// Part is what became of numbers. Its measurement is empty for all of an algorithm.
type Part struct {
	results.Measurement
	Numbers, Changed, Missing, Up, Down int
	Experiments                         []string // with numbers that moved
	// Median and Largest are of the changes that have a size, relative to the reference's value.
	Median  float64
	Largest *Comparison // nil without any

	sizes []float64
}

// Moved counts the numbers that changed or are missing.
func (p *Part) Moved() int { return p.Changed + p.Missing }

// add counts a comparison.
func (p *Part) add(c *Comparison) {
	p.Numbers++
	switch c.Verdict {
	case Missing:
		p.Missing++
	case Changed:
		p.Changed++
	default:
		return
	}
	if !slices.Contains(p.Experiments, c.Experiment) {
		p.Experiments = append(p.Experiments, c.Experiment)
	}
	if c.Old == nil || c.New == nil {
		return
	}
	switch cmp.Compare(*c.New, *c.Old) {
	case 1:
		p.Up++
	case -1:
		p.Down++
	}
	if c.Change == nil {
		return
	}
	at, _ := slices.BinarySearch(p.sizes, *c.Change)
	p.sizes = slices.Insert(p.sizes, at, *c.Change)
	p.Median = (p.sizes[(len(p.sizes)-1)/2] + p.sizes[len(p.sizes)/2]) / 2
	if p.Largest == nil || math.Abs(*c.Change) > math.Abs(*p.Largest.Change) {
		p.Largest = c
	}
}

// Moves says of each algorithm, in the order of the comparisons, what became of its numbers.
func (g *Gate) Moves(pairs []Pair) (all []*Move) {
	for i := range g.Comparisons {
		c := &g.Comparisons[i]
		if c.Verdict == Added {
			continue
		}
		at := slices.IndexFunc(all, func(m *Move) bool { return m.Algorithm == c.Algorithm })
		if at < 0 {
			at = len(all)
			all = append(all, &Move{Algorithm: c.Algorithm})
		}
		m := all[at]
		m.add(c)
		at = slices.IndexFunc(m.Measures, func(p *Part) bool {
			return p.Measurement == c.Measurement
		})
		if at < 0 {
			at = len(m.Measures)
			m.Measures = append(m.Measures, &Part{Measurement: c.Measurement})
		}
		m.Measures[at].add(c)
	}
	for _, m := range all {
		slices.SortStableFunc(m.Measures, func(a, b *Part) int { return b.Moved() - a.Moved() })
		for _, pair := range pairs {
			m.Old = max(m.Old, revision(&pair.Old.Manifest, m.Algorithm))
			m.New = max(m.New, revision(&pair.New.Manifest, m.Algorithm))
		}
	}
	return all
}

func revision(m *results.Manifest, algorithm string) (r int) {
	for _, use := range m.Algorithms {
		if use.Name == algorithm {
			r = max(r, use.Revision)
		}
	}
	return r
}
