package privacy

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"ppdp/internal/must"
	"ppdp/numeric/random"
)

// TestReplayedNoise: recording changes no answer, a replay repeats them all, the loss is the ratio
// of the outcome's densities, and the distance is in L1, or L2 of Gaussian noise. Of exact noise it
// is off by less than a part in 2¹⁵: what is spared, and the rounding of rates and variances.
func TestReplayedNoise(t *testing.T) {
	here, there := []float64{10, 20, 30}, []float64{13, 20, 26}
	for _, m := range noises {
		for _, d := range drawers[:2] { // an experiment and a seeded publication
			if d.exact && !m.exact {
				continue
			}
			answer := func(watch func(*Budget), values []float64) []float64 {
				b, stream := d.open()
				watch(b)
				answers := slices.Clone(values)
				must.Do(t, m.add(b, stream, 5, 0.02, answers))
				return answers
			}
			var transcript *Transcript
			var replay *Replay
			plain := answer(func(*Budget) {}, here)
			outcome := answer(func(b *Budget) { transcript = b.Record() }, here)
			forced := answer(func(b *Budget) { replay = b.Replay(transcript) }, there)
			if !slices.Equal(plain, outcome) || !slices.Equal(forced, outcome) {
				t.Errorf("%s, %s: answers %v, recorded %v, forced %v", m.name, d.name, plain,
					outcome, forced)
			}
			must.Do(t, replay.Complete(transcript))
			want := 0.0
			for i, x := range outcome {
				want += m.log(x-here[i], 5, 0.02) - m.log(x-there[i], 5, 0.02)
			}
			must.Near(t, replay.Loss, want, 0x1p-15*math.Abs(want)+1e-12, m.name, d.name)
			distance := 7.0
			switch m.name {
			case gaussian, discreteGaussianKind:
				distance = 5
			case cauchy: // a call for each value: the largest
				distance = 4
			}
			must.Near(t, replay.Distances[0].Distance, distance, 1e-9, m.name, d.name)
		}
	}
}

// TestReplayedChoice: likewise, with a distance that is the largest change of a score. Scores of a
// publication are rounded to a grid.
func TestReplayedChoice(t *testing.T) {
	here := choiceCase{0.5, 1, []float64{1, 3, 2}, nil}
	there := choiceCase{0.5, 1, []float64{1, 2.5, 2.25}, nil}
	for _, way := range ways {
		for _, d := range drawers[:2] {
			choose := func(watch func(*Budget), c choiceCase) int {
				b, stream := d.open()
				watch(b)
				path := b.Root()
				return must.Get(way.choose(b.Exponential("x", stream, Exact(1)), &path, c))
			}
			var transcript *Transcript
			var replay *Replay
			plain := choose(func(*Budget) {}, here)
			chosen := choose(func(b *Budget) { transcript = b.Record() }, here)
			forced := choose(func(b *Budget) { replay = b.Replay(transcript) }, there)
			want := math.Log(here.law()[chosen] / there.law()[chosen])
			if plain != chosen || forced != chosen ||
				math.Abs(replay.Loss-want) > 0x1p-15*math.Abs(want)+1e-12 ||
				math.Abs(replay.Distances[0].Distance-0.5) > 1e-9 {
				t.Errorf("%s, %s: chose %d, recorded %d, forced %d; loss %v, want %v; distance "+
					"%v, want 0.5", way.name, d.name, plain, chosen, forced, replay.Loss, want,
					replay.Distances[0].Distance)
			}
		}
	}
}

// TestReplayedCauchy: a bound that moves is part of the loss and of the distance.
func TestReplayedCauchy(t *testing.T) {
	run := func(b *Budget, value float64) float64 {
		path := b.Root()
		return must.Get(b.Cauchy("x", random.NewKey(3).Stream(), true).Add(&path, 0.5, 1+value/100,
			value))
	}
	recorded, forced := NewBudget(1), NewBudget(1)
	transcript := recorded.Record()
	outcome := run(recorded, 4)
	replay := forced.Replay(transcript)
	run(forced, 5)
	density := func(value, bound float64) float64 {
		scale := 6 * bound / 0.5
		return 1 / (math.Pi * scale * (1 + math.Pow((outcome-value)/scale, 2)))
	}
	want := math.Log(density(4, 1.04) / density(5, 1.05))
	if got := replay.Distances[0].Distance; math.Abs(replay.Loss-want) > 1e-12 ||
		math.Abs(got-1/1.04*1.05) > 1e-9 {
		t.Errorf("loss %v, want %v; distance %v", replay.Loss, want, got)
	}
}

