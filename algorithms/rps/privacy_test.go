package rps

import (
	"math"
	"slices"
	"testing"

	"ppdp/algorithms/internal/testinput"
	"ppdp/internal/must"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/partition"
	"ppdp/datasets"
)

// equation2 and equation3 are the qualities as they are printed.
func equation2(x1, x2, y1, y2 int) float64 {
	r1, r2 := float64(x1+x2), float64(y1+y2)
	return (r1 + r2 - math.Abs(r1-r2)) / 4
}

func equation3(x1, x2, y1, y2 int) float64 {
	r1, r2 := float64(x1+x2), float64(y1+y2)
	return (r1 + r2 - math.Abs(r1-r2) + math.Max(float64(x1+y2), float64(y1+x2))) / 2
}

// TestQualitiesAndTheirSensitivities goes through all count vectors up to 6 (errata R0b, R1).
func TestQualitiesAndTheirSensitivities(t *testing.T) {
	even := func(v [4]int) float64 { return evenQuality(int32(v[0]+v[1]), int32(v[2]+v[3])) }
	class := func(v [4]int) float64 {
		return classQuality(int32(v[0]), int32(v[1]), int32(v[2]), int32(v[3]))
	}
	for _, q := range []struct {
		name                     string
		got                      func([4]int) float64
		printed                  func(x1, x2, y1, y2 int) float64
		quality                  Quality
		addLow, addHigh, replace float64
	}{
		{"eq. 2", even, equation2, Even, 0, 0.5, 0.5},
		{"eq. 3", class, equation3, Class, 0, 1.5, 1.5},
	} {
		lowest, highest, farthest := math.Inf(1), math.Inf(-1), 0.0
		for i := range 7 * 7 * 7 * 7 {
			v := [4]int{i % 7, i / 7 % 7, i / 49 % 7, i / 343}
			here := q.printed(v[0], v[1], v[2], v[3])
			if got := q.got(v); got != here {
				t.Fatalf("%s of %v is %v, want %v", q.name, v, got, here)
			}
			for to := range v {
				added := v
				added[to]++
				change := q.got(added) - here
				lowest, highest = min(lowest, change), max(highest, change)
				for from := range v {
					if v[from] == 0 {
						continue
					}
					replaced := added
					replaced[from]--
					farthest = max(farthest, math.Abs(q.got(replaced)-here))
				}
			}
		}
		if lowest != q.addLow || highest != q.addHigh || farthest != q.replace {
			t.Errorf("%s moves within [%v, %v], by replacement ±%v; want [%v, %v] and ±%v",
				q.name, lowest, highest, farthest, q.addLow, q.addHigh, q.replace)
		}
		for _, variant := range []algorithms.Variant{algorithms.Published, algorithms.Strict} {
			s := (&Params{Quality: q.quality}).sensitivity(variant)
			if s.Proven != highest || variant == algorithms.Strict && s.Claimed != highest ||
				s.Monotone && lowest < 0 {
				t.Errorf("%s, %s: declared %+v", q.name, variant, s)
			}
		}
	}
}

// scoredCut is one cut on its own.
type scoredCut struct {
	dim   int
	at    uint32
	score float64
}

// naiveCuts scores every cut by counting the records of both sides.
func naiveCuts(table *datasets.Table, rows []int32, dims []int, low, high []uint32,
	quality Quality) []scoredCut {
	var cuts []scoredCut
	attributes := table.Schema().QuasiIdentifiers()
	for _, dim := range dims {
		for at := low[dim] + 1; at < high[dim]; at++ {
			var v [2][2]int // by side and class
			for _, row := range rows {
				side, class := 0, 0
				if table.Column(attributes[dim]).At(row) >= at {
					side = 1
				}
				if c := table.Schema().Class(); c >= 0 {
					class = int(table.Column(c).At(row))
				}
				v[side][class]++
			}
			score := equation2(v[0][0], v[0][1], v[1][0], v[1][1])
			if quality == Class {
				score = equation3(v[0][0], v[0][1], v[1][0], v[1][1])
			}
			cuts = append(cuts, scoredCut{dim, at, score})
		}
	}
	return cuts
}

