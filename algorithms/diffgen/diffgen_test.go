package diffgen

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"ppdp/algorithms/internal/testinput"

	"pgregory.net/rapid"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/partition"
	"ppdp/datasets"
	"ppdp/numeric/random"
	"ppdp/privacy"
)

// colours is a taxonomy whose leaves are not in the order of the codes, with an only child.
func colours() datasets.Attribute {
	return datasets.Attribute{
		Name: "colour", Kind: datasets.Categorical, Values: []string{"red", "blue", "pink", "navy",
			"grey"},
		Taxonomy: &datasets.Taxonomy{Nodes: []datasets.TaxonomyNode{
			{Name: "any", Parent: -1, Children: []int{1, 2, 3}},
			{Name: "reds", Parent: 0, Children: []int{4, 5}},
			{Name: "blues", Parent: 0, Children: []int{6, 7}},
			{Name: "greys", Parent: 0, Children: []int{8}},
			{Name: "pink", Parent: 1}, {Name: "red", Parent: 1}, {Name: "navy", Parent: 2},
			{Name: "blue", Parent: 2}, {Name: "grey", Parent: 3},
		}},
	}
}

// schemaOf is colour, a number below the given one, a flat attribute of three values and a class.
func schemaOf(number int, classes int) *datasets.Schema {
	s := &datasets.Schema{Attributes: []datasets.Attribute{
		colours(),
		{Name: "number", High: float64(number), Step: 1},
		{Name: "flat", Kind: datasets.Categorical, Values: []string{"a", "b", "c"}},
	}}
	s.Attributes = append(s.Attributes, testinput.Class(classes))
	return s
}

// started returns a cut over a table, before its search.
func started(t testinput.TB, in algorithms.Input) (*cut, privacy.Counter, *partition.Space,
	[]uint32) {
	t.Helper()
	c, noise, err := newCut(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	space := partition.NewSpace(in.Table, in.Table.Schema().QuasiIdentifiers())
	labels := make([]uint32, len(in.Rows))
	space.Labels(in.Rows, labels)
	for dim, axis := range partition.Axes(in.Table.Schema(), space.Attributes()) {
		c.marginals = append(c.marginals, newMarginal(space, dim, axis, in.Rows))
	}
	return c, noise, space, labels
}

// TestMarginals compares counts of intervals with counting rows, with and without sorting.
func TestMarginals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.SampledFrom([]int{1, 9, 100_000}).Draw(t, "numbers") // the last one sorts
		schema := schemaOf(number, 2)
		rows := testinput.DrawRows(t, schema, 20)
		table := testinput.Table(schema, rows...)
		c, _, _, _ := started(t, testinput.Input(table, DefaultParams(), algorithms.Published, 1,
			1))
		for dim := range c.marginals {
			m := &c.marginals[dim]
			low := uint32(rapid.IntRange(0, int(m.cells)-1).Draw(t, "low"))
			high := uint32(rapid.IntRange(int(low)+1, int(m.cells)).Draw(t, "high"))
			want := make([]int32, 2)
			for _, row := range rows {
				at := row[dim]
				if m.axis != nil {
					at = m.axis.Rank[at]
				}
				if at >= low && at < high {
					want[row[3]]++
				}
			}
			if got := m.add(nil, low, high, 2); !slices.Equal(got, want) {
				t.Fatalf("[%d, %d) on %d holds %v, must hold %v", low, high, dim, got, want)
			}
			if m.axis != nil {
				continue
			}
			f := m.frequencies(low, high, 2)
			sums := make([]int32, 2)
			for i, value := range f.Values {
				if value < low || value >= high || i > 0 && value <= f.Values[i-1] ||
					f.Counts[2*i]+f.Counts[2*i+1] == 0 {
					t.Fatalf("values %v of [%d, %d) with counts %v", f.Values, low, high, f.Counts)
				}
				sums[0] += f.Counts[2*i]
				sums[1] += f.Counts[2*i+1]
			}
			if !slices.Equal(sums, want) {
				t.Fatalf("frequencies of [%d, %d) sum to %v, must be %v", low, high, sums, want)
			}
		}
	})
}

// losses are the measures of one set of records by their definitions.
func losses(counts []int, penalty float64) (most, squared, certainty, entropy, n float64) {
	for _, count := range counts {
		most = math.Max(most, float64(count))
		n += float64(count)
	}
	for _, count := range counts {
		if count > 0 {
			p := float64(count) / n
			entropy -= p * math.Log2(p)
		}
	}
	return most, n * n, n * penalty, entropy, n
}

