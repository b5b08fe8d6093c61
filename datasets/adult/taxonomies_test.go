package adult

import (
	"io/fs"
	"testing"

	"ppdp/datasets"
	"ppdp/internal/must"
)

// TestTaxonomyShapes holds the taxonomies to the shape that the published figures rest on.
func TestTaxonomyShapes(t *testing.T) {
	heights, inner := 0, 0
	for _, want := range []struct {
		attribute             string
		height, leaves, inner int
	}{
		{"workclass", 4, 8, 5},
		{"education", 4, 16, 10},
		{"marital-status", 3, 7, 4},
		{"occupation", 2, 14, 4},
		{"relationship", 2, 6, 2},
		{"race", 2, 5, 2},
		{"sex", 1, 2, 1},
		{"native-country", 3, 41, 19},
	} {
		a := Schema().Attributes[Schema().Index(want.attribute)]
		if a.Taxonomy == nil {
			t.Fatalf("%s has no taxonomy", want.attribute)
		}
		if err := a.Taxonomy.Validate(a.Values); err != nil {
			t.Errorf("%s: %v", want.attribute, err)
		}
		h, l := a.Taxonomy.Height(), len(a.Taxonomy.Leaves())
		n := len(a.Taxonomy.Nodes) - l
		if h != want.height || l != want.leaves || n != want.inner {
			t.Errorf("%s: height %d, %d leaves, %d broader terms, must be %d, %d, %d",
				want.attribute, h, l, n, want.height, want.leaves, want.inner)
		}
		heights += a.Taxonomy.Height()
		inner += n
	}
	if heights != 21 || inner != 47 {
		t.Errorf("heights add up to %d and broader terms to %d, must be 21 and 47", heights, inner)
	}
	files, err := fs.Glob(taxonomyFiles, "taxonomies/*.yaml")
	if err != nil || len(files) != 8 {
		t.Errorf("%d taxonomy files (%v), must be 8", len(files), err)
	}
}

// TestMostSpecialisations computes Al-Hussaeni et al. 2018, equation 14, over the attributes in the
// order of the files: the paper says that DiffMulti's h is "in millions", the number itself was
// computed from the released program's taxonomies by a separate program.
func TestMostSpecialisations(t *testing.T) {
	sum, product := 1, 1
	for i := range Schema().Attributes {
		if x := Schema().Attributes[i].Taxonomy; x != nil {
			between := len(x.Nodes) - len(x.Leaves()) - 1
			if product == 1 {
				sum += between
			} else {
				sum += product * (1 + between)
			}
			product *= len(x.Leaves())
		}
	}
	if sum != 14_856_277 {
		t.Errorf("at most %d specialisations, must be 14856277", sum)
	}
}

// TestTaxonomiesEverywhere: every selection has them, and codes are where they were.
func TestTaxonomiesEverywhere(t *testing.T) {
	for _, selection := range selections {
		table := must.Get(selection.project(datasets.NewBuilder(Schema(), 0).Table()))
		schema := table.Schema()
		for i := range schema.Attributes {
			a := &schema.Attributes[i]
			if want := a.Kind == datasets.Categorical &&
				a.Role != datasets.Class; (a.Taxonomy != nil) != want {
				t.Errorf("%s: %s has a taxonomy: %t, must be %t", selection.name, a.Name,
					a.Taxonomy != nil, want)
			}
		}
	}
}
