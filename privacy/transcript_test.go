package privacy

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"ppdp/random"
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
