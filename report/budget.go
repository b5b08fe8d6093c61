package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ppdp/results"
)

// budget shows where the privacy budget of an experiment's releases went, by claimed and by proven sensitivities.
type budget struct {
	Bars     []*budgetBars
	Purposes []purpose // the key
	Limit    string    // where ε is, in hundredths of the width
	Scale    string    // what the whole width is, in units of ε
}

// budgetBars are the two bars of releases that spend alike. Parts are of ε, averaged over the releases.
type budgetBars struct {
	Label           string
	Series          int // how many series share the bars; all are in Label's tooltip, Names
	Names           string
	Releases        int
	Claimed, Proven []budgetPart
	ClaimedSum      string
	ProvenSum       string
	Worst           string // the largest proven loss of any release, where it is above the mean
	Unbounded       bool   // the proven loss has no finite bound in some release
	Over            bool   // the proven loss exceeds ε
	claimed, proven float64
	worst           float64
}

// budgetPart is one purpose's part of a bar.
type budgetPart struct {
	Purpose      string
	Colour       int
	Share        string // of ε
	Start, Width string // in hundredths of the width
	start, share float64
}

// purpose is an entry of the key.
type purpose struct {
	Name   string
	Colour int
}

// purposeColours gives every purpose the same colour on the whole page as far as there are colours.
type purposeColours struct{ purposes []purpose }

// paletteSize is how many colours the style sheet has for purposes.
const paletteSize = 12

// of returns a purpose's colour in a budget whose key is so far beside. A colour that beside has already gives way to one
// it has not.
func (c *purposeColours) of(name string, beside []purpose) int {
	at := slices.IndexFunc(c.purposes, func(p purpose) bool { return p.Name == name })
	if at < 0 {
		at = len(c.purposes)
		c.purposes = append(c.purposes, purpose{name, at % paletteSize})
	}
	usual := c.purposes[at].Colour
	for i := range paletteSize {
		colour := (usual + i) % paletteSize
		if !slices.ContainsFunc(beside, func(p purpose) bool { return p.Colour == colour }) {
			return colour
		}
	}
	return usual
}

// newBudget adds up the ledger of an outcome, a pair of bars for each series, algorithm and variant; nil when there is no
// ledger. Series that spend alike to a thousandth of ε share a pair.
func newBudget(o *results.Run, palette *purposeColours) *budget {
	type sums struct {
		label           string
		purposes        []string
		claimed, proven map[string]float64
		releases        int
		unbounded       bool
		worst           float64
	}
	var groups []*sums
	byKey := make(map[string]*sums)
	for i := range o.Cells {
		c := &o.Cells[i]
		if len(c.Ledger) == 0 || c.Epsilon == nil || !(*c.Epsilon > 0) || c.Status != results.OK {
			continue
		}
		epsilon := *c.Epsilon
		name := c.Label()
		if c.Variant != "" && !strings.Contains(name, c.Variant) {
			name += results.VariantSuffix(c.Variant)
		}
		key := c.Algorithm + "\x00" + name
		g := byKey[key]
		if g == nil {
			g = &sums{label: name, claimed: make(map[string]float64), proven: make(map[string]float64)}
			byKey[key] = g
			groups = append(groups, g)
		}
		g.releases++
		if c.Spent != nil && c.Spent.Proven.Finite() {
			g.worst = max(g.worst, float64(c.Spent.Proven)/epsilon)
		}
		for _, row := range c.Ledger {
			if !slices.Contains(g.purposes, row.Purpose) {
				g.purposes = append(g.purposes, row.Purpose)
			}
			g.claimed[row.Purpose] += row.Epsilon / epsilon
			if row.Loss.Finite() {
				g.proven[row.Purpose] += float64(row.Loss) / epsilon
			} else {
				g.unbounded = true
			}
		}
	}
	if len(groups) == 0 {
		return nil
	}
	b := &budget{}
	byLook := make(map[string]*budgetBars)
	widest := 1.0
	for _, g := range groups {
		bars := &budgetBars{Label: g.label, Names: g.label, Series: 1, Releases: g.releases, Unbounded: g.unbounded, worst: g.worst}
		n := float64(g.releases)
		var look strings.Builder
		add := func(parts *[]budgetPart, sum *float64, name string, share float64) {
			*parts = append(*parts, budgetPart{Purpose: name, Colour: b.colour(name, palette), Share: strconv.FormatFloat(share, 'f', 3, 64), start: *sum, share: share})
			*sum += share
			fmt.Fprintf(&look, "%s %.3f;", name, share)
		}
		for _, name := range g.purposes {
			add(&bars.Claimed, &bars.claimed, name, g.claimed[name]/n)
			if !g.unbounded {
				add(&bars.Proven, &bars.proven, name, g.proven[name]/n)
			}
		}
		bars.ClaimedSum, bars.ProvenSum = strconv.FormatFloat(bars.claimed, 'f', 3, 64), strconv.FormatFloat(bars.proven, 'f', 3, 64)
		bars.Over = g.unbounded || bars.proven > 1+overrun
		widest = max(widest, bars.claimed, bars.proven)
		if same := byLook[look.String()]; same != nil && same.Unbounded == bars.Unbounded {
			same.Series++
			same.Releases += bars.Releases
			same.worst = max(same.worst, bars.worst)
			same.Names += "\n" + bars.Label
			continue
		}
		byLook[look.String()] = bars
		b.Bars = append(b.Bars, bars)
	}
	for _, bars := range b.Bars {
		if bars.worst > bars.proven+0.0005 { // what three places show
			bars.Worst = strconv.FormatFloat(bars.worst, 'f', 3, 64)
		}
		bars.Over = bars.Over || bars.worst > 1+overrun
		for _, parts := range [][]budgetPart{bars.Claimed, bars.Proven} {
			for i := range parts {
				parts[i].Start, parts[i].Width = percent(parts[i].start/widest), percent(parts[i].share/widest)
			}
		}
	}
	b.Limit, b.Scale = percent(1/widest), number(widest)
	return b
}

// colour returns a purpose's colour from the key, where it enters it if need be.
func (b *budget) colour(name string, palette *purposeColours) int {
	for _, p := range b.Purposes {
		if p.Name == name {
			return p.Colour
		}
	}
	b.Purposes = append(b.Purposes, purpose{name, palette.of(name, b.Purposes)})
	return b.Purposes[len(b.Purposes)-1].Colour
}

// overrun is how far above ε a sum of rounded parts may come out.
const overrun = 1e-9

// More is how many series there are besides the one that gives the label.
func (b *budgetBars) More() int { return b.Series - 1 }

// drawnBar is a bar with the mark of ε in it.
type drawnBar struct {
	Parts []budgetPart
	Limit string
}

// Drawn joins a bar with its mark, for the template.
func (*budgetBars) Drawn(parts []budgetPart, limit string) drawnBar { return drawnBar{parts, limit} }
