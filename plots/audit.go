package plots

import (
	"fmt"
	"math"

	"ppdp/internal/results"
)

// AuditName is the name of the figure that shows a run's audits.
const AuditName = "audit"

// mostAudited is how many guarantees the figure shows one by one. Where there are more, it shows
// the largest losses of each algorithm and variant.
const mostAudited = 12

// lossMetric is what the curves of the figure are rows of.
const lossMetric = "privacy-loss"

// newAudit draws what a run's audits have found over epsilon, as parts of epsilon: the loss seen
// where there is no delta, that proven where it is not the claimed one, and the bound of the black
// box. It returns nil where there is no audit, or one epsilon only.
func newAudit(audits []results.Audit) (*chart, error) {
	epsilons, labels := make(map[float64]bool), make(map[string]bool)
	least, most := math.Inf(1), 0.0
	for i := range audits {
		a := &audits[i]
		if a.Error == "" {
			epsilons[a.Epsilon], labels[a.Label()] = true, true
			least, most = min(least, a.Epsilon), max(most, a.Epsilon)
		}
	}
	if len(epsilons) < 2 {
		return nil, nil
	}
	c := &chart{figure: results.Figure{Name: AuditName, Title: "Claimed, proven and seen",
		X: epsilonName, Y: lossMetric}, measure: results.MeasureUse{Title: "Privacy loss / ε"},
		caption: "Points: the largest privacy loss of any transcript (seen), or by any ledger " +
			"(proven), in audits on small neighbouring inputs."}
	if most > 20*least {
		c.figure.XScale = "log"
	}
	rows := auditRows(audits, func(a *results.Audit) string {
		if len(labels) > mostAudited {
			return a.Algorithm + results.VariantSuffix(a.Variant)
		}
		return a.Label()
	})
	for i := range audits {
		if a := &audits[i]; a.BlackBox != nil {
			c.caption += " Black box: the lower bound certified from releases alone."
			break
		}
	}
	shown := make([]*results.Row, len(rows))
	for i := range rows {
		shown[i] = &rows[i]
	}
	if err := c.addCurves(shown); err != nil {
		return nil, err
	}
	highest := 1.0
	for i := range rows {
		if !math.IsNaN(rows[i].Mean) {
			highest = max(highest, rows[i].Mean)
		}
	}
	c.figure.YLim = []float64{0, highest * (1 + yRoom)}
	c.references = []Line{{Label: "Claimed, and proven where no curve is",
		Points: []Point{{Mean: 1, SE: math.NaN()}}}}
	return c, c.finish(shown)
}

// auditRows are the points of the figure, the largest of those of one label and epsilon. An
// infinite loss has no place on an axis: it is named in the label.
func auditRows(audits []results.Audit, labelOf func(*results.Audit) string) []results.Row {
	type place struct {
		label, what string
		epsilon     float64
	}
	largest, proven := make(map[place]float64), make(map[string]bool)
	var places []place
	add := func(at place, value float64) {
		old, known := largest[at]
		if !known {
			places = append(places, at)
		}
		largest[at] = max(old, value)
	}
	for i := range audits {
		a := &audits[i]
		if a.Error != "" {
			continue
		}
		label := labelOf(a)
		if !a.Declared() { // of which nothing is proven, and no call seen
			add(place{label, "seen", a.Epsilon}, float64(a.Seen)/a.Epsilon)
			add(place{label, "proven", a.Epsilon}, float64(a.Proven)/a.Epsilon)
			proven[label] = proven[label] || math.Abs(float64(a.Proven)/a.Epsilon-1) > 1e-9
		}
		if a.BlackBox != nil {
			add(place{label, "black box", a.Epsilon}, a.BlackBox.Bound/a.Epsilon)
		}
	}
	infinite := make(map[place]bool) // without an epsilon
	for _, at := range places {
		if math.IsInf(largest[at], 1) {
			infinite[place{at.label, at.what, 0}] = true
		}
	}
	var rows []results.Row
	for _, at := range places {
		if at.what == "proven" && !proven[at.label] {
			continue
		}
		series := fmt.Sprintf("%s: %s", at.label, at.what)
		if infinite[place{at.label, at.what, 0}] {
			series += " (infinite where no point is)"
		}
		row := results.Row{N: 1, Mean: largest[at], SE: math.NaN()}
		row.Setting = &results.Setting{Series: series, Epsilon: &at.epsilon}
		row.Metric = lossMetric
		if math.IsInf(row.Mean, 1) {
			row.Mean = math.NaN()
		}
		rows = append(rows, row)
	}
	return rows
}
