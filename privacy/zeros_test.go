package privacy

import (
	"errors"
	"math"
	"testing"

	"ppdp/random"
)

// TestZerosLaw compares the noise of a million counts of 0 with the laws written out: of Laplace
// noise, rounded, P(x = k) = sinh(rate/2)·e^(-rate·k) for k ≥ 1; of two-sided geometric noise
// tanh(rate/2)·e^(-rate·k). Each cell of the comparison is a binomial number; of some 80 of them
// the largest deviation exceeds 5 standard deviations with probability below 5e-5.
func TestZerosLaw(t *testing.T) {
	const counts, most = 1_000_000, 8
	for _, rate := range []float64{0.1, 0.5, 2} {
		for name, first := range map[string]float64{"laplace": math.Sinh(rate / 2),
			"geometric": math.Tanh(rate / 2)} {
			b := NewBudget(rate)
			path := b.Root()
			var z *Zeros
			var err error
			if name == "laplace" {
				z, err = b.Laplace("x", random.NewKey(2).Derive(name).Stream(),
					Exact(1)).Zeros(&path, rate)
			} else {
				z, err = b.Geometric("x", random.NewKey(2).Derive(name).Stream(),
					Exact(1)).Zeros(&path, rate)
			}
			if err != nil {
				t.Fatal(err)
			}
			if path.Spent() != rate {
				t.Errorf("%s: %v was charged, must be %v", name, path.Spent(), rate)
			}
			var seen [most + 1]float64 // by value, larger ones at the end
			beside, last := 0.0, -2
			for at := 0; ; {
				before, value := z.Next()
				at += int(min(before, counts))
				if at >= counts {
					break
				}
				if value != math.Trunc(value) || value < 1 {
					t.Fatalf("%s: value %v", name, value)
				}
				if at == last+1 {
					beside++
				}
				last = at
				seen[min(int(value), most)]++
				at++
			}
			p := 0.0
			for k := 1; k < most; k++ {
				q := first * math.Exp(-rate*float64(k))
				within(t, name, k, seen[k], counts, q)
				p += q
			}
			rest := first * math.Exp(-rate*most) / (1 - math.Exp(-rate))
			within(t, name, most, seen[most], counts, rest)
			// Neighbouring counts are independent: pairs of two that are seen have probability p².
			// Their number has a variance of less than p²+2p³ for each pair, since only pairs that
			// share a count go together.
			p += rest
			if d := math.Abs(beside-counts*p*p) / math.Sqrt(counts*(p*p+2*p*p*p)); d > 5 {
				t.Errorf("%s at %v: %v pairs of neighbours, expected %v", name, rate, beside,
					counts*p*p)
			}
		}
	}
}

func within(t *testing.T, name string, k int, seen, n, p float64) {
	t.Helper()
	if d := math.Abs(seen-n*p) / math.Sqrt(n*p*(1-p)); d > 5 {
		t.Errorf("%s: value %d seen %v times of %v, expected %v", name, k, seen, n, n*p)
	}
}

// TestZerosAtTheEnds: with hardly any noise no count is ever seen, with hardly any budget about
// half are.
func TestZerosAtTheEnds(t *testing.T) {
	for _, epsilon := range []float64{1e-290, 1e-9, 1e3, 1e9, 1e300} {
		b := NewBudget(2 * epsilon)
		path := b.Root()
		laplace, err1 := b.Laplace("a", random.NewKey(3).Stream(), Exact(1)).Zeros(&path, epsilon)
		geometric, err2 := b.Geometric("b", random.NewKey(4).Stream(), Exact(1)).Zeros(&path,
			epsilon)
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		for _, z := range []*Zeros{laplace, geometric} {
			sum := 0.0
			for range 1000 {
				before, value := z.Next()
				sum += float64(before)
				if !(value >= 1) || math.IsInf(value, 1) {
					t.Fatalf("epsilon %v: value %v", epsilon, value)
				}
				if epsilon >= 1e3 && before < 1e9 {
					t.Fatalf("epsilon %v: a count is seen after %d", epsilon, before)
				}
			}
			// 1000 geometric numbers of mean 1 and variance 2: 4.9 standard deviations are 219.
			if epsilon < 1 && math.Abs(sum-1000) > 219 {
				t.Errorf("epsilon %v: %v counts unseen before 1000 seen ones", epsilon, sum)
			}
		}
	}
	path := NewBudget(1).Root()
	b := path.budget
	if _, err := b.Laplace("a", random.NewKey(3).Stream(), Exact(1)).Zeros(&path,
		2); !errors.Is(err, ErrOverspent) {
		t.Errorf("error %v, must be ErrOverspent", err)
	}
}

func BenchmarkZeros(b *testing.B) {
	budget := NewBudget(plenty)
	path := budget.Root()
	z, err := budget.Laplace("x", random.NewKey(1).Stream(), Exact(1)).Zeros(&path, 0.5)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		z.Next()
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "seen/s")
}
