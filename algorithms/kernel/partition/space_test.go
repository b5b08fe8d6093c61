package partition

import (
	"maps"
	"runtime"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ppdp/algorithms/internal/testinput"
	"ppdp/datasets"
	"ppdp/internal/must"
	"ppdp/numeric/random"
)

// drawTable draws a small table with a class attribute in the middle and dimensions of every
// integer width a column can have.
func drawTable(t *rapid.T) *datasets.Table {
	schema := &datasets.Schema{}
	dims := rapid.IntRange(1, 4).Draw(t, "dims")
	for i := range dims {
		cells := rapid.SampledFrom([]float64{1, 2, 3, 7, 256, 257, 65536, 70000}).Draw(t, "cells")
		schema.Attributes = append(schema.Attributes,
			datasets.Attribute{Name: string(rune('a' + i)), High: cells, Step: 1})
	}
	if rapid.Bool().Draw(t, "class") {
		schema.Attributes = slices.Insert(schema.Attributes, dims/2, datasets.Attribute{
			Name: "class", Kind: datasets.Categorical, Role: datasets.Class,
			Values: []string{"x", "y", "z"}})
	}
	must.Do(t, schema.Validate())
	n := rapid.IntRange(0, 40).Draw(t, "rows")
	b := datasets.NewBuilder(schema, n)
	for range n {
		row := b.AddRow()
		for i := range schema.Attributes {
			cells := uint32(schema.Attributes[i].Cells())
			// half of the codes from a few cells only, so that there are ties
			code := rapid.Uint32Range(0, cells-1).Draw(t, "code")
			if rapid.Bool().Draw(t, "tie") {
				code = min(code, 2)
			}
			b.Set(row, i, code)
		}
	}
	return b.Table()
}

func codesOf(table *datasets.Table, rows []int32, attribute int) []uint32 {
	codes := []uint32{}
	for _, row := range rows {
		codes = append(codes, table.Column(attribute).At(row))
	}
	return codes
}

func TestKernelsAgainstDefinitions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := drawTable(t)
		space := NewSpace(table, table.Schema().QuasiIdentifiers())
		all := table.AllRows()
		rows := all[rapid.IntRange(0, len(all)).Draw(t, "from"):]
		dim := rapid.IntRange(0, space.Dims()-1).Draw(t, "dim")
		attribute := space.Attributes()[dim]
		codes := codesOf(table, rows, attribute)

		got := make([]uint32, len(rows))
		space.Codes(rows, dim, got)
		if !slices.Equal(got, codes) {
			t.Fatalf("codes %v, want %v", got, codes)
		}

		labels, want := make([]uint32, len(rows)), make([]uint32, len(rows))
		if class := table.Schema().Class(); class >= 0 {
			copy(want, codesOf(table, rows, class))
		}
		space.Labels(rows, labels)
		if !slices.Equal(labels, want) {
			t.Fatalf("labels %v, want %v", labels, want)
		}

		byClass := make([]int32, space.Classes())
		space.ClassCounts(rows, byClass)
		for y := range byClass {
			n := int32(0)
			for _, label := range labels {
				if label == uint32(y) {
					n++
				}
			}
			if byClass[y] != n {
				t.Fatalf("class %d counted %d times, want %d", y, byClass[y], n)
			}
		}
		if len(rows) == 0 {
			return
		}

		known := [2]uint32{rapid.Uint32Range(0, slices.Min(codes)).Draw(t, "low"),
			rapid.Uint32Range(slices.Max(codes), space.Cells(dim)-1).Draw(t, "high")}
		lowest, highest := space.Extent(rows, dim, known[0], known[1])
		if lowest != slices.Min(codes) || highest != slices.Max(codes) {
			t.Fatalf("extent [%d, %d] of %v", lowest, highest, codes)
		}
		width := int(highest-lowest) + 1
		counts := make([]int32, width)
		space.Histogram(rows, dim, lowest, counts)
		joint := make([]int32, width*space.Classes())
		space.ClassHistogram(rows, dim, lowest, joint)
		for i, code := range codes {
			counts[code-lowest]--
			joint[int(code-lowest)*space.Classes()+int(labels[i])]--
		}
		if slices.ContainsFunc(counts, func(n int32) bool { return n != 0 }) ||
			slices.ContainsFunc(joint, func(n int32) bool { return n != 0 }) {
			t.Fatalf("histograms do not count the rows: remainders %v and %v", counts, joint)
		}

		sorted := slices.Sorted(slices.Values(codes))
		median := sorted[(len(sorted)-1)/2]
		below, _ := slices.BinarySearch(sorted, median)
		equal := 0
		for _, code := range codes {
			if code == median {
				equal++
			}
		}
		for _, bounds := range [][2]uint32{{lowest, highest + 1}, {0, space.Cells(dim)}} {
			m, b, e := space.Median(rows, dim, bounds[0], bounds[1])
			if m != median || b != below || e != equal {
				t.Fatalf("median %d (%d below, %d equal) of %v, want %d (%d, %d)", m, b, e, sorted,
					median, below, equal)
			}
		}
	})
}

