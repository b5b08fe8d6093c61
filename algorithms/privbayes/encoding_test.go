package privbayes

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"ppdp/algorithms"
	"ppdp/algorithms/internal/testinput"
	"ppdp/algorithms/kernel/margins"
	"ppdp/audit/conformance"
	"ppdp/datasets"
	"ppdp/datasets/adult"
	"ppdp/internal/must"
	"ppdp/numeric/random"
)

// TestAdultBits: six numeric attributes of 16 bins take 24 bits; lists of 8, 16, 7, 14, 6, 5, 2, 41
// and 2 values take 3, 4, 3, 4, 3, 3, 1, 6 and 1.
func TestAdultBits(t *testing.T) {
	sum := 0
	for _, d := range newDomains(adult.Schema(), 16) {
		sum += d.width
	}
	if sum != 52 {
		t.Errorf("%d bits, want 52", sum)
	}
}

func TestLevels(t *testing.T) {
	schema := conformance.Table(1).Schema()
	domains := newDomains(schema, 16)
	for _, c := range []struct {
		attribute string
		sizes     []int
		coarsest  []uint32
	}{
		{"age", []int{16, 8, 4, 2}, []uint32{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1,
			1, 1}},
		// craft: baker, smith; other: clerk, astronaut
		{"work", []int{4, 2}, []uint32{0, 0, 1, 1}},
		{"smoker", []int{2}, nil},  // the level above has one value
		{"disease", []int{3}, nil}, // no taxonomy
	} {
		i := schema.Index(c.attribute)
		l := newLevels(&schema.Attributes[i], domains[i])
		if !slices.Equal(l.size, c.sizes) {
			t.Errorf("%s: levels of %v values, want %v", c.attribute, l.size, c.sizes)
		}
		if last := l.of[len(l.of)-1]; c.coarsest != nil && !slices.Equal(last, c.coarsest) {
			t.Errorf("%s: coarsest level %v, want %v", c.attribute, last, c.coarsest)
		}
	}
}

// TestUnevenTaxonomy: a leaf above the depth of a level stays itself there.
func TestUnevenTaxonomy(t *testing.T) {
	a := &datasets.Attribute{
		Name: "place", Kind: datasets.Categorical, Values: []string{"lima", "moon", "rome", "oslo"},
		Taxonomy: &datasets.Taxonomy{Nodes: []datasets.TaxonomyNode{
			{Name: "any", Parent: -1, Children: []int{1, 2}},
			{Name: "moon", Parent: 0},
			{Name: "earth", Parent: 0, Children: []int{3, 6}},
			{Name: "europe", Parent: 2, Children: []int{4, 5}},
			{Name: "oslo", Parent: 3}, {Name: "rome", Parent: 3},
			{Name: "lima", Parent: 2},
		}},
	}
	must.Do(t, a.Validate())
	l := newLevels(a, newDomain(margins.PublicBins(a, 16), a))
	want := [][]uint32{{0, 1, 2, 3}, {2, 0, 1, 1}, {1, 0, 1, 1}}
	if !slices.EqualFunc(l.of, want, func(a, b []uint32) bool { return slices.Equal(a, b) }) ||
		!slices.Equal(l.size, []int{4, 3, 2}) {
		t.Errorf("levels %v of sizes %v, want %v of 4, 3 and 2", l.of, l.size, want)
	}
}

// wide is a table of attributes with 33 values each: six bits, of whose 64 codes 31 mean nothing.
func wide(attributes, n int) *datasets.Table {
	rows, stream := make([][]uint32, n), random.NewKey(7).Stream()
	for row := range rows {
		for range attributes {
			rows[row] = append(rows[row], stream.Uint32N(33))
		}
	}
	return testinput.Numbers(0, slices.Repeat([]int{33}, attributes), rows...)
}

// TestRecordsOutsideTheDomainAreDrawnAgain: almost without budget half of all codes of each of 14
// attributes mean nothing, one record in ten thousand is valid, and drawing again comes to its end:
// the release is inside the domain all the same (CheckRelease) and says so.
func TestRecordsOutsideTheDomainAreDrawnAgain(t *testing.T) {
	table := wide(14, 100)
	params := DefaultParams()
	params.Bins = 64
	release := conformance.Released(t, Algorithm{}, testinput.Input(table, params,
		algorithms.Published, 1e-3, 1))
	if !slices.ContainsFunc(release.Warnings, func(w string) bool {
		return strings.Contains(w, "records encoded no value")
	}) {
		t.Errorf("warnings %q, want one about records without a value", release.Warnings)
	}
	// One attribute is mended in no case: half of the draws are valid.
	conformance.Released(t, Algorithm{}, testinput.Input(wide(1, 1000), params,
		algorithms.Published, 1e-3, 1))
}

func TestTooLarge(t *testing.T) {
	params := DefaultParams()
	params.Degree, params.Theta = 8, 1e-9
	tooLarge := func(table *datasets.Table, params *Params) {
		if _, err := (Algorithm{}).Release(t.Context(), testinput.Input(table, params,
			algorithms.Published, 1, 1)); !errors.Is(err, algorithms.ErrTooLarge) {
			t.Errorf("%+v: %v, want %v", params, err, algorithms.ErrTooLarge)
		}
	}
	tooLarge(wide(14, 50), params) // 56 bits with 8 parents
	params = DefaultParams()
	params.Encoding = Hierarchical
	tooLarge(datasets.NewBuilder(&datasets.Schema{Attributes: []datasets.Attribute{{Name: "id",
		Kind: datasets.Categorical, Values: make([]string, maxMarginal+1)}}}, 0).Table(), params)
}

// TestCrowdedBin: amounts that all lie in the first of a few equal bins come with a warning.
func TestCrowdedBin(t *testing.T) {
	rows := make([][]uint32, 500)
	for i := range rows {
		rows[i] = []uint32{uint32(i % 5), uint32(i % 2)}
	}
	params := DefaultParams()
	params.Cut = margins.Equal
	release, _ := mustRelease(t, testinput.Numbers(2, []int{10000}, rows...), params,
		algorithms.Strict, 100, 1)
	if !slices.ContainsFunc(release.Warnings, func(w string) bool {
		return strings.Contains(w, "a0: 100 % of the records are in one interval, from 0 to 624")
	}) {
		t.Errorf("warnings %q, want one about the bin of all records", release.Warnings)
	}
}
