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
	"ppdp/datasets/adult"
	csvtable "ppdp/datasets/csv"
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

func benchmark(b *testing.B, table *datasets.Table, variant algorithms.Variant, params *Params) {
	b.ReportAllocs()
	nodes := 0
	for i := range b.N {
		r, _ := release(b, table, variant, params, 1, uint64(i))
		nodes += r.Structure.Nodes
	}
	b.ReportMetric(float64(table.Len())*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
	b.ReportMetric(float64(nodes)/float64(b.N), "nodes/op")
}

// BenchmarkRelease is Fig. 12 on a table of Adult's schema: its stand-in, both halves. The exact
// rule for h makes the most of it, the published one seldom gets beyond some thousand nodes.
func BenchmarkRelease(b *testing.B) {
	loaded := must(adult.StandIn{}.Load(context.Background(),
		datasets.Request{Params: &adult.Params{Select: "diffmulti"}, Key: random.NewKey(0)}))
	for _, setting := range []struct {
		variant algorithms.Variant
		hprime  HPrime
	}{{algorithms.Published, ByVariant}, {algorithms.Strict, ByVariant},
		{algorithms.RefCode, ByVariant}, {algorithms.Published, ByExact}} {
		for _, h := range []int{10_000, 100_000} {
			b.Run(fmt.Sprintf("%s/%s/h=%d", setting.variant, setting.hprime, h),
				func(b *testing.B) {
					params := DefaultParams()
					params.Specialisations, params.HPrime = h, setting.hprime
					benchmark(b, loaded.Table, setting.variant, params)
				})
		}
	}
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
	noError(b, csvtable.Write(&text, table, nil))
	params := DefaultParams()
	params.Specialisations = 10_000
	b.ResetTimer()
	for i := range b.N {
		content := must(format.Read(context.Background(), "adult.csv",
			bytes.NewReader(text.Bytes())))
		r, _ := release(b, content.Table, algorithms.Published, params, 1, uint64(i))
		noError(b, csvtable.Write(io.Discard, r.Table, r.Weights))
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
	return must(csvtable.ParseSchema("adult.schema.yaml", []byte(y.String())))
}
