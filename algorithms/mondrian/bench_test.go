package mondrian

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"

	"ppdp/algorithms"
	"ppdp/algorithms/internal/testinput"
	"ppdp/datasets"
	"ppdp/privacy"
	"ppdp/random"
)

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

func benchmark(b *testing.B, table *datasets.Table, k int, mode Mode) {
	params := DefaultParams()
	params.K, params.Mode = k, mode
	rows := table.AllRows()
	b.ReportAllocs()
	for b.Loop() {
		r, err := Algorithm{}.Release(context.Background(), algorithms.Input{
			Table: table, Rows: slices.Clone(rows), Params: params, Variant: algorithms.Published,
			Budget: privacy.NewBudget(0), Noise: random.NewStreams(random.NewKey(1)),
		})
		if err != nil {
			b.Fatal(err)
		}
		if r.Table.Len() != table.Len() {
			b.Fatal("records are missing")
		}
	}
	b.ReportMetric(float64(b.N)*float64(len(rows))/b.Elapsed().Seconds(), "rows/s")
}

func BenchmarkRelease(b *testing.B) {
	for _, mode := range []Mode{Strict, Relaxed} {
		for _, n := range []int{10_000, 30_162, 100_000, 1_000_000} {
			b.Run(fmt.Sprintf("%s/n=%d", mode, n), func(b *testing.B) {
				benchmark(b, shaped(n), 10, mode)
			})
		}
	}
}

// BenchmarkAdult is the paper's own table (section 6.2): 30,162 rows, eight quasi-identifiers.
func BenchmarkAdult(b *testing.B) {
	table := testinput.Adult(b, "mondrian")
	for _, mode := range []Mode{Strict, Relaxed} {
		for _, k := range []int{2, 10, 100} {
			b.Run(fmt.Sprintf("%s/k=%d", mode, k), func(b *testing.B) {
				benchmark(b, table, k, mode)
			})
		}
	}
}

// BenchmarkScale is the growth of a strict release with the rows, ten thousand to ten million, at k
// of a hundred: the slope of the logarithms of time and rows (1 plus a little is n log n), and the
// memory that the release allocates at its peak on top of the table, as a multiple of the coded
// table.
func BenchmarkScale(b *testing.B) {
	var sizes, times []float64
	for _, n := range []int{10_000, 100_000, 1_000_000, 10_000_000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			table := shaped(n)
			release := func() {
				params := DefaultParams()
				params.K = 100
				if _, err := (Algorithm{}).Release(context.Background(), algorithms.Input{
					Table: table, Rows: table.AllRows(), Params: params,
					Variant: algorithms.Published,
					Budget:  privacy.NewBudget(0), Noise: random.NewStreams(random.NewKey(1)),
				}); err != nil {
					b.Fatal(err)
				}
			}
			for b.Loop() {
				release()
			}
			seconds := b.Elapsed().Seconds() / float64(b.N)
			most := peak(release)
			b.ReportMetric(float64(n)/seconds, "rows/s")
			b.ReportMetric(float64(most)/float64(n*len(table.Schema().Attributes)), "peak/table")
			sizes, times = append(sizes, math.Log(float64(n))), append(times, math.Log(seconds))
			if len(sizes) > 1 {
				_, slope := stat.LinearRegression(sizes, times, nil, false)
				b.ReportMetric(slope, "slope")
			}
		})
	}
}

// peak is the most heap in bytes, above what was there before, that was seen while f ran. Garbage
// is collected eagerly meanwhile, so that it is little more than what is in use.
func peak(f func()) uint64 {
	defer debug.SetGCPercent(debug.SetGCPercent(5))
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before, most := m.HeapAlloc, m.HeapAlloc
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		ticker := time.NewTicker(time.Millisecond)
		defer ticker.Stop()
		for {
			select {
			case <-stop:
				return
			case <-ticker.C:
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapAlloc)
			}
		}
	}()
	f()
	close(stop)
	<-stopped
	return most - before
}
