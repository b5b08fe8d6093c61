package mondrian

import (
	"fmt"
	"slices"
	"testing"

	"ppdp/algorithms/kernel/partition"
	"ppdp/internal/must"
)

// TestFigure6: generalised by zip code alone, the six patients allow strict partitioning no cut at
// k of 3 and become one class. Relaxed partitioning makes two of three, which share 53711.
func TestFigure6(t *testing.T) {
	table := must.Get(patients().Project("zipcode", "disease"))
	for _, test := range []struct {
		mode Mode
		want []string
	}{
		{Strict, []string{"53710-53712: 6"}},
		{Relaxed, []string{"53710-53711: 3", "53711-53712: 3"}},
	} {
		r := release(t, table, table.AllRows(), Params{K: 3, Mode: test.mode,
			Records: partition.Range})
		var got []string
		zip := &table.Schema().Attributes[0]
		for region := range r.Regions.Len() {
			got = append(got, fmt.Sprintf("%s-%s: %v", zip.Text(r.Regions.TightLow[region]),
				zip.Text(r.Regions.TightHigh[region]-1), r.Regions.Counts[region]))
		}
		if slices.Sort(got); !slices.Equal(got, test.want) {
			t.Errorf("%s: classes %q, must be %q", test.mode, got, test.want)
		}
		for row, region := range r.Regions.Assignment {
			code := table.Column(0).At(int32(row))
			if code < r.Regions.TightLow[region] || code >= r.Regions.TightHigh[region] {
				t.Errorf("%s: row %d of zip code %s is in region %q", test.mode, row,
					zip.Text(code), got[region])
			}
		}
	}
}

// TestLemma1: the paper's points without an allowable cut (section 2.3, Fig. 5), m of them at the
// centre and k-1 one step away from it in each direction, stay one region of the largest size
// there can be, 2d(k-1)+m. One point more (Lemma 2) lets any of the cuts be made.
func TestLemma1(t *testing.T) {
	for dims := 1; dims <= 4; dims++ {
		for _, k := range []int{2, 3, 10} {
			for _, m := range []int{k - 1, k, 3 * k} {
				centre := make([]int, dims)
				p := points{cells: make([]int, dims)}
				for d := range dims {
					centre[d], p.cells[d] = 1, 3
				}
				for range m {
					p.rows = append(p.rows, slices.Clone(centre))
				}
				for d := range dims {
					for _, step := range []int{-1, 1} {
						for range k - 1 {
							at := slices.Clone(centre)
							at[d] += step
							p.rows = append(p.rows, at)
						}
					}
				}
				params := Params{K: k, Mode: Strict, Records: partition.Box}
				table := p.table()
				r := release(t, table, table.AllRows(), params)
				if size := 2*dims*(k-1) + m; r.Regions.Len() != 1 ||
					r.Regions.Counts[0] != float64(size) {
					t.Errorf("d %d, k %d, m %d: regions of %v, must be one of %d", dims, k, m,
						r.Regions.Counts, size)
				}
				if m < k {
					continue // a copy of an outer point would be the one repeated most often
				}
				corner := slices.Clone(centre)
				corner[dims-1]++
				p.rows = append(p.rows, corner)
				table = p.table()
				if r := release(t, table, table.AllRows(), params); r.Regions.Len() < 2 {
					t.Errorf("d %d, k %d, m %d: no cut with a point more", dims, k, m)
				}
			}
		}
	}
}
