package partition

import (
	"context"
	"errors"
	"testing"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/internal/must"
	"ppdp/numeric/random"
)

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
		if b.Low[0] != 0 || b.High[0] != 4 || b.Nodes[0] != 0 || b.Depth() != 1 {
			t.Fatalf("after the specialisation the box is [%d, %d) of node %d at depth %d",
				b.Low[0], b.High[0], b.Nodes[0], b.Depth())
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
		if got := axes[0].Taxonomy.Nodes[regions.Nodes[2*r]].Name; got != name {
			t.Errorf("region %d is %s, must be %s", r, got, name)
		}
		if regions.Nodes[2*r+1] != -1 {
			t.Errorf("region %d has node %d of a numeric attribute", r, regions.Nodes[2*r+1])
		}
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
			if got := regions.Locate(codes); got != want {
				t.Errorf("%s, %d lies in region %d, must be %d", value, 1930+year, got, want)
			}
			for r := range names {
				if regions.Contains(r, codes) != (r == want) {
					t.Errorf("region %d holds %s, %d: %t", r, value, 1930+year, !(r == want))
				}
			}
		}
	}
	// Specialised are the cut of years, Any, New_World and Old_World; with the leaves that is 9
	// nodes.
	if got, want := b.Structure(),
		(algorithms.Structure{Nodes: 9, Leaves: 5, Depth: 3}); got != want {
		t.Errorf("structure %+v, must be %+v", got, want)
	}
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
