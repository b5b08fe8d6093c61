package blackbox

import (
	"context"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"ppdp/algorithms"
	"ppdp/algorithms/diffmulti"
	"ppdp/algorithms/rps"
	"ppdp/datasets"
	"ppdp/internal/must"
	"ppdp/numeric/random"
)

// TestFindingsDoNotDependOnWorkers: equal keys give equal findings, other keys others.
func TestFindingsDoNotDependOnWorkers(t *testing.T) {
	audit := func(key uint64, workers int) *Finding {
		return must.Get(Audit(t.Context(), count(algorithms.Strict),
			Options{Releases: 600, Key: random.NewKey(key), Workers: workers}))
	}
	one, seven := audit(1, 1), audit(1, 7)
	if !reflect.DeepEqual(one, seven) {
		t.Errorf("one worker finds %+v, seven find %+v", one, seven)
	}
	if reflect.DeepEqual(one, audit(2, 1)) {
		t.Error("two keys give the same finding")
	}
}

// TestPublishedLeaks: rps as published with leaf sizes of N/2^depth reveals N (errata R3). In
// diffmulti and its authors' program exact counts decide about cuts (errata D1, D2, D8).
func TestPublishedLeaks(t *testing.T) {
	byDepth := rps.DefaultParams()
	byDepth.Depth, byDepth.Counts, byDepth.StopCheck = 2, rps.ByDepth, false
	diff := diffmulti.Algorithm
	for _, target := range []Target{
		targetOf(rps.Algorithm, algorithms.Published, byDepth, 1, lone()),
		targetOf(diff, algorithms.Published, diff.Params(), 1, lone()),
		targetOf(diff, algorithms.RefCode, diff.Params(), 1, lone()),
	} {
		finding, err := Audit(t.Context(), target, Options{Releases: 2000})
		if err != nil || !finding.Accused() {
			t.Errorf("%v, %v", finding, err)
		}
	}
}

// TestRareFailure: a failure of one release in ten is an event as well.
func TestRareFailure(t *testing.T) {
	target := targetOf(fake(func(in algorithms.Input) (*algorithms.Release, error) {
		if len(in.Rows) == 9 && in.Noise.Open("x").Open01() < 0.1 {
			return nil, errors.New("nine rows")
		}
		return &algorithms.Release{}, nil
	}), algorithms.Strict, nil, 1, lone())
	finding := must.Get(Audit(t.Context(), target, Options{}))
	if best := finding.Best(); !finding.Accused() || best.Likelier != 0 ||
		best.Hits[1] != 0 || !strings.Contains(best.Event, "failures") ||
		finding.Failed < 300 || finding.Failed > 500 { // 400 with deviation 19
		t.Errorf("%+v", finding)
	}
}

// TestDelta: the claim (0, 0.1) holds for a bit of 0.5 and 0.6, (0, 0) and (0, 0.02) do not.
func TestDelta(t *testing.T) {
	target := bit("bit", 0, [2]float64{0.5, 0.6})
	for delta, accused := range map[float64]bool{0: true, 0.02: true, 0.1: false} {
		target.Delta = delta
		finding, err := Audit(t.Context(), target, Options{Releases: 20000})
		if err != nil || finding.Accused() != accused {
			t.Errorf("delta %v: %v, %v", delta, finding, err)
		}
	}
}

func TestAuditRefuses(t *testing.T) {
	good := bit("bit", 1, [2]float64{0.5, 0.5})
	none, infinite, delta := good, good, good
	none.Pairs, infinite.Epsilon, delta.Delta = nil, math.Inf(1), 1
	for _, c := range []struct {
		target  Target
		options Options
		want    string
	}{
		{none, Options{}, "no pairs of inputs"},
		{infinite, Options{}, "epsilon +Inf"},
		{delta, Options{}, "delta 1"},
		{good, Options{Releases: 1}, "1 releases"},
		{good, Options{Level: 1}, "level 1"},
	} {
		_, err := Audit(t.Context(), c.target, c.options)
		must.Fail(t, err, c.want)
	}
}

