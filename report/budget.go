package report

import (
	"fmt"
	"strconv"
	"strings"

	"ppdp/internal/results"
)

// budget shows where the privacy budget of an experiment's releases went, by claimed and by proven
// sensitivities.
type budget struct {
	Bars     []*budgetBars
	Purposes []purpose // the key
	Scale    float64   // what the whole width is, in units of ε
}

// budgetBars are the two bars of releases that spend alike.
type budgetBars struct {
	Labels          []string // of the series that share the bars
	Releases        int
	Claimed, Proven bar
	Worst           float64 // the largest proven loss of any release, 0 if not above the mean
	Unbounded       bool    // the proven loss has no finite bound in some release
	Over            bool    // the proven loss exceeds ε
}

// bar is parts of ε, averaged over releases.
type bar struct {
	Parts []budgetPart
	Sum   float64
	Scale float64 // what the whole width is
}

// budgetPart is one purpose's part of a bar.
type budgetPart struct {
	Purpose      string
	Colour       int
	Start, Share float64 // of ε
}

// purpose is an entry of the key.
type purpose struct {
	Name   string
	Colour int
}

// paletteSize is how many colours the style sheet has for purposes.
const paletteSize = 12

// newBudget shows the spending of a run's series: a pair of bars for each, nil without any.
// Series that spend alike to a thousandth of ε share a pair.
func newBudget(spending []*results.Spending) *budget {
	if len(spending) == 0 {
		return nil
	}
	b := &budget{}
	byShares := make(map[string]*budgetBars)
	widest := 1.0
	for _, of := range spending {
		bars := &budgetBars{Labels: []string{of.Label}, Releases: of.Releases,
			Unbounded: of.Unbounded, Worst: of.Worst}
		var shares strings.Builder
		add := func(to *bar, name string, total float64) {
			share := total / float64(bars.Releases)
			to.Parts = append(to.Parts, budgetPart{name, b.colour(name), to.Sum, share})
			to.Sum += share
			fmt.Fprintf(&shares, "%s %.3f;", name, share)
		}
		for _, p := range of.Purposes {
			add(&bars.Claimed, p.Purpose, p.Claimed)
			if !bars.Unbounded {
				add(&bars.Proven, p.Purpose, p.Proven)
			}
		}
		widest = max(widest, bars.Claimed.Sum, bars.Proven.Sum)
		same := byShares[shares.String()]
		if same == nil || same.Unbounded != bars.Unbounded {
			byShares[shares.String()] = bars
			b.Bars = append(b.Bars, bars)
			continue
		}
		same.Labels = append(same.Labels, of.Label)
		same.Releases += bars.Releases
		same.Worst = max(same.Worst, bars.Worst)
	}
	b.Scale = widest
	for _, bars := range b.Bars {
		lost := results.Bound(max(bars.Proven.Sum, bars.Worst))
		bars.Over = bars.Unbounded || lost.Exceeds(1)
		if bars.Worst <= bars.Proven.Sum+0.0005 { // what three decimals show
			bars.Worst = 0
		}
		bars.Claimed.Scale, bars.Proven.Scale = widest, widest
	}
	return b
}

func decimal(x float64) string { return strconv.FormatFloat(x, 'f', 3, 64) }

// colour returns a purpose's colour from the key and adds it there if it is new.
func (b *budget) colour(name string) int {
	for _, p := range b.Purposes {
		if p.Name == name {
			return p.Colour
		}
	}
	colour := len(b.Purposes) % paletteSize
	b.Purposes = append(b.Purposes, purpose{name, colour})
	return colour
}
