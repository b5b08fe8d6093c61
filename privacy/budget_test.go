package privacy

import (
	"errors"
	"maps"
	"math"
	"strings"
	"testing"

	"ppdp/internal/must"
	"ppdp/numeric/random"

	"pgregory.net/rapid"
)

// mustPanic runs f, which has to panic.
func mustPanic(t *testing.T, name string, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("%s does not panic", name)
		}
	}()
	f()
}

func TestBudgetRefusesWhatIsNoBudget(t *testing.T) {
	for _, epsilon := range []float64{-1, math.NaN(), math.Inf(1), math.Inf(-1)} {
		mustPanic(t, "a budget that is no finite number of at least 0",
			func() { NewBudget(epsilon) })
	}
	b := NewBudget(1)
	b.Root() // paths of two would count as parallel: a release could spend its budget twice unseen
	mustPanic(t, "a second root", func() { b.Root() })
	stream := random.NewKey(1).Stream()
	mustPanic(t, "sensitivity 0", func() { b.Laplace("x", stream, Sensitivity{}) })
	mustPanic(t, "sensitivity NaN", func() { b.Laplace("x", stream, Exact(math.NaN())) })
	mustPanic(t, "infinite sensitivity", func() { b.Laplace("x", stream, Exact(math.Inf(1))) })
	mustPanic(t, "negative sensitivity", func() { b.Geometric("x", stream, Exact(-1)) })
	mustPanic(t, "negative proven sensitivity",
		func() { b.Laplace("x", stream, Sensitivity{Claimed: 1, Proven: -1}) })
	mustPanic(t, "no stream", func() { b.Exponential("x", nil, Exact(1)) })
	for range maxMechanisms {
		b.Laplace("x", stream, Exact(1))
	}
	mustPanic(t, "one mechanism too many", func() { b.Laplace("x", stream, Exact(1)) })
}

// TestRefusedCallsReturnNothing: no mechanism returns a value, noisy or not, or draws for a charge
// that is refused. What a caller makes of the error cannot cost privacy then.
func TestRefusedCallsReturnNothing(t *testing.T) {
	for _, epsilon := range []float64{1.001, 0, -1, math.NaN(), math.Inf(-1), math.Inf(1),
		0.999 / maxScale} { // where noise would be infinite, or the difference of two infinities
		b, stream := NewBudget(1), random.NewKey(1).Stream()
		laplace, geometric := b.Laplace("l", stream, Exact(1)), b.Geometric("g", stream, Exact(1))
		cauchy, choice := b.Cauchy("c", stream, true), b.Exponential("e", stream, Exact(1))
		path, values, scores := b.Root(), []float64{7, 8}, []float64{0, 0, 0, 0}
		noise := map[string]func() (float64, error){
			"laplace":   func() (float64, error) { return laplace.Add(&path, epsilon, 7) },
			"geometric": func() (float64, error) { return geometric.Add(&path, epsilon, 7) },
			"cauchy":    func() (float64, error) { return cauchy.Add(&path, epsilon, 1, 7) },
			"choice": func() (float64, error) {
				at, err := choice.Choose(&path, epsilon, scores, nil)
				return float64(at), err
			},
			"choice, bounded": func() (float64, error) {
				at, err := choice.ChooseBounded(&path, epsilon, 4, 0, 0,
					func(int) float64 { return 0 })
				return float64(at), err
			},
		}
		if epsilon > 0 && epsilon < 1 { // choices have no noise
			maps.DeleteFunc(noise, func(name string, _ func() (float64, error)) bool {
				return strings.HasPrefix(name, "choice")
			})
		}
		for name, call := range noise { // order-free: each is checked
			if value, err := call(); err == nil || value != 0 ||
				errors.Is(err, ErrOverspent) != (epsilon > 1) ||
				errors.Is(err, ErrTooSmall) != (epsilon > 0 && epsilon < 1) {
				t.Errorf("%s, epsilon %v: %v, error %v", name, epsilon, value, err)
			}
		}
		for _, all := range []interface {
			AddAll(*Path, float64, []float64) error
			Sparse(*Path, float64, SparseTable) (*Sparse, error)
		}{laplace, geometric} {
			if err := all.AddAll(&path, epsilon, values); err == nil || values[0] != 7 ||
				values[1] != 8 {
				t.Errorf("%T, epsilon %v: %v, error %v", all, epsilon, values, err)
			}
			table := SparseTable{Cells: 9, Width: 2, Occupied: []uint64{4}, Counts: values}
			sparse, err := all.Sparse(&path, epsilon, table)
			if err == nil || sparse != nil || values[0] != 7 || values[1] != 8 {
				t.Errorf("%T, epsilon %v: sparse %v of %v, error %v", all, epsilon, sparse, values,
					err)
			}
		}
		if path.Spent() != 0 || stream.Uint64() != random.NewKey(1).Stream().Uint64() {
			t.Errorf("epsilon %v: a refused call drew, or spent %v", epsilon, path.Spent())
		}
		claimed, proven := b.Spent()
		if entry := b.Ledger()[0]; claimed != 0 || proven != 0 || entry.Calls != 0 ||
			entry.Cost != 0 {
			t.Errorf("epsilon %v: spent %v and %v, %+v", epsilon, claimed, proven, entry)
		}
	}
}

