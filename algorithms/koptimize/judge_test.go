package koptimize

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"ppdp/algorithms"
	"ppdp/algorithms/internal/testinput"
	"ppdp/algorithms/kernel/disclosure"
	"ppdp/datasets"
	"ppdp/internal/must"
	"ppdp/numeric/random"
)

// definition prices a set of cuts: classes that break a limit are left out until all that remain
// keep them, in comparison with what remains.
func definition(p *problem, table *datasets.Table, taken []int32) (cost int64, ok bool) {
	classes := map[string][]int32{}
	for _, row := range table.AllRows() {
		key := make([]byte, len(taken))
		for i, c := range taken {
			if table.Column(p.cuts[c].dim).At(row) >= p.cuts[c].at {
				key[i] = 1
			}
		}
		classes[string(key)] = append(classes[string(key)], row)
	}
	left, cost := testinput.Publish(table, classes, p.k, &p.params.Limits)
	return cost, left <= p.most
}

// TestLimitsAgainstEverySetOfCuts compares searches that have limits to keep with brute force, and
// those that are ended early with their bound.
func TestLimitsAgainstEverySetOfCuts(t *testing.T) {
	t.Parallel()
	stream := random.NewKey(31).Derive("limits").Stream()
	found, refused, early, dearer := 0, 0, 0, 0
	for trial := range 240 {
		cells := make([]int, 1+stream.IntN(4))
		for d := range cells {
			cells[d] = 2 + stream.IntN(10/len(cells))
		}
		table := testinput.Sensitive(stream.IntN, 8+stream.IntN(50), cells...)
		params := &Params{K: 2 + stream.IntN(3), Limits: testinput.DrawLimits(stream.IntN),
			Suppression: []disclosure.Suppression{0, 0, .05, .2, .5}[stream.IntN(5)]}
		name := fmt.Sprintf("trial %d: %d rows, cells %v, %+v", trial, table.Len(), cells, *params)
		p := must.Get(newProblem(table, table.AllRows(), params))
		want := int64(math.MaxInt64)
		for set := range 1 << len(p.cuts) {
			if cost, ok := definition(p, table, members(p, set)); ok {
				want = min(want, cost)
			}
		}
		run := func(l limits) *search {
			s := must.Get(solve(context.Background(), table, p, l))
			if s.found() {
				cost, ok := definition(p, table, s.bestCuts)
				if !ok || cost != s.best || cost < want {
					t.Fatalf("%s: the cuts cost %d, %t, the search says %d, brute force %d", name,
						cost, ok, s.best, want)
				}
			}
			return s
		}
		s := run(limits{})
		if s.found() != (want < math.MaxInt64) || s.found() && (s.best != want || s.gap() != 0) {
			t.Fatalf("%s: found %t %d with gap %v, brute force %d", name, s.found(), s.best,
				s.gap(), want)
		}
		if !s.found() {
			refused++
			continue
		}
		found++
		if want > mustRun(t, mustProblem(t, table, p.k, p.suppress()), limits{}).best {
			dearer++
		}
		// Without what it begins with the search finds the same.
		s = newSearch(context.Background(), p, limits{})
		s.best = want + 1
		s.root(s.level(0))
		s.priceTail(s.level(0))
		s.kOptimize(0, p.cheapest())
		if whole, ok := definition(p, table, nil); s.best != want &&
			!(ok && whole == want) {
			t.Fatalf("%s: nothing found below %d, brute force %d", name, s.best, want)
		}
		if e := run(limits{nodes: 1 + s.nodes/2}); e.lower() > want ||
			e.gap() == 0 && e.best != want {
			t.Fatalf("%s, ended early: from %d to %d, brute force %d", name, e.lower(), e.best,
				want)
		} else if e.gap() > 0 {
			early++
		}
	}
	t.Logf("%d found, %d refused, %d cost more than by k alone, %d ended early with a gap", found,
		refused, dearer, early)
	if found < 50 || refused < 10 || dearer < 30 || early < 5 {
		t.Error("too few of one kind to say anything")
	}
}

// TestLimits, worked out by hand: 1 2 | 5 6 would be two classes of 2, but both of the first have
// the value 0, so that all four are one class. With a quarter left out the rows 2 5 6 are no
// better than all: 9 and 4 for row 1 is 13 beside 16.
func TestLimits(t *testing.T) {
	b := datasets.NewBuilder(&datasets.Schema{Attributes: []datasets.Attribute{
		{Name: "x", Low: 0, High: 10, Step: 1},
		{Name: "s", Low: 0, High: 2, Step: 1, Role: datasets.Sensitive}}}, 4)
	for _, row := range [][2]uint32{{1, 0}, {2, 0}, {5, 1}, {6, 0}} {
		b.AddRow(row[0], row[1])
	}
	table := b.Table()
	limited := func(share disclosure.Suppression, t float64) Params {
		params := DefaultParams()
		params.K, params.L, params.Suppression, params.T = 2, 2, share, t
		return *params
	}
	for _, c := range []struct {
		params Params
		want   []float64
	}{
		{limited(0, 1), []float64{4}},
		{limited(.25, 1), []float64{3}},
		{limited(.5, 1), []float64{2}}, // 5 6 costs 4, and 8 for the two rows: 12
		{Params{K: 2}, []float64{2, 2}},
	} {
		got := release(t, table, table.AllRows(), c.params).Regions.Counts
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%+v: classes of %v, must be %v", c.params, got, c.want)
		}
	}
	params := limited(0, 1)
	params.L = 3
	_, err := (Algorithm{}).Release(context.Background(), algorithms.Input{Table: table,
		Rows: table.AllRows(), Params: &params, Variant: algorithms.Published})
	if err == nil || errors.Is(err, disclosure.ErrUnattainable) {
		t.Errorf("l above the number of values: %v, must be refused by the schema", err)
	}
	params = limited(0, 1)
	params.Diversity, params.L = disclosure.Entropy, 2
	_, err = (Algorithm{}).Release(context.Background(), algorithms.Input{Table: table,
		Rows: table.AllRows(), Params: &params, Variant: algorithms.Published})
	if !errors.Is(err, disclosure.ErrUnattainable) {
		t.Errorf("an entropy of 2 values of 3 and 1 records: %v, must be unattainable", err)
	}
}
