package metrics

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ppdp/classifiers/forest"
	"ppdp/datasets"
	"ppdp/datasets/gower"
	"ppdp/numeric/random"
)

// NeedsHeldOut says whether a metric with these parameters compares the records that a release was
// made from, its members, with others of the same population. Where an experiment holds no rows out
// it cannot be measured.
func NeedsHeldOut(m Metric, params Params) bool {
	if p, ok := params.(interface{ NeedsHeldOut() bool }); ok {
		return p.NeedsHeldOut()
	}
	return m.Info().HeldOut
}

// ErrNoHeldOut is the error of metrics that need records held out where there are none.
var ErrNoHeldOut = errors.New("no rows are held out, which the records that the release was made " +
	"from could be compared with")

// sides are equally many members and records held out, in an order drawn at random.
type sides struct{ members, held []int32 }

// sidesOf are as large as the smaller side of a case, of the larger one a sample; empty where
// either has no rows.
func sidesOf(ctx context.Context, c Case) (sides, error) {
	if len(c.Test) > 0 && slices.Equal(c.Train, c.Test) {
		return sides{}, ErrNoHeldOut
	}
	type key struct{}
	return memoize(ctx, c.Truth, key{}, func() (sides, error) {
		s := sides{permuted(c.Train, "members"), permuted(c.Test, "held out")}
		n := min(len(s.members), len(s.held))
		return sides{s.members[:n:n], s.held[:n:n]}, nil
	})
}

// permuted is the rows in an order drawn at random, the same for equal numbers of rows: a sample of
// them is its beginning. The seed is part of every metric that samples.
func permuted(rows []int32, purpose string) []int32 {
	order := slices.Clone(rows)
	random.NewKey(1).Derive("attack", purpose).Stream().Permute(order)
	return order
}

// mostPairs bounds the pairs of records compared with one another at a time, about two seconds;
// fewestSought are always compared.
const (
	mostPairs    = 1 << 30
	fewestSought = 1000
)

// sought is a beginning of permuted rows, short enough to compare each with all of the others.
func sought(rows []int32, others int) []int32 {
	return rows[:min(len(rows), max(fewestSought, mostPairs/max(1, others)))]
}

// disclosed are a release's records, in an order drawn at random, without those of no weight. What
// is published discloses the same however much it weighs.
func disclosed(c Case) (*datasets.Table, []int32) {
	rows := slices.DeleteFunc(c.Release.Table.AllRows(),
		func(row int32) bool { return !(weightOf(c.Release.Weights, row) > 0) })
	return c.Release.Table, permuted(rows, "released")
}

// attacker is what an attack learns from a release: trees down to single records know again what
// is copied. Of a copy of Adult's 30,162 complete records such a forest guesses 70 points more
// occupations right than of other people, boosting 19, a hundred trees 69.
var attacker = forest.Classifier{Trees: 20}

var attackerSource = fmt.Sprintf("a random forest of %d trees (Breiman 2001)", attacker.Trees)

// attack describes a metric of what the records of a release disclose.
func attack(name, title, unit, source string) Info {
	return Info{Name: name, Title: title, Unit: unit, Source: source, Revision: 1, Records: true,
		HeldOut: true}
}

// points are the sides of a case as releases are compared with them.
type points struct {
	*gower.Space
	members, held, reference *gower.Points
}

// pointsOf are the same for all releases.
func pointsOf(ctx context.Context, c Case) (*points, error) {
	s, err := sidesOf(ctx, c)
	if err != nil {
		return nil, err
	}
	type key struct{}
	return memoize(ctx, c.Truth, key{}, func() (*points, error) {
		g := gower.New(c.Table, c.Train, c.Test)
		_, reference := s.halves()
		return &points{g, g.Points(c.Table, s.members), g.Points(c.Table, s.held),
			g.Points(c.Table, reference)}, nil
	})
}

// distances are Gower's between the records of a case. Slices are by position in its sides, and
// shorter where not all could be compared.
type distances struct {
	*points
	sides
	members, held []gower.Neighbour // among the records released
}

// distancesOf compares members and records held out with the release.
func distancesOf(ctx context.Context, c Case) (*distances, error) {
	s, err := sidesOf(ctx, c)
	if err != nil || len(s.members) == 0 {
		return nil, err
	}
	type key struct{}
	return memoize(ctx, c.Published, key{}, func() (*distances, error) {
		table, rows := disclosed(c)
		if len(rows) == 0 {
			return nil, nil
		}
		known, err := pointsOf(ctx, c)
		if err != nil {
			return nil, err
		}
		d := &distances{points: known, sides: s}
		released := d.Points(table, rows)
		d.members, err = d.Points(c.Table, sought(s.members, len(rows))).Nearest(ctx, released)
		if err == nil {
			d.held, err = d.Points(c.Table, sought(s.held, len(rows))).Nearest(ctx, released)
		}
		return d, err
	})
}
