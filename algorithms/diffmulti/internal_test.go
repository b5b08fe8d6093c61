package diffmulti

import (
	"context"
	"math"
	"slices"
	"testing"

	"ppdp/algorithms/internal/testinput"

	"pgregory.net/rapid"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/partition"
	"ppdp/datasets"
	"ppdp/numeric/random"
	"ppdp/privacy"
)

// drawTable draws a table of up to 60 rows over two taxonomies, one of them with an only child, and
// two numeric attributes, one with a domain too wide for marks.
func drawTable(t *rapid.T) *datasets.Table {
	classes := rapid.IntRange(1, 3).Draw(t, "classes")
	schema := &datasets.Schema{Attributes: []datasets.Attribute{
		{Name: "letter", Kind: datasets.Categorical, Values: []string{"d", "b", "e", "a", "c"},
			Taxonomy: &datasets.Taxonomy{Nodes: []datasets.TaxonomyNode{
				{Name: "any", Parent: -1, Children: []int{1, 2, 3}},
				{Name: "ab", Parent: 0, Children: []int{4, 5}},
				{Name: "only", Parent: 0, Children: []int{6}},
				{Name: "de", Parent: 0, Children: []int{7, 8}},
				{Name: "a", Parent: 1}, {Name: "b", Parent: 1}, {Name: "c", Parent: 2},
				{Name: "d", Parent: 3}, {Name: "e", Parent: 3},
			}}},
		{Name: "small", Low: 0, High: 12, Step: 1},
		{Name: "flat", Kind: datasets.Categorical, Values: []string{"x", "y", "z"}},
		{Name: "large", Low: 0, High: markedCells + 5, Step: 1},
	}}
	if classes > 1 {
		schema.Attributes = append(schema.Attributes, datasets.Attribute{Name: "class",
			Kind: datasets.Categorical, Role: datasets.Class,
			Values: []string{"no", "yes", "perhaps"}[:classes]})
	}
	n := rapid.IntRange(0, 60).Draw(t, "rows")
	b := datasets.NewBuilder(schema, n)
	stream := random.NewKey(rapid.Uint64().Draw(t, "table")).Stream()
	for range n {
		row := b.AddRow()
		for i := range schema.Attributes {
			cells := min(schema.Attributes[i].Cells(), 40)
			code := stream.Uint32N(uint32(cells))
			if i == 3 && code > 20 { // neighbouring values and far ones
				code = markedCells + 5 - code%7
				code = min(code, markedCells+4)
			}
			b.Set(row, i, code)
		}
	}
	return b.Table()
}

// start returns a recursion about to handle the root.
func start(t rapid.TB, table *datasets.Table, variant algorithms.Variant, params *Params,
	seed uint64) (*recursion, []int32) {
	t.Helper()
	in := testinput.Input(table, params, variant, 1, seed)
	r := must(newRecursion(context.Background(), in))
	return r, in.Rows
}

// count makes the statistics of rows from the table by definition.
func count(r *recursion, table *datasets.Table, attributes []int, rows []int32) []int32 {
	stats := make([]int32, r.layout.slots)
	class := table.Schema().Class()
	for _, row := range rows {
		y := 0
		if class >= 0 {
			y = int(table.Column(class).At(row))
		}
		stats[r.layout.total+y]++
		number := 0
		for dim, a := range attributes {
			code := table.Column(a).At(row)
			if axis := r.layout.axes[dim]; axis != nil {
				stats[r.layout.at[dim]+int(axis.Rank[code])*r.layout.classes+y]++
				continue
			}
			if code < r.points[number] {
				stats[r.layout.at[dim]+y]++
			}
			number++
		}
	}
	return stats
}

