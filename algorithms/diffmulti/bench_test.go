package diffmulti

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"ppdp/algorithms/internal/testinput"

	"ppdp/algorithms"
	"ppdp/datasets"
	csvtable "ppdp/datasets/csv"
	"ppdp/internal/must"
	"ppdp/numeric/random"
	"ppdp/privacy"
)

// release makes one release of all rows, with its records.
func release(tb testinput.TB, table *datasets.Table, variant algorithms.Variant, params *Params,
	epsilon float64, seed uint64) (*algorithms.Release, *privacy.Budget) {
	tb.Helper()
	in := testinput.Input(table, params, variant, epsilon, seed)
	return testinput.Release(tb, Algorithm{}, in), in.Budget
}

func enlarged(table *datasets.Table, n int) *datasets.Table {
	schema := table.Schema()
	stream := random.NewKey(1).Stream()
	out := datasets.NewBuilder(schema, n)
	for range n {
		row := out.AddRow()
		for i := range schema.Attributes {
			code := table.Column(i).At(int32(row % table.Len()))
			if row >= table.Len() && stream.Uint32N(2) == 1 {
				code = stream.Uint32N(uint32(schema.Attributes[i].Cells()))
			}
			out.Set(row, i, code)
		}
	}
	return out.Table()
}

// BenchmarkEndToEnd is Fig. 13: reading a million records as text, the release, and writing it.
func BenchmarkEndToEnd(b *testing.B) {
	table := enlarged(testinput.Adult(b, "diffmulti"), 1_000_000)
	format := textFormat(b, table.Schema())
	var text bytes.Buffer
	must.Do(b, csvtable.Write(&text, table, nil, nil))
	params := DefaultParams()
	params.Specialisations = 10_000
	b.ResetTimer()
	for i := range b.N {
		content := must.Get(format.Read(context.Background(), "adult.csv",
			bytes.NewReader(text.Bytes())))
		r, _ := release(b, content.Table, algorithms.Published, params, 1, uint64(i))
		must.Do(b, csvtable.Write(io.Discard, r.Table, nil, r.Weights))
	}
	b.ReportMetric(float64(table.Len())*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

// textFormat describes a schema as comma-separated text.
func textFormat(b *testing.B, schema *datasets.Schema) *csvtable.Format {
	var y strings.Builder
	fmt.Fprintf(&y, "header: true\nclass: %s\nattributes:\n",
		schema.Attributes[schema.Class()].Name)
	for i := range schema.Attributes {
		a := &schema.Attributes[i]
		if a.Kind == datasets.Numeric {
			fmt.Fprintf(&y, "  - {name: %s, kind: numeric, low: %g, high: %g, step: 1}\n", a.Name,
				a.Low, a.High)
			continue
		}
		fmt.Fprintf(&y, "  - {name: %s, kind: categorical, order: given, values: [", a.Name)
		for _, value := range a.Values {
			fmt.Fprintf(&y, "%q, ", value)
		}
		y.WriteString("]}\n")
	}
	return must.Get(csvtable.ParseSchema("adult.schema.yaml", []byte(y.String())))
}
