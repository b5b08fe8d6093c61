package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ppdp/results"
)

// budget shows where the privacy budget of an experiment's releases went, by claimed and by proven
// sensitivities.
type budget struct {
	Bars     []*budgetBars
	Purposes []purpose // the key
	Scale    string    // what the whole width is, in units of ε
}

// budgetBars are the two bars of releases that spend alike.
type budgetBars struct {
	Label           string
	Series          int    // that share the bars
	Names           string // theirs, a line each
	Releases        int
	Claimed, Proven bar
	Worst           string // the largest proven loss of any release, where it is above the mean
	Unbounded       bool   // the proven loss has no finite bound in some release
	Over            bool   // the proven loss exceeds ε
	worst           float64
	purposes        []string
	sums            map[string]*[2]float64 // over releases, by purpose: claimed and proven
}

// bar is parts of ε, averaged over releases.
type bar struct {
	Parts []budgetPart
	Sum   string
	Limit string // where ε is, in hundredths of the width
	sum   float64
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

// newBudget adds up the ledgers of a run: a pair of bars for each series, nil when there is no
// ledger. Series that spend alike to a thousandth of ε share a pair.
func newBudget(run *results.Run, palette *purposeColours) *budget {
	var groups []*budgetBars
	byKey := make(map[string]*budgetBars)
	for i := range run.Cells {
		c := &run.Cells[i]
		total, ok := c.Budget()
		if len(c.Ledger) == 0 || !ok || c.Status != results.OK {
			continue
		}
		key := c.Algorithm + "\x00" + c.Label()
		g := byKey[key]
		if g == nil {
			g = &budgetBars{Label: c.Label(), Names: c.Label(), Series: 1}
			g.sums = make(map[string]*[2]float64)
			byKey[key] = g
			groups = append(groups, g)
		}
		g.Releases++
		if c.Spent != nil && c.Spent.Proven.Finite() {
			g.worst = max(g.worst, float64(c.Spent.Proven)/total)
		}
		for _, row := range c.Ledger {
			sum := g.sums[row.Purpose]
			if sum == nil {
				sum = new([2]float64)
				g.sums[row.Purpose] = sum
				g.purposes = append(g.purposes, row.Purpose)
			}
			sum[0] += row.Cost / total
			sum[1] += float64(row.Loss) / total
			g.Unbounded = g.Unbounded || !row.Loss.Finite()
		}
	}
	if len(groups) == 0 {
		return nil
	}
	b := &budget{}
	byShares := make(map[string]*budgetBars)
	widest := 1.0
	for _, bars := range groups {
		var shares strings.Builder
		add := func(to *bar, name string, total float64) {
			share := total / float64(bars.Releases)
			to.Parts = append(to.Parts, budgetPart{Purpose: name, Colour: b.colour(name, palette),
				Share: decimal(share), start: to.sum, share: share})
			to.sum += share
			fmt.Fprintf(&shares, "%s %.3f;", name, share)
		}
		for _, name := range bars.purposes {
			add(&bars.Claimed, name, bars.sums[name][0])
			if !bars.Unbounded {
				add(&bars.Proven, name, bars.sums[name][1])
			}
		}
		widest = max(widest, bars.Claimed.sum, bars.Proven.sum)
		same := byShares[shares.String()]
		if same == nil || same.Unbounded != bars.Unbounded {
			byShares[shares.String()] = bars
			b.Bars = append(b.Bars, bars)
			continue
		}
		same.Series++
		same.Releases += bars.Releases
		same.worst = max(same.worst, bars.worst)
		same.Names += "\n" + bars.Label
	}
	for _, bars := range b.Bars {
		if bars.worst > bars.Proven.sum+0.0005 { // what three decimals show
			bars.Worst = decimal(bars.worst)
		}
		bars.Over = bars.Unbounded || max(bars.Proven.sum, bars.worst) > 1+overrun
		for _, each := range []*bar{&bars.Claimed, &bars.Proven} {
			each.Sum, each.Limit = decimal(each.sum), percent(1/widest)
			for i := range each.Parts {
				p := &each.Parts[i]
				p.Start, p.Width = percent(p.start/widest), percent(p.share/widest)
			}
		}
	}
	b.Scale = number(widest)
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

// overrun is how far above ε a sum of rounded parts may come out.
const overrun = 1e-9

// More is the number of series besides the one that gives the label.
func (b *budgetBars) More() int { return b.Series - 1 }
