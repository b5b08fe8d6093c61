package metrics

import (
	"cmp"
	"context"
	"slices"

	"ppdp/datasets/gower"
)

// Exposure is how far a release discloses that it was made from a record.
type Exposure struct {
	Row int32 // in the original table
	// Score is the larger the nearer the closest released record is beside the closest other
	// original one, 0 where they are as near (Gower's distance).
	Score float64
}

// MostExposed are the members that a release exposes most, the most exposed first: those that have
// a released record much closer to them than any other record of the original. It is for the holder
// of the data alone. among is how many members were looked at: a sample where comparing all of them
// would take too long. No records held out are needed; those released
// must be drawn.
func MostExposed(ctx context.Context, c Case, most int) (exposed []Exposure, among int, err error) {
	table, rows := disclosed(c)
	if len(rows) == 0 || len(c.Train) < 2 {
		return nil, 0, nil
	}
	members := sought(permuted(c.Train, "members"), max(len(rows), len(c.Train)))
	g := gower.New(c.Table, c.Train)
	points := g.Points(c.Table, members)
	released, err := points.Nearest(ctx, g.Points(table, rows))
	if err != nil {
		return nil, 0, err
	}
	// The closest of all originals is the member itself.
	others, err := points.Nearest(ctx, g.Points(c.Table, c.Train))
	if err != nil {
		return nil, 0, err
	}
	for i, row := range members {
		exposed = append(exposed,
			Exposure{row, nearness(released[i].First) - nearness(others[i].Second)})
	}
	slices.SortFunc(exposed, func(a, b Exposure) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Row, b.Row))
	})
	return exposed[:min(most, len(exposed))], len(members), nil
}
