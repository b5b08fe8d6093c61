package privacy

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"ppdp/numeric/random"
)

// release is a toy with every mechanism; its answers are returned in order.
func release(b *Budget, counts []float64, scores []float64) ([]float64, error) {
	stream := func(name string) *random.Stream { return random.NewKey(3).Derive(name).Stream() }
	laplace := b.Laplace("laplace", stream("laplace"), Exact(1))
	geometric := b.Geometric("geometric", stream("geometric"), Exact(2))
	cauchy := b.Cauchy("cauchy", stream("cauchy"), true)
	choice := b.Exponential("choice", stream("choice"), Exact(1))
	flip := b.PermuteAndFlip("flip", stream("flip"), Exact(1))
	path := b.Root()
	answers := slices.Clone(counts)
	err := laplace.AddAll(&path, 0.5, answers)
	one, err1 := geometric.Add(&path, 0.5, counts[0])
	smooth, err2 := cauchy.Add(&path, 0.5, 1+counts[0]/100, counts[0])
	chosen, err3 := choice.Choose(&path, 0.5, scores, nil)
	bounded, err4 := choice.ChooseBounded(&path, 0.5, len(scores), 0, 9,
		func(i int) float64 { return scores[i] })
	flipped, err5 := flip.Choose(&path, 0.5, scores)
	return append(answers, one, smooth, float64(chosen), float64(bounded), float64(flipped)),
		errors.Join(err, err1, err2, err3, err4, err5)
}

// TestReplay: recording changes no answer, a replay repeats them all, and the loss is that of the
// mechanisms' laws, written out here.
func TestReplay(t *testing.T) {
	counts, scores := []float64{4, 7}, []float64{1, 3, 2}
	near, nearScores := []float64{5, 7}, []float64{1, 2.5, 2.25}
	plain := must(release(NewBudget(9), counts, scores))
	b := NewBudget(9)
	transcript := b.Record()
	recorded, err := release(b, counts, scores)
	if err != nil || !slices.Equal(plain, recorded) {
		t.Fatalf("%v, answers %v while recording, %v without", err, recorded, plain)
	}
	again := NewBudget(9)
	replay := again.Replay(transcript)
	forced, err := release(again, near, nearScores)
	if err != nil || !slices.Equal(forced, recorded) {
		t.Fatalf("%v, answers %v when forced, recorded were %v", err, forced, recorded)
	}
	if err := replay.Complete(transcript); err != nil {
		t.Error(err)
	}
	laplace := 0.5 * (math.Abs(recorded[0]-5) - math.Abs(recorded[0]-4))
	geometric := 0.25 * (math.Abs(recorded[2]-5) - math.Abs(recorded[2]-4))
	cauchy := func(value, bound float64) float64 {
		scale := 6 * bound / 0.5
		return 1 / (math.Pi * scale * (1 + math.Pow((recorded[3]-value)/scale, 2)))
	}
	chance := func(scores []float64, i float64) float64 {
		sum := 0.0
		for _, score := range scores {
			sum += math.Exp(0.25 * score)
		}
		return math.Exp(0.25*scores[int(i)]) / sum
	}
	want := laplace + geometric + math.Log(cauchy(4, 1.04)/cauchy(5, 1.05)) +
		math.Log(chance(scores, recorded[4])/chance(nearScores, recorded[4])) +
		math.Log(chance(scores, recorded[5])/chance(nearScores, recorded[5])) +
		math.Log(flips(scores, 0.25)[int(recorded[6])]/flips(nearScores, 0.25)[int(recorded[6])])
	if math.Abs(replay.Loss-want) > 1e-12 {
		t.Errorf("loss %v, want %v", replay.Loss, want)
	}
	for i, d := range []float64{1, 1, 1 / 1.04 * 1.05, 0.5, 0.5} {
		got := replay.Distances[i]
		if math.Abs(got.Distance-d) > 1e-9 {
			t.Errorf("%s: distance %v, want %v", got.Purpose, got.Distance, d)
		}
	}
}