// TestEqualPathsShowTheLongest: a leaf near the root and one below two tests both spend all. The
// waterfall is that of the second, whatever the order and the rounding of their sums.
func TestEqualPathsShowTheLongest(t *testing.T) {
	for _, shallowFirst := range []bool{true, false} {
		b := NewBudget(1.1)
		tests := b.Laplace("tests", random.NewKey(1).Stream(), Exact(1))
		counts := b.Laplace("counts", random.NewKey(2).Stream(), Exact(1))
		spend := func(path *Path, noise *Noise, epsilon float64) {
			t.Helper()
			must.Get(noise.Add(path, epsilon, 0))
		}
		root := b.Root()
		spend(&root, tests, 0.1)
		shallow := func() {
			leaf := root.Fork()
			spend(&leaf, counts, leaf.Remaining())
		}
		if shallowFirst {
			shallow()
		}
		deep := root.Fork()
		spend(&deep, tests, 0.1)
		spend(&deep, tests, 0.1)
		spend(&deep, counts, deep.Remaining())
		if !shallowFirst {
			shallow()
		}
		ledger := b.Ledger()
		if math.Abs(ledger[0].Cost-0.3) > 1e-12 || math.Abs(ledger[1].Cost-0.8) > 1e-12 ||
			math.Abs(float64(ledger[0].Loss)-0.3) > 1e-12 ||
			math.Abs(float64(ledger[1].Loss)-0.8) > 1e-12 {
			t.Errorf("waterfall %+v, want 0.3 for tests and 0.8 for counts", ledger)
		}
	}
}

func TestProvenLossBesideTheClaim(t *testing.T) {
	for _, c := range []struct {
		name        string
		sensitivity Sensitivity
		proven      float64
		loss        float64 // of a charge of 2
	}{
		{"exact", Exact(3), 3, 2},
		{"proven left out", Sensitivity{Claimed: 3}, 3, 2},
		{"monotone", Sensitivity{Claimed: 0.5, Monotone: true}, 0.5, 1},
		{"short by three, monotone", Sensitivity{Claimed: 0.5, Proven: 1.5, Monotone: true}, 1.5,
			3},
		{"short by three", Sensitivity{Claimed: 0.5, Proven: 1.5}, 1.5, 6},
		{"generous", Sensitivity{Claimed: 2, Proven: 1}, 1, 1},
		{"no bound", Sensitivity{Claimed: 1, Proven: math.Inf(1)}, math.Inf(1), math.Inf(1)},
	} {
		b := NewBudget(2)
		exponential := b.Exponential("cuts", random.NewKey(1).Stream(), c.sensitivity)
		b.Laplace("never", random.NewKey(1).Stream(), Sensitivity{Claimed: 1, Proven: math.Inf(1)})
		path := b.Root()
		must.Get(exponential.Choose(&path, 2, []float64{1, 2}, nil))
		claimed, proven := b.Spent()
		entry := b.Ledger()[0]
		if claimed != 2 || entry.Cost != 2 || proven != c.loss || entry.Loss != Bound(c.loss) ||
			entry.Claimed != c.sensitivity.Claimed || entry.Proven != Bound(c.proven) ||
			entry.Composition != "sequential" || b.Ledger()[1].Loss != 0 {
			t.Errorf("%s: spent %v, loss %v, entry %+v; want 2 and %v", c.name, claimed, proven,
				entry, c.loss)
		}
	}
}

// TestLedgerAgainstSumsOverPaths grows random trees of charges and holds the budget against sums
// taken path by path.
func TestLedgerAgainstSumsOverPaths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const epsilon = 10.0
		b := NewBudget(epsilon)
		factors := []float64{1, 3, 0.5} // loss for each unit of charge
		var noises []*Noise
		for i, factor := range factors {
			noises = append(noises, b.Laplace("x", random.NewKey(uint64(i)).Stream(),
				Sensitivity{Claimed: 1, Proven: factor}))
		}
		var largest, largestLoss float64
		var calls [3]int64
		var grow func(path Path, spent, loss float64, depth int)
		grow = func(path Path, spent, loss float64, depth int) {
			for range rapid.IntRange(0, 3).Draw(t, "charges") {
				m := rapid.IntRange(0, 2).Draw(t, "mechanism")
				// binary fractions: sums are exact
				amount := float64(rapid.IntRange(1, 64).Draw(t, "amount")) / 16
				_, err := noises[m].Add(&path, amount, 0)
				if spent+amount > epsilon {
					if !errors.Is(err, ErrOverspent) {
						t.Fatalf("%v more on top of %v: %v", amount, spent, err)
					}
					continue
				}
				must.Do(t, err)
				spent, loss = spent+amount, loss+amount*factors[m]
				calls[m]++
				largest, largestLoss = max(largest, spent), max(largestLoss, loss)
				if path.Spent() != spent || path.Remaining() != epsilon-spent {
					t.Fatalf("path spent %v, remaining %v; want %v and %v", path.Spent(),
						path.Remaining(), spent, epsilon-spent)
				}
			}
			if depth < 3 {
				for range rapid.IntRange(0, 2).Draw(t, "children") {
					grow(path.Fork(), spent, loss, depth+1)
				}
			}
		}
		grow(b.Root(), 0, 0, 0)
		claimed, proven := b.Spent()
		if claimed != largest || proven != largestLoss {
			t.Fatalf("spent %v and %v, want %v and %v", claimed, proven, largest, largestLoss)
		}
		var sum, lossSum float64
		for m, entry := range b.Ledger() {
			sum, lossSum = sum+entry.Cost, lossSum+float64(entry.Loss)
			if entry.Calls != calls[m] || entry.Calls == 0 && (entry.Cost != 0 || entry.Loss != 0) {
				t.Fatalf("mechanism %d: %+v, want %d calls", m, entry, calls[m])
			}
		}
		if sum != largest || lossSum != largestLoss {
			t.Fatalf("the waterfalls add up to %v and %v, want %v and %v", sum, lossSum, largest,
				largestLoss)
		}
	})
}