// TestGroupsAreTheCutsOneByOne holds the grouped candidates against the naive ones, on boxes and
// records that reach every way of grouping: no records, few in many cells, many in few.
func TestGroupsAreTheCutsOneByOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := drawTable(t)
		space := partition.NewSpace(table, table.Schema().QuasiIdentifiers())
		c := candidates{space: space, quality: rapid.SampledFrom([]Quality{Even, Class}).Draw(t,
			"quality")}
		low, high := make([]uint32, space.Dims()), make([]uint32, space.Dims())
		var open []int
		for dim := range low {
			low[dim] = rapid.Uint32Range(0, space.Cells(dim)-1).Draw(t, "low")
			high[dim] = rapid.Uint32Range(low[dim]+1, space.Cells(dim)).Draw(t, "high")
			if high[dim]-low[dim] > 1 {
				open = append(open, dim)
			}
		}
		var rows []int32
		for _, row := range table.AllRows() {
			inside := true
			for dim, attribute := range space.Attributes() {
				code := table.Column(attribute).At(row)
				inside = inside && code >= low[dim] && code < high[dim]
			}
			if inside {
				rows = append(rows, row)
			}
		}
		for _, dim := range open {
			c.add(rows, dim, low[dim], high[dim])
		}
		var got []scoredCut
		for g := range c.scores {
			if c.weights[g] < 1 {
				t.Fatalf("group %d of %v cuts", g, c.weights[g])
			}
			for i := range uint32(c.weights[g]) {
				got = append(got, scoredCut{c.dims[g], c.first[g] + i, c.scores[g]})
			}
		}
		if want := naiveCuts(table, rows, open, low, high, c.quality); !slices.Equal(got, want) {
			t.Fatalf("cuts %v, want %v", got, want)
		}
	})
}

// TestLawOfTheFirstCut compares the root cuts of whole releases with the exact law, exp(εq/2Δq)
// over all cuts one by one, by chi-square. A right program fails one of the twelve cases with
// probability 1.2e-5 over the choice of seeds, which are fixed. Half the ε, or half as much again,
// adds at least 124 to the statistic's expectation of 43; it is compared with 103.
func TestLawOfTheFirstCut(t *testing.T) {
	t.Parallel()
	const trials, falseAlarm = 1500, 1e-6
	// 12 records in 6 × 40 cells: the second attribute is scored by sorting
	table := testinput.Numbers(2, []int{6, 40}, slices.Concat(times(3, 0, 2, 0), times(1, 1, 2, 1),
		times(2, 3, 17, 0),
		times(3, 4, 18, 1), times(2, 5, 33, 1), times(1, 5, 39, 0))...)
	low, high := []uint32{0, 0}, []uint32{6, 40}
	for quality, rate := range map[Quality]float64{Even: 1, Class: 0.4} { // of growth in the score
		for _, attributes := range []AttributeChoice{All, Random} {
			for _, setting := range []struct {
				variant algorithms.Variant
				stop    bool
				// of the budget for the cut: half, or half of that beside a stop test
				share float64
			}{
				{algorithms.Published, false, 0.5}, {algorithms.Strict, false, 0.5},
				{algorithms.Strict, true, 0.25},
			} {
				params := DefaultParams()
				params.Quality, params.Attributes, params.Depth, params.StopCheck = quality,
					attributes, 1, setting.stop
				claimed := 0.5
				if setting.variant == algorithms.Strict && quality == Class {
					claimed = 1.5
				}
				epsilon := 2 * claimed * rate / setting.share
				var scores []float64
				for _, cut := range naiveCuts(table, table.AllRows(), []int{0, 1}, low, high,
					quality) {
					scores = append(scores, cut.score)
				}
				growth := epsilon * setting.share / (2 * claimed)
				law := testinput.Law(scores, growth)
				if attributes == Random { // each of the two is as likely
					law = slices.Concat(testinput.Law(scores[:5], growth),
						testinput.Law(scores[5:], growth))
				}
				observed := make([]float64, len(law))
				for seed := range uint64(trials) {
					r := testinput.Release(t, Algorithm, testinput.Input(table, params,
						setting.variant, epsilon, seed))
					if len(r.Regions.Tree) == 1 { // no stop at the root
						observed[5*r.Regions.Tree[0].Dim+int(r.Regions.Tree[0].At)-1]++
					}
				}
				statistic := testinput.ChiSquare(observed, law)
				critical := distuv.ChiSquared{K: float64(len(law) - 1)}.Quantile(1 - falseAlarm)
				if statistic > critical {
					t.Errorf("%s, %s, %+v: chi-square %v above %v", quality, attributes, setting,
						statistic, critical)
				}
			}
		}
	}
}

