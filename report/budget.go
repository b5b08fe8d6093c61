package report

import (
	"fmt"
	"slices"
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
	Label           string
	Series          int    // that share the bars
	Names           string // theirs, a line each
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
	Limit float64 // where ε is, as a part of the width
}

// budgetPart is one purpose's part of a bar.
type budgetPart struct {
	Purpose      string
	Colour       int
	Share        float64 // of ε
	Start, Width float64 // parts of the width
}

// purpose is an entry of the key.
type purpose struct {
	Name   string
	Colour int
}

// purposeColours gives a purpose the same colour on the whole page while there are enough colours.
type purposeColours struct{ purposes []purpose }

// paletteSize is how many colours the style sheet has for purposes.
const paletteSize = 12

// of returns a purpose's colour in a budget that already shows others. It is another one than usual
// where one of these has the usual one.
func (c *purposeColours) of(name string, shown []purpose) int {
	at := slices.IndexFunc(c.purposes, func(p purpose) bool { return p.Name == name })
	if at < 0 {
		at = len(c.purposes)
		c.purposes = append(c.purposes, purpose{name, at % paletteSize})
	}
	usual := c.purposes[at].Colour
	for i := range paletteSize {
		colour := (usual + i) % paletteSize
		if !slices.ContainsFunc(shown, func(p purpose) bool { return p.Colour == colour }) {
			return colour
		}
	}
	return usual
}

// newBudget shows the spending of a run's series: a pair of bars for each, nil without any.
// Series that spend alike to a thousandth of ε share a pair.
func newBudget(spending []*results.Spending, palette *purposeColours) *budget {
	if len(spending) == 0 {
		return nil
	}
	b := &budget{}
	byShares := make(map[string]*budgetBars)
	widest := 1.0
	for _, of := range spending {
		bars := &budgetBars{Label: of.Label, Names: of.Label, Series: 1, Releases: of.Releases,
			Unbounded: of.Unbounded, Worst: of.Worst}
		var shares strings.Builder
		add := func(to *bar, name string, total float64) {
			share := total / float64(bars.Releases)
			to.Parts = append(to.Parts, budgetPart{Purpose: name, Colour: b.colour(name, palette),
				Share: share, Start: to.Sum, Width: share})
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
		same.Series++
		same.Releases += bars.Releases
		same.Worst = max(same.Worst, bars.Worst)
		same.Names += "\n" + bars.Label
	}
	b.Scale = widest
	for _, bars := range b.Bars {
		lost := results.Bound(max(bars.Proven.Sum, bars.Worst))
		bars.Over = bars.Unbounded || lost.Exceeds(1)
		if bars.Worst <= bars.Proven.Sum+0.0005 { // what three decimals show
			bars.Worst = 0
		}
		for _, each := range []*bar{&bars.Claimed, &bars.Proven} {
			each.Limit = 1 / widest
			for i := range each.Parts {
				each.Parts[i].Start /= widest
				each.Parts[i].Width /= widest
			}
		}
	}
	return b
}

func decimal(x float64) string { return strconv.FormatFloat(x, 'f', 3, 64) }

// colour returns a purpose's colour from the key and adds it there if it is new.
func (b *budget) colour(name string, palette *purposeColours) int {
	for _, p := range b.Purposes {
		if p.Name == name {
			return p.Colour
		}
	}
	colour := palette.of(name, b.Purposes)
	b.Purposes = append(b.Purposes, purpose{name, colour})
	return colour
}

// More is the number of series besides the one that gives the label.
func (b *budgetBars) More() int { return b.Series - 1 }
