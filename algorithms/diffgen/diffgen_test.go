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
	"ppdp/audit/conformance"
	"ppdp/datasets"
	"ppdp/internal/must"
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
func started(t testinput.TB, in algorithms.Input) *cut {
	t.Helper()
	return must.Get(newCut(context.Background(), in, in.Params.(*Params)))
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
		c := started(t, testinput.Input(table, params, algorithms.Strict, 1,
			rapid.Uint64().Draw(t, "seed")))
		must.Do(t, c.search(context.Background()))
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
		c := started(t, testinput.Input(table, params, variant, 1,
			rapid.Uint64().Draw(t, "seed")))
		must.Do(t, c.search(context.Background()))
		g := must.Get(c.product())
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
			counts[c.labels[i]]++
			want[cell] = counts
		}
		got := g.count(c, rows)
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

// TestRegions: whatever the sparse table, regions tile the domain (conformance); each of its cells
// is a region with its counts, and every other point lies in a region without counts, which is the
// point's own cell where cells are few (listAllBelow).
func TestRegions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		schema := schemaOf(6, 2)
		empty := testinput.Table(schema)
		params := DefaultParams()
		params.Specialisations = rapid.IntRange(1, 10).Draw(t, "h")
		c := started(t, testinput.Input(empty, params, algorithms.Published, 1,
			rapid.Uint64().Draw(t, "seed")))
		must.Do(t, c.search(context.Background()))
		g := must.Get(c.product())
		sparse, rare := &table{classes: 2}, rapid.SampledFrom([]int{1, 3, 9}).Draw(t, "rare")
		for cell := range g.cells {
			if rapid.IntRange(0, rare).Draw(t, "listed") == 0 {
				sparse.append(cell)
				sparse.counts[len(sparse.counts)-2+int(cell%2)] = float64(cell + 1)
			}
		}
		all := g.cells <= 4*uint64(len(sparse.cells))
		poll := partition.NewPoll(context.Background())
		q := must.Get(write(&poll, g, sparse, c.space.Attributes(), c.axes, 1e6))
		must.Do(t, conformance.CheckRelease(
			&algorithms.Info{Produces: []algorithms.Product{algorithms.RegionsProduct}},
			algorithms.Guarantee{Model: algorithms.DifferentialPrivacy},
			algorithms.Input{Table: empty}, &algorithms.Release{Regions: q}))
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

// TestBestChoices: as epsilon grows every choice is the best one. Numbers agree with the class from
// 3 on, colours hardly, flat not at all. (That the counts become those of the records is a check of
// the suite.)
func TestBestChoices(t *testing.T) {
	var rows [][]uint32
	for i := range uint32(600) {
		number := i % 6
		rows = append(rows, []uint32{i / 6 % 5, number, i / 30 % 3, number / 3})
	}
	table := testinput.Table(schemaOf(6, 2), rows...)
	for _, variant := range []algorithms.Variant{algorithms.Published, algorithms.Strict} {
		for _, utility := range []partition.Utility{partition.MaxClass, partition.InformationGain} {
			params := DefaultParams()
			params.Utility, params.Specialisations = utility, 1
			in := testinput.Input(table, params, variant, 1e6, 4)
			r := testinput.Release(t, Algorithm, in)
			_, high := r.Regions.Box(0)
			if r.Regions.Len() != 2 || high[1] != 3 || !slices.Equal(r.Regions.Counts,
				[]float64{300, 0, 0, 300}) {
				t.Errorf("%s, %s: %d regions, the first up to %v, with counts %v, must part the "+
					"numbers at 3", variant, utility, r.Regions.Len(), high, r.Regions.Counts)
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	table := testinput.Table(schemaOf(6, 2))
	for _, c := range []struct {
		change func(*algorithms.Input, *Params)
		want   string
	}{
		{func(in *algorithms.Input, p *Params) {
			in.Table = must.Get(table.Project("colour", "number"))
			p.Utility = partition.InformationGain
		}, "class"},
		{func(in *algorithms.Input, p *Params) {
			in.Variant, p.Utility = algorithms.RefCode, partition.Discernibility
		}, "utility"},
		{func(_ *algorithms.Input, p *Params) { // 90 cells
			p.Specialisations, p.MaxNodes = 100, 10
		}, "max_nodes"},
	} {
		params := DefaultParams()
		in := testinput.Input(table, params, algorithms.Published, 0.01, 1)
		c.change(&in, params)
		if _, err := Algorithm.Release(t.Context(), in); err == nil ||
			!strings.Contains(err.Error(), c.want) ||
			errors.Is(err, algorithms.ErrTooLarge) != (c.want == "max_nodes") {
			t.Errorf("error %v, must speak of %q", err, c.want)
		}
	}
}