func TestLevels(t *testing.T) {
	const epsilon = 1.0
	for _, c := range []struct {
		name     string
		settings func(*Params)
		want     []level
	}{
		{"uniform", func(p *Params) {}, []level{{0.0625, 0.0625}, {0.0625, 0.0625},
			{0.0625, 0.0625}, {0.0625, 0.0625}}},
		{"without stop tests", func(p *Params) { p.StopCheck = false },
			[]level{{0, 0.125}, {0, 0.125}, {0, 0.125}, {0, 0.125}}},
		{"fixed", func(p *Params) { p.Partition = Fixed }, []level{{0.125, 0}, {0.125, 0},
			{0.125, 0}, {0.125, 0}}},
		{"fixed without stop tests", func(p *Params) { p.Partition, p.StopCheck = Fixed, false },
			make([]level, 4)},
		{"shallow", func(p *Params) { p.Allocation, p.Depth = ShallowLevels, 10 },
			append(slices.Repeat([]level{{0, 0.05}}, 8), level{0.025, 0.025}, level{0.025, 0.025})},
	} {
		params := DefaultParams()
		params.Depth = 4
		c.settings(params)
		must.Equal(t, params.levels(epsilon), c.want, c.name)
	}
}

// TestLedger compares the ledger of a full path with errata R1: eq. 3 spends the partition share
// one and a half times, which makes 1.25ε of it when that share is ½, 1.125ε when it is ¼; eq. 2 is
// monotone and costs half (R0b). The strict ledger comes to ε.
func TestLedger(t *testing.T) {
	const epsilon = 8.0
	// 4000 records in every cell of 2×2×2: at ε/12 no stop test can end near 5 and all paths are
	// full
	var rows [][]uint32
	for i := range uint32(8) {
		rows = append(rows, slices.Repeat([][]uint32{{i & 1, i >> 1 & 1, i >> 2, i & 1}}, 4000)...)
	}
	table := testinput.Numbers(2, []int{2, 2, 2}, rows...)
	for _, c := range []struct {
		quality Quality
		stops   bool
		variant algorithms.Variant
		proven  float64
	}{
		{Class, false, algorithms.Published, 1.25},
		{Class, true, algorithms.Published, 1.125},
		{Even, false, algorithms.Published, 0.75},
		{Even, true, algorithms.Published, 0.875},
		{Class, true, algorithms.Strict, 1},
		{Class, false, algorithms.Strict, 1},
		{Even, true, algorithms.Strict, 1},
	} {
		params := DefaultParams()
		params.Depth, params.Quality, params.StopCheck = 3, c.quality, c.stops
		in := testinput.Input(table, params, c.variant, epsilon, 1)
		testinput.Release(t, Algorithm, in)
		claimed, proven := in.Budget.Spent()
		if math.Abs(claimed-epsilon) > 1e-9 || math.Abs(proven-c.proven*epsilon) > 1e-9 {
			t.Errorf("%+v: spent %v, proven %v; want %v and %v", c, claimed, proven, epsilon,
				c.proven*epsilon)
		}
		want := algorithms.Holds
		if proven > epsilon*(1+1e-9) {
			want = algorithms.Short
		}
		must.Be(t, params.Guarantee(c.variant).Status, want, c, proven, epsilon)
		share := map[string]float64{}
		for _, entry := range in.Budget.Ledger() {
			share[entry.Purpose] = entry.Cost / epsilon
		}
		shares := map[string]float64{"leaf counts": 0.5, "cuts": 0.5}
		if c.stops {
			shares["cuts"], shares["stop tests"] = 0.25, 0.25
		}
		for _, purpose := range []string{"leaf counts", "cuts", "stop tests"} {
			must.Near(t, share[purpose], shares[purpose], 1e-12, c, purpose)
		}
	}
}

// pair is the neighbouring pair of errata R1 with m attributes beside A: two records (A=1, B=0, +)
// and six (A=0, B=1, -), without and with one record (A=1, B=1, +).
func pair(m int) (without, with *datasets.Table) {
	row := func(a, b, class uint32) []uint32 {
		codes := []uint32{a}
		for range m {
			codes = append(codes, b)
		}
		return append(codes, class)
	}
	cells := []int{2}
	for range m {
		cells = append(cells, 2)
	}
	rows := slices.Concat(times(2, row(1, 0, 0)...), times(6, row(0, 1, 1)...))
	return testinput.Numbers(2, cells, rows...), testinput.Numbers(2, cells,
		append(rows, row(1, 1, 0))...)
}

