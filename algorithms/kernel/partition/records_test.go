package partition

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ppdp/algorithms"
	"ppdp/algorithms/internal/testinput"
	"ppdp/datasets"
	"ppdp/internal/must"
	"ppdp/numeric/random"
)

// halves is a partition of ten cells into two regions, with two classes.
func halves() (*datasets.Schema, *algorithms.Regions) {
	schema := &datasets.Schema{Attributes: []datasets.Attribute{
		{Name: "x", High: 10, Step: 1},
		{Name: "class", Kind: datasets.Categorical, Values: []string{"no", "yes"},
			Role: datasets.Class},
	}}
	return schema, &algorithms.Regions{Attributes: []int{0}, Low: []uint32{0, 4},
		High: []uint32{4, 10}, Classes: 2, Counts: make([]float64, 4)}
}

// drawn counts a table's rows by region and class.
func drawn(table *datasets.Table) [4]int {
	var n [4]int
	for row := range int32(table.Len()) {
		region := 0
		if table.Column(0).At(row) >= 4 {
			region = 1
		}
		n[2*region+int(table.Column(1).At(row))]++
	}
	return n
}

func TestRecords(t *testing.T) {
	schema, regions := halves()
	for _, c := range []struct {
		sizes   []float64
		maxRows int
		want    [4]int
		weight  float64
		warned  bool
	}{
		{[]float64{3, 0, 2, 5}, 10, [4]int{3, 0, 2, 5}, 1, false},
		// Remainders are carried along: 1.4, 1.8, 2.2 and 2.6 are rounded to 1, 2, 2 and 3.
		{[]float64{1.4, 0.4, 0.4, 0.4}, 10, [4]int{1, 1, 0, 1}, 1, false},
		{[]float64{40, 0, 20, 60}, 12, [4]int{4, 0, 2, 6}, 10, true},
		{[]float64{0, 0, 0, 0}, 12, [4]int{}, 1, false},
	} {
		release := &algorithms.Release{Regions: regions}
		must.Do(t, AddRecords(release, schema, c.sizes, Drawing{Uniform, c.maxRows},
			random.NewKey(0).Stream()))
		count, _ := release.RecordCount()
		table, weights, err := release.Records(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		must.Be(t, count, c.weight*float64(table.Len()), "sizes", c.sizes)
		must.Be(t, drawn(table), c.want, "sizes", c.sizes)
		if (len(release.Warnings) == 1) != c.warned || (weights != nil) != c.warned {
			t.Errorf("sizes %v under %d rows: warnings %q, %d weights", c.sizes, c.maxRows,
				release.Warnings, len(weights))
		}
		for _, w := range weights {
			must.Be(t, w, c.weight, "sizes", c.sizes, c.maxRows)
		}
	}
	large := []float64{math.MaxFloat64, math.MaxFloat64, 0, 0}
	if err := AddRecords(&algorithms.Release{Regions: regions}, schema, large, Drawing{Uniform, 10},
		random.NewKey(0).Stream()); !errors.Is(err, algorithms.ErrTooLarge) {
		t.Errorf("sizes beyond all numbers: %v, must be ErrTooLarge", err)
	}
}

// TestRecordsAreAsManyAsAnnounced: sizes of any kind, thinned or not.
func TestRecordsAreAsManyAsAnnounced(t *testing.T) {
	schema, regions := halves()
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.Float64Range(0, 100), 4, 4).Draw(t, "sizes")
		release := &algorithms.Release{Regions: regions}
		drawing := Drawing{Uniform, rapid.IntRange(1, 300).Draw(t, "max_rows")}
		stream := random.NewKey(0).Stream()
		must.Do(t, AddRecords(release, schema, sizes, drawing, stream))
		before, _ := release.RecordCount()
		if _, _, err := release.Records(context.Background()); err != nil { // counts the rows
			t.Fatal(err)
		}
		if after, _ := release.RecordCount(); before != after {
			t.Fatalf("%v records are announced, %v drawn", before, after)
		}
	})
}