// TestReplayRho: the zCDP between two inputs is the closed form of what is drawn, whatever group is
// protected and in whatever unit the budget is: 1½ times, or of choices ¾ of, the sensitivity.
func TestReplayRho(t *testing.T) {
	for name, budget := range map[string]func() *Budget{ // order-free: each for itself
		"experiment": func() *Budget { return NewApproximate(9, 0.1) },
		"rehearsal":  func() *Budget { return NewRehearsal(9, 0.1) },
		"group":      func() *Budget { return NewApproximate(9, 0.1).Group(3) },
		"pure":       func() *Budget { return NewBudget(9) },
	} {
		for kind, want := range map[string]float64{ // order-free
			"gaussian": 0.1 * 1.5 * 1.5, "laplace": 0.15 * 0.15 / 2,
			"choice": 0.075 * 0.075 / 8, "flip": 0.075 * 0.075 / 2,
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
				case "flip":
					_, err = b.PermuteAndFlip("x", stream, two).Choose(&path, 0.1,
						[]float64{value / 2, 7})
				}
				noError(t, err)
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
		noError(t, run(b, 1, 0.5, 0.5))
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
		"rehearsal": NewRehearsal(9, 0.1)} {
		stream, path, transcript := random.NewKey(1).Stream(), b.Root(), b.Record()
		noError(t, b.Geometric("geometric", stream, Exact(2)).AddAll(&path, 0.1, []float64{1}))
		noError(t, b.DiscreteLaplace("laplace", stream, Exact(2)).AddAll(&path, 0.1, []float64{1}))
		noError(t, b.DiscreteGaussian("gaussian", stream, Exact(2)).AddAll(&path, 0.1,
			[]float64{1}))
		must(b.Exponential("choice", stream, Exact(2)).Choose(&path, 0.1, []float64{1}, nil))
		must(b.PermuteAndFlip("flip", stream, Exact(2)).Choose(&path, 0.1, []float64{1}))
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
				return NewRehearsal(1, 0)
			}
			return NewBudget(1)
		}
		recorded, forced := budget(), budget()
		transcript := recorded.Record()
		noError(t, choose(recorded, 10))
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
			var noise Counter = b.Laplace("x", random.NewKey(5).Stream(), Exact(1))
			if kind == "geometric" {
				noise = b.Geometric("x", random.NewKey(5).Stream(), Exact(1))
			}
			path := b.Root()
			s := must(noise.Sparse(&path, 1, table))
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
		if fmt.Sprint(first) != fmt.Sprint(second) {
			t.Errorf("%s: %v when forced, recorded was %v", kind, second, first)
		}
		at := func(cell uint64, y int) float64 {
			if counts, ok := first[cell]; ok {
				return counts[y]
			}
			return 0
		}
		want := law(at(1, 1), 0, 1) - law(at(1, 1), 1, 1) + law(at(2, 0), 0, 1) - law(at(2, 0), 2,
			1) +
			law(at(4, 1), 1, 1) - law(at(4, 1), 0, 1)
		if math.Abs(replay.Loss-want) > 1e-12 || replay.Distances[0].Distance != 4 {
			t.Errorf("%s: loss %v, want %v; distance %v, want 4", kind, replay.Loss, want,
				replay.Distances[0].Distance)
		}
	}
}