// TestCancelled: an audit ends with its context, which is no failure of the mechanism.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	target := bit("bit", 1, [2]float64{0.5, 0.5})
	release := target.Pairs[0].Release
	target.Pairs[0].Release = func(ctx context.Context, key random.Key, side int, times float64) (
		*algorithms.Release, error) {
		cancel()
		return release(ctx, key, side, times)
	}
	if _, err := Audit(ctx, target, Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestProbes: they are the records by which two tables differ, whatever the order.
func TestProbes(t *testing.T) {
	n := lone()
	backwards := n.tables[0].Select([]int32{8, 7, 6, 5, 4, 3, 2, 1, 0})
	if got := Probes(backwards, n.tables[1]); !reflect.DeepEqual(got, [][]uint32{{2, 1}}) {
		t.Errorf("probes %v, want the record 2, yes", got)
	}
}

// TestFeatures: every feature is read once, of records, regions and degrees alike.
func TestFeatures(t *testing.T) {
	release := published([]float64{1, 2, 3, 4, 0, 0.375, 0, 8})
	release.Table = table([][2]uint32{{2, 1}, {2, 1}, {0, 0}})
	release.Degrees = []int32{0, 0, 1, 4}
	release.Regions.Tree = []algorithms.Cut{{At: 2, Left: ^0, Right: ^1}}
	s := featureVector{probes: [][]uint32{{2, 1}}}
	if s.read(t.Context(), release, nil) {
		t.Fatal("failed")
	}
	values := make(map[string]float64)
	for _, r := range s.values {
		if _, twice := values[r.feature.String()]; twice {
			t.Errorf("%s is read twice", r.feature)
		}
		values[r.feature.String()] = r.value
	}
	for name, want := range map[string]float64{
		"the number of failures":                                 0,
		"the number of records":                                  3,
		"the weight of records equal to probe 0":                 2,
		"the weight of records in the cell of probe 0":           2,
		"the weight of records with a 2":                         2,
		"the weight of records with class no":                    1,
		"the value of a at record 0":                             2,
		"the number of changes of the value of a by record":      1,
		"the sum of the value of class by record":                2,
		"the sum of the count of class 1 by region":              14.375,
		"the step of the count of class 0 to region 1":           2,
		"the least count by region":                              0.375,
		"the largest class at region 2":                          1,
		"the count of the region of probe 0 at class 1":          0.375,
		"the lower edge of the region of probe 0 at dimension 0": 2,
		"the upper edge of the region of probe 0 at dimension 0": 3,
		"the greatest upper edge on dimension 0 by region":       4,
		"the position at cut 0":                                  2,
		"the sum of the degree by node":                          5,
		"the number of degrees up to 0":                          2,
		"the degree at node 3":                                   4,
	} {
		if got, ok := values[name]; got != want || !ok {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// TestRulesFindConjunctions: of three fair bits the third is the parity of the others on one side
// only, so that no single bit distinguishes the sides.
func TestRulesFindConjunctions(t *testing.T) {
	release := func(_ context.Context, key random.Key, side int, _ float64) (*algorithms.Release,
		error) {
		stream := key.Stream()
		a, b, c := stream.Uint32N(2), stream.Uint32N(2), stream.Uint32N(2)
		if side == 1 {
			c = a ^ b
		}
		out := datasets.NewBuilder(schema, 1)
		out.AddRow(2*a+b, c)
		return &algorithms.Release{Table: out.Table()}, nil
	}
	finding, err := Audit(t.Context(), Target{Name: "parity", Epsilon: 0.5,
		Pairs: []Pair{{Name: "xor", Release: release}}}, Options{})
	if err != nil || !finding.Accused() || !strings.Contains(finding.Best().Event, " and ") {
		t.Errorf("%v, %v", finding, err)
	}
}
