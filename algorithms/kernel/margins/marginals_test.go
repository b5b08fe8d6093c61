package margins

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ppdp/algorithms"
	"ppdp/algorithms/internal/testinput"
	"ppdp/algorithms/kernel/pgm"
	"ppdp/datasets"
	"ppdp/internal/must"
	"ppdp/numeric/random"
	"ppdp/privacy"
)

// numbers is a table of two numeric attributes of 10 and 4 cells and a class.
func numbers(rows ...[]uint32) *datasets.Table {
	return testinput.Numbers(2, []int{10, 4}, rows...)
}

func open(t testing.TB, table *datasets.Table, bins int, epsilon, delta float64,
	v algorithms.Variant, seed uint64) *Data {
	t.Helper()
	params := DefaultParams()
	params.Bins, params.Cut = bins, Equal
	in := algorithms.Input{Table: table, Rows: table.AllRows(), Variant: v,
		Budget: privacy.NewApproximate(epsilon, delta),
		Noise:  random.NewStreams(random.NewKey(seed))}
	return must.Get(Open(t.Context(), &in, params))
}

// TestPublicBins: bins tile the domain in order, in whole cells and of equal width up to one cell.
func TestPublicBins(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cells := rapid.IntRange(1, 500).Draw(t, "cells")
		most := rapid.IntRange(2, 40).Draw(t, "bins")
		b := PublicBins(&datasets.Attribute{Name: "x", High: float64(cells), Step: 1}, most)
		n, end := min(cells, most), uint32(0)
		if b.Size != n {
			t.Fatalf("%d bins, want %d", b.Size, n)
		}
		for bin := range uint32(n) {
			low, high := b.Leaf(bin, nil)
			if width := int(high - low); low != end || width < cells/n || width > (cells+n-1)/n {
				t.Fatalf("bin %d of %d is [%d, %d) of %d cells after %d", bin, n, low, high, cells,
					end)
			}
			for cell := low; cell < high; cell++ {
				got := []uint32{cell}
				if b.Codes(got); got[0] != bin {
					t.Fatalf("cell %d is in bin %d, want %d", cell, got[0], bin)
				}
			}
			end = high
		}
		if int(end) != cells {
			t.Fatalf("bins end at %d of %d cells", end, cells)
		}
	})
}

// TestExactOfManyRows: all marginals of more rows than a block, which are every combination of
// values equally often.
func TestExactOfManyRows(t *testing.T) {
	var rows [][]uint32
	for i := range uint32(80_000) {
		rows = append(rows, []uint32{i % 10, i / 10 % 4, i / 40 % 2})
	}
	d := open(t, numbers(rows...), 10, 1, 0, algorithms.Strict, 1)
	for _, set := range [][]int{{0}, {2}, {0, 1}, {1, 2}, {0, 1, 2}} {
		got := must.Get(d.Exact(set))
		for cell, n := range got {
			if n != 80_000/d.Cells(set) {
				t.Errorf("%v: cell %d has %v rows, want %v", set, cell, n, 80_000/d.Cells(set))
			}
		}
	}
	d.apply(0, [][]int{{0, 2, 4, 6, 8}, {1, 3, 5, 7, 9}})
	if got := must.Get(d.Exact([]int{0})); !slices.Equal(got, []float64{40_000, 40_000}) {
		t.Errorf("%v rows of two groups, must be half of all each", got)
	}
}

