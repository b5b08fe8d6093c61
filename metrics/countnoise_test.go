package metrics

import (
	"math"
	"strings"
	"testing"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/internal/declared"
	"ppdp/numeric/random"
	"ppdp/privacy"
)

// Published: a b c | 2 of each | a half, over a a b | c | nothing. Classes apart the counts are off
// by 1, 0, 1 | 2, 2, 1 | 0.5, 0, 0; together by 0 | 5 | 0.5.
func TestCountNoise(t *testing.T) {
	counts := []float64{1, 1, 1, 2, 2, 2, 0.5, 0, 0}
	for name, c := range inBoxes(counts...) {
		for per, want := range map[Per]float64{PerClass: 7.5 / 9, PerRegion: 5.5 / 3} {
			if got := defined(t, "count-noise",
				c, func(p Params) { p.(*CountNoiseParams).Per = per }); !near(got, want) {
				t.Errorf("%s, per %s: %v, want %v", name, per, got, want)
			}
		}
	}
	// A suppressed row is in no count: without the one at 2, a is off by 0.
	suppressed := threeBoxes(counts...)
	suppressed.Assignment, suppressed.Suppressed = []int32{0, -1, 0, 1}, []int32{1}
	c := inBoxes(counts...)["boxes"]
	c.Release = &algorithms.Release{Regions: suppressed}
	if got := defined(t, "count-noise", c, nil); !near(got, 6.5/9) {
		t.Errorf("a row suppressed: %v, want %v", got, 6.5/9)
	}
	// One count a region, although the table has classes.
	plain := threeBoxes(counts...)
	plain.Classes, plain.Counts = 1, []float64{3, 4, 0}
	c.Release.Regions = plain
	if got := defined(t, "count-noise", c, nil); !near(got, 1) {
		t.Errorf("releases without classes: %v, want 3/3", got)
	}
	c.Release.Regions = &algorithms.Regions{Attributes: []int{0}, Classes: 3}
	c.Train = nil
	if got, ok := measure(t, "count-noise", c, nil); ok {
		t.Errorf("no region: %v, want undefined", got)
	}
}

func TestCountNoiseRefuses(t *testing.T) {
	table := labelled([2]uint32{9, 0})
	for _, c := range []struct {
		regions *algorithms.Regions
		want    string
	}{
		{nil, "no regions"},
		{&algorithms.Regions{Attributes: []int{0}, Low: []uint32{0, 2}, High: []uint32{1, 9},
			Classes: 3, Counts: make([]float64, 6)}, "no region"},
		{&algorithms.Regions{Attributes: []int{0}, Low: []uint32{0}, High: []uint32{10}, Classes: 2,
			Counts: make([]float64, 2)}, "2 classes, the table has 3"},
	} {
		refuses(t, "count-noise",
			Case{Table: table, Train: []int32{0},
				Release: &algorithms.Release{Regions: c.regions}}, c.want)
	}
	if err := declared.Check(&CountNoiseParams{Per: "row"}); err == nil ||
		!strings.Contains(err.Error(), "class, region") {
		t.Errorf("per: row: error %v", err)
	}
}

// evenlyFilled is a table of one quasi-identifier and a class of two values, with each of the cells
// of one code and one class holding the same number of records, and the regions of single codes.
func evenlyFilled(codes, each int) (*datasets.Table, *algorithms.Regions) {
	schema := &datasets.Schema{Attributes: []datasets.Attribute{
		{Name: "x", Low: 0, High: float64(codes), Step: 1},
		{Name: "y", Kind: datasets.Categorical, Values: []string{"a", "b"}, Role: datasets.Class},
	}}
	b := datasets.NewBuilder(schema, 2*codes*each)
	regions := &algorithms.Regions{Attributes: []int{0}, Classes: 2,
		Counts: make([]float64, 2*codes), Assignment: make([]int32, 0, 2*codes*each)}
	for x := range codes {
		regions.Low, regions.High = append(regions.Low, uint32(x)), append(regions.High,
			uint32(x+1))
		for y := range 2 {
			regions.Counts[2*x+y] = float64(each)
			for range each {
				row := b.AddRow()
				b.Set(row, 0, uint32(x))
				b.Set(row, 1, uint32(y))
				regions.Assignment = append(regions.Assignment, int32(x))
			}
		}
	}
	return b.Table(), regions
}

// The metric recovers the scale of the noise. For Laplace noise of scale b, |L| is exponential:
// mean and standard deviation b. For geometric noise P(g) = tanh(ε/2)·e^(-ε|g|) the mean of |g| is
// tanh(ε/2)·2e^-ε/(1-e^-ε)² = 1/sinh(ε), and the second moment is that of g, 2e^-ε/(1-e^-ε)². Of
// two Laplace variates, |L+L'| has density (1+x/b)e^(-x/b)/(2b): mean 3b/2, second moment 4b².
// Tolerances are five standard errors: a fault-free run misses one with a chance below 6e-7, and
// the seed is fixed.
func TestCountNoiseIsScale(t *testing.T) {
	const regionsN, epsilon = 20_000, 0.5
	b := 1 / epsilon
	q := math.Exp(-epsilon)
	laplace := func(budget *privacy.Budget, s *random.Stream, counts []float64) error {
		path := budget.Root()
		return budget.Laplace("counts", s, privacy.Exact(1)).AddAll(&path, epsilon, counts)
	}
	geometric := func(budget *privacy.Budget, s *random.Stream, counts []float64) error {
		path := budget.Root()
		return budget.Geometric("counts", s, privacy.Exact(1)).AddAll(&path, epsilon, counts)
	}
	for _, test := range []struct {
		name         string
		per          Per
		perturb      func(*privacy.Budget, *random.Stream, []float64) error
		mean, second float64
		counts       int
	}{
		{"Laplace", PerClass, laplace, b, 2 * b * b, 2 * regionsN},
		{"geometric", PerClass, geometric, 1 / math.Sinh(epsilon), 2 * q / ((1 - q) * (1 - q)),
			2 * regionsN},
		{"Laplace, regions", PerRegion, laplace, 1.5 * b, 4 * b * b, regionsN},
	} {
		table, regions := evenlyFilled(regionsN, 3)
		noError(t, test.perturb(privacy.NewBudget(epsilon), random.NewKey(5).Stream(),
			regions.Counts))
		c := inRegions(table, regions)
		got := defined(t, "count-noise", c, func(p Params) { p.(*CountNoiseParams).Per = test.per })
		tolerance := 5 * math.Sqrt((test.second-test.mean*test.mean)/float64(test.counts))
		if math.Abs(got-test.mean) > tolerance {
			t.Errorf("%s: %v, want %v ± %v", test.name, got, test.mean, tolerance)
		}
	}
}
