package privacy

import (
	"math"
	"testing"

	"ppdp/internal/must"
	"ppdp/numeric/elementary"
	"ppdp/numeric/random"
)

// What single records get of a budget for groups of three: a third of epsilon, a ninth of rho, and
// the noise of a sensitivity three times as large. The ledger is about the group.
func TestGroup(t *testing.T) {
	const k = 3
	group, whole := NewBudget(1.2).Group(k), NewBudget(1.2)
	if math.Abs(group.Epsilon()-0.4) > 1e-12 || group.Total() != group.Epsilon() {
		t.Errorf("epsilon %v, total %v, want 0.4", group.Epsilon(), group.Total())
	}
	draws := make([][]float64, 2)
	for i, b := range []*Budget{group, whole} {
		sensitivity := []float64{1, k}[i]
		counts := b.Geometric("counts", random.NewKey(1).Stream(), Exact(sensitivity))
		path := b.Root()
		values := make([]float64, 50)
		must.Do(t, counts.AddAll(&path, b.Total(), values))
		draws[i] = values
		e := b.Ledger()[0]
		claimed, proven := b.Spent()
		if math.Abs(claimed-1.2) > 1e-12 || math.Abs(proven-1.2) > 1e-12 || e.Claimed != k ||
			e.Proven != k || math.Abs(e.Cost-1.2) > 1e-12 || math.Abs(float64(e.Loss)-1.2) > 1e-12 {
			t.Errorf("ledger %+v, spent %v and %v, want 1.2 at a sensitivity of 3", e, claimed,
				proven)
		}
	}
	must.Equal(t, draws[0], draws[1])

	const delta = 1e-9
	rho := RhoOf(1, delta)
	group = NewApproximate(1, delta).Group(k)
	noise := group.DiscreteGaussian("marginals", random.NewKey(2).Stream(), Exact(1))
	path := group.Root()
	must.Near(t, group.Total(), rho/9, 1e-15)
	must.Do(t, noise.AddAll(&path, group.Total(), make([]float64, 5)))
	claimed, _ := group.Spent()
	if math.Abs(claimed-rho) > 1e-12 || path.Remaining() > 1e-15 {
		t.Errorf("%v spent, %v left, want %v and 0", claimed, path.Remaining(), rho)
	}
	if e := group.Ledger()[0]; e.Claimed != k || math.Abs(e.Cost-rho) > 1e-12 {
		t.Errorf("ledger %+v, want %v at a sensitivity of 3", e, rho)
	}
	if epsilon := EpsilonOf(rho/9, delta); group.Epsilon() != epsilon {
		t.Errorf("epsilon %v for a record, want %v", group.Epsilon(), epsilon)
	}
}

// A replay between inputs that differ by three records: the loss is the closed form, the distance
// is held against three sensitivities, and a fourth record is one too many.
func TestReplayOfGroups(t *testing.T) {
	run := func(value float64, b *Budget) float64 {
		counts := b.Laplace("count", random.NewKey(3).Stream(), Exact(1))
		path := b.Root()
		return must.Get(counts.Add(&path, b.Total(), value))
	}
	for moved, ratio := range map[float64]float64{3: 1, 4: 4. / 3} { // order-free: separate checks
		recorded := NewBudget(0.9).Group(3)
		transcript := recorded.Record()
		noisy := run(10, recorded)
		forced := NewBudget(0.9).Group(3)
		replay := forced.Replay(transcript)
		run(10+moved, forced)
		loss := float64(math.Abs(noisy-10-moved)-math.Abs(noisy-10)) * 0.9 / 3
		if math.Abs(replay.Loss-loss) > 1e-12 || len(replay.Distances) != 1 ||
			math.Abs(replay.Distances[0].Ratio()-ratio) > 1e-12 ||
			math.Abs(replay.Proven-float64(ratio*0.9)) > 1e-12 {
			t.Errorf("moved by %v: %+v, want a loss of %v and a ratio of %v", moved, replay, loss,
				ratio)
		}
	}
}

// The smooth bounds of a chain of three records grow by e^β from one to the next: that is the
// farthest a replay allows.
func TestReplayOfChains(t *testing.T) {
	beta := Smoothness(0.3)
	run := func(value, bound float64, b *Budget) {
		medians := b.Cauchy("median", random.NewKey(4).Stream(), true)
		path := b.Root()
		must.Get(medians.Add(&path, b.Total(), bound, value))
	}
	recorded := NewBudget(0.9).Group(3)
	transcript := recorded.Record()
	run(0, 1, recorded)
	forced := NewBudget(0.9).Group(3)
	replay := forced.Replay(transcript)
	run(1+elementary.Exp(beta)+elementary.Exp(2*beta), elementary.Exp(3*beta), forced)
	must.Near(t, replay.Distances[0].Distance/elementary.Exp(3*beta), 3, 1e-9, "sensitivities")
}
