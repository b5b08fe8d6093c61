package partition

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

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