// TestCrowd compares with sums over all intervals.
func TestCrowd(t *testing.T) {
	found := 0
	rapid.Check(t, func(t *rapid.T) {
		intervals := [][2]uint32{{0, 1000}, {0, 10}, {10, 1000}, {500, 1000}}
		classes := rapid.IntRange(1, 2).Draw(t, "classes")
		r := &algorithms.Regions{Attributes: []int{0}, Classes: classes}
		var sizes []float64
		total, of := 0.0, make(map[[2]uint32]float64)
		for range rapid.IntRange(0, 12).Draw(t, "regions") {
			cells := rapid.SampledFrom(intervals).Draw(t, "interval")
			r.Low, r.High = append(r.Low, cells[0]), append(r.High, cells[1])
			for range classes {
				n := float64(rapid.IntRange(0, 9).Draw(t, "size"))
				sizes = append(sizes, n)
				total += n
				of[cells] += n
			}
			r.Counts = sizes
		}
		low, high, share := crowd(r, 0, sizes, total)
		want := 0.0
		for _, n := range of { // order-free: at most one is above half
			if 2*n > total {
				want = n / total
			}
		}
		if share != want || want > 0 && of[[2]uint32{low, high}]/total != want {
			t.Fatalf("[%d, %d) has %v of %v, want %v", low, high, share, of, want)
		}
		if want > 0 {
			found++
		}
	})
	if found == 0 {
		t.Error("no interval of more than half was drawn")
	}
}

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
		counts := make([]float64, cells)
		for row := range int32(n) {
			counts[table.Column(0).At(row)-low]++
		}
		if statistic := testinput.ChiSquare(counts, nil); statistic > critical {
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

// TestDraws: the same codes as drawn one after another, by words as the library draws and by halves
// with what is left of a word kept for the next attribute; then the stream goes on at the same
// place. Widths near 2³¹ have to be drawn again every other time.
func TestDraws(t *testing.T) {
	for seed := range uint64(40) {
		shape := random.NewKey(seed).Derive("shape").Stream()
		var ends []int32
		for end := int32(0); end < 3000; ends = append(ends, end) {
			end += 1 + shape.Int32N(1+shape.Int32N(200))
		}
		for _, halves := range []bool{false, true} {
			stream, alone := random.NewKey(seed).Stream(), random.NewKey(seed).Stream()
			d := newDrawer(ends, stream, halves)
			spare, spared := uint32(0), false
			next := func(n uint32) uint32 {
				for {
					bits := spare
					if spared = !spared; spared {
						both := alone.Uint64()
						bits, spare = uint32(both), uint32(both>>32)
					}
					product := uint64(bits) * uint64(n)
					if uint32(product) >= uint32((1<<32)%uint64(n)) {
						return uint32(product >> 32)
					}
				}
			}
			for range 5 {
				intervals := make([]interval, len(ends))
				var want []uint32
				needed, start := 0, int32(0)
				for region, end := range ends {
					low := shape.Uint32N(1 << 30)
					width := 1 + shape.Uint32N(1<<shape.IntN(32))>>(8*shape.IntN(2))
					for ; start < end; start++ {
						code := low
						switch {
						case width == 1:
						case halves:
							code += next(width)
						default:
							code += alone.Rand.Uint32N(width)
						}
						want = append(want, code)
					}
					intervals[region] = between(low, low+width)
					if halves {
						intervals[region] = half(low, low+width)
					}
					if width > 1 {
						needed += int(end)
						if region > 0 {
							needed -= int(ends[region-1])
						}
					}
				}
				got := make([]uint32, len(want))
				draw(d, got, intervals, needed)
				if !slices.Equal(got, want) {
					t.Fatalf("seed %d, halves %v: other codes", seed, halves)
				}
			}
			must.Be(t, stream.Uint64(), alone.Uint64(), "the streams go on", seed, halves)
		}
	}
}

// TestSpecialisationsFit: by trying all ways to specialise, that many specialisations never make
// more cells than allowed, and one more can.
func TestSpecialisationsFit(t *testing.T) {
	flat := func(n int) datasets.Attribute {
		return datasets.Attribute{Name: "c", Kind: datasets.Categorical,
			Values: strings.Split("abcdefghij"[:n], "")}
	}
	number := datasets.Attribute{Name: "n", Kind: datasets.Numeric, High: 5, Step: 1}
	for _, attributes := range [][]datasets.Attribute{
		{number}, {flat(2)}, {flat(7), number}, {flat(2), flat(3), number},
		{number, number, flat(5)},
	} {
		s := &datasets.Schema{Attributes: attributes}
		all := Fanouts(s)
		var most func(h int, left [][]int, parts []int) int
		most = func(h int, left [][]int, parts []int) int {
			best := 1
			for _, p := range parts {
				best *= p
			}
			for i := range left {
				if h == 0 || len(left[i]) == 0 {
					continue
				}
				after, grown := append([][]int{}, left...), append([]int{}, parts...)
				after[i], grown[i] = left[i][1:], parts[i]+left[i][0]-1
				best = max(best, most(h-1, after, grown))
			}
			return best
		}
		ones := make([]int, len(all))
		for i := range ones {
			ones[i] = 1
		}
		everything := 1
		for i := range attributes {
			everything *= attributes[i].Cells()
		}
		for cells := range 30 {
			h := WholeSpecialisations(s, cells)
			if made := most(h, all, ones); made > cells && h > 1 {
				t.Errorf("%d attributes, %d cells: %d specialisations make %d", len(attributes),
					cells, h, made)
			}
			if cells < everything && most(h+1, all, ones) <= cells {
				t.Errorf("%d attributes, %d cells: %d specialisations are too few",
					len(attributes), cells, h)
			}
		}
	}
}
