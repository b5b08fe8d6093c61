package metrics

import (
	"context"
	"math"

	"ppdp/algorithms"
	"ppdp/datasets"
)

func init() {
	register := func(name, title, source string, in func(original *datasets.Tally,
		released *datasets.Table, rows []int32) share) {
		Register(parameterised[MatchesParams]{attack(name, title, "", source),
			MatchesParams{Members, Estimate},
			func(ctx context.Context, c Case, params *MatchesParams) (float64, error) {
				return matches(ctx, c, params, name, in)
			}})
	}
	register("unique-matches", "Unique records that are published", "NIST SDNist 2.4, unique "+
		"exact matches: the share of the records without an equal in the original that the "+
		"release holds", uniqueIn)
	register("verbatim", "Verbatim records", "identical match share (SDMetrics, "+
		"NewRowSynthesis): the share of the released records that equal one of the original in "+
		"every attribute", verbatimIn)
}

// Whose says which records a metric is about.
type Whose string

const (
	Members    Whose = "members"    // those the release was made from
	HeldOut    Whose = "held-out"   // others of the population
	Difference Whose = "difference" // members' less that of the others: what membership costs
)

func (Whose) Enum() []string { return algorithms.Words(Members, HeldOut, Difference) }

// among is the figure asked for of shares of members and of records held out, NaN where it takes
// one without trials.
func (w Whose) among(shares [2]share, end End) float64 {
	members, held := shares[0], shares[1]
	switch {
	case w != HeldOut && members.of == 0 || w != Members && held.of == 0:
		return math.NaN()
	case w == Members:
		return members.at(end)
	case w == HeldOut:
		return held.at(end)
	}
	return members.minus(held, end)
}

// MatchesParams are the parameters of the metrics unique-matches and verbatim.
type MatchesParams struct {
	Of  Whose `yaml:"of" doc:"whose share; the difference is what the release has memorised"`
	End End   `yaml:"end" doc:"the share, or an end of its exact 95 % interval"`
}

// NeedsHeldOut holds but for the members alone.
func (p *MatchesParams) NeedsHeldOut() bool { return p.Of != Members }

// matches is a share of equal records. Of members it counts all of them. Records held out are
// judged as if the release had been made from them; the difference is between equally many of both,
// 0 in expectation where nothing is memorised. It is undefined where no record is unique or, of
// verbatim ones, released.
func matches(ctx context.Context, c Case, params *MatchesParams, metric string,
	in func(original *datasets.Tally, released *datasets.Table, rows []int32) share) (float64,
	error) {
	s := sides{members: c.Train}
	if params.NeedsHeldOut() {
		var err error
		if s, err = sidesOf(ctx, c); err != nil {
			return 0, err
		}
		if params.Of == HeldOut {
			s = sides{held: c.Test}
		}
	}
	type key struct {
		metric string
		of     Whose
	}
	type tallied struct {
		of   Whose
		side int
	}
	shares, err := memoize(ctx, c.Published, key{metric, params.Of},
		func() (found [2]share, err error) {
			table, rows := disclosed(c)
			for side, of := range [][]int32{s.members, s.held} {
				tally, err := memoize(ctx, c.Truth, tallied{params.Of, side},
					func() (*datasets.Tally, error) {
						return datasets.NewTally(c.Table, of), ctx.Err()
					})
				if err != nil {
					return found, err
				}
				found[side] = in(tally, table, rows)
			}
			return found, nil
		})
	return params.Of.among(shares, params.End), err
}

// verbatimIn counts the released records that equal one of the original. Those that equal the same
// one are no independent trials.
func verbatimIn(original *datasets.Tally, released *datasets.Table, rows []int32) share {
	if len(rows) == 0 {
		return share{}
	}
	equal, groups := 0.0, make([]int32, len(rows)) // places and, negative, records by themselves
	for i, row := range rows {
		groups[i] = ^int32(i)
		if place := original.Find(released, row); original.Count(place) > 0 {
			groups[i] = int32(place)
			equal++
		}
	}
	return dependent(equal, float64(len(rows)), groups)
}

// uniqueIn counts the records that equal no other, and how many of them are released.
func uniqueIn(original *datasets.Tally, released *datasets.Table, rows []int32) share {
	unique, matches := 0, 0
	for place := range original.Places() {
		if original.Count(place) == 1 {
			unique++
		}
	}
	matched := make([]bool, original.Places())
	for _, row := range rows {
		place := original.Find(released, row)
		if original.Count(place) == 1 && !matched[place] {
			matched[place] = true
			matches++
		}
	}
	return share{float64(matches), float64(unique)}
}
