package metrics

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"ppdp/algorithms"
	"ppdp/datasets"
)

func sorted(values ...float64) Sample {
	values = slices.Clone(values)
	slices.Sort(values)
	return Sample{Values: values}
}

func drawValues(t *rapid.T, label string, low, high int) []float64 {
	// A coarse grid makes ties common; quarters are exact in binary.
	values := rapid.SliceOfN(rapid.IntRange(-20, 20), low, high).Draw(t, label)
	numbers := make([]float64, len(values))
	for i, v := range values {
		numbers[i] = float64(v) / 4
	}
	return numbers
}

// TestWassersteinOfPairs repeats the values of samples as often as their weights say, and both
// samples to a common size, where the distance is a mean over sorted pairs. Of samples of one
// size that is the formula of Qardaji & Li 2012, by which {0, 0} and {0, 2} are √2 apart.
func TestWassersteinOfPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var samples [2]Sample
		var values [2][]float64
		for i := range samples {
			s := &samples[i]
			*s = sorted(drawValues(t, "values", 1, 9)...)
			weighted := rapid.Bool().Draw(t, "weighted")
			for at, value := range s.Values {
				times := 1
				if weighted {
					times = rapid.IntRange(max(0, 1-at), 3).Draw(t, "weight")
					s.Weights = append(s.Weights, float64(times)/4)
				}
				values[i] = append(values[i], slices.Repeat([]float64{value}, times)...)
			}
		}
		n, m := len(values[0]), len(values[1])
		sum := 0.0
		for i := range n * m {
			d := values[0][i/m] - values[1][i/n]
			sum += d * d
		}
		if got, want := Wasserstein2(samples[0], samples[1]),
			math.Sqrt(sum/float64(n*m)); !near(got, want) {
			t.Fatalf("W2 = %v, want %v", got, want)
		}
	})
	if got := Wasserstein2(sorted(0, 0), sorted(0, 2)); !near(got, math.Sqrt2) {
		t.Errorf("errata R6: %v", got)
	}
}

// below is the weighted share of a sample at or below v, by definition.
func below(s Sample, v float64) float64 {
	sum, all := 0.0, 0.0
	for i := range s.Values {
		w := 1.0
		if s.Weights != nil {
			w = s.Weights[i]
		}
		all += w
		if s.Values[i] <= v {
			sum += w
		}
	}
	return sum / all
}

func drawWeighted(t *rapid.T, label string) Sample {
	s := sorted(drawValues(t, label, 1, 30)...)
	if rapid.Bool().Draw(t, label+" weighted") {
		s.Weights = rapid.SliceOfN(rapid.Float64Range(0, 5), len(s.Values), len(s.Values)).Draw(t,
			label+" weights")
		s.Weights[0] += 0.25
	}
	return s
}

// TestDistancesAgainstDistributionFunctions uses W1 = ∫|F−G| dv and the definition of KS: another
// way to the same numbers, over distribution functions instead of quantiles.
func TestDistancesAgainstDistributionFunctions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y := drawWeighted(t, "x"), drawWeighted(t, "y")
		union := append(slices.Clone(x.Values), y.Values...)
		slices.Sort(union)
		area, most := 0.0, 0.0
		for i, v := range union {
			gap := math.Abs(below(x, v) - below(y, v))
			most = max(most, gap)
			if i+1 < len(union) {
				area += gap * (union[i+1] - v)
			}
		}
		if got := Wasserstein1(x, y); !near(got, area) {
			t.Fatalf("W1 = %v, the area between the distribution functions is %v", got, area)
		}
		if got := KolmogorovSmirnov(x, y); !near(got, most) {
			t.Fatalf("KS = %v, want %v", got, most)
		}
		if got := stat.KolmogorovSmirnov(x.Values, x.Weights, y.Values,
			y.Weights); !near(KolmogorovSmirnov(x, y), got) {
			t.Fatalf("KS = %v, gonum has %v", KolmogorovSmirnov(x, y), got)
		}
	})
}

