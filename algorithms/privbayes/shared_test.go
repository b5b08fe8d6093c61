package privbayes

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"ppdp/algorithms"
	"ppdp/algorithms/conformance"
	"ppdp/algorithms/internal/testinput"
	"ppdp/random"
)

// TestSharingChangesNothing: releases that share a memo, all at the same time and of other
// variants, budgets and parameters, are those without one. The order of rows does not matter.
func TestSharingChangesNothing(t *testing.T) {
	t.Parallel()
	table, memo := conformance.Table(300), new(algorithms.Memo)
	kept, order := table.AllRows()[:280], random.NewKey(1).Stream()
	var group sync.WaitGroup
	for _, encoding := range []Encoding{Binary, Gray, Vanilla} {
		for _, score := range []Score{AutoScore, MutualInformation, TotalVariation} {
			for n, variant := range []algorithms.Variant{algorithms.Published, algorithms.Strict} {
				for i := range 8 {
					p := DefaultParams()
					p.Encoding, p.Score, p.Degree, p.Theta = encoding, score, i%4, 1e-3
					p.Bins = 4 + 12*(i/4)
					if (Algorithm{}).CheckVariant(variant, p) != nil {
						continue
					}
					rows := slices.Clone(kept)
					order.Permute(rows)
					hash := func(shared *algorithms.Memo) (string, error) {
						in := testinput.Input(table, p, variant, float64(1+n+i), uint64(i))
						in.Rows, in.Shared = slices.Clone(rows), shared
						r, err := Algorithm{}.Release(context.Background(), in)
						if err != nil {
							return "", err
						}
						return conformance.Hash(r), nil
					}
					group.Go(func() {
						want, err := hash(nil)
						got, sharedErr := hash(memo)
						if err != nil || sharedErr != nil || got != want {
							t.Errorf("%s, %s, %s, degree %d: errors %v and %v, another release %t",
								encoding, score, variant, p.Degree, err, sharedErr, got != want)
						}
					})
				}
			}
		}
	}
	group.Wait()
}

// TestSharedIsBounded: what does not fit is not kept, and what is kept stays.
func TestSharedIsBounded(t *testing.T) {
	s := &shelf{kept: make(map[bitFactsKey]bool), left: 100}
	for i, c := range []struct {
		degree, size int
		want         bool
	}{{1, 60, true}, {2, 60, false}, {1, 60, true}, {3, 40, true}, {4, 1, false}, {1, 60, true}} {
		if got := s.holds(bitFactsKey{degree: c.degree}, c.size); got != c.want {
			t.Errorf("request %d: kept %t, want %t", i, got, c.want)
		}
	}
	in := newFit(conformance.Table(300), DefaultParams(), algorithms.Published, 1, 1)
	in.in.Shared = new(algorithms.Memo)
	if _, err := in.bitFacts(14, 8); err != nil {
		t.Fatal(err)
	}
	room, err := algorithms.Memoize(in.ctx, in.in.Shared, shelfKey{}, func() (*shelf, error) {
		return nil, nil
	})
	// all subsets of 14 bits but those of 10 to 14, and 3003 sets of 8 with a child
	if want := 4*(1<<14-1001-364-91-14-1) + 8*3003*14; err != nil || maxShared-room.left != want {
		t.Errorf("%d bytes are kept, want %d, error %v", maxShared-room.left, want, err)
	}
}

// TestScoresAreComputedOnce: a second network over the same bits asks for no score that the first
// has asked for.
func TestScoresAreComputedOnce(t *testing.T) {
	p := DefaultParams()
	p.Theta = 1e-3
	in := newFit(conformance.Table(300), p, algorithms.Published, 1, 1)
	in.in.Shared = new(algorithms.Memo)
	facts, err := in.bitFacts(14, 3)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := in.bitFacts(14, 3); err != nil || again != facts {
		t.Errorf("counted again, error %v", err)
	}
	slots := facts.known.of([]int{2, 5, 11})
	for child := range 4 {
		for try := range 3 {
			score := recall(slots, child, func() float64 { return float64(10*child + try) })
			if score != float64(10*child) {
				t.Errorf("score %v of child %d, want the first", score, child)
			}
		}
	}
	for _, other := range [][]int{{2, 5}, {2, 5, 12}, {1, 5, 11}} {
		if score := recall(facts.known.of(other), 3, func() float64 { return -1 }); score != -1 {
			t.Errorf("parents %v have score %v of others", other, score)
		}
	}
}

// TestDrawRecord draws what the conditionals draw, from the same random numbers.
func TestDrawRecord(t *testing.T) {
	for _, degree := range []int{0, 1, 3} {
		p := DefaultParams()
		p.Degree, p.Theta = degree, 1e-3
		f := newFit(conformance.Table(200), p, algorithms.Strict, 0.5, uint64(degree))
		if err := f.count(); err != nil {
			t.Fatal(err)
		}
		network, err := f.network()
		if err != nil {
			t.Fatal(err)
		}
		one, other := random.NewKey(5).Stream(), random.NewKey(5).Stream()
		got, want := make([]uint32, f.nodes), make([]uint32, f.nodes)
		bits, uniform := newBitConditionals(network), make([]float64, f.nodes)
		for range 500 {
			drawRecord(bits, got, uniform, one)
			for i := range network {
				network[i].draw(want, other)
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("degree %d: %v, want %v", degree, got, want)
			}
		}
	}
}
