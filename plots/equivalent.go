package plots

import (
	"cmp"

	"ppdp/internal/results"
)

// equivalents replaces what a figure shows of a metric by the samples of the true records, in per
// cent, that are as good: with their intervals, without the control and what it does not measure.
func equivalents(f results.Figure, measure results.MeasureUse, sticks results.Yardsticks,
	rows []results.Row) (results.Figure, results.MeasureUse, []results.Row) {
	if f.YScale == "" {
		f.YScale = "log"
	}
	f.YLabel = cmp.Or(f.YLabel, "Equal sample (% of records)")
	measure.Title = "Equal sample: " + measure.Title
	measure.Unit, measure.HigherIsBetter = "% of the records", true
	var shown []results.Row
	for _, r := range rows {
		if e, ok := sticks.Of(&r); ok && r.Algorithm != results.SampleAlgorithm {
			r.Mean, r.Lo95, r.Hi95 = 100*e.Share, 100*e.Lo, 100*e.Hi
			shown = append(shown, r)
		}
	}
	return f, measure, shown
}
