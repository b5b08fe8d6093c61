package privacy

import (
	"errors"
	"math"
	"slices"
	"testing"

	"ppdp/internal/must"
	"ppdp/numeric/random"

	"gonum.org/v1/gonum/stat/distuv"
)

// TestNoiseTails: what is drawn anew for a rare uniform draw has the law of the whole, in every
// mechanism; the laws are tested again with half of all draws taken for rare. The rarest draw of 52
// bits, which is 36.7 scales of noise or one of a rate of 36.7, then stands for the tail beyond.
func TestNoiseTails(t *testing.T) {
	stream, tail := random.NewKey(8).Stream(), make([]float64, 100000)
	for i := range tail {
		tail[i] = -math.Log(fine(0x1p-53, stream)) - 40*math.Ln2
	}
	must.Be(t, farFrom(tail, distuv.Exponential{Rate: 1}.CDF), "", "tail")
	draws := func() (draws [4]float64) {
		integers, reals := random.NewKey(9).Stream(), random.NewKey(9).Stream()
		z := Sparse{stream: random.NewKey(9).Stream(), rate: 0.01, miss: -0.01, places: 1 << 40}
		for range 20 {
			draws[0] += drawGeometric(integers, 0.01)
			draws[1] += drawLaplace(reals)
			z.pass(z.place + 1)
			draws[3] += z.value
		}
		draws[2] = float64(z.place)
		return draws
	}
	few := draws()
	defer func(before float64) { rare = before }(rare)
	rare = 0.5
	for i, sum := range draws() {
		if sum == few[i] {
			t.Errorf("noise %d does not refine its draws", i)
		}
	}
	testNoise(t, func(kind string) bool { return kind == laplace || kind == geometric })
	TestSparseCounts(t)
}

// TestNoiseAtTheEnds: noise stays a number for the smallest and the largest budgets.
func TestNoiseAtTheEnds(t *testing.T) {
	for _, epsilon := range []float64{1.001 / maxScale, 1e-6, 1e9, 1e300} {
		for _, m := range noises {
			if m.name != laplace && m.name != geometric && m.name != cauchy {
				continue // others are refused at one of the ends
			}
			values := slices.Repeat([]float64{3}, 1000)
			must.Do(t, m.add(NewBudget(epsilon), random.NewKey(7).Stream(), 1./smoothing, epsilon,
				values))
			for _, x := range values {
				if math.IsNaN(x) || math.IsInf(x, 0) || epsilon >= 1e9 && math.Abs(x-3) > 1e-5 {
					t.Fatalf("%s, epsilon %v: 3 became %v", m.name, epsilon, x)
				}
			}
		}
	}
}

// TestChoiceRefusals: scores and weights that are no numbers, and nothing to choose from.
func TestChoiceRefusals(t *testing.T) {
	none := math.Inf(-1)
	for i, c := range []struct {
		scores, weights []float64
		none            bool
	}{
		{nil, nil, true}, {[]float64{none}, nil, true}, {[]float64{1, 2}, []float64{0, 0}, true},
		{[]float64{1, math.NaN(), 2}, nil, false}, {[]float64{math.NaN(), math.NaN()}, nil, false},
		{[]float64{1, math.Inf(1)}, nil, false},
		{[]float64{1, 2}, []float64{1, math.Inf(1)}, false},
	} {
		for _, way := range ways {
			if way.name == "bounded choice" || c.weights != nil && !way.weighted {
				continue
			}
			for _, d := range drawers {
				b, stream := d.open()
				path := b.Root()
				of := choiceCase{1, 1, c.scores, c.weights}
				chosen, err := way.choose(b.Exponential("x", stream, Exact(1)), &path, of)
				if err == nil || errors.Is(err, ErrNoCandidates) != c.none ||
					!b.Ledger()[0].Chooses() {
					t.Errorf("%s, %s, case %d: chose %d, error %v", way.name, d.name, i, chosen,
						err)
				}
			}
		}
	}
}

func TestMechanismsDoNotAllocate(t *testing.T) {
	b := NewBudget(plenty)
	laplace := b.Laplace("a", random.NewKey(1).Stream(), Exact(1))
	geometric := b.Geometric("b", random.NewKey(2).Stream(), Exact(1))
	exponential := b.Exponential("c", random.NewKey(3).Stream(), Exact(1))
	path, scores, values := b.Root(), make([]float64, 100), make([]float64, 3)
	fork := path.Fork()
	if n := testing.AllocsPerRun(100, func() {
		fork = path.Fork()
		_, e1 := laplace.Add(&fork, 1, 2)
		e2 := laplace.AddAll(&fork, 1, values)
		_, e3 := geometric.Add(&fork, 1, 2)
		e4 := geometric.AddAll(&fork, 1, values)
		_, e5 := exponential.Choose(&fork, 1, scores, nil)
		must.Do(t, errors.Join(e1, e2, e3, e4, e5))
	}); n != 0 {
		t.Errorf("%v allocations for one charge of every mechanism, want none", n)
	}
}