// TestStatistics divides random regions in every possible way and compares the statistics that
// children are handed, counted or inherited, with those counted by definition. Slots of the
// attribute that was just cut are the child's to fill.
func TestStatistics(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := drawTable(t)
		attributes := table.Schema().QuasiIdentifiers()
		params := DefaultParams()
		params.Specialisations = rapid.IntRange(1, 10).Draw(t, "h")
		r, rows := start(t, table, algorithms.Strict, params, rapid.Uint64().Draw(t, "seed"))
		stats := r.slot(0)
		r.store.tally(rows, r.cuts, stats, 1)
		at := place{}
		path := *r.paths.at(place{})
		r.families = append(r.families, new(family))
		noError(t, r.drawCutPoints(&path, rows, stats, &at, allFresh))
		if want := count(r, table, attributes, rows); !slices.Equal(stats, want) {
			t.Fatalf("the root's statistics are %v, must be %v", stats, want)
		}
		dim := rapid.IntRange(0, len(attributes)-1).Draw(t, "dimension")
		axis := r.layout.axes[dim]
		children, node, cut, fresh := 2, (*nodeChildren)(nil), uint32(0), -1
		if axis != nil {
			node = &r.below[dim][0]
			children = len(node.ends)
		} else {
			fresh = slices.Index(r.layout.numbers, dim)
			cut = r.cuts[fresh]
		}
		f, _, err := r.divide(rows, stats, 1, params.Specialisations, at, &path, dim, children,
			node, cut)
		if err != nil {
			t.Fatal(err)
		}
		if sorted := slices.Sorted(slices.Values(rows)); !slices.Equal(sorted, table.AllRows()) {
			t.Fatalf("rows %v after a division", rows)
		}
		from := int32(0)
		for c := range children {
			own := rows[from : from+f.sizes[c]]
			from += f.sizes[c]
			for _, row := range own {
				code := table.Column(attributes[dim]).At(row)
				right := axis == nil && (code < r.points[fresh]) == (c == 0)
				if axis != nil {
					child := axis.Taxonomy.Nodes[0].Children[c]
					right = axis.Rank[code] >= axis.Low[child] && axis.Rank[code] < axis.High[child]
				}
				if !right {
					t.Fatalf("code %d of dimension %d is in child %d", code, dim, c)
				}
			}
			if f.stats[c] == nil {
				if f.given[c] > 0 && len(own) > 0 {
					t.Fatalf("child %d of %d rows may be specialised %d times and has no"+
						" statistics", c, len(own), f.given[c])
				}
				continue
			}
			want := count(r, table, attributes, own)
			got := slices.Clone(f.stats[c])
			if fresh >= 0 {
				copy(got[r.layout.at[dim]:r.layout.at[dim]+r.layout.classes],
					want[r.layout.at[dim]:])
			}
			if !slices.Equal(got, want) {
				t.Fatalf("child %d has statistics %v, must have %v", c, got, want)
			}
		}
		if int(from) != len(rows) {
			t.Fatalf("children of %d rows altogether, must be %d", from, len(rows))
		}
	})
}

// TestFrequencies compares the values of a region, by counting and by sorting, with those found by
// definition.
func TestFrequencies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := drawTable(t)
		r, rows := start(t, table, algorithms.Strict, DefaultParams(), 1)
		dim := rapid.SampledFrom(r.layout.numbers).Draw(t, "dimension")
		column := table.Column(table.Schema().QuasiIdentifiers()[dim])
		low := rapid.Uint32Range(0, 3).Draw(t, "low")
		high := rapid.SampledFrom([]uint32{low + 2, low + 9, r.roots[dim]}).Draw(t, "high")
		rows = slices.DeleteFunc(rows, func(row int32) bool {
			return column.At(row) < low || column.At(row) >= high
		})
		r.frequency.gather(r.layout, r.store, rows, dim, low, high)
		f := &r.frequency.out
		found := make(map[uint32][]int32)
		class := table.Schema().Class()
		for _, row := range rows {
			code := column.At(row)
			if found[code] == nil {
				found[code] = make([]int32, r.layout.classes)
			}
			y := uint32(0)
			if class >= 0 {
				y = table.Column(class).At(row)
			}
			found[code][y]++
		}
		if !slices.IsSorted(f.Values) || len(f.Values) != len(found) {
			t.Fatalf("values %v of %d different ones", f.Values, len(found))
		}
		for i, v := range f.Values {
			got := f.Counts[i*r.layout.classes : (i+1)*r.layout.classes]
			if !slices.Equal(got, found[v]) {
				t.Fatalf("value %d has counts %v, must have %v", v, got, found[v])
			}
		}
	})
}