// TestScores compares the scores of every candidate with the definitions: sums over the children of
// a value, and where the paper's metric is a reduction, less the value's own.
func TestScores(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		schema := schemaOf(10, 3)
		rows := testinput.DrawRows(t, schema, 25)
		table := testinput.Table(schema, rows...)
		params := DefaultParams()
		params.Utility = rapid.SampledFrom(partition.Utilities()).Draw(t, "utility")
		params.Score = rapid.SampledFrom([]Score{Reduction, Children}).Draw(t, "score")
		params.Specialisations = rapid.IntRange(1, 6).Draw(t, "h")
		c, _, _, _ := started(t, testinput.Input(table, params, algorithms.Strict, 1,
			rapid.Uint64().Draw(t, "seed")))
		noError(t, c.search(context.Background()))
		for _, m := range c.open {
			type part struct {
				low, high uint32
				penalty   float64
			}
			own := part{m.low, m.high, float64(m.high-m.low) / 10}
			var parts []part
			if axis := c.marginals[m.dim].axis; axis == nil {
				parts = []part{{m.low, m.at, float64(m.at-m.low) / 10},
					{m.at, m.high, float64(m.high-m.at) / 10}}
			} else {
				share := func(node int) float64 {
					if len(axis.Taxonomy.Nodes[node].Children) == 0 {
						return 0
					}
					return float64(axis.High[node]-axis.Low[node]) / float64(len(axis.Code))
				}
				own.penalty = share(int(m.node))
				for _, child := range axis.Taxonomy.Nodes[m.node].Children {
					parts = append(parts, part{axis.Low[child], axis.High[child], share(child)})
				}
			}
			of := func(p part) []int {
				counts := make([]int, 3)
				for _, row := range rows {
					at := row[m.dim]
					if axis := c.marginals[m.dim].axis; axis != nil {
						at = axis.Rank[at]
					}
					if at >= p.low && at < p.high {
						counts[row[3]]++
					}
				}
				return counts
			}
			_, squared, certainty, entropy, n := losses(of(own), own.penalty)
			var best, squares, penalties, remaining float64
			for _, p := range parts {
				a, b, d, e, k := losses(of(p), p.penalty)
				best, squares, penalties = best+a, squares+b, penalties+d
				if n > 0 {
					remaining += k / n * e
				}
			}
			if params.Score == Children {
				squared, certainty = 0, 0
			}
			want := map[partition.Utility]float64{
				partition.MaxClass: best, partition.InformationGain: entropy - remaining,
				partition.Discernibility:   squared - squares,
				partition.CertaintyPenalty: certainty - penalties,
			}[params.Utility]
			if math.Abs(m.score-want) > 1e-9 {
				t.Fatalf("%s of %+v is %v, must be %v", params.Utility, m, m.score, want)
			}
		}
	})
}

// TestCut: the cut tiles every attribute with nodes and intervals, its values are as many as its
// specialisations have made, and no value is both a leaf and a candidate.
func TestCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		schema := schemaOf(6, 2)
		table := testinput.Table(schema, testinput.DrawRows(t, schema, 25)...)
		params := DefaultParams()
		params.Specialisations = rapid.IntRange(1, 20).Draw(t, "h")
		variant := rapid.SampledFrom([]algorithms.Variant{algorithms.Published, algorithms.Strict,
			algorithms.RefCode}).Draw(t, "variant")
		c, _, space, labels := started(t, testinput.Input(table, params, variant, 1,
			rapid.Uint64().Draw(t, "seed")))
		noError(t, c.search(context.Background()))
		g := must(c.product())
		// Inner nodes are any, reds, blues, greys; flat has its root; five cuts separate six
		// numbers.
		if limit := 4 + 1 + 5; c.made != min(limit, params.Specialisations) {
			t.Fatalf("%d specialisations, must be %d", c.made, min(limit, params.Specialisations))
		}
		cells, grown := uint64(1), 0
		for dim, members := range g.members {
			cells *= uint64(len(members))
			next := uint32(0)
			for i, m := range members {
				if m.low != next || m.high <= m.low {
					t.Fatalf("value %d of %d begins at %d, must begin at %d", i, dim, m.low, next)
				}
				axis := c.marginals[dim].axis
				if axis != nil && (axis.Low[m.node] != m.low || axis.High[m.node] != m.high) {
					t.Fatalf("node %d stands for [%d, %d)", m.node, m.low, m.high)
				}
				next = m.high
			}
			if next != c.marginals[dim].cells {
				t.Fatalf("the cut of %d ends at %d", dim, next)
			}
			if c.marginals[dim].axis == nil {
				grown += len(members) - 1
			}
		}
		if cells != g.cells {
			t.Fatalf("%d cells, must be %d", g.cells, cells)
		}
		// Every record is counted in the cell of its values.
		want := make(map[uint64][2]float64)
		rows := table.AllRows()
		for i, row := range rows {
			cell := uint64(0)
			for dim, members := range g.members {
				at := table.Column(dim).At(row)
				if axis := c.marginals[dim].axis; axis != nil {
					at = axis.Rank[at]
				}
				value := slices.IndexFunc(members, func(m member) bool {
					return at >= m.low && at < m.high
				})
				cell = cell*uint64(len(members)) + uint64(value)
			}
			counts := want[cell]
			counts[labels[i]]++
			want[cell] = counts
		}
		got := g.count(space, c.marginals, rows, labels)
		if len(got.cells) != len(want) || !slices.IsSorted(got.cells) {
			t.Fatalf("%d occupied cells, must be %d", len(got.cells), len(want))
		}
		for i, cell := range got.cells {
			counts := want[cell]
			if got.counts[2*i] != counts[0] || got.counts[2*i+1] != counts[1] {
				t.Fatalf("cell %d holds %v, must hold %v", cell, got.counts[2*i:2*i+2], counts)
			}
		}
	})
}

