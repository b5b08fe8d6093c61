package clustering

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ppdp/datasets"
	"ppdp/internal/must"
)

func schema() *datasets.Schema {
	return &datasets.Schema{Attributes: []datasets.Attribute{
		{Name: "colour", Kind: datasets.Categorical, Values: []string{"red", "green", "blue"}},
		{Name: "x", Low: -5, High: 5, Step: 1},
		{Name: "shape", Kind: datasets.Categorical,
			Values: []string{"disk", "ring", "star", "bar"}},
		{Name: "y", Low: 0, High: 4, Step: 1},
	}}
}

// dense writes a vector out.
func (v *Vectors) dense(i int) []float64 {
	d := make([]float64, v.size)
	v.addTo(d, int32(i), 1)
	return d
}

func near(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) < 1e-12 })
}

// TestVectors: a record and two generalised ones, by hand.
func TestVectors(t *testing.T) {
	s := schema()
	b := datasets.NewBuilder(s, 1)
	b.AddRow(1, 6, 3) // green, 1 at 0.6 of its bounds, bar
	v := NewVectors(s, []int{0, 1, 2})
	v.AddRows(b.Table(), []int32{0})
	// Values -5 to 4 have the midpoint -0.5, at 0.45; all colours; disk and ring.
	v.AddBox([]uint32{0, 0, 0}, []uint32{3, 10, 2}, nil, 7)
	// Ranks of an axis that turns the shapes round: the last two are ring and disk.
	tree := &datasets.Taxonomy{Nodes: []datasets.TaxonomyNode{{Name: "any",
		Parent: -1, Children: []int{1, 2, 3, 4}},
		{Name: "bar", Parent: 0}, {Name: "star", Parent: 0}, {Name: "ring",
			Parent: 0}, {Name: "disk", Parent: 0}}}
	turned := s.Attributes[2]
	turned.Taxonomy = tree
	v.AddBox([]uint32{0, 0, 2}, []uint32{3, 10, 4}, []*datasets.Axis{nil, nil, turned.Axis()}, 1)

	long := math.Sqrt(1 + 0.36 + 1)
	if want := []float64{0, 1 / long, 0, 0.6 / long, 0, 0, 0, 1 / long}; !near(v.dense(0), want) {
		t.Errorf("record %v, must be %v", v.dense(0), want)
	}
	long = math.Sqrt(3.0/9 + 0.45*0.45 + 2.0/4)
	want := []float64{1 / (3 * long), 1 / (3 * long), 1 / (3 * long), 0.45 / long, 1 / (2 * long),
		1 / (2 * long), 0, 0}
	for i := 1; i <= 2; i++ {
		if !near(v.dense(i), want) {
			t.Errorf("box %d %v, must be %v", i, v.dense(i), want)
		}
	}
	if v.weights[1] != 7 {
		t.Errorf("weight %v, must be 7", v.weights[1])
	}
}

// criterion is I₂ by its definition.
func criterion(v *Vectors, clusters []uint32) float64 {
	sums := make(map[uint32][]float64)
	for i, c := range clusters {
		if sums[c] == nil {
			sums[c] = make([]float64, v.size)
		}
		for k, x := range v.dense(i) {
			sums[c][k] += v.weights[i] * x
		}
	}
	total := 0.0
	for c := range uint32(len(clusters)) {
		square := 0.0
		for _, x := range sums[c] {
			square += x * x
		}
		total += math.Sqrt(square)
	}
	return total
}

func drawVectors(t *rapid.T, most int) *Vectors {
	s := schema()
	v := NewVectors(s, []int{1, 2, 3})
	for range rapid.IntRange(0, most).Draw(t, "vectors") {
		var low, high []uint32
		for _, attribute := range v.attributes {
			cells := uint32(s.Attributes[attribute].Cells())
			from := rapid.Uint32Range(0, cells-1).Draw(t, "low")
			low, high = append(low, from), append(high,
				rapid.Uint32Range(from+1, cells).Draw(t, "high"))
		}
		v.AddBox(low, high, nil, float64(rapid.IntRange(1, 3).Draw(t, "weight")))
	}
	return v
}

