package mondrian

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ppdp/algorithms"
	"ppdp/algorithms/internal/testinput"
	"ppdp/algorithms/kernel/disclosure"
	"ppdp/algorithms/kernel/partition"
	"ppdp/audit/conformance"
	"ppdp/datasets"
	"ppdp/numeric/random"
)

// TestRecords: every record lies where its kind of drawing says, class and sensitive values are the
// input's, and uniform draws are uniform.
func TestRecords(t *testing.T) {
	table := conformance.Table(400)
	schema := table.Schema()
	for _, mode := range []Mode{Strict, Relaxed} {
		for _, from := range []partition.Records{partition.Box, partition.Range} {
			r := release(t, table, table.AllRows(), Params{K: 9, Mode: mode, Cut: First,
				Records: from})
			d := len(r.Regions.Attributes)
			low, high := r.Regions.Low, r.Regions.High
			if from != partition.Box {
				low, high = r.Regions.TightLow, r.Regions.TightHigh
			}
			row := int32(0)
			for region, rows := range groups(r) {
				balance := map[[2]uint32]int{}
				for _, original := range rows {
					for dim, attribute := range r.Regions.Attributes {
						at := region*d + dim
						code := r.Table.Column(attribute).At(row)
						if code < low[at] || code >= high[at] {
							t.Fatalf("%s %s: record %d has code %d of %s outside [%d, %d)", mode,
								from, row, code, schema.Attributes[attribute].Name, low[at],
								high[at])
						}
					}
					balance[[2]uint32{table.Column(4).At(original), table.Column(5).At(original)}]++
					balance[[2]uint32{r.Table.Column(4).At(row), r.Table.Column(5).At(row)}]--
					row++
				}
				for values, n := range balance {
					if n != 0 {
						t.Fatalf("%s %s: region %d has %+d rows with class and sensitive values"+
							" %v than records", mode, from, region, n, values)
					}
				}
			}
		}
	}
}

// TestRecordsAreShuffled: the place of a record in the release says nothing about its place in the
// input, in either mode. Twelve people in one class, each with a disease of their own: six
// uniform orders are all different, and not the input's, but for a probability below 10⁻⁷.
func TestRecordsAreShuffled(t *testing.T) {
	diseases := strings.Split("abcdefghijkl", "")
	b := datasets.NewBuilder(&datasets.Schema{Attributes: []datasets.Attribute{
		{Name: "age", Low: 0, High: 99, Step: 1},
		{Name: "disease", Kind: datasets.Categorical, Role: datasets.Sensitive, Values: diseases},
	}}, len(diseases))
	for i := range diseases {
		b.AddRow(uint32(20+i), uint32(i))
	}
	table := b.Table()
	for _, mode := range []Mode{Strict, Relaxed} {
		orders := map[string]bool{}
		for seed := range uint64(6) {
			params := DefaultParams()
			params.K, params.Mode = len(diseases), mode
			r := testinput.Release(t, Algorithm,
				testinput.Input(table, params, algorithms.Published, 0, seed))
			order := ""
			for row := range int32(len(diseases)) {
				order += diseases[r.Table.Column(1).At(row)]
			}
			if order == "abcdefghijkl" {
				t.Errorf("%s: the records are in the order of the input", mode)
			}
			orders[order] = true
		}
		if len(orders) < 6 {
			t.Errorf("%s: six seeds give the orders %v", mode, orders)
		}
	}
}