// TestCellsLaw runs the noise of a table of ten cells and two classes, four cells occupied, and
// compares each of the 20 counts with the law of noise on it alone, P(0) and P(1) of a rounded and
// clamped count n with noise x: of Laplace noise P(x < ½-n) and P(½-n ≤ x < 3/2-n), of integers P(x
// ≤ -n) and P(x = 1-n). With 20 counts, two probabilities and two laws, 5 standard deviations are
// exceeded by chance with probability 5e-5.
func TestCellsLaw(t *testing.T) {
	t.Parallel()
	const draws, epsilon = 40_000, 0.8
	exact := map[uint64][]float64{2: {1, 0}, 3: {0, 2}, 7: {3, 1}, 9: {0, 1}}
	laplace := func(x float64) float64 { // distribution function
		if x < 0 {
			return math.Exp(epsilon*x) / 2
		}
		return 1 - math.Exp(-epsilon*x)/2
	}
	geometric := func(k float64) float64 { // P(x ≤ k)
		a := math.Exp(-epsilon)
		if k < 0 {
			return math.Pow(a, -k) / (1 + a)
		}
		return 1 - math.Pow(a, k+1)/(1+a)
	}
	for name, law := range map[string]func(n, k float64) float64{
		"laplace":   func(n, k float64) float64 { return laplace(k + 0.5 - n) },
		"geometric": func(n, k float64) float64 { return geometric(k - n) },
	} {
		budget := privacy.NewBudget(epsilon)
		root := budget.Root()
		var noise privacy.Counter = budget.Laplace("x", random.NewKey(8).Stream(), privacy.Exact(1))
		if name == "geometric" {
			noise = budget.Geometric("y", random.NewKey(9).Stream(), privacy.Exact(1))
		}
		var zero, one [20]float64
		for range draws {
			occupied := &table{classes: 2}
			for _, cell := range []uint64{2, 3, 7, 9} {
				occupied.cells = append(occupied.cells, cell)
				occupied.counts = append(occupied.counts, exact[cell]...)
			}
			out := must(occupied.noised(context.Background(), &grid{cells: 10}, root.Fork(),
				epsilon, noise, Drawn, 100))
			if !slices.IsSorted(out.cells) || len(out.counts) != 2*len(out.cells) {
				t.Fatalf("cells %v with %d counts", out.cells, len(out.counts))
			}
			counts := [20]float64{}
			for i, cell := range out.cells {
				counts[2*cell], counts[2*cell+1] = out.counts[2*i], out.counts[2*i+1]
				if out.counts[2*i]+out.counts[2*i+1] == 0 {
					t.Fatalf("cell %d is listed with no count", cell)
				}
			}
			for i, n := range counts {
				switch n {
				case 0:
					zero[i]++
				case 1:
					one[i]++
				}
			}
		}
		for i := range 20 {
			n := 0.0
			if counts := exact[uint64(i/2)]; counts != nil {
				n = counts[i%2]
			}
			for k, seen := range []float64{zero[i], one[i]} {
				p := law(n, 0)
				if k == 1 {
					p = law(n, 1) - law(n, 0)
				}
				if d := math.Abs(seen-draws*p) / math.Sqrt(draws*p*(1-p)); d > 5 {
					t.Errorf("%s: count %d, in truth %v, comes out at %d %v times of %d,"+
						" expected %.0f", name, i, n, k, seen, draws, draws*p)
				}
			}
		}
	}
}

