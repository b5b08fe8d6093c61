package graph

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"ppdp/internal/must"
)

// repeat returns counts[i] degrees of i+1.
func repeat(counts ...int) []int32 {
	var degrees []int32
	for i, n := range counts {
		for range n {
			degrees = append(degrees, int32(i+1))
		}
	}
	return degrees
}

// TestPowerLawExponent: with two terms the model is Bernoulli, P(2)/P(1) = 2^-α, so the estimate is
// log2(n1/n2) in closed form.
func TestPowerLawExponent(t *testing.T) {
	for _, test := range []struct {
		ones, twos int
		want       float64
	}{{8, 1, 3}, {1, 1, 0}, {1, 4, -2}, {3, 2, math.Log2(1.5)}} {
		got, err := PowerLawExponent(append(repeat(test.ones, test.twos), 0, 0), 2)
		if err != nil || math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%d ones, %d twos: %v, %v, want %v", test.ones, test.twos, got, err, test.want)
		}
	}
	for _, bad := range []struct {
		degrees []int32
		terms   int
	}{{nil, 0}, {repeat(5), 0}, {repeat(5), 10}, {[]int32{0}, 10}, {repeat(1, 1, 1),
		2}, {repeat(0, 3), 2}, {repeat(1, 1), 1}, {repeat(1, 1), -1}} {
		if got, err := PowerLawExponent(bad.degrees, bad.terms); err == nil {
			t.Errorf("%v with %d terms: %v, want an error", bad.degrees, bad.terms, got)
		}
	}
}

// TestZetaMeanLog checks -ζ'(α)/ζ(α) against known values (-ζ'(2) = 0.9375482543158437, ζ(2) =
// π²/6) and against a difference quotient far from them.
func TestZetaMeanLog(t *testing.T) {
	got, want := zetaMeanLog(2), 0.9375482543158437/(math.Pi*math.Pi/6)
	must.Near(t, got, want, 1e-12, "at 2")
	// -ζ'(3) = 0.19812624288563685, ζ(3) = 1.2020569031595942.
	got, want = zetaMeanLog(3), 0.19812624288563685/1.2020569031595942
	must.Near(t, got, want, 1e-12, "at 3")
	// Near the pole -ζ'/ζ = 1/(α-1) - γ + O(α-1).
	must.Near(t, zetaMeanLog(1.0001), 1/0.0001-0.5772156649, 1e-3, "at 1.0001")
}

// TestDegreeSequence: whatever statistics can be met are met.
func TestDegreeSequence(t *testing.T) {
	met := 0
	rapid.Check(t, func(t *rapid.T) {
		s := Statistics{Nodes: rapid.IntRange(50, 2000).Draw(t, "nodes"),
			Alpha: rapid.Float64Range(1, 1.6).Draw(t, "alpha")}
		s.MaxDegree = rapid.IntRange(20, s.Nodes-1).Draw(t, "max")
		s.Edges = s.Nodes * rapid.IntRange(2, 12).Draw(t, "half of mean") / 2
		sequence, err := s.DegreeSequence()
		if err != nil {
			return // no distribution has these means
		}
		met++
		sum := 0
		for i, d := range sequence {
			sum += int(d)
			if d < 1 || int(d) > s.MaxDegree || i > 0 && d < sequence[i-1] {
				t.Fatalf("degree %d at %d behind %d", d, i, sequence[max(0, i-1)])
			}
		}
		if len(sequence) != s.Nodes || sum != 2*s.Edges || int(sequence[s.Nodes-1]) != s.MaxDegree {
			t.Fatalf("%d nodes, sum %d, maximum %d for %+v",
				len(sequence), sum, sequence[s.Nodes-1], s)
		}
	})
	if met == 0 {
		t.Error("no statistics could be met")
	}
	if _, err := (Statistics{Nodes: 100, Edges: 150, Alpha: 1,
		MaxDegree: 50}).DegreeSequence(); err == nil {
		t.Error("a mean of 3 with a mean logarithm of 4.2 was fitted, which Jensen's inequality " +
			"forbids")
	}
}
