// Package testinput holds the tables and graphs that several baselines are tested on: Adult and the
// networks of the papers where they are present, generated tables, random graphs. Only tests import
// it.
package testinput

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ppdp/datasets"
	"ppdp/datasets/adult"
	"ppdp/datasets/discrete"
	"ppdp/internal/must"
	"ppdp/numeric/random"
)

// Adult loads a selection of the Adult table from $PPDP_DATA, or skips the test.
func Adult(tb testing.TB, selection string) *datasets.Table {
	tb.Helper()
	request := datasets.Request{Params: &adult.Params{Select: selection}, Files: files(tb)}
	return load(tb, adult.Source{}, request).Table
}

// Discrete is the table of LeFevre et al. 2006 of a shape: 5 attributes of 8 cells, the same table
// on every call.
func Discrete(tb testing.TB, shape string, rows int) *datasets.Table {
	tb.Helper()
	params := discrete.Source.Params().(*discrete.Params)
	params.N, params.Shape = rows, shape
	return load(tb, discrete.Source, datasets.Request{Params: params,
		Key: random.NewKey(3)}).Table
}

// Table has a schema and rows that list the attributes' codes.
func Table(schema *datasets.Schema, rows ...[]uint32) *datasets.Table {
	b := datasets.NewBuilder(schema, len(rows))
	for _, codes := range rows {
		b.AddRow(codes...)
	}
	return b.Table()
}

// Numbers is a table of integer attributes with the given numbers of cells. Rows list the
// attributes' codes; with classes > 0 a last code is the class.
func Numbers(classes int, cells []int, rows ...[]uint32) *datasets.Table {
	schema := &datasets.Schema{}
	for i, n := range cells {
		schema.Attributes = append(schema.Attributes,
			datasets.Attribute{Name: fmt.Sprint("a", i), High: float64(n), Step: 1})
	}
	if classes > 0 {
		schema.Attributes = append(schema.Attributes, Class(classes))
	}
	return Table(schema, rows...)
}

// Class is a class attribute of values y0, y1 and so on.
func Class(values int) datasets.Attribute {
	class := datasets.Attribute{Name: "class", Kind: datasets.Categorical, Role: datasets.Class}
	for y := range values {
		class.Values = append(class.Values, fmt.Sprint("y", y))
	}
	return class
}

// Wide is a table of attributes of 2 to 10 values, the same on every call. Each follows one of six
// factors in seven of ten rows, so that the attributes of a factor depend on each other.
func Wide(attributes, rows int) *datasets.Table {
	const factors, most = 6, 10
	cells := make([]int, attributes)
	for a := range cells {
		cells[a] = 2 + a*7%(most-1)
	}
	stream := random.NewKey(1).Stream()
	table := make([][]uint32, rows)
	for row := range table {
		var factor [factors]int
		for f := range factor {
			factor[f] = stream.IntN(most)
		}
		table[row] = make([]uint32, attributes)
		for a, size := range cells {
			x := factor[a%factors]
			if stream.IntN(10) >= 7 {
				x = stream.IntN(most)
			}
			table[row][a] = uint32(x * size / most)
		}
	}
	return Numbers(0, cells, table...)
}

// DrawRows draws up to most rows of a schema's codes.
func DrawRows(t *rapid.T, schema *datasets.Schema, most int) [][]uint32 {
	rows := make([][]uint32, rapid.IntRange(0, most).Draw(t, "rows"))
	for i := range rows {
		for a := range schema.Attributes {
			cells := schema.Attributes[a].Cells()
			rows[i] = append(rows[i], uint32(rapid.IntRange(0, cells-1).Draw(t, "code")))
		}
	}
	return rows
}

// DrawBins draws no bins, or the ends of up to eight that cover a number of cells.
func DrawBins(t *rapid.T, cells int) []uint32 {
	if rapid.Bool().Draw(t, "equal") {
		return nil
	}
	ends := rapid.SliceOfNDistinct(rapid.IntRange(1, cells), 0, min(7, cells),
		rapid.ID[int]).Draw(t, "ends")
	if !slices.Contains(ends, cells) {
		ends = append(ends, cells)
	}
	slices.Sort(ends)
	codes := make([]uint32, len(ends))
	for i, end := range ends {
		codes[i] = uint32(end)
	}
	return codes
}

// files are the files below $PPDP_DATA; without it the test is skipped.
func files(tb testing.TB) datasets.Files {
	tb.Helper()
	dir := os.Getenv("PPDP_DATA")
	if dir == "" {
		tb.Skip("PPDP_DATA is not set: no real data")
	}
	return datasets.Files{Dirs: []string{dir}}
}

func load(tb testing.TB, source datasets.Source, request datasets.Request) *datasets.Dataset {
	tb.Helper()
	return must.Get(source.Load(context.Background(), request))
}