// TestWordWidths: words of 16 and of 32 bits and places in halves hold the same.
func TestWordWidths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := drawTable(t)
		rows, attributes := table.AllRows(), table.Schema().QuasiIdentifiers()
		axes := partition.Axes(table.Schema(), attributes)
		l, narrow := pack(table, rows, attributes, axes, half)
		if _, ok := narrow.(*packed[uint16]); !ok {
			t.Fatalf("a small table is packed as %T", narrow)
		}
		for _, dim := range l.numbers {
			sorted := distinct(table.Column(attributes[dim]), rows, markedCells+1)
			if !slices.Equal(sorted, l.values[dim]) {
				t.Fatalf("values %v by sorting, %v by marking", sorted, l.values[dim])
			}
		}
		_, halved := pack(table, rows, attributes, axes, rapid.IntRange(0, 3).Draw(t, "single"))
		cuts := []uint32{rapid.Uint32Range(0, 12).Draw(t, "first cut"),
			rapid.Uint32Range(0, 12).Draw(t, "second cut")}
		for name, other := range map[string]store{"32 bits": fill[uint32](l, table, rows,
			attributes), "halves": halved} {
			a, b := make([]int32, l.slots), make([]int32, l.slots)
			narrow.tally(rows, cuts, a, 1)
			other.tally(rows, cuts, b, 1)
			if !slices.Equal(a, b) {
				t.Fatalf("%s: statistics %v, must be %v", name, b, a)
			}
			for i, dim := range l.numbers {
				if a, b := narrow.keys(rows, dim, nil), other.keys(rows, dim, nil); !slices.Equal(a,
					b) {
					t.Fatalf("%s: values %v, must be %v", name, b, a)
				}
				first, second, sizes, others := slices.Clone(rows), slices.Clone(rows),
					make([]int32, 2), make([]int32, 2)
				narrow.divide(first, new(divideScratch), dim, nil, cuts[i], sizes)
				other.divide(second, new(divideScratch), dim, nil, cuts[i], others)
				if !slices.Equal(first, second) || !slices.Equal(sizes, others) {
					t.Fatalf("%s: rows %v of sizes %v, must be %v of %v", name, second, others,
						first, sizes)
				}
			}
		}
	})
}

// TestHalvesAgree: a place beyond 16 bits comes back as it went in.
func TestHalvesAgree(t *testing.T) {
	schema := &datasets.Schema{Attributes: []datasets.Attribute{{Name: "x", High: 1 << 20,
		Step: 1}}}
	const n = 3*half/2 + 5
	b := datasets.NewBuilder(schema, n)
	for i := range n {
		b.Set(b.AddRow(), 0, uint32(7*i))
	}
	table := b.Table()
	_, s := pack(table, table.AllRows(), []int{0}, []*datasets.Axis{nil}, half)
	for i, key := range s.keys(table.AllRows(), 0, nil) {
		if key != uint32(i) {
			t.Fatalf("value %d has place %d", i, key)
		}
	}
}

// TestCompact: copying the rows of small regions together changes nothing.
func TestCompact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table, params := drawTable(t), DefaultParams()
		params.Specialisations = 200
		seed := rapid.Uint64().Draw(t, "seed")
		plain, rows := start(t, table, algorithms.Strict, params, seed)
		noError(t, plain.root(rows))
		compacting, rows := start(t, table, algorithms.Strict, params, seed)
		compacting.compactFrom = 1
		noError(t, compacting.root(rows))
		a, b := plain.builder.Regions(), compacting.builder.Regions()
		if !slices.Equal(a.Low, b.Low) || !slices.Equal(a.High, b.High) ||
			!slices.Equal(a.Nodes, b.Nodes) || !slices.Equal(plain.counts, compacting.counts) {
			t.Fatalf("regions [%v, %v) with counts %v, compacted [%v, %v) with %v", a.Low, a.High,
				plain.counts, b.Low, b.High, compacting.counts)
		}
		if table.Len() > 0 && compacting.store.size() != table.Len() {
			t.Fatalf("the store ends with %d of %d rows", compacting.store.size(), table.Len())
		}
	})
}

