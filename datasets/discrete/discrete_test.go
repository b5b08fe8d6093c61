package discrete

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"ppdp/datasets"
	"ppdp/internal/declared"
	"ppdp/internal/must"
	"ppdp/numeric/random"
)

func load(t testing.TB, params *Params, seed uint64) *datasets.Table {
	t.Helper()
	dataset := must.Get(Source.Load(context.Background(),
		datasets.Request{Params: params, Key: random.NewKey(seed)}))
	must.Do(t, dataset.Table.Schema().Validate())
	if got := dataset.Table.Len(); got != params.N {
		t.Fatalf("%d rows, want %d", got, params.N)
	}
	return dataset.Table
}

func with(change func(*Params)) *Params {
	params := Source.Params().(*Params)
	change(params)
	return params
}

// TestLaws compares the frequencies of cells with the distribution function of the law. A frequency
// has standard deviation √(p(1-p)/n); 5 of them are passed by chance once in 1.7 million, 5 of them
// and one row more where the normal approximation is poor, and the test looks at 260 cells of a
// fixed seed.
func TestLaws(t *testing.T) {
	phi := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	for _, test := range []struct {
		params          *Params
		mean, deviation float64 // in cells; 0 for uniform
	}{
		{with(func(p *Params) {}), 0, 0},
		{with(func(p *Params) { p.Shape = Skewed }), 3.5, 1.6},
		{with(func(p *Params) { p.Shape, p.Unit = Skewed, Cells }), 3.5, 0.2},
		{with(func(p *Params) { p.Shape, p.Mu, p.Sigma = Skewed, 0, 1 }), 0, 8},
		{with(func(p *Params) { p.Shape, p.Attributes, p.Cardinality, p.Mu = Skewed, 2, 50, 25 }),
			25, 10},
	} {
		test.params.N = 40_000
		table := load(t, test.params, 1)
		cells, n := test.params.Cardinality, float64(test.params.N)
		for attribute := range test.params.Attributes {
			counts := make([]int, cells)
			for row := range int32(test.params.N) {
				counts[table.Column(attribute).At(row)]++
			}
			at := func(x float64) float64 { return phi((x - test.mean) / test.deviation) }
			for cell, count := range counts {
				p := 1 / float64(cells)
				if test.deviation > 0 {
					c := float64(cell)
					p = (at(c+0.5) - at(c-0.5)) / (at(float64(cells)-0.5) - at(-0.5))
				}
				if got := float64(count) / n; math.Abs(got-p) > 5*math.Sqrt(p*(1-p)/n)+1/n {
					t.Errorf("%+v: x%d is %d with frequency %v, want %v",
						*test.params, attribute+1, cell, got, p)
				}
			}
		}
	}
}

// TestParity: the class is the parity of the first attributes but for the flips, within five
// standard deviations, and no two of these say anything about it. Without it the table is the same.
func TestParity(t *testing.T) {
	params := with(func(p *Params) { p.N, p.Cardinality, p.Parity, p.Flips = 40_000, 3, 3, 0.1 })
	table := load(t, params, 1)
	plain := *params
	plain.Parity, plain.Flips = 0, 0
	first := load(t, &plain, 1).Column(0).At(0)
	if got := table.Column(0).At(0); got != first {
		t.Errorf("the first value is %d, without a class %d", got, first)
	}
	class, wrong := table.Column(table.Schema().Class()), 0.0
	var odd, all [3][3]float64
	for row := range int32(params.N) {
		at := func(a int) uint32 { return table.Column(a).At(row) }
		if (at(0)+at(1)+at(2))%2 != class.At(row) {
			wrong++
		}
		all[at(0)][at(1)]++
		odd[at(0)][at(1)] += float64(class.At(row))
	}
	n := float64(params.N)
	if math.Abs(wrong/n-0.1) > 5*math.Sqrt(0.09/n) {
		t.Errorf("%v of %v records are flipped", wrong, n)
	}
	// of a third value, one in three is odd
	for a := range all {
		for b, count := range all[a] {
			want := [2]float64{0.9/3 + 0.1*2/3, 0.9*2/3 + 0.1/3}[(a+b)%2]
			if math.Abs(odd[a][b]/count-want) > 5*math.Sqrt(want*(1-want)/count) ||
				math.Abs(count-n/9) > 5*math.Sqrt(n*8/81) { // attributes are independent
				t.Errorf("%d, %d: %v of %v are odd, want %v", a, b, odd[a][b], count, want)
			}
		}
	}
}

// TestSchemaIsPublic: the schema depends on the parameters, not on what was drawn.
func TestSchemaIsPublic(t *testing.T) {
	one := load(t, with(func(p *Params) { p.N, p.Shape, p.Sigma = 1, Skewed, 0.01 }), 1).Schema()
	many := load(t, with(func(p *Params) { p.N = 5000 }), 7).Schema()
	for i := range one.Attributes {
		a, b := one.Attributes[i], many.Attributes[i]
		if a.Name != fmt.Sprintf("x%d", i+1) || a.Name != b.Name || a.Low != 0 || a.High != 8 ||
			b.High != 8 || a.Cells() != 8 || a.Role != datasets.QuasiIdentifier {
			t.Errorf("attribute %d: %+v and %+v", i, a, b)
		}
		if a.Hierarchy.Height() != 3 {
			t.Errorf("%s: height %d, must be 3: 4⁵ = 1,024 generalisations",
				a.Name, a.Hierarchy.Height())
		}
	}
}

func TestValidate(t *testing.T) {
	for _, test := range []struct {
		change func(*Params)
		want   string // empty for none
	}{
		{func(p *Params) {}, ""},
		{func(p *Params) { p.Parity = 6 }, "parity: 6, must be at most attributes, 5"},
		{func(p *Params) { p.Shape = "round" }, `shape: "round", must be one of uniform, skewed`},
		{func(p *Params) { p.Mu = 7 }, ""},
		{func(p *Params) { p.Mu = 7.5 }, "mu: 7.5, must be from 0 to 7"},
		{func(p *Params) { p.Mu = -0.5 }, "mu: -0.5"},
		{func(p *Params) { p.Sigma = 0 }, "sigma: 0, must be above 0 and at most 10 domain"},
		{func(p *Params) { p.Sigma = 10.5 }, "sigma: 10.5"},
		{func(p *Params) { p.Sigma, p.Unit = 10.5, Cells }, ""},
		{func(p *Params) { p.Sigma, p.Unit = 81, Cells }, "at most 80 cells"},
		{func(p *Params) { p.Unit = "metre" }, `unit: "metre"`},
	} {
		err := declared.Check(with(test.change))
		if test.want == "" && err != nil || test.want != "" &&
			(err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%+v: %v, want %q", *with(test.change), err, test.want)
		}
	}
}