// TestRegions: whatever the sparse table, regions tile the domain; each of its cells is a region
// with its counts, and every other point lies in a region without counts: that of its own cell
// where cells are few (listAllBelow).
func TestRegions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		schema := schemaOf(6, 2)
		empty := testinput.Table(schema)
		params := DefaultParams()
		params.Specialisations = rapid.IntRange(1, 10).Draw(t, "h")
		c, _, space, _ := started(t, testinput.Input(empty, params, algorithms.Published, 1,
			rapid.Uint64().Draw(t, "seed")))
		noError(t, c.search(context.Background()))
		g := must(c.product())
		sparse, rare := &table{classes: 2}, rapid.SampledFrom([]int{1, 3, 9}).Draw(t, "rare")
		for cell := range g.cells {
			if rapid.IntRange(0, rare).Draw(t, "listed") == 0 {
				sparse.append(cell)
				sparse.counts[len(sparse.counts)-2+int(cell%2)] = float64(cell + 1)
			}
		}
		all := g.cells <= 4*uint64(len(sparse.cells))
		axes := partition.Axes(schema, space.Attributes())
		q := must(write(context.Background(), g, sparse, space.Attributes(), axes, 1e6))
		volume := uint32(0)
		for r := range q.Len() {
			low, high := q.Box(r)
			size := uint32(1)
			for d := range low {
				size *= high[d] - low[d]
				axis := axes[d]
				node := q.Nodes[q.Side(r, d)]
				if axis != nil && (axis.Low[node] != low[d] || axis.High[node] != high[d]) {
					t.Fatalf("region %d has [%d, %d) of node %d", r, low[d], high[d], node)
				}
			}
			volume += size
		}
		if volume != 5*6*3 || len(q.Tree) != q.Len()-1 {
			t.Fatalf("%d regions of %d points, %d cuts", q.Len(), volume, len(q.Tree))
		}
		for colour := range uint32(5) {
			for number := range uint32(6) {
				for flat := range uint32(3) {
					codes := []uint32{colour, number, flat}
					cell, exact := uint64(0), true
					r := q.Locate(codes)
					low, high := q.Box(r)
					for d, members := range g.members {
						at := q.Place(d, codes[d])
						value := slices.IndexFunc(members,
							func(m member) bool { return at >= m.low && at < m.high })
						cell = cell*uint64(len(members)) + uint64(value)
						exact = exact && low[d] == members[value].low &&
							high[d] == members[value].high &&
							q.Nodes[q.Side(r, d)] == members[value].node
					}
					want := []float64{0, 0}
					i, listed := slices.BinarySearch(sparse.cells, cell)
					if listed {
						want = sparse.counts[2*i : 2*i+2]
					}
					if !q.Contains(r, codes) || !slices.Equal(q.Count(r), want) {
						t.Fatalf("%v lies in region %d of counts %v, must have %v", codes, r,
							q.Count(r), want)
					}
					if (listed || all) && !exact {
						t.Fatalf("%v lies in [%v, %v), which is not its cell", codes, low, high)
					}
				}
			}
		}
	})
}

// TestWithoutNoise: as epsilon grows every choice is the best one, and the counts are the records'.
// Numbers agree with the class from 3 on, colours hardly, flat not at all.
func TestWithoutNoise(t *testing.T) {
	schema := schemaOf(6, 2)
	var rows [][]uint32
	for i := range uint32(600) {
		number := i % 6
		y := uint32(0)
		if number >= 3 {
			y = 1
		}
		rows = append(rows, []uint32{i / 6 % 5, number, i / 30 % 3, y})
	}
	table := testinput.Table(schema, rows...)
	for _, variant := range []algorithms.Variant{algorithms.Published, algorithms.Strict} {
		for _, utility := range []partition.Utility{partition.MaxClass, partition.InformationGain} {
			params := DefaultParams()
			params.Utility, params.Specialisations = utility, 1
			in := testinput.Input(table, params, variant, 1e6, 4)
			r := testinput.Release(t, Algorithm{}, in)
			_, high := r.Regions.Box(0)
			if r.Regions.Len() != 2 || high[1] != 3 || !slices.Equal(r.Regions.Counts,
				[]float64{300, 0, 0, 300}) {
				t.Errorf("%s, %s: %d regions, the first up to %v, with counts %v, must part the "+
					"numbers at 3", variant, utility, r.Regions.Len(), high, r.Regions.Counts)
			}
			if r.Table.Len() != 600 {
				t.Errorf("%d records are drawn, must be 600", r.Table.Len())
			}
		}
		// With everything specialised there is a region for each of the 90 points.
		params := DefaultParams()
		params.Specialisations = 100
		r := testinput.Release(t, Algorithm{}, testinput.Input(table, params, variant, 1e6, 4))
		if r.Regions.Len() != 90 || r.Structure.Depth != 10 {
			t.Fatalf("%d regions of %d specialisations, must be 90 of 10", r.Regions.Len(),
				r.Structure.Depth)
		}
		for _, row := range rows {
			want := []float64{0, 0}
			for _, other := range rows {
				if slices.Equal(other[:3], row[:3]) {
					want[other[3]]++
				}
			}
			if got := r.Regions.Count(r.Regions.Locate(row[:3])); !slices.Equal(got, want) {
				t.Fatalf("%v has counts %v, must have %v", row, got, want)
			}
		}
	}
}

