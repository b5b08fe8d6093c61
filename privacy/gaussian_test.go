package privacy

import (
	"errors"
	"math"
	"testing"

	"ppdp/internal/must"
	"ppdp/numeric/random"
)

// TestVariance compares with 2a/(1-a)², a = e^-ε, with σ² = Δ²/(2ρ), and with 2(Δ/ε)².
func TestVariance(t *testing.T) {
	b, stream := NewApproximate(1, 0.1), random.NewKey(1).Stream()
	a := math.Exp(-0.25)
	for _, c := range []struct{ got, want float64 }{
		{b.DiscreteLaplace("a", stream, Exact(2)).Variance(0.5), 2 * a / (1 - a) / (1 - a)},
		{b.DiscreteGaussian("b", stream, Exact(2)).Variance(0.5), 4},
		{b.Gaussian("c", stream, Exact(3)).Variance(0.5), 9},
		{b.Laplace("d", stream, Exact(3)).Variance(0.5), 72},
		// mean sizes: 2a/(1-a²), √(2/π)σ and Δ/ε
		{b.DiscreteLaplace("e", stream, Exact(2)).MeanSize(0.5), 2 * a / (1 - a*a)},
		{b.Gaussian("f", stream, Exact(3)).MeanSize(0.5), 3 * math.Sqrt(2/math.Pi)},
		{b.Laplace("g", stream, Exact(3)).MeanSize(0.5), 6},
	} {
		must.Near(t, c.got, c.want, 1e-12*c.want)
	}
}

// TestCostsInRho: noise of pure epsilon costs ε²/2, a choice ε²/8, Gaussian noise what it asks for;
// by proven sensitivities the squares of what they would at epsilon.
func TestCostsInRho(t *testing.T) {
	b, stream := NewApproximate(3, 1e-6), random.NewKey(1).Stream()
	twice := Sensitivity{Claimed: 1, Proven: 2}
	laplace, choice := b.Laplace("a", stream, twice), b.Exponential("b", stream, twice)
	monotone := b.Exponential("c", stream, Sensitivity{Claimed: 1, Monotone: true})
	gaussian := b.DiscreteGaussian("d", stream, twice)
	root := b.Root()
	must.Get(laplace.Add(&root, 0.1, 0))
	must.Get(choice.Choose(&root, 0.2, []float64{1, 2}, nil))
	must.Get(monotone.Choose(&root, 0.2, []float64{1, 2}, nil))
	for range 3 { // parallel: the largest counts
		fork := root.Fork()
		must.Do(t, gaussian.AddAll(&fork, 0.03, make([]float64, 4)))
	}
	for i, want := range []struct{ cost, loss float64 }{{.005, .02}, {.005, .02}, {.005, .00125},
		{.03, .12}} {
		e := b.Ledger()[i]
		if !near(e.Cost, want.cost, 1e-12) || !near(float64(e.Loss), want.loss, 1e-12) {
			t.Errorf("%s: cost %v, loss %v, want %v", e.Mechanism, e.Cost, e.Loss, want)
		}
	}
	if e := b.Ledger()[3]; e.Calls != 3 || e.Composition != "parallel" {
		t.Errorf("%+v", e)
	}
	claimed, proven := b.Spent()
	if !near(claimed, .045, 1e-12) || !near(proven, .16125, 1e-12) || b.Unit() != Rho ||
		b.Delta() != 1e-6 || b.Epsilon() != 3 || b.Total() != RhoOf(3, 1e-6) {
		t.Errorf("claimed %v, proven %v of %v", claimed, proven, b.Total())
	}
	if got := b.ChoiceEpsilon(.005); !near(got, 0.2, 1e-12) {
		t.Errorf("a choice of rho .005 at epsilon %v", got)
	}
	must.Be(t, NewBudget(1).ChoiceEpsilon(.005), .005)
}

// TestFilter: costs may depend on earlier answers as long as the sum stays within the budget. What
// would pass it is refused, also by a millionth. The first refusal is remembered, whatever the
// caller makes of it.
func TestFilter(t *testing.T) {
	for _, delta := range []float64{0, 1e-9} {
		b, stream := NewApproximate(1, delta), random.NewKey(78).Stream()
		noise := b.DiscreteLaplace("x", stream, Exact(1))
		if delta > 0 {
			noise = b.DiscreteGaussian("x", stream, Exact(1))
		}
		path, value := b.Root(), []float64{0}
		for path.Remaining() > b.Total()/100 {
			part := 0.1 + 0.5/(1+math.Abs(value[0])) // of what remains
			must.Do(t, noise.AddAll(&path, part*path.Remaining(), value))
		}
		rest, none := path.Fork(), b.Refused()
		first := noise.AddAll(&rest, path.Remaining()+1e-6*b.Total(), value)
		second := noise.AddAll(&rest, b.Total(), value)
		if !errors.Is(first, ErrOverspent) || second == nil || none != nil || b.Refused() != first {
			t.Errorf("a millionth too much: %v, then %v, refused %v, before %v", first, second,
				b.Refused(), none)
		}
		must.Do(t, noise.AddAll(&path, path.Remaining(), value))
		if claimed, proven := b.Spent(); !near(claimed, b.Total(), 1e-12) || claimed != proven {
			t.Errorf("spent %v and %v of %v", claimed, proven, b.Total())
		}
	}
}

func TestRefusedUnits(t *testing.T) {
	b := NewBudget(1)
	path := b.Root()
	err := b.Gaussian("x", random.NewKey(1).Stream(), Exact(1)).AddAll(&path, 1e-9, []float64{1})
	if !errors.Is(err, ErrUnit) || !errors.Is(b.Refused(), ErrUnit) {
		t.Errorf("Gaussian noise for pure epsilon: %v, refused %v", err, b.Refused())
	}
	c := NewApproximate(1, 0.1)
	path = c.Root()
	for name, err := range map[string]error{
		"Gaussian": c.DiscreteGaussian("x", random.NewKey(1).Stream(), Exact(1)).AddAll(&path,
			1e-20, []float64{1}),
		"Laplace": c.DiscreteLaplace("y", random.NewKey(1).Stream(), Exact(1)).AddAll(&path,
			1e-20, []float64{1}),
	} {
		if !errors.Is(err, ErrTooSmall) {
			t.Errorf("%s noise at 1e-20: %v", name, err)
		}
	}
	for _, delta := range []float64{-1, 1, math.NaN()} {
		mustPanic(t, "a delta outside [0, 1)", func() { NewApproximate(1, delta) })
	}
}
