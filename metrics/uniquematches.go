package metrics

import (
	"context"

	"ppdp/algorithms"
	"ppdp/datasets"
)

func init() {
	Register(parameterised[UniqueMatchesParams]{attack("unique-matches",
		"Unique records that are published", "", "NIST SDNist 2.4, unique exact matches: the "+
			"share of the records without an equal in the original that the release holds"),
		UniqueMatchesParams{Members, Estimate}, uniqueMatches})
}

// Whose says which records a metric is about.
type Whose string

const (
	Members    Whose = "members"    // those the release was made from
	HeldOut    Whose = "held-out"   // others of the population
	Difference Whose = "difference" // members' less that of the others: what membership costs
)

func (Whose) Enum() []string { return algorithms.Words(Members, HeldOut, Difference) }

// among is the figure asked for of shares of members and of records held out, undefined where it
// takes one without trials.
func (w Whose) among(shares [2]share, end End) (float64, bool) {
	members, held := shares[0], shares[1]
	switch {
	case w != HeldOut && members.of == 0 || w != Members && held.of == 0:
		return 0, false
	case w == Members:
		return members.at(end), true
	case w == HeldOut:
		return held.at(end), true
	}
	return members.minus(held, end), true
}

// UniqueMatchesParams are the parameters of the metric unique-matches.
type UniqueMatchesParams struct {
	Of  Whose `yaml:"of" doc:"whose share; the difference is what the release has memorised"`
	End End   `yaml:"end" doc:"the share, or an end of its exact 95 % interval"`
}

// NeedsHeldOut holds but for the members alone.
func (p *UniqueMatchesParams) NeedsHeldOut() bool { return p.Of != Members }

// uniqueMatches is the share of the unique records that are published. Of members it is NIST's,
// over all of them. Records held out are judged as if the release had been made from them; the
// difference is between equally many of both, 0 in expectation where nothing is memorised. It is
// undefined where no record is unique.
func uniqueMatches(ctx context.Context, c Case, params *UniqueMatchesParams) (float64, bool,
	error) {
	s := sides{members: c.Train}
	if params.NeedsHeldOut() {
		var err error
		if s, err = sidesOf(ctx, c); err != nil {
			return 0, false, err
		}
		if params.Of == HeldOut {
			s = sides{held: c.Test}
		}
	}
	type key struct{ unique Whose }
	type tallied struct {
		of   Whose
		side int
	}
	shares, err := memoize(ctx, c.Published, key{params.Of}, func() (found [2]share, err error) {
		table, rows, err := disclosed(ctx, c)
		if err != nil {
			return found, err
		}
		for side, of := range [][]int32{s.members, s.held} {
			tally, err := memoize(ctx, c.Truth, tallied{params.Of, side},
				func() (*datasets.Tally, error) {
					return datasets.NewTally(c.Table, of), ctx.Err()
				})
			if err != nil {
				return found, err
			}
			found[side] = uniqueIn(tally, table, rows)
		}
		return found, nil
	})
	value, ok := params.Of.among(shares, params.End)
	return value, ok && err == nil, err
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