// TestReductionOrChildren: by reduction a frequent value is specialised first, by minus the
// children's loss a rare one: 90 records are reds, 2 blues, evenly on two leaves, none is grey. The
// first specialisation is any.
func TestReductionOrChildren(t *testing.T) {
	var rows [][]uint32
	for i := range uint32(90) {
		rows = append(rows, []uint32{i % 2 * 2, 0, 0, 0}) // red and pink
	}
	rows = append(rows, []uint32{1, 0, 0, 0}, []uint32{3, 0, 0, 0})
	projected := must(testinput.Table(schemaOf(1, 2), rows...).Project("colour", "class"))
	const reds, greys = 1, 3
	for _, c := range []struct {
		utility partition.Utility
		score   Score
		node    int32
	}{
		{partition.Discernibility, Reduction, reds}, // 90² - 2·45² is the most there is to gain
		{partition.Discernibility, Children, greys}, // and -0² the least loss
		{partition.CertaintyPenalty, Reduction, reds},
	} {
		params := DefaultParams()
		params.Utility, params.Score, params.Specialisations = c.utility, c.score, 2
		cut, _, _, _ := started(t, testinput.Input(projected, params, algorithms.Strict, 1e6, 1))
		noError(t, cut.search(context.Background()))
		if slices.ContainsFunc(cut.members, func(m member) bool { return m.node == c.node }) {
			t.Errorf("%s by %s: node %d is left of the cut, must be specialised", c.utility,
				c.score, c.node)
		}
	}
}

func TestRefusals(t *testing.T) {
	table := testinput.Table(schemaOf(6, 2))
	unlabelled := must(table.Project("colour", "number"))
	set := func(change func(*Params)) func(*algorithms.Input) {
		return func(in *algorithms.Input) { change(in.Params.(*Params)) }
	}
	for _, c := range []struct {
		change func(*algorithms.Input)
		want   string
	}{
		{func(in *algorithms.Input) { in.Variant = "new" }, "no variant"},
		{func(in *algorithms.Input) { in.Budget = privacy.NewBudget(0) }, "epsilon 0"},
		{func(in *algorithms.Input) { in.Params = nil }, "parameters"},
		{set(func(p *Params) { p.Specialisations = 0 }), "h: 0"},
		{func(in *algorithms.Input) {
			in.Table = unlabelled
			in.Params.(*Params).Utility = partition.InformationGain
		}, "class"},
		{func(in *algorithms.Input) {
			in.Variant = algorithms.Strict
			in.Params.(*Params).Empty = Omitted
		}, "empty"},
		{func(in *algorithms.Input) {
			in.Variant = algorithms.RefCode
			in.Params.(*Params).Utility = partition.Discernibility
		}, "utility"},
	} {
		in := testinput.Input(table, DefaultParams(), algorithms.Published, 1, 1)
		c.change(&in)
		if _, err := (Algorithm{}).Release(context.Background(), in); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, must speak of %q", err, c.want)
		}
	}
	in := testinput.Input(table, DefaultParams(), algorithms.Published, 0.01, 1)
	in.Params.(*Params).Specialisations = 100
	in.Params.(*Params).MaxNodes = 10
	if _, err := (Algorithm{}).Release(context.Background(), in); !errors.Is(err,
		algorithms.ErrTooLarge) || !strings.Contains(err.Error(), "max_nodes") {
		t.Errorf("90 cells with a cap of 10: %v", err)
	}
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
