package metrics

import (
	"math"
	"testing"

	"ppdp/internal/must"
)

// TestIntervalPublished: R's binom.test(7, 20) prints 0.1539092 and 0.5921885.
func TestIntervalPublished(t *testing.T) {
	for end, want := range map[End]float64{Estimate: 0.35, Low: 0.15390920, High: 0.59218853} {
		must.Near(t, share{7, 20}.at(end), want, 1e-7*want, end)
	}
	if (share{0, 10}).at(Low) != 0 || (share{10, 10}).at(High) != 1 {
		t.Error("ends without hits or without misses are not 0 and 1")
	}
}

// TestDifferenceEnds: the interval of equal shares is symmetric, and of a share beside one that is
// known it is that share's own. With Wilson's ends in place of exact ones, which are wider,
// the difference of 56/70 and 48/80 has the lower end .0524 (Newcombe 1998, table II, method 10).
func TestDifferenceEnds(t *testing.T) {
	half := share{50, 100}
	if low, high := half.minus(half, Low), half.minus(half, High); math.Abs(low+high) > 1e-12 {
		t.Errorf("%v and %v", low, high)
	}
	known := share{5e7, 1e8}
	if got, want := half.minus(known, Low), half.at(Low)-0.5; math.Abs(got-want) > 1e-5 {
		t.Errorf("%v, want %v", got, want)
	}
	p, q := share{56, 70}, share{48, 80}
	below, above := 0.8-p.at(Low), q.at(High)-0.6
	if got, want := p.minus(q, Low), 0.2-math.Sqrt(below*below+above*above); math.Abs(got-
		want) > 1e-12 || got < 0.04 || got > 0.0524 {
		t.Errorf("lower end %v, want %v", got, want)
	}
}