// TestRecordedNoise: the variance that models are fitted with is that of the noise, in either unit
// and variant. Squares of 20,000 draws have a standard error of at most √(5/20000).
func TestRecordedNoise(t *testing.T) {
	for _, variant := range []algorithms.Variant{algorithms.Published, algorithms.Strict} {
		for _, delta := range []float64{0, 1e-6} {
			d := open(t, testinput.Numbers(1, []int{20000}), 20000, 3, delta, variant, 7)
			noise := d.Noise("x")
			must.Do(t, d.Measure(noise, 0.3*d.Path.Remaining(), []int{0}))
			m := d.Measured[0]
			square, size := 0.0, 0.0
			for _, x := range m.Counts {
				square += x * x / 20000
				size += math.Abs(x) / 20000
				if variant == algorithms.Strict && x != math.Round(x) {
					t.Fatalf("strict noise of %v", x)
				}
			}
			if tolerance := 6 * math.Sqrt(5./20000); math.Abs(square/m.Variances[0]-1) > tolerance {
				t.Errorf("%s, delta %v: variance %v, recorded %v", variant, delta, square,
					m.Variances[0])
			}
			want := noise.MeanSize(0.3 * 3)
			if delta > 0 {
				want = noise.MeanSize(0.3 * privacy.RhoOf(3, delta))
			}
			if math.Abs(size/want-1) > 6*math.Sqrt(1./20000) {
				t.Errorf("%s, delta %v: mean size %v, want %v", variant, delta, size, want)
			}
		}
	}
}

// TestMergeRare: all rare values become one wherever they lie; rows and measurements follow, and
// records get members back, all alike.
func TestMergeRare(t *testing.T) {
	table := numbers([]uint32{0, 0, 0}, []uint32{1, 0, 1}, []uint32{9, 3, 1}, []uint32{5, 1, 0})
	open := func() *Data {
		d := open(t, table, 10, 1, 0, algorithms.Strict, 1)
		d.Measured = []pgm.Measurement{
			{Attributes: []int{0}, Counts: []float64{50, 1, 20, 5, -3, 60, 2, 30, 1, 1},
				Variances: []float64{25}},
			{Attributes: []int{0, 2}, Counts: []float64{25, 25, 1, 0, 10, 10, 5, 0, 0, -3,
				30, 30, 2, 0, 15, 15, 1, 0, 0, 1}, Variances: []float64{100}},
		}
		return d
	}
	d := open()
	d.MergeRare(2)
	// three deviations are 15: 0, 2, 5 and 7 are frequent
	if m := d.Measured[0]; !slices.Equal(valuesOf(d, 0), []uint32{0, 4, 4, 2}) ||
		!slices.Equal(m.Counts, []float64{50, 20, 60, 30, 7}) ||
		!slices.Equal(m.Variances, []float64{25, 25, 25, 25, 150}) {
		t.Errorf("rows %v, counts %v, variances %v", valuesOf(d, 0), m.Counts, m.Variances)
	}
	if joint := d.Measured[1].Counts; !slices.Equal(joint, []float64{25, 25, 10, 10, 30, 30, 15, 15,
		9, -2}) {
		t.Errorf("pairs %v", joint)
	}
	if rare := d.spans(0)[4]; !slices.Equal(rare, []datasets.Span{{Low: 1, High: 2},
		{Low: 3, High: 5}, {Low: 6, High: 7}, {Low: 8, High: 10}}) {
		t.Errorf("rare values are %v", rare)
	}
	stream, seen := random.NewKey(3).Stream(), make([]float64, 10)
	const n, p = 20000, 1. / 6
	for range n {
		seen[member(d.members[0][4], stream)]++
	}
	for _, v := range []int{1, 3, 4, 6, 8, 9} {
		if math.Abs(seen[v]-n*p) > 6*math.Sqrt(n*p*(1-p)) {
			t.Errorf("member %d is drawn %v times, want %v", v, seen[v], n*p)
		}
	}
	d = open()
	if d.MergeRare(0); d.Sizes[0] != 10 {
		t.Error("the attribute that is spared is merged")
	}
}

