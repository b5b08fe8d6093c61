package partition

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ppdp/algorithms"
	"ppdp/audit/conformance"
	"ppdp/datasets"
	"ppdp/internal/must"
	"ppdp/numeric/random"
)

// grow partitions at random and stores each leaf's exact class counts.
func grow(t *rapid.T, space *Space, b *Builder, rows []int32) {
	var open []int
	for dim := range space.Dims() {
		if b.Width(dim) > 1 {
			open = append(open, dim)
		}
	}
	if len(open) == 0 || b.depth == 6 || rapid.IntRange(0, 3).Draw(t, "stop") == 0 {
		_, counts, err := b.Leaf()
		if err != nil {
			t.Fatal(err)
		}
		exact := make([]int32, space.Classes())
		space.ClassCounts(rows, exact)
		for y, n := range exact {
			counts[y] = float64(n)
		}
		return
	}
	dim := rapid.SampledFrom(open).Draw(t, "dim")
	at := rapid.Uint32Range(b.Low[dim]+1, b.High[dim]-1).Draw(t, "at")
	n := space.Split(rows, dim, at)
	part := func(rows []int32) func() error {
		return func() error {
			grow(t, space, b, rows)
			return nil
		}
	}
	must.Do(t, b.Halve(dim, at, part(rows[:n]), part(rows[n:])))
}

func inside(regions *algorithms.Regions, region int, codes []uint32) bool {
	low, high := regions.Box(region)
	for d, code := range codes {
		if code < low[d] || code >= high[d] {
			return false
		}
	}
	return true
}

func TestRegionsTileTheDomainAndCountsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := drawTable(t)
		space := NewSpace(table, table.Schema().QuasiIdentifiers())
		b := NewBuilder(space, math.MaxInt)
		grow(t, space, b, table.AllRows())
		regions := b.Regions()

		structure := b.Structure()
		if structure.Leaves != regions.Len() || structure.Nodes != 2*regions.Len()-1 ||
			len(regions.Tree) != regions.Len()-1 {
			t.Fatalf("%+v for %d regions: a binary tree has one inner node less than leaves",
				structure, regions.Len())
		}
		for d := range space.Dims() {
			if b.Low[d] != 0 || b.High[d] != space.Cells(d) {
				t.Fatalf("the builder came back to box %v %v", b.Low, b.High)
			}
		}
		must.Do(t, tiled(table, regions))
		point, recount := make([]uint32, space.Dims()), make([]float64, len(regions.Counts))
		for _, row := range table.AllRows() {
			for d, attribute := range space.Attributes() {
				point[d] = table.Column(attribute).At(row)
			}
			label := 0
			if class := table.Schema().Class(); class >= 0 {
				label = int(table.Column(class).At(row))
			}
			recount[regions.Locate(point)*regions.Classes+label]++
		}
		if !slices.Equal(recount, regions.Counts) {
			t.Fatalf("counts %v, want %v", regions.Counts, recount)
		}
	})
}

// tiled reports whether regions tile the domain of a table, each where the tree leads.
func tiled(table *datasets.Table, regions *algorithms.Regions) error {
	info := &algorithms.Info{Produces: []algorithms.Product{algorithms.RegionsProduct}}
	return conformance.CheckRelease(info,
		algorithms.Guarantee{Model: algorithms.DifferentialPrivacy},
		algorithms.Input{Table: table, Rows: table.AllRows()},
		&algorithms.Release{Regions: regions})
}

func TestNodeCap(t *testing.T) {
	table := benchmarkTable()
	space := NewSpace(table, table.Schema().QuasiIdentifiers())
	b := NewBuilder(space, 3) // one cut and two leaves
	leaf := func() error {
		_, _, err := b.Leaf()
		return err
	}
	must.Do(t, b.Halve(0, 37, leaf, leaf))
	if _, _, err := b.Leaf(); !errors.Is(err, algorithms.ErrTooLarge) {
		t.Fatalf("a fourth node gives %v, want ErrTooLarge", err)
	}
	if err := b.Halve(1, 3, leaf, leaf); !errors.Is(err, algorithms.ErrTooLarge) {
		t.Fatalf("a cut beyond the cap gives %v, want ErrTooLarge", err)
	}
}