// TestBisectionIsLocallyOptimal: no bisection is better than by moving one vector, and none of all
// 2ⁿ is worse than leaving the vectors together.
func TestBisectionIsLocallyOptimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := drawVectors(t, 9)
		clusters := must.Get(v.Clusters(context.Background(), 2))
		if len(clusters) > 0 && clusters[0] != 0 {
			t.Fatal("vector 0 is not in cluster 0")
		}
		got := criterion(v, clusters)
		slack := 1e-8 * got // some passes of leastGain, and rounding
		for i := range clusters {
			moved := slices.Clone(clusters)
			moved[i] = 1 - moved[i]
			if better := criterion(v, moved); better > got+slack {
				t.Fatalf("criterion %v of %v, but %v of %v", got, clusters, better, moved)
			}
		}
		best := 0.0
		for pattern := range 1 << len(clusters) {
			tried := make([]uint32, len(clusters))
			for i := range tried {
				tried[i] = uint32(pattern >> i & 1)
			}
			best = max(best, criterion(v, tried))
		}
		if got > best+slack {
			t.Fatalf("criterion %v, above the maximum %v", got, best)
		}
	})
}

// TestPlanted: groups that share no coordinate are found, whatever their order and weights.
func TestPlanted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := schema()
		groups := rapid.IntRange(2, 4).Draw(t, "groups")
		v := NewVectors(s, []int{2})
		var want []uint32
		for range rapid.IntRange(groups, 40).Draw(t, "vectors") {
			g := rapid.Uint32Range(0, uint32(groups)-1).Draw(t, "group")
			v.AddBox([]uint32{g}, []uint32{g + 1}, nil,
				float64(rapid.IntRange(1, 100).Draw(t, "weight")))
			want = append(want, g)
		}
		distinct := len(slices.Compact(slices.Sorted(slices.Values(want))))
		got := must.Get(v.Clusters(context.Background(), groups))
		// Seeds of one group leave every vector on one side; the first of another group then moves
		// off.
		same := true
		for i := range want {
			for j := range want {
				same = same && (want[i] == want[j]) == (got[i] == got[j])
			}
		}
		if !same {
			t.Fatalf("%d groups %v, clusters %v", distinct, want, got)
		}
	})
}

func TestClustersEdges(t *testing.T) {
	v := NewVectors(schema(), []int{3})
	if clusters, err := v.Clusters(context.Background(), 2); err != nil || len(clusters) != 0 {
		t.Errorf("of nothing: %v, %v", clusters, err)
	}
	for range 3 {
		v.AddBox([]uint32{0}, []uint32{1}, nil, 2) // the lower bound: no direction at all
	}
	if clusters, err := v.Clusters(context.Background(), 3); err != nil ||
		!slices.Equal(clusters, []uint32{0, 0, 0}) {
		t.Errorf("of equal vectors: %v, %v, must be one cluster", clusters, err)
	}
	if _, err := v.Clusters(context.Background(), 0); err == nil {
		t.Error("no clusters were accepted")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := v.Clusters(ctx, 2); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
}

// TestNearest: planted groups are nearest to their own centroids.
func TestNearest(t *testing.T) {
	v := NewVectors(schema(), []int{0, 1})
	want := []uint32{0, 1, 1, 2, 0}
	for _, g := range want {
		v.AddBox([]uint32{g, 2}, []uint32{g + 1, 5}, nil, 1)
	}
	if got := v.Nearest(v.Centroids(want, 3)); !slices.Equal(got, want) {
		t.Errorf("nearest %v, must be %v", got, want)
	}
	for c, centroid := range v.Centroids(want, 4) {
		if long := length(centroid); math.Abs(long-min(1, float64(3-c))) > 1e-12 {
			t.Errorf("centroid %d has length %v", c, long)
		}
	}
}
