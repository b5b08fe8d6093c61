package metrics

import (
	"context"
	"math"

	"ppdp/datasets/gower"
)

func init() {
	Register(parameterised[ClosestRecordParams]{attack("closest-record",
		"Distance to the closest record", "fraction", "Platzer & Reutterer 2021, by Gower's "+
			"distance (the mean over attributes of the difference by the range, 1 of categories "+
			"that differ): of the released records those nearer to a member than to a record held "+
			"out, 1/2 where nothing is memorised; a release can pass that and leak: alone it "+
			"shows no privacy"), ClosestRecordParams{Estimate}, closestRecord})
}

// ClosestRecordParams are the parameters of the metric closest-record.
type ClosestRecordParams struct {
	End End `yaml:"end" doc:"the share, or an end of its exact 95 % interval"`
}

// closestRecord is undefined without rows on either side or records. Where comparing all would take
// too long it is that of a sample, whose error the interval has.
func closestRecord(ctx context.Context, c Case, params *ClosestRecordParams) (float64, error) {
	s, err := nearer(ctx, c)
	if err != nil || s.of == 0 {
		return math.NaN(), err
	}
	return s.at(params.End), nil
}

// nearer is the share of the released records that are nearer to a member than to any record held
// out, of equally many; those as near to both count half.
//
// Released records with the same closest record are nearer to the same side and no independent
// trials; those as near to both add nothing to the variance of the share.
func nearer(ctx context.Context, c Case) (share, error) {
	s, err := sidesOf(ctx, c)
	if err != nil || len(s.members) == 0 {
		return share{}, err
	}
	type key struct{}
	return memoize(ctx, c.Published, key{}, func() (share, error) {
		table, rows := disclosed(c)
		rows = sought(rows, len(s.members))
		if len(rows) == 0 {
			return share{}, nil
		}
		known, err := pointsOf(ctx, c)
		if err != nil {
			return share{}, err
		}
		released := known.Points(table, rows)
		var found [2][]gower.Neighbour
		for side, of := range []*gower.Points{known.members, known.held} {
			if found[side], err = released.Nearest(ctx, of); err != nil {
				return share{}, err
			}
		}
		hits := 0.0
		closest := make([]int32, 0, len(rows)) // members and, negative, records held out
		for i, member := range found[0] {
			switch other := found[1][i]; {
			case member.First < other.First:
				hits++
				closest = append(closest, member.At)
			case member.First > other.First:
				closest = append(closest, ^other.At)
			default:
				hits += 0.5
			}
		}
		return dependent(hits, float64(len(rows)), closest), nil
	})
}