// benchmarkTable has the shape of Adult: 30,162 rows, ten dimensions of the sizes that the RPS
// paper uses, a binary class.
func benchmarkTable() *datasets.Table {
	schema := &datasets.Schema{}
	for i, cells := range []float64{74, 7, 16, 7, 14, 6, 5, 2, 99, 41} {
		schema.Attributes = append(schema.Attributes,
			datasets.Attribute{Name: string(rune('a' + i)), High: cells, Step: 1})
	}
	schema.Attributes = append(schema.Attributes, datasets.Attribute{Name: "class",
		Kind: datasets.Categorical, Role: datasets.Class, Values: []string{"no", "yes"}})
	stream := random.NewKey(1).Stream()
	const n = 30162
	b := datasets.NewBuilder(schema, n)
	for range n {
		row := b.AddRow()
		for i := range schema.Attributes {
			b.Set(row, i, stream.Uint32N(uint32(schema.Attributes[i].Cells())))
		}
	}
	return b.Table()
}

// TestTally compares with counting one row after the other, over short intervals and long ones.
func TestTally(t *testing.T) {
	var tally Tally
	rapid.Check(t, func(t *rapid.T) {
		cells := rapid.SampledFrom([]int{2, 9, 1 << 20}).Draw(t, "cells")
		classes := rapid.IntRange(0, 3).Draw(t, "classes")
		byClass := rapid.Bool().Draw(t, "by class")
		low := rapid.Uint32Range(0, uint32(cells-1)).Draw(t, "low")
		high := rapid.Uint32Range(low+1, uint32(cells)).Draw(t, "high")
		var rows [][]uint32
		want := make(map[uint32][]int32)
		n := 1
		if byClass {
			n = max(1, classes)
		}
		for range rapid.IntRange(0, 40).Draw(t, "rows") {
			row := []uint32{min(high-1, low+rapid.Uint32Range(0, 1<<20).Draw(t, "code"))}
			y := 0
			if classes > 0 {
				row = append(row, rapid.Uint32Range(0, uint32(classes-1)).Draw(t, "class"))
				y = int(row[1]) % n
			}
			rows = append(rows, row)
			if want[row[0]] == nil {
				want[row[0]] = make([]int32, n)
			}
			want[row[0]][y]++
		}
		table := testinput.Numbers(classes, []int{cells}, rows...)
		NewSpace(table, []int{0}).Tally(&tally, table.AllRows(), 0, low, high, byClass)
		if !slices.Equal(tally.Values, slices.Sorted(maps.Keys(want))) {
			t.Fatalf("values %v of %v", tally.Values, want)
		}
		for i, v := range tally.Values {
			if got := tally.Counts[i*n : (i+1)*n]; !slices.Equal(got, want[v]) {
				t.Fatalf("%v rows have %d, must be %v", got, v, want[v])
			}
		}
	})
}

// TestShared: passes over many rows, divided between processors, add to the counts that are there
// and split as one processor would by the definition.
func TestShared(t *testing.T) {
	table := benchmarkTable()
	schema := table.Schema()
	space := NewSpace(table, schema.QuasiIdentifiers())
	var rows []int32 // some of them more than once, in no order
	for i := range 3*sharedRows + 5 {
		rows = append(rows, int32(i*7919%table.Len()))
	}
	for _, processors := range []int{1, 2, 3, 200} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
		for dim, attribute := range space.Attributes() {
			codes, labels := codesOf(table, rows, attribute), codesOf(table, rows, schema.Class())
			lowest, highest := space.Extent(rows, dim, 0, space.Cells(dim)-1)
			if lowest != slices.Min(codes) || highest != slices.Max(codes) {
				t.Errorf("dimension %d: extent [%d, %d]", dim, lowest, highest)
			}
			counts := make([]int32, space.Cells(dim))
			joint := make([]int32, len(counts)*space.Classes())
			counts[0], joint[0] = 5, 6
			space.Histogram(rows, dim, 0, counts)
			space.ClassHistogram(rows, dim, 0, joint)
			at := space.Cells(dim) / 3
			var below, above []int32
			for i, code := range codes {
				counts[code]--
				joint[int(code)*space.Classes()+int(labels[i])]--
				if code < at {
					below = append(below, rows[i])
				} else {
					above = append(above, rows[i])
				}
			}
			counts[0], joint[0] = counts[0]-5, joint[0]-6
			if slices.Max(counts) != 0 || slices.Min(counts) != 0 || slices.Max(joint) != 0 ||
				slices.Min(joint) != 0 {
				t.Errorf("%d processors, dimension %d: other counts", processors, dim)
			}
			split := slices.Clone(rows)
			n := space.Split(split, dim, at)
			if !slices.Equal(split[:n], below) || !slices.Equal(split[n:], above) {
				t.Errorf("%d processors, dimension %d: another split", processors, dim)
			}
		}
	}
}
