package regress

import (
	"slices"
	"testing"

	"ppdp/internal/results"
)

// TestMoves counts by hand: of four numbers of a one is the same, one goes up by a half, one down
// by a tenth and one is missing; b's numbers stay.
func TestMoves(t *testing.T) {
	number := func(algorithm, metric, verdict string, old, new float64) Comparison {
		c := Comparison{Experiment: "x/" + metric, Algorithm: algorithm, Verdict: verdict,
			Old: &old, Measurement: results.Measurement{Metric: metric}}
		if verdict != Missing {
			change := (new - old) / old
			c.New, c.Change = &new, &change
		}
		return c
	}
	gate := &Gate{Comparisons: []Comparison{
		number("b", "m", Same, 1, 1),
		number("a", "m", Same, 5, 5), number("a", "n", Changed, 2, 3),
		number("a", "n", Changed, 10, 9), number("a", "m", Missing, 4, 0),
		number("a", "n", Added, 1, 2), // of the run alone: nothing moved
	}}
	of := func(revision int) *Reference {
		return &Reference{Manifest: results.Manifest{Algorithms: []results.AlgorithmUse{
			{Name: "a", Revision: revision}}}}
	}
	moves := gate.Moves([]Pair{{of(3), of(4)}})
	if len(moves) != 2 || moves[0].Algorithm != "b" || moves[0].Moved() != 0 {
		t.Fatalf("%+v, want b, which did not move, and a", moves)
	}
	a := moves[1]
	if a.Numbers != 4 || a.Changed != 2 || a.Missing != 1 || a.Up != 1 || a.Down != 1 ||
		a.Median != (0.5-0.1)/2 || *a.Largest.Change != 0.5 || a.Old != 3 || a.New != 4 ||
		!slices.Equal(a.Experiments, []string{"x/n", "x/m"}) {
		t.Errorf("a is %+v", a)
	}
	if n := a.Measures[0]; len(a.Measures) != 2 || n.Metric != "n" || n.Moved() != 2 ||
		a.Measures[1].Moved() != 1 {
		t.Errorf("n, with two numbers that moved, is not first of two: %+v", a.Measures)
	}
}
