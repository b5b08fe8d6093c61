package privbayes

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ppdp/algorithms"
	"ppdp/algorithms/internal/testinput"
	"ppdp/algorithms/kernel/margins"
	"ppdp/audit/conformance"
	"ppdp/datasets"
	"ppdp/datasets/adult"
	"ppdp/numeric/random"
)

// TestBins: values tile the public domain in order, in runs of equal width up to one cell.
func TestBins(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cells := rapid.IntRange(1, 500).Draw(t, "cells")
		bins := rapid.IntRange(2, 40).Draw(t, "bins")
		a := &datasets.Attribute{Name: "x", High: float64(cells), Step: 1}
		d := newDomain(margins.PublicBins(a, bins))
		if want := min(cells, bins); int(d.values) != want {
			t.Fatalf("%d values, want %d", d.values, want)
		}
		end := uint32(0)
		for v := range uint32(d.values) {
			low, high := d.Span(v, nil)
			if low != end || int(high-low) < cells/int(d.values) ||
				int(high-low) > (cells+int(d.values)-1)/int(d.values) {
				t.Fatalf("value %d of %d spans [%d, %d) of %d cells after %d", v, d.values, low,
					high, cells, end)
			}
			for cell := low; cell < high; cell++ {
				got := []uint32{cell}
				if d.Codes(got); got[0] != v {
					t.Fatalf("cell %d of [%d, %d) has value %d, want %d", cell, low, high,
						got[0], v)
				}
			}
			end = high
		}
		if int(end) != cells {
			t.Fatalf("values end at %d of %d cells", end, cells)
		}
	})
}

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

func TestBitColumns(t *testing.T) {
	table := conformance.Table(300)
	rows := []int32{299, 3, 3, 150}
	for len(rows) < 200 {
		rows = append(rows, int32(len(rows)))
	}
	domains := newDomains(table.Schema(), 16)
	columns := bitColumns(table, rows, domains)
	for r, row := range rows {
		at := 0
		for i, d := range domains {
			code := uint32(0)
			for j := range d.width {
				code |= uint32(columns[at+j][r/64]>>(r%64)&1) << j
			}
			at += d.width
			want := make([]uint32, 1)
			d.valuesOf(want, table.Column(i), []int32{row})
			if code != want[0] {
				t.Fatalf("row %d, attribute %d reads %d, want %d", row, i, code, want[0])
			}
		}
		if at != len(columns) {
			t.Fatalf("%d columns, want %d", len(columns), at)
		}
	}
}