// TestPublish: as many records as the model has, rounded, whatever the table has; in bins, points
// of whose cells are published; more than max_rows as weights; copies with parts of 1 as weights.
func TestPublish(t *testing.T) {
	d := open(t, numbers(make([]uint32, 3)), 5, 1, 0, algorithms.Strict, 1)
	d.Measured = []pgm.Measurement{{Attributes: []int{0}, Counts: []float64{0, 10, 0, 30.4, 0},
		Variances: []float64{1}}}
	d.params.MaxRows = 40
	m := must.Get(d.Fit(5, nil))
	release := must.Get(d.Publish(m, nil))
	if release.Table.Len() != 40 || release.Weights != nil {
		t.Errorf("%d records of 40.4", release.Table.Len())
	}
	cells := make([]int, 10)
	for row := range int32(40) {
		cells[release.Table.Column(0).At(row)]++
	}
	if low, high := cells[2]+cells[3], cells[6]+cells[7]; low+high < 39 || low < 9 || high < 29 ||
		cells[2] == 0 || cells[3] == 0 {
		t.Errorf("cells %v", cells)
	}
	d = open(t, numbers(), 5, 1, 0, algorithms.Strict, 1)
	d.params.MaxRows = 10
	if release, err := d.Publish(m, nil); err != nil || release.Table.Len() != 10 ||
		release.Weights[3] != 4 || len(release.Warnings) == 0 ||
		!strings.Contains(release.Warnings[0], "max_rows is 10") {
		t.Errorf("ten of forty: %v, %v", release, err)
	}
	d = open(t, numbers(), 5, 1, 0, algorithms.Strict, 1)
	d.params.Copies = 4
	if release, err := d.Publish(m, nil); err != nil || release.Table.Len() != 160 ||
		release.Weights[159] != 0.25 {
		t.Errorf("four copies of forty: %d records, %v", release.Table.Len(), err)
	}
}

func TestDistance(t *testing.T) {
	if got := Distance([]float64{3, 0, 5}, []float64{1.5, 0.25, 7}); got != 3.75 {
		t.Errorf("distance %v, want 3.75", got)
	}
}

// TestWarnings: more than half of the records in one interval of several cells are a crowd, and
// records that noise may hide are said where they are more than one in twenty.
func TestWarnings(t *testing.T) {
	a := &datasets.Attribute{Name: "pay", High: 1000, Step: 1}
	var b Bins
	crowd := make(Crowd)
	for i := range uint32(10) {
		crowd.Add(i, i+1)
	}
	for range 10 {
		crowd.Add(0, 250)
	}
	if got := b.Warnings(a, crowd, 20, 20, Equal); got != nil {
		t.Errorf("half of the records: %q", got)
	}
	crowd.Add(0, 250)
	for cut, want := range map[Cut]string{Equal: "cut: private divides it",
		Private: "or a larger epsilon"} {
		got := b.Warnings(a, crowd, 20, 20, cut)
		if len(got) != 1 || !strings.HasPrefix(got[0],
			"pay: 55 % of the records are in one interval, from 0 to 249") ||
			!strings.Contains(got[0], want) {
			t.Errorf("%s: %q", cut, got)
		}
	}
	lacks := &datasets.Attribute{Name: "pay", High: 249, Step: 1, Missing: new(string)}
	must.Fail(t, errors.New(b.Warnings(lacks, crowd, 20, 20, Equal)[0]), `from 0 to "", and`)
	b.hidden = leaf{low: 600, high: 1000, variance: 25} // 10 records are two standard deviations
	if got := b.Warnings(a, nil, 2000, 200, Private); got != nil {
		t.Errorf("one in twenty: %q", got)
	}
	if got := b.Warnings(a, nil, 1000, 100, Private); len(got) != 1 || !strings.HasPrefix(got[0],
		"pay: noise may hide or make up 10 records (10 % of all) from 600 to 999") {
		t.Errorf("one in ten: %q", got)
	}
}

// valuesOf are an attribute's values by row.
func valuesOf(d *Data, a int) []uint32 {
	values := make([]uint32, len(d.in.Rows))
	d.columns[a].Widen(0, values)
	return values
}
