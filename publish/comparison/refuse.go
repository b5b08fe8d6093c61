package comparison

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/internal/results"
	"ppdp/metrics"
	"ppdp/numeric/elementary"
)

// refuse is the error of a release that repeats the holdout, whole, in part or in some columns: it
// has the answers of what learners are tested on, and members look like strangers beside them. What
// was not made from the holdout finds its records no more often than those of the original.
func (m *made) refuse(ctx context.Context, path string, original *datasets.Table,
	release *algorithms.Release) error {
	if m.joint == nil {
		return nil
	}
	rows := m.joint.AllRows()
	n := original.Len()
	swapped := metrics.Case{Table: m.joint, Train: rows[n:], Test: rows[:n], Release: release,
		Truth: new(metrics.Memo), Published: new(metrics.Memo)}
	join, err := metrics.JoinOf(ctx, swapped)
	if err != nil {
		return err
	}
	const advice = "Models would be tested on what they learned, and attacks find nothing. " +
		"Name a holdout that the release was not made from, of the same population as the original"
	if join.Certain() {
		names := results.Mapped(join.Attributes,
			func(a int) string { return m.schema.Attributes[a].Name })
		held, members := join.Met()
		return fmt.Errorf("%s: refused as evidence, since it repeats the holdout %s: a join on %s "+
			"finds %.3g %% of the holdout's records in it and %.3g %% of the original's. %s", path,
			m.Holdout, strings.Join(names, ", "), 100*held, 100*members, advice)
	}
	// Beside the original both are met. A record without an equal in it should have one in the
	// release as seldom as among as many other people or, in small domains, among records drawn
	// column by column. Models repeat frequent values: five times either chance is allowed.
	tally := datasets.NewTally(m.joint, rows[:n])
	published := datasets.NewTally(release.Table, release.Table.AllRows())
	drawn := slices.Repeat([]float64{float64(5 * release.Table.Len())}, len(rows)-n) // like a row
	for _, a := range m.schema.Attributes {
		held, err := m.joint.Project(a.Name)
		said, wrong := release.Table.Project(a.Name)
		if err = errors.Join(err, wrong); err != nil {
			return err
		}
		counts := datasets.NewTally(said, said.AllRows())
		for i, row := range rows[n:] {
			drawn[i] *= float64(counts.Count(counts.Find(held, row))) / float64(max(1, said.Len()))
		}
	}
	others, equal, small := 0.0, 0.0, 0.0
	for i, row := range rows[n:] {
		if tally.Count(tally.Find(m.joint, row)) == 0 {
			small -= elementary.Expm1(-drawn[i]) // one of Poisson's draws, or more
			if others++; published.Count(published.Find(m.joint, row)) > 0 {
				equal++
			}
		}
	}
	size := float64(len(rows) - n)
	chance := float64(5*(size-others)*max(1, float64(release.Table.Len())/float64(n))) + small
	spread := math.Sqrt(chance * max(0, 1-chance/max(1, others))) // binomial
	if equal > max(others/20, chance+float64(5*spread)+1) {
		return fmt.Errorf("%s: refused as evidence, since it repeats the holdout %s: it has %v of "+
			"the %v records there that have no equal in the original. %s", path, m.Holdout, equal,
			others, advice)
	}
	var near [2]float64 // of the holdout: the share of the released nearer to it, and its low end
	closest, err := metrics.Lookup("closest-record")
	for i, end := range []metrics.End{metrics.Estimate, metrics.Low} {
		if swapped.Params = (&metrics.ClosestRecordParams{End: end}); err == nil {
			near[i], _, err = closest.Measure(ctx, swapped)
		}
	}
	// 95 % intervals reach two standard deviations; chance gets beyond five once in a million.
	if spread := (near[0] - near[1]) / 2; err == nil && near[0]-float64(5*spread) > 0.5 {
		return fmt.Errorf("%s: refused as evidence, since %.3g %% of its records are nearer to "+
			"the holdout %s than to the original. %s", path, 100*near[0], m.Holdout, advice)
	}
	return err
}