func TestLevels(t *testing.T) {
	schema := conformance.Table(1).Schema()
	domains := newDomains(schema, 16)
	for _, c := range []struct {
		attribute string
		encoding  Encoding
		sizes     []int
		coarsest  []uint32
	}{
		{"age", Vanilla, []int{16}, nil},
		{"age", Hierarchical, []int{16, 8, 4, 2}, []uint32{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1,
			1, 1}},
		{"work", Vanilla, []int{4}, nil},
		// craft: baker, smith; other: clerk, astronaut
		{"work", Hierarchical, []int{4, 2}, []uint32{0, 0, 1, 1}},
		{"smoker", Hierarchical, []int{2}, nil},  // the level above has one value
		{"disease", Hierarchical, []int{3}, nil}, // no taxonomy
	} {
		i := schema.Index(c.attribute)
		l := newLevels(&schema.Attributes[i], domains[i], c.encoding)
		if !slices.Equal(l.size, c.sizes) {
			t.Errorf("%s, %s: levels of %v values, want %v", c.attribute, c.encoding, l.size,
				c.sizes)
		}
		if last := l.of[len(l.of)-1]; c.coarsest != nil && !slices.Equal(last, c.coarsest) {
			t.Errorf("%s, %s: coarsest level %v, want %v", c.attribute, c.encoding, last,
				c.coarsest)
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
	noError(t, a.Validate())
	l := newLevels(a, newDomain(margins.PublicBins(a, 16)), Hierarchical)
	want := [][]uint32{{0, 1, 2, 3}, {2, 0, 1, 1}, {1, 0, 1, 1}}
	if !slices.EqualFunc(l.of, want, func(a, b []uint32) bool { return slices.Equal(a, b) }) ||
		!slices.Equal(l.size, []int{4, 3, 2}) {
		t.Errorf("levels %v of sizes %v, want %v of 4, 3 and 2", l.of, l.size, want)
	}
}

// wide is a table of attributes with 33 values each: six bits, of whose 64 codes 31 mean nothing.
func wide(attributes, n int) *datasets.Table {
	schema := &datasets.Schema{}
	for i := range attributes {
		schema.Attributes = append(schema.Attributes,
			datasets.Attribute{Name: string(rune('a' + i)), High: 33, Step: 1})
	}
	b := datasets.NewBuilder(schema, n)
	stream := random.NewKey(7).Stream()
	for range n {
		row := b.AddRow()
		for i := range attributes {
			b.Set(row, i, stream.Uint32N(33))
		}
	}
	return b.Table()
}

// TestRecordsOutsideTheDomainAreDrawnAgain: almost without budget half of all codes of each of 14
// attributes mean nothing, one record in ten thousand is valid, and drawing again comes to its end:
// the release is inside the domain all the same (CheckRelease) and says so.
func TestRecordsOutsideTheDomainAreDrawnAgain(t *testing.T) {
	table := wide(14, 100)
	params := DefaultParams()
	params.Bins = 64
	release, in := mustRelease(t, table, params, algorithms.Published, 1e-3, 1)
	info := Algorithm{}.Info()
	if err := conformance.CheckRelease(&info, info.Variants[0], in, release); err != nil {
		t.Error(err)
	}
	if !slices.ContainsFunc(release.Warnings, func(w string) bool {
		return len(w) > 0 && w != noParents
	}) {
		t.Errorf("warnings %q, want one about records without a value", release.Warnings)
	}
	// One attribute is mended in no case: half of the draws are valid.
	release, in = mustRelease(t, wide(1, 1000), params, algorithms.Published, 1e-3, 1)
	if err := conformance.CheckRelease(&info, info.Variants[0], in, release); err != nil {
		t.Error(err)
	}
}

func TestTooLarge(t *testing.T) {
	params := DefaultParams()
	params.Degree, params.Theta = 8, 1e-9
	if _, _, err := release(wide(14, 50), params, algorithms.Published, 1, 1); !errors.Is(err,
		algorithms.ErrTooLarge) {
		t.Errorf("56 bits with 8 parents: %v, want %v", err, algorithms.ErrTooLarge)
	}
	huge := &datasets.Schema{Attributes: []datasets.Attribute{{Name: "id",
		Kind: datasets.Categorical, Values: make([]string, maxMarginal+1)}}}
	params = DefaultParams()
	params.Encoding = Vanilla
	if _, _, err := release(datasets.NewBuilder(huge, 0).Table(), params, algorithms.Published, 1,
		1); !errors.Is(err, algorithms.ErrTooLarge) {
		t.Errorf("an attribute of %d values: %v, want %v", maxMarginal+1, err,
			algorithms.ErrTooLarge)
	}
}

// TestCrowdedBin: amounts that all lie in the first of a few bins come with a warning.
func TestCrowdedBin(t *testing.T) {
	rows := make([][]uint32, 500)
	for i := range rows {
		rows[i] = []uint32{uint32(i % 5), uint32(i % 2)}
	}
	release, _ := mustRelease(t, testinput.Numbers(2, []int{10000}, rows...), DefaultParams(),
		algorithms.Strict, 100, 1)
	if !slices.ContainsFunc(release.Warnings, func(w string) bool {
		return strings.Contains(w, "a0: 100 % of the records are in one interval, from 0 to 624")
	}) {
		t.Errorf("warnings %q, want one about the bin of all records", release.Warnings)
	}
}
