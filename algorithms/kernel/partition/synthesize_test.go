package partition

import (
	"context"
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/internal/must"
	"ppdp/numeric/random"
)

// drawRegions gives a table's schema, regions over a random partition and random tuple counts.
func drawRegions(t *rapid.T) (*datasets.Schema, *algorithms.Regions, []int) {
	table := drawTable(t)
	schema := &datasets.Schema{Attributes: append([]datasets.Attribute(nil),
		table.Schema().Attributes...)}
	for i := range schema.Attributes {
		a := &schema.Attributes[i]
		if a.Role != datasets.Class && rapid.Bool().Draw(t, "continuous") {
			a.Continuous = true
			a.Low, a.High, a.Step = -3, -3+0.1*float64(a.Cells()), 0.1
		}
	}
	space := NewSpace(table, table.Schema().QuasiIdentifiers())
	b := NewBuilder(space, math.MaxInt)
	grow(t, space, b, table.AllRows())
	tuples := make([]int, len(b.Regions().Counts))
	for i := range tuples {
		tuples[i] = rapid.IntRange(0, 4).Draw(t, "tuples")
	}
	return schema, b.Regions(), tuples
}

func TestSynthesizedRecordsLieInTheirBoxes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		schema, regions, tuples := drawRegions(t)
		values := rapid.SampledFrom([]Values{Uniform, Midpoint, Low}).Draw(t, "values")
		table := must.Get(synthesize(context.Background(), schema, regions, tuples, values,
			random.NewKey(3).Stream()))
		row := int32(0)
		point := make([]uint32, len(regions.Attributes))
		for i, n := range tuples {
			region, class := i/regions.Classes, i%regions.Classes
			low, high := regions.Box(region)
			for range n {
				for d, attribute := range regions.Attributes {
					point[d] = table.Column(attribute).At(row)
					a := &schema.Attributes[attribute]
					if a.Continuous {
						number := table.Number(row, attribute)
						if code, err := a.NumberCode(number); err != nil || code != point[d] {
							t.Fatalf("exact value %v beside code %d (%v)", number, point[d], err)
						}
						middle := a.Low + a.Step*float64(low[d]+high[d])/2
						if values == Midpoint && math.Abs(number-middle) > 1e-9 {
							t.Fatalf("value %v, want the middle %v of [%d, %d)", number, middle,
								low[d], high[d])
						}
						end := a.Low + a.Step*float64(low[d])
						if values == Low && math.Abs(number-end) > 1e-9 {
							t.Fatalf("value %v, want the lower end %v", number, end)
						}
						continue
					}
					want := low[d] + (high[d]-low[d]-1)/2
					if values == Midpoint && point[d] != want {
						t.Fatalf("code %d, want the middle %d of [%d, %d)", point[d], want, low[d],
							high[d])
					}
					if values == Low && point[d] != low[d] {
						t.Fatalf("code %d, want the lower end %d", point[d], low[d])
					}
				}
				if !inside(regions, region, point) {
					t.Fatalf("record %v outside its box %v %v", point, low, high)
				}
				if c := schema.Class(); c >= 0 && table.Column(c).At(row) != uint32(class) {
					t.Fatalf("class %d, want %d", table.Column(c).At(row), class)
				}
				row++
			}
		}
		if int(row) != table.Len() {
			t.Fatalf("%d records, want %d", table.Len(), row)
		}
	})
}

// TestUniformValuesAreUniform draws 10,000 values over ten cells. The chi-square statistic has
// nine degrees of freedom; 33.72 is its 0.9999 quantile, so a right program fails with
// probability 1e-4 over the choice of the seed, which is fixed.
func TestUniformValuesAreUniform(t *testing.T) {
	const n, cells, critical = 10000, 10, 33.72
	for _, a := range []datasets.Attribute{
		{Name: "discrete", High: 30, Step: 1},
		{Name: "continuous", High: 30, Step: 1, Continuous: true},
		{Name: "outside the regions", High: 10, Step: 1},
	} {
		schema := &datasets.Schema{Attributes: []datasets.Attribute{a}}
		regions := &algorithms.Regions{Attributes: []int{0}, Low: []uint32{7}, High: []uint32{17},
			Classes: 1, Counts: []float64{n}}
		low := uint32(7)
		if a.Cells() == 10 {
			regions.Attributes, regions.Low, regions.High, low = nil, nil, nil, 0
		}
		table := must.Get(synthesize(context.Background(), schema, regions, []int{n}, Uniform,
			random.NewKey(11).Stream()))
		var counts [cells]float64
		for row := range int32(n) {
			counts[table.Column(0).At(row)-low]++
		}
		statistic := 0.0
		for _, count := range counts {
			statistic += (count - n/cells) * (count - n/cells) / (n / cells)
		}
		if statistic > critical {
			t.Errorf("%s: chi-square %v above %v, counts %v", a.Name, statistic, critical, counts)
		}
	}
}

func TestSynthesizeRefusesWhatDoesNotFit(t *testing.T) {
	schema := &datasets.Schema{Attributes: []datasets.Attribute{{Name: "a", High: 4, Step: 1}}}
	regions := &algorithms.Regions{Attributes: []int{0}, Low: []uint32{0}, High: []uint32{4},
		Classes: 1, Counts: []float64{0}}
	stream := random.NewKey(1).Stream()
	if _, err := synthesize(context.Background(), schema, regions, nil, Uniform,
		stream); err == nil {
		t.Error("no tuple counts for one region: no error")
	}
	if _, err := synthesize(context.Background(), schema, regions, []int{math.MaxInt32 + 1},
		Uniform, stream); !errors.Is(err, algorithms.ErrTooLarge) {
		t.Errorf("more rows than there are row numbers: %v, want ErrTooLarge", err)
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := synthesize(cancelled, schema, regions, []int{1}, Uniform, stream); !errors.Is(err,
		context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