// continents is Fig. 2 of Al-Hussaeni et al. 2018 as far as it is needed here, with its leaves out
// of order, an only child, and a second, numeric attribute.
func continents() *datasets.Schema {
	return &datasets.Schema{Attributes: []datasets.Attribute{
		{Name: "continent", Kind: datasets.Categorical, Values: []string{"Asia", "North_America",
			"Europe", "Australia"},
			Taxonomy: &datasets.Taxonomy{Nodes: []datasets.TaxonomyNode{
				{Name: "Any", Parent: -1, Children: []int{1, 2, 3}},
				{Name: "New_World", Parent: 0, Children: []int{4, 5}},
				{Name: "Old_World", Parent: 0, Children: []int{6}},
				{Name: "Asia", Parent: 0},
				{Name: "North_America", Parent: 1}, {Name: "Australia", Parent: 1},
				{Name: "Europe", Parent: 2},
			}}},
		{Name: "year", Low: 1930, High: 1940, Step: 1},
	}}
}

// specialiseAll makes every leaf of every taxonomy a region.
func specialiseAll(t *testing.T, b *Builder, dim int, axis *datasets.Axis) {
	if len(axis.Taxonomy.Nodes[b.Nodes[dim]].Children) == 0 {
		if _, _, err := b.Leaf(); err != nil {
			t.Fatal(err)
		}
		return
	}
	must.Do(t, b.Specialise(dim, func(int) error {
		specialiseAll(t, b, dim, axis)
		return nil
	}))
}

func TestSpecialise(t *testing.T) {
	schema := continents()
	table := datasets.NewBuilder(schema, 0).Table()
	space := NewSpace(table, []int{0, 1})
	axes := Axes(schema, space.Attributes())
	if axes[1] != nil {
		t.Fatal("a numeric attribute has an axis")
	}
	b := NewBuilder(space, 100)
	b.Generalise(axes)
	// Years are cut at 1934; below it the continents are specialised down to their leaves.
	must.Do(t, b.Halve(1, 4, func() error {
		specialiseAll(t, b, 0, axes[0])
		if b.Low[0] != 0 || b.High[0] != 4 || b.Nodes[0] != 0 || b.depth != 1 {
			t.Fatalf("after the specialisation the box is [%d, %d) of node %d at depth %d",
				b.Low[0], b.High[0], b.Nodes[0], b.depth)
		}
		return nil
	}, func() error {
		_, _, err := b.Leaf()
		return err
	}))
	regions := b.Regions()
	// One region for each continent below 1934, in the order of the taxonomy, and one for the rest.
	names := []string{"North_America", "Australia", "Europe", "Asia", "Any"}
	if regions.Len() != len(names) {
		t.Fatalf("%d regions, must be %d", regions.Len(), len(names))
	}
	for r, name := range names {
		must.Be(t, axes[0].Taxonomy.Nodes[regions.Nodes[2*r]].Name, name, "region", r)
		must.Be(t, regions.Nodes[2*r+1], -1, "region", r)
	}
	for code, value := range schema.Attributes[0].Values {
		for year := range uint32(10) {
			codes := []uint32{uint32(code), year}
			want := 4
			for r, name := range names[:4] {
				if year < 4 && name == value {
					want = r
				}
			}
			must.Be(t, regions.Locate(codes), want, value, 1930+year)
			for r := range names {
				if regions.Contains(r, codes) != (r == want) {
					t.Errorf("region %d holds %s, %d: %t", r, value, 1930+year, !(r == want))
				}
			}
		}
	}
	// Specialised are the cut of years, Any, New_World and Old_World; with the leaves that is 9
	// nodes.
	must.Be(t, b.Structure(), (algorithms.Structure{Nodes: 9, Leaves: 5, Depth: 3}), "structure")
	// Records of a region have its value.
	tuples := []int{1, 2, 3, 4, 50}
	drawn := must.Get(synthesize(context.Background(), schema, regions, tuples, Uniform,
		random.NewKey(0).Stream()))
	row := int32(0)
	for r, n := range tuples {
		for range n {
			codes := []uint32{drawn.Column(0).At(row), drawn.Column(1).At(row)}
			if !regions.Contains(r, codes) {
				t.Errorf("row %d was drawn from region %d but is %v", row, r, codes)
			}
			row++
		}
	}
}

func TestSpecialiseTooLarge(t *testing.T) {
	schema := continents()
	space := NewSpace(datasets.NewBuilder(schema, 0).Table(), []int{0, 1})
	for most := range 3 {
		b := NewBuilder(space, most)
		b.Generalise(Axes(schema, space.Attributes()))
		err := b.Specialise(0, func(int) error {
			_, _, err := b.Leaf()
			return err
		})
		if !errors.Is(err, algorithms.ErrTooLarge) {
			t.Errorf("a specialisation into 3 under a cap of %d nodes: %v, must be ErrTooLarge",
				most, err)
		}
	}
}
