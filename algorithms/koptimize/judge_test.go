package koptimize

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/disclosure"
	"ppdp/datasets"
	"ppdp/numeric/random"
)

// sensitiveTable is a table of n rows over the given numbers of cells and a sensitive attribute of
// four values, the first of them the commonest.
func sensitiveTable(stream *random.Stream, n int, cells []int) *datasets.Table {
	schema := &datasets.Schema{Contributions: stream.IntN(4)}
	for d, c := range append(cells, 4) {
		schema.Attributes = append(schema.Attributes, datasets.Attribute{Name: fmt.Sprint("x", d),
			Low: 0, High: float64(c), Step: 1})
	}
	schema.Attributes[len(cells)].Role = datasets.Sensitive
	b := datasets.NewBuilder(schema, n)
	for range n {
		row := b.AddRow()
		for d, c := range cells {
			b.Set(row, d, stream.Uint32N(uint32(c)))
		}
		b.Set(row, len(cells), min(stream.Uint32N(4), stream.Uint32N(4)))
	}
	return b.Table()
}

// keeps reports whether a class keeps the limits in a table of all, straight from the definitions
// for values at equal distances.
func keeps(limits *disclosure.Limits, class, all []float64) bool {
	distinct, size, total, entropy, most, distance := 0, 0.0, 0.0, 0.0, 0.0, 0.0
	for value := range class {
		size, total, most = size+class[value], total+all[value], max(most, class[value])
	}
	for value, n := range class {
		if n > 0 {
			distinct++
			entropy -= n / size * math.Log(n/size)
		}
		distance += math.Abs(n/size-all[value]/total) / 2
	}
	if distance > limits.T+1e-12 {
		return false
	}
	switch limits.Diversity {
	case disclosure.Entropy:
		return entropy >= math.Log(float64(limits.L))-1e-12
	case disclosure.Recursive: // for l = 2 alone
		return limits.L < 2 || most < limits.C*(size-most)
	}
	return distinct >= limits.L
}

// who is whose record a row is: persons' rows are next to each other.
func who(table *datasets.Table, row int32) int32 {
	return row / int32(max(1, table.Schema().Contributions))
}

// definition prices a set of cuts: classes that break a limit are left out until all that remain
// keep them, in comparison with what remains.
func definition(p *problem, table *datasets.Table, limits *disclosure.Limits,
	taken []int32) (cost int64, ok bool) {
	classes, persons := map[string][]float64{}, map[string]map[int32]bool{}
	for row := range int32(table.Len()) {
		key := make([]byte, len(taken))
		for i, c := range taken {
			if table.Column(p.cuts[c].dim).At(row) >= p.cuts[c].at {
				key[i] = 1
			}
		}
		if classes[string(key)] == nil {
			classes[string(key)] = make([]float64, 4)
			persons[string(key)] = map[int32]bool{}
		}
		persons[string(key)][who(table, row)] = true
		classes[string(key)][table.Column(p.dims).At(row)]++
	}
	left := 0
	drop := func(key string) {
		for _, n := range classes[key] {
			cost, left = cost+int64(n)*int64(table.Len()), left+int(n)
		}
		delete(classes, key)
	}
	for key := range classes { // order-free: each for itself
		if len(persons[key]) < p.k {
			drop(key)
		}
	}
	for again := true; again; {
		again = false
		all := make([]float64, 4)
		for _, class := range classes { // order-free: a sum of whole numbers
			for value, n := range class {
				all[value] += n
			}
		}
		for key, class := range classes { // order-free: all by the same whole
			if !keeps(limits, class, all) {
				drop(key)
				again = true
			}
		}
	}
	for _, class := range classes { // order-free: a sum of whole numbers
		size := int64(class[0] + class[1] + class[2] + class[3])
		cost += size * size
	}
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
		table := sensitiveTable(stream, 8+stream.IntN(50), cells)
		pick := func(of ...float64) float64 { return of[stream.IntN(len(of))] }
		params := &Params{K: 2 + stream.IntN(3), Limits: disclosure.Limits{L: int(pick(1, 2, 2, 3)),
			C: pick(.8, 1.5, 3), T: pick(.15, .3, .5, 1, 1), Distance: disclosure.Equal,
			Diversity: []disclosure.Diversity{disclosure.Distinct, disclosure.Entropy,
				disclosure.Recursive}[stream.IntN(3)]},
			Suppression: disclosure.Suppression(pick(0, 0, .05, .2, .5))}
		if params.Diversity == disclosure.Recursive {
			params.L = min(params.L, 2)
		}
		name := fmt.Sprintf("trial %d: %d rows, cells %v, %+v", trial, table.Len(), cells, *params)
		p, err := newProblem(table, table.AllRows(), params)
		if err != nil {
			t.Fatal(err)
		}
		want := int64(math.MaxInt64)
		for set := range 1 << len(p.cuts) {
			if cost, ok := definition(p, table, &params.Limits, members(p, set)); ok {
				want = min(want, cost)
			}
		}
		run := func(l limits) *search {
			s, err := solve(context.Background(), table, p, l)
			if err != nil {
				t.Fatal(err)
			}
			if s.found() {
				cost, ok := definition(p, table, &params.Limits, s.bestCuts)
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
		if whole, ok := definition(p, table, &params.Limits, nil); s.best != want &&
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
		at := b.AddRow()
		b.Set(at, 0, row[0])
		b.Set(at, 1, row[1])
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