// TestReplayRehearsal: the exact path keeps its transcript, in the scores' steps and at the rates
// that are drawn. Its losses are those of the mechanisms' laws, but for what is spared, the
// rounding of rates and the grid: less than a part in 2¹⁵ together.
func TestReplayRehearsal(t *testing.T) {
	run := func(b *Budget, counts, scores []float64) []float64 {
		stream := func(name string) *random.Stream {
			return random.NewKey(94).Derive(name).Stream()
		}
		geometric := b.Geometric("geometric", stream("geometric"), Exact(2))
		laplace := b.DiscreteLaplace("laplace", stream("laplace"), Exact(1))
		choice := b.Exponential("choice", stream("choice"), Exact(1))
		flip := b.PermuteAndFlip("flip", stream("flip"), Exact(1))
		path, noisy := b.Root(), slices.Clone(counts)
		noError(t, geometric.AddAll(&path, 0.5, noisy))
		noError(t, laplace.AddAll(&path, 0.5, noisy[1:]))
		chosen := must(choice.Choose(&path, 0.5, scores, nil))
		bounded := must(choice.ChooseBounded(&path, 0.5, len(scores), 0, 9,
			func(i int) float64 { return scores[i] }))
		flipped := must(flip.Choose(&path, 0.5, scores))
		sparse := must(geometric.Sparse(&path, 0.5, SparseTable{Cells: 9, Width: 1,
			Occupied: []uint64{4}, Counts: []float64{counts[0]}}))
		count, seen := make([]float64, 1), 0.
		for {
			cell, ok := sparse.Next(count)
			if !ok {
				break
			}
			if cell == 4 {
				seen = count[0]
			}
		}
		return append(noisy, float64(chosen), float64(bounded), float64(flipped), seen)
	}
	counts, scores := []float64{4, 7}, []float64{1, 3, 2}
	near, nearScores := []float64{5, 6}, []float64{1, 2.5, 2.25}
	recorded, forced := NewRehearsal(9, 0), NewRehearsal(9, 0)
	plain := run(NewRehearsal(9, 0), counts, scores)
	transcript := recorded.Record()
	answers := run(recorded, counts, scores)
	if !slices.Equal(plain, answers) {
		t.Errorf("answers %v while recording, %v without", answers, plain)
	}
	replay := forced.Replay(transcript)
	if again := run(forced, near, nearScores); !slices.Equal(again, answers) {
		t.Errorf("answers %v when forced, recorded were %v", again, answers)
	}
	noError(t, replay.Complete(transcript))
	if transcript.Len() != 6 {
		t.Errorf("%d calls, want 6", transcript.Len())
	}
	chance := func(scores []float64, i float64) float64 {
		sum := 0.
		for _, score := range scores {
			sum += math.Exp(0.25 * score)
		}
		return math.Exp(0.25*scores[int(i)]) / sum
	}
	// The second count is perturbed twice: by the first mechanism's outcome, then the second's.
	first := transcript.calls[0].outcome
	want := 0.25*(math.Abs(first[0]-5)-math.Abs(first[0]-4)+
		math.Abs(first[1]-6)-math.Abs(first[1]-7)) +
		math.Log(chance(scores, answers[2])/chance(nearScores, answers[2])) +
		math.Log(chance(scores, answers[3])/chance(nearScores, answers[3])) +
		math.Log(flips(scores, 0.25)[int(answers[4])]/flips(nearScores, 0.25)[int(answers[4])]) +
		geometricLaw(answers[5], 4, 0.25) - geometricLaw(answers[5], 5, 0.25)
	// each call's loss is at most 0.5
	if math.Abs(replay.Loss-want) > 6*0.5*0x1p-15 || replay.Loss == want {
		t.Errorf("loss %v, want a little less than %v", replay.Loss, want)
	}
	for i, d := range []float64{2, 0.5, 0.5} { // the geometric's largest, the choice's, the flip's
		got := replay.Distances[i]
		if math.Abs(got.Distance-d) > 1e-9 {
			t.Errorf("%s: distance %v, want %v", got.Purpose, got.Distance, d)
		}
	}

	// Two scores on either side of the middle between two steps are a step apart.
	half := 0.5 / scoreGrid
	for _, flip := range []bool{false, true} {
		choose := func(b *Budget, score float64) {
			path, stream := b.Root(), random.NewKey(95).Stream()
			if flip {
				must(b.PermuteAndFlip("x", stream, Exact(1)).Choose(&path, 1,
					[]float64{score, 0}))
			} else {
				must(b.Exponential("x", stream, Exact(1)).Choose(&path, 1,
					[]float64{score, 0}, nil))
			}
		}
		recorded, forced := NewRehearsal(1, 0), NewRehearsal(1, 0)
		transcript := recorded.Record()
		choose(recorded, 1+half*0.99)
		replay := forced.Replay(transcript)
		choose(forced, 1+half*1.01)
		if d := replay.Distances[0]; math.Abs(d.Distance-2*half) > 1e-12 ||
			replay.Loss == 0 {
			t.Errorf("%s: distance %v, want %v; loss %v", d.Mechanism, d.Distance, 2*half,
				replay.Loss)
		}
	}
}