// TestReplayRho: the zCDP between two inputs is the closed form of what is drawn, whatever group is
// protected and in whatever unit the budget is: 1½ times, or of choices ¾ of, the sensitivity.
func TestReplayRho(t *testing.T) {
	for name, budget := range map[string]func() *Budget{ // order-free: each for itself
		"experiment":         func() *Budget { return NewApproximate(9, 0.1) },
		"seeded publication": func() *Budget { return NewSeededPublication(9, 0.1) },
		"group":              func() *Budget { return NewApproximate(9, 0.1).Group(3) },
		"pure":               func() *Budget { return NewBudget(9) },
	} {
		for kind, want := range map[string]float64{ // order-free
			"gaussian": 0.1 * 1.5 * 1.5, "laplace": 0.15 * 0.15 / 2,
			"choice": 0.075 * 0.075 / 8,
		} {
			run := func(b *Budget, value float64) {
				stream, path, two := random.NewKey(1).Stream(), b.Root(), Exact(2)
				values, err := []float64{value, 7}, error(nil)
				switch kind {
				case "gaussian":
					err = b.DiscreteGaussian("x", stream, two).AddAll(&path, 0.1, values)
				case "laplace":
					err = b.DiscreteLaplace("x", stream, two).AddAll(&path, 0.1, values)
				case "choice":
					_, err = b.Exponential("x", stream, two).Choose(&path, 0.1,
						[]float64{value / 2, 7}, nil)
				}
				must.Do(t, err)
			}
			if name == "pure" && kind == "gaussian" {
				continue // has no pure epsilon
			}
			recorded, forced := budget(), budget()
			transcript := recorded.Record()
			run(recorded, 10)
			replay := forced.Replay(transcript)
			run(forced, 13)
			if ratio := replay.Rho / want; !(ratio > 0.9999 && ratio < 1+1e-9) {
				t.Errorf("%s, %s: rho %v, want %v", name, kind, replay.Rho, want)
			}
		}
	}
}

// TestReplayDiverges: calls that the record does not have at their place are refused.
func TestReplayDiverges(t *testing.T) {
	run := func(b *Budget, sensitivity float64, amounts ...float64) error {
		noise := b.Laplace("x", random.NewKey(1).Stream(), Exact(sensitivity))
		path := b.Root()
		for _, epsilon := range amounts {
			if _, err := noise.Add(&path, epsilon, 1); err != nil {
				return err
			}
		}
		return nil
	}
	for name, c := range map[string]struct {
		sensitivity float64
		amounts     []float64
	}{
		"another epsilon": {1, []float64{0.5, 0.25}}, "another scale": {2, []float64{0.5, 0.5}},
		"one call more": {1, []float64{0.5, 0.5, 0.5}}, "one call less": {1, []float64{0.5}},
	} {
		b, other := NewBudget(9), NewBudget(9)
		transcript := b.Record()
		must.Do(t, run(b, 1, 0.5, 0.5))
		replay := other.Replay(transcript)
		err := run(other, c.sensitivity, c.amounts...)
		if err == nil {
			err = replay.Complete(transcript)
		}
		if !errors.Is(err, ErrDiverged) {
			t.Errorf("%s: %v, want ErrDiverged", name, err)
		}
	}
}

// TestEnoughFor: what every mechanism draws is enough for its sensitivity, and half of the noise
// for half of it.
func TestEnoughFor(t *testing.T) {
	for name, b := range map[string]*Budget{"experiment": NewApproximate(9, 0.1),
		"seeded publication": NewSeededPublication(9, 0.1)} {
		stream, path, transcript := random.NewKey(1).Stream(), b.Root(), b.Record()
		must.Do(t, b.Geometric("geometric", stream, Exact(2)).AddAll(&path, 0.1, []float64{1}))
		must.Do(t, b.DiscreteLaplace("laplace", stream, Exact(2)).AddAll(&path, 0.1, []float64{1}))
		must.Do(t, b.DiscreteGaussian("gaussian", stream, Exact(2)).AddAll(&path, 0.1,
			[]float64{1}))
		must.Get(b.Exponential("choice", stream, Exact(2)).Choose(&path, 0.1, []float64{1}, nil))
		for i, c := range transcript.calls {
			m := b.mechanisms[i]
			faster := 2.
			if c.kind == discreteGaussianKind { // its rate is one over a variance
				faster = 4
			}
			enough := m.enoughFor(c.amount, c.rate)
			half := m.enoughFor(c.amount, c.rate*faster)
			if name == "experiment" && i >= 3 { // choices there may be scaled by the data
				half = enough / 2
			}
			if enough < 2*(1-1e-12) || enough > 2*(1+0x1p-14) || math.Abs(half-enough/2) > 1e-9 {
				t.Errorf("%s, %s: %v, and %v for half, want 2 and 1", name, c.kind, enough, half)
			}
		}
	}
}