// TestApportion: shares are in proportion but for less than one each, all of h-1 is given out where
// there is any weight, and nothing to children without.
func TestApportion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 1_000_000).Draw(t, "specialisations")
		weights := rapid.SliceOfN(rapid.Float64Range(0, 1e7), 1, 8).Draw(t, "weights")
		for i := range weights {
			if rapid.Bool().Draw(t, "empty") {
				weights[i] = 0
			}
		}
		s := shares{draws: random.NewKey(1).Stream()}
		given, sum, all := make([]int, len(weights)), 0.0, 0
		left := s.apportion(n, weights, given)
		floors := slices.Clone(given)
		s.spread(left, weights, given)
		for _, w := range weights {
			sum += w
		}
		for i, w := range weights {
			all += given[i]
			// 1e-6: the last bits of a quotient may round an integer down.
			if sum > 0 && math.Abs(float64(given[i])-w/sum*float64(n)) > 1+1e-6 || w == 0 &&
				given[i] != 0 || given[i] < floors[i] {
				t.Fatalf("weights %v share %d as %v", weights, n, given)
			}
		}
		if want := n; sum > 0 && all != want || sum == 0 && all != 0 {
			t.Fatalf("%d of %d were given out by weights %v", all, n, weights)
		}
	})
}

// TestReleases: no more than h specialisations, no path longer than |g|, every row in one region,
// counts of whole records, all of the budget spent on the most expensive path.
func TestReleases(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := drawTable(t)
		params := DefaultParams()
		params.Specialisations = rapid.IntRange(1, 40).Draw(t, "h")
		params.LongestPath = rapid.IntRange(0, 5).Draw(t, "path")
		params.HPrime = rapid.SampledFrom([]HPrime{ByVariant, ByStrict, ByEven}).Draw(t, "hprime")
		params.Utility = rapid.SampledFrom(partition.Utilities()).Draw(t, "utility")
		if table.Schema().Classes() < 2 && params.Utility == partition.InformationGain {
			params.Utility = partition.MaxClass
		}
		variant := rapid.SampledFrom([]algorithms.Variant{algorithms.Published, algorithms.Strict,
			algorithms.RefCode}).Draw(t, "variant")
		if variant != algorithms.Strict && rapid.Bool().Draw(t, "exact") {
			params.HPrime = ByExact
		}
		epsilon := rapid.SampledFrom([]float64{0.1, 10, 1e6}).Draw(t, "epsilon")
		budget := privacy.NewBudget(epsilon)
		r := must(Algorithm{}.Release(context.Background(), algorithms.Input{Table: table,
			Rows: table.AllRows(), Params: params, Variant: variant,
			Budget: budget, Noise: random.NewStreams(random.NewKey(rapid.Uint64().Draw(t,
				"seed")))}))
		if made := r.Structure.Nodes - r.Structure.Leaves; made > params.Specialisations {
			t.Fatalf("%d specialisations, at most %d were asked for", made, params.Specialisations)
		}
		longest := max(params.LongestPath, (1-min(params.LongestPath, 1))*(2+7+1+7))
		if r.Structure.Depth > longest {
			t.Fatalf("a path of %d specialisations, |g| is %d", r.Structure.Depth, longest)
		}
		if claimed, _ := budget.Spent(); math.Abs(claimed-epsilon) > 1e-9*epsilon {
			t.Fatalf("the most expensive path spent %v of %v", claimed, epsilon)
		}
		for _, n := range r.Regions.Counts {
			if n != math.Floor(n) || n < 0 {
				t.Fatalf("a count of %v", n)
			}
		}
		if epsilon < 1e6 || variant == algorithms.RefCode {
			return
		}
		// Hardly any noise: counts are those of the rows, less one where noise was negative.
		exact := countRows(table, r.Regions)
		for i, n := range r.Regions.Counts {
			if d := exact[i] - n; d != 0 && (variant == algorithms.Strict || d != 1) {
				t.Fatalf("count %d is %v, the region has %v rows", i, n, exact[i])
			}
		}
	})
}

// countRows counts the rows of each region by class.
func countRows(table *datasets.Table, regions *algorithms.Regions) []float64 {
	attributes := table.Schema().QuasiIdentifiers()
	exact := make([]float64, len(regions.Counts))
	codes := make([]uint32, len(attributes))
	for row := range int32(table.Len()) {
		for d, a := range attributes {
			codes[d] = table.Column(a).At(row)
		}
		y := 0
		if class := table.Schema().Class(); class >= 0 {
			y = int(table.Column(class).At(row))
		}
		exact[regions.Locate(codes)*regions.Classes+y]++
	}
	return exact
}

// must returns v, and panics on an error: for the steps that a test takes for granted.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// noError ends the test or benchmark on an error.
func noError(t rapid.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