// rootLaw is the exact law of the root cut over the attributes of a table of binary ones,
// computed from the scores that the release itself uses.
func rootLaw(table *datasets.Table, variant algorithms.Variant, epsilon float64) []float64 {
	space := partition.NewSpace(table, table.Schema().QuasiIdentifiers())
	c := candidates{space: space, quality: Class}
	for dim := range space.Dims() {
		c.add(table.AllRows(), dim, 0, 2)
	}
	claimed := (&Params{Quality: Class}).sensitivity(variant).Claimed
	return testinput.Law(c.scores, epsilon/(2*claimed))
}

// TestExactLossOfOneCut computes the privacy loss of one cut on the pair of errata R1. With
// w = e^(1.5ε) the growth of A's weight, the loss is ln((m+w)/(m+1)) for the other cuts and
// ln(w(m+1)/(m+w)) for A, w = e^(ε/2) for strict.
func TestExactLossOfOneCut(t *testing.T) {
	const epsilon = 1.0
	for _, c := range []struct {
		variant algorithms.Variant
		m       int
		want    float64
	}{
		{algorithms.Published, 1, 1.008},      // of the cut that the record does not help
		{algorithms.Published, 10000, 1.4997}, // of A: 3/2 - ln(1.000348)
		{algorithms.Strict, 10000, 0.4999},    // of A: 1/2 - ln(1.0000649)
	} {
		without, with := pair(c.m)
		p, q := rootLaw(without, c.variant, epsilon), rootLaw(with, c.variant, epsilon)
		loss := 0.0
		for i := range p {
			loss = max(loss, math.Abs(math.Log(q[i]/p[i])))
		}
		must.Near(t, loss, c.want, 5e-4, c.variant, c.m)
		if c.variant == algorithms.Published && !(loss > epsilon) ||
			c.variant == algorithms.Strict && loss > epsilon {
			t.Errorf("%s, m=%d: loss %v against a charge of %v", c.variant, c.m, loss, epsilon)
		}
	}
}

// TestReplacementCostsTwice shows errata R2 on counts whose law is known: one record in the left or
// in the right half of a fixed partition, strict, all of ε on the counts. The event "something on
// the left, nothing on the right" has probability 1/(1+α)² with the record on the left and
// α²/(1+α)² with it on the right, α = e^-ε: a loss of 2ε. Without the record at all it is α/(1+α)²,
// a loss of ε. 4.9 standard deviations of room fail a right program with probability 1e-6.
func TestReplacementCostsTwice(t *testing.T) {
	t.Parallel()
	const epsilon, trials = 1.0, 2500
	params := DefaultParams()
	params.Partition, params.Depth, params.StopCheck = Fixed, 1, false
	hits := func(rows ...[]uint32) float64 {
		table := testinput.Numbers(0, []int{2}, rows...)
		n := 0.0
		for seed := range uint64(trials) {
			in := testinput.Input(table, params, algorithms.Strict, epsilon,
				seed+1000*uint64(len(rows)))
			counts := testinput.Release(t, Algorithm, in).Regions.Counts
			if counts[0] > 0 && counts[1] == 0 {
				n++
			}
		}
		return n
	}
	left, none, right := hits([]uint32{0}), hits(), hits([]uint32{1})
	for _, c := range []struct {
		name       string
		hits, loss float64
	}{{"replaced", right, 2 * epsilon}, {"removed", none, epsilon}} {
		loss, room := math.Log(left/c.hits), 4.9*math.Sqrt(1/left+1/c.hits)
		must.Near(t, loss, c.loss, room, c.name)
	}
}

// TestSizeByDepthPublishesN is errata R3: one record more always makes the output one larger.
func TestSizeByDepthPublishesN(t *testing.T) {
	params := DefaultParams()
	params.Counts, params.Depth = ByDepth, 8
	must.Be(t, params.Guarantee(algorithms.Published).Status, algorithms.Broken, "guarantee")
	for _, n := range []int{0, 1, 1000, 1001} {
		table := testinput.Numbers(0, []int{16, 16}, slices.Repeat([][]uint32{{3, 4}}, n)...)
		for seed := range uint64(20) {
			in := testinput.Input(table, params, algorithms.Published, 0.1, seed)
			r := testinput.Release(t, Algorithm, in)
			total := 0.0
			for _, count := range r.Regions.Counts {
				total += count
			}
			if r.Table.Len() != n || total != float64(n) {
				t.Fatalf("%d records and counts of %v from %d", r.Table.Len(), total, n)
			}
			for _, entry := range in.Budget.Ledger() {
				if entry.Purpose == "leaf counts" {
					t.Fatalf("a table without classes paid for %+v", entry)
				}
			}
		}
	}
}