func TestDistanceMetricsUseExactValuesAndWeights(t *testing.T) {
	a := datasets.Attribute{Name: "x", Low: 0, High: 10, Step: 1, Continuous: true}
	original := numericTable(t, a, 9.9, 0.25, 0.25) // row 0 is not published
	published := numericTable(t, a, 2.25, 0.25, 7)
	c := Case{Table: original, Train: []int32{1, 2}, Test: []int32{1, 2},
		Release: &algorithms.Release{Table: published, Weights: []float64{3, 3, 0}}}
	for name, want := range map[string]float64{"w1": 1, "w2": math.Sqrt2, "ks": 0.5, "records": 6} {
		wants(t, name, c, nil, want)
	}
}

func TestDistanceMetricsAverageOverAttributes(t *testing.T) {
	attributes := []datasets.Attribute{number("a", 100), category("c", "u", "v"),
		{Name: "b", Low: 0, High: 1000, Step: 10},
		{Name: "s", Low: 0, High: 10, Step: 1, Role: datasets.Sensitive}}
	wants(t, "w1", against(codedTable(attributes, []uint32{10, 0, 3, 0}),
		codedTable(attributes, []uint32{12, 1, 8, 9}), nil), nil, (2.0+50)/2)
}

func TestDistanceMetricsUndefinedOrRefused(t *testing.T) {
	a := datasets.Attribute{Name: "x", Low: 0, High: 10, Step: 1}
	some, none := numericTable(t, a, 1, 2), numericTable(t, a)
	for _, name := range []string{"w1", "w2", "ks"} {
		undefined(t, name, Case{Table: some, Train: []int32{0, 1},
			Release: &algorithms.Release{Table: none}})
		undefined(t, name, Case{Table: some, Release: &algorithms.Release{Table: some}})
		undefined(t, name, Case{Table: some, Train: []int32{0, 1},
			Release: &algorithms.Release{Table: some, Weights: []float64{0, 0}}})
		refuses(t, name, against(codedTable([]datasets.Attribute{category("c", "u")}), some, nil),
			"numeric")
		for _, w := range []float64{-1, math.NaN(), math.Inf(1)} {
			refuses(t, name, Case{Table: some, Train: []int32{0},
				Release: &algorithms.Release{Table: some, Weights: []float64{1, w}}}, "row 1")
		}
	}
}

// TestColumnSampleCountsAsItSorts: the counted form of a column is the sorted form with equal
// values merged.
func TestColumnSampleCountsAsItSorts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cells := rapid.SampledFrom([]int{3, 300, 70000}).Draw(t, "cells")
		codes := rapid.SliceOfN(rapid.Uint32Range(0, uint32(min(cells, 400))-1), 1, 60).Draw(t,
			"codes")
		table := codedTable([]datasets.Attribute{{Name: "x", Low: 5, High: 5 + float64(cells),
			Step: 1}}, slices.Collect(slices.Chunk(codes, 1))...)
		var weights []float64
		if rapid.Bool().Draw(t, "weighted") {
			for range codes {
				weights = append(weights, float64(rapid.IntRange(0, 3).Draw(t, "weight")))
			}
		}
		got := columnSample(table, 0, table.AllRows(), weights)
		counted := countedSample(table.Column(0), &table.Schema().Attributes[0], cells,
			table.AllRows(), weights)
		for _, s := range []Sample{got, counted} {
			if !slices.IsSorted(s.Values) {
				t.Fatalf("values %v do not ascend", s.Values)
			}
			for v := 5.0; v < 406; v++ {
				mass, want := 0.0, 0.0
				for i := range s.Values {
					if s.Values[i] == v {
						mass += s.weight(i)
					}
				}
				for i, code := range codes {
					if float64(code)+5 == v {
						if weights == nil {
							want++
						} else {
							want += weights[i]
						}
					}
				}
				if mass != want {
					t.Fatalf("mass %v at %v, want %v", mass, v, want)
				}
			}
		}
	})
}