// TestDrawsAreUniform puts 60,000 rows into one region: a chi-square test over the 6 cells of the
// box and one over 20 equal parts of a continuous attribute's box. Fixed seed; the critical values
// are the 1-10⁻⁶ quantiles of chi-square with 5 and 19 degrees of freedom, so a correct sampler
// fails for about one seed in 500,000.
func TestDrawsAreUniform(t *testing.T) {
	schema := &datasets.Schema{Attributes: []datasets.Attribute{
		{Name: "x", Kind: datasets.Categorical, Values: []string{"a", "b", "c", "d", "e", "f"}},
		{Name: "y", Low: 10, High: 17.5, Step: 1, Continuous: true},
	}}
	const n = 60_000
	b := datasets.NewBuilder(schema, n)
	for range n {
		b.AddRow() // all rows equal
	}
	table := b.Table()
	r := release(t, table, table.AllRows(), Params{K: n, Mode: Strict, Cut: First,
		Records: partition.Box})
	cells, parts := make([]float64, 6), make([]float64, 20)
	for row := range int32(n) {
		cells[r.Table.Column(0).At(row)]++
		parts[int((r.Table.Number(row, 1)-10)/7.5*20)]++
	}
	if got := testinput.ChiSquare(cells, nil); got > 35.89 {
		t.Errorf("cells %v: chi-square %v, must be at most 35.89", cells, got)
	}
	if got := testinput.ChiSquare(parts, nil); got > 63.68 {
		t.Errorf("parts %v: chi-square %v, must be at most 63.68", parts, got)
	}
	// Other streams, other records; the partition draws nothing.
	params := DefaultParams()
	params.K = n
	q := testinput.Release(t, Algorithm,
		testinput.Input(table, params, algorithms.Published, 0, 2))
	if q.Table.Checksum() == r.Table.Checksum() {
		t.Error("records from different seeds are the same")
	}
	if diff := cmp.Diff(r.Regions.Counts, q.Regions.Counts); diff != "" {
		t.Errorf("the partition depends on the seed:\n%s", diff)
	}
}

// TestLimits: the partition is that of the definition, under every kind of limit, and
// where not even all rows together keep the limits the release says so.
func TestLimits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, draw := DefaultParams(), testinput.Draw(t)
		p.K, p.Limits = 2+draw(3), testinput.DrawLimits(draw)
		table := testinput.Sensitive(draw, p.K+draw(57), 3, 8, 20)
		rows := table.AllRows()
		if !testinput.Keeps(table, rows, rows, p.K, &p.Limits) {
			_, err := Algorithm.Release(context.Background(), algorithms.Input{Table: table,
				Rows: rows, Params: p, Variant: algorithms.Published})
			if !errors.Is(err, disclosure.ErrUnattainable) &&
				!errors.Is(err, algorithms.ErrTooFew) {
				t.Fatalf("%v, must wrap %v", err, disclosure.ErrUnattainable)
			}
			return
		}
		points := points{cells: []int{3, 8, 20}, keeps: func(part []int32) bool {
			return testinput.Keeps(table, part, rows, p.K, &p.Limits)
		}}
		for _, row := range rows {
			points.rows = append(points.rows, []int{int(table.Column(0).At(row)),
				int(table.Column(1).At(row)), int(table.Column(2).At(row))})
		}
		want, got := points.reference(rows, *p), groups(release(t, table, rows, *p))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("regions (-reference +got):\n%s", diff)
		}
	})
}

// shaped is a table of n rows in the shape of Adult's eight quasi-identifiers: the same domains,
// and values that crowd at one end of them.
func shaped(n int) *datasets.Table {
	schema := &datasets.Schema{Attributes: []datasets.Attribute{{Name: "age", Low: 15, High: 95,
		Step: 1}}}
	for _, cells := range []int{2, 5, 7, 16, 41, 7, 14} {
		values := make([]string, cells)
		for i := range values {
			values[i] = fmt.Sprint(i)
		}
		schema.Attributes = append(schema.Attributes,
			datasets.Attribute{Name: fmt.Sprint("c", cells, len(schema.Attributes)),
				Kind: datasets.Categorical, Values: values})
	}
	schema.Attributes = append(schema.Attributes, datasets.Attribute{Name: "salary",
		Kind: datasets.Categorical, Role: datasets.Class, Values: []string{"low", "high"}})
	stream := random.NewKey(5).Stream()
	b := datasets.NewBuilder(schema, n)
	for range n {
		row := b.AddRow()
		for i := range schema.Attributes {
			b.Set(row, i, uint32(float64(schema.Attributes[i].Cells())*math.Pow(stream.Open01(),
				2)))
		}
	}
	return b.Table()
}

func BenchmarkRelease(b *testing.B) {
	for _, mode := range []Mode{Strict, Relaxed} {
		for _, n := range []int{30_162, 1_000_000} {
			b.Run(fmt.Sprintf("%s/n=%d", mode, n), func(b *testing.B) {
				params := DefaultParams()
				params.Mode = mode
				table := shaped(n)
				b.ReportAllocs()
				for b.Loop() {
					in := testinput.Input(table, params, algorithms.Published, 0, 1)
					testinput.Release(b, Algorithm, in)
				}
				b.ReportMetric(float64(b.N)*float64(n)/b.Elapsed().Seconds(), "rows/s")
			})
		}
	}
}