// TestReplayGrid: in a publication scores may not be scaled by what a record changes. One record
// could move the rounding of scores that it has no part in.
func TestReplayGrid(t *testing.T) {
	choose := func(b *Budget, records float64) error {
		path, stream := b.Root(), random.NewKey(1).Stream()
		_, err := b.Exponential("x", stream, Exact(2*records+1)).Choose(&path, 1,
			[]float64{0, -7}, nil)
		return err
	}
	for _, exact := range []bool{false, true} {
		budget := func() *Budget {
			if exact {
				return NewSeededPublication(1, 0)
			}
			return NewBudget(1)
		}
		recorded, forced := budget(), budget()
		transcript := recorded.Record()
		must.Do(t, choose(recorded, 10))
		forced.Replay(transcript)
		if err := choose(forced, 11); errors.Is(err, ErrDiverged) != exact {
			t.Errorf("exact %t: %v", exact, err)
		}
	}
}

// TestReplaySparse: an occupied cell more, one less and another count have the loss of their laws.
func TestReplaySparse(t *testing.T) {
	for _, kind := range []string{"laplace", "geometric"} {
		law := laplaceLaw
		if kind == "geometric" {
			law = geometricLaw
		}
		seen := func(b *Budget, table SparseTable) map[uint64][]float64 {
			t.Helper()
			noise := b.Laplace("x", random.NewKey(5).Stream(), Exact(1))
			if kind == "geometric" {
				noise = b.Geometric("x", random.NewKey(5).Stream(), Exact(1))
			}
			path := b.Root()
			s := must.Get(noise.Sparse(&path, 1, table))
			cells, counts := make(map[uint64][]float64), make([]float64, 2)
			for {
				cell, ok := s.Next(counts)
				if !ok {
					return cells
				}
				cells[cell] = slices.Clone(counts)
			}
		}
		b, other := NewBudget(1), NewBudget(1)
		transcript := b.Record()
		first := seen(b, SparseTable{Cells: 6, Width: 2, Occupied: []uint64{1, 4},
			Counts: []float64{3, 0, 0, 1}})
		replay := other.Replay(transcript)
		second := seen(other, SparseTable{Cells: 6, Width: 2, Occupied: []uint64{1, 2},
			Counts: []float64{3, 1, 2, 0}})
		must.Be(t, fmt.Sprint(first), fmt.Sprint(second), kind, second, first)
		at := func(cell uint64, y int) float64 {
			if counts, ok := first[cell]; ok {
				return counts[y]
			}
			return 0
		}
		want := law(at(1, 1), 0, 1) - law(at(1, 1), 1, 1) + law(at(2, 0), 0, 1) -
			law(at(2, 0), 2, 1) + law(at(4, 1), 1, 1) - law(at(4, 1), 0, 1)
		if math.Abs(replay.Loss-want) > 1e-12 || replay.Distances[0].Distance != 4 {
			t.Errorf("%s: loss %v, want %v; distance %v, want 4", kind, replay.Loss, want,
				replay.Distances[0].Distance)
		}
	}
}

// TestReplayedSteps: two scores on either side of the middle between two steps of the grid are a
// step apart.
func TestReplayedSteps(t *testing.T) {
	half := 0.5 / scoreGrid
	choose := func(b *Budget, score float64) {
		path, stream := b.Root(), random.NewKey(95).Stream()
		must.Get(b.Exponential("x", stream, Exact(1)).Choose(&path, 1, []float64{score, 0}, nil))
	}
	recorded, forced := NewSeededPublication(1, 0), NewSeededPublication(1, 0)
	transcript := recorded.Record()
	choose(recorded, 1+half*0.99)
	replay := forced.Replay(transcript)
	choose(forced, 1+half*1.01)
	if d := replay.Distances[0]; math.Abs(d.Distance-2*half) > 1e-12 || replay.Loss == 0 {
		t.Errorf("distance %v, want %v; loss %v", d.Distance, 2*half, replay.Loss)
	}
}
