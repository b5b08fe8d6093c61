package publish

import (
	"bufio"
	"fmt"
	"os"
	"testing"

	"ppdp/internal/must"
	"ppdp/numeric/random"
)

// growthSchema has eight small columns.
const growthSchema = `class: y
attributes:
  - {name: age, kind: numeric, low: 16, high: 96}
  - {name: sex, kind: categorical, values: [m, f]}
  - {name: region, kind: numeric, low: 0, high: 20}
  - {name: education, kind: categorical,
     taxonomy: {any: {low: [e0, e1, e2, e3], middle: [e4, e5, e6], high: [e7, e8, e9]}}}
  - {name: status, kind: categorical, values: [s0, s1, s2, s3, s4]}
  - {name: hours, kind: numeric, low: 0, high: 100}
  - {name: sector, kind: categorical, values: [k0, k1, k2, k3, k4, k5, k6, k7, k8, k9, k10, k11]}
  - {name: y, kind: categorical, values: ["n", "y"]}
`

// BenchmarkGrowth makes releases of ever larger tables, from text to text. Under -short there are
// a million records at most; PPDP_GROWTH=1 adds a hundred million, which take 2.3 GB of disk, up to
// 9 GB more for a release, and some minutes each.
func BenchmarkGrowth(b *testing.B) {
	for _, n := range []int{1e6, 1e7, 1e8} {
		if n > 1e6 && testing.Short() || n > 1e7 && os.Getenv("PPDP_GROWTH") == "" {
			continue
		}
		request := requestIn(b.TempDir())
		write(b, request.Schema, growthSchema)
		f := must.Get(os.Create(request.Table))
		to, stream := bufio.NewWriterSize(f, 1<<20), random.NewKey(1).Stream()
		fmt.Fprintln(to, "age,sex,region,education,status,hours,sector,y")
		for range n {
			age, y := 18+stream.IntN(64), byte('n')
			if age > 40 && stream.IntN(4) > 0 {
				y = 'y'
			}
			fmt.Fprintf(to, "%d,%c,%d,e%d,s%d,%d,k%d,%c\n", age, "mf"[stream.IntN(2)],
				stream.IntN(20), (stream.IntN(8)+age/8)%10, stream.IntN(5),
				stream.IntN(80)/(1+stream.IntN(4)), stream.IntN(12), y)
		}
		must.Do(b, to.Flush())
		f.Close()
		for _, algorithm := range []string{"diffmulti", "rps", "mondrian"} {
			request.Algorithm, request.Epsilon = algorithm, 1
			request.Total, request.Params = Total{TotalEpsilon: 1}, set("max_rows=1000000000")
			if algorithm == "mondrian" {
				request.Epsilon, request.Total, request.Params = 0, Total{}, set("k=100")
			}
			b.Run(fmt.Sprintf("%s/%d", algorithm, n), func(b *testing.B) {
				for range b.N {
					must.Get(Make(b.Context(), request))
					// A table of its own for each, with a budget of its own.
					account := Beside(request.Table, accountEnding)
					for _, path := range []string{request.Out, account} {
						must.Do(b, os.RemoveAll(path))
					}
				}
				b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
			})
		}
		if err := os.Remove(request.Table); err != nil { // before the next is written
			b.Fatal(err)
		}
	}
}
