package degrees

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ppdp/algorithms"
	"ppdp/algorithms/internal/testinput"
	"ppdp/datasets"
	"ppdp/internal/must"
)

func TestBelow(t *testing.T) {
	for _, c := range []struct {
		starts     []int32
		cumulative []float64
		n          int
		want       []int32
	}{
		{[]int32{0, 2, 5}, []float64{1, 3}, 4, []int32{0, 2, 2, 5}},
		{[]int32{0, 2, 5}, []float64{-3, 1e300}, 3, []int32{2, 2, 2}},
		{[]int32{0, 2, 5}, []float64{math.Inf(1), 1}, 2, []int32{0, 0}},
		// halves go up; a fall leaves an interval empty
		{[]int32{0, 2, 5}, []float64{1.5, 1.4}, 3, []int32{0, 0, 5}},
		{[]int32{7}, nil, 2, []int32{7, 7}},
		{[]int32{0, 1}, []float64{3}, 0, []int32{}},
	} {
		if got := Below(c.starts, c.cumulative, c.n); !slices.Equal(got, c.want) {
			t.Errorf("starts %v, counts %v: %v, want %v", c.starts, c.cumulative, got, c.want)
		}
	}
}

// TestIsotonic compares with the min-max formula of isotonic regression: element i of the
// least-squares fit is the largest, over a ≤ i, of the smallest mean of elements a to b, over b ≥ i
// (Robertson, Wright & Dykstra 1988).
func TestIsotonic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// Small whole numbers make ties and violations frequent.
		n := rapid.IntRange(0, 12).Draw(t, "n")
		values := make([]float64, n)
		for i := range values {
			values[i] = float64(rapid.IntRange(-5, 5).Draw(t, "value"))
		}
		want := make([]float64, n)
		for i := range want {
			want[i] = math.Inf(-1)
			for a := 0; a <= i; a++ {
				least, sum := math.Inf(1), 0.0
				for b := a; b < n; b++ {
					if sum += values[b]; b >= i {
						least = min(least, sum/float64(b-a+1))
					}
				}
				want[i] = max(want[i], least)
			}
		}
		Isotonic(values)
		for i := range want {
			if math.Abs(values[i]-want[i]) > 1e-12 {
				t.Fatalf("element %d is %v, want %v", i, values[i], want[i])
			}
		}
	})
}

func TestCap(t *testing.T) {
	// A star of three leaves and a node apart: n-1 = 4, maximum degree 3.
	star := must.Get(datasets.NewGraph(5, []int32{0, 0, 0}, []int32{1, 2, 3}))
	lone := must.Get(datasets.NewGraph(1, nil, nil))
	for _, test := range []struct {
		cap         Cap
		star, alone int
		private     bool
	}{{Nodes, 4, 1, false}, {MaxDegree, 3, 1, true}, {"2", 2, 1, false}, {"100", 4, 1, false}} {
		if err := test.cap.Validate(); err != nil {
			t.Error(err)
		}
		if got := test.cap.Of(star); got != test.star {
			t.Errorf("%s of the star is %d, want %d", test.cap, got, test.star)
		}
		if got := test.cap.Of(lone); got != test.alone {
			t.Errorf("%s of a single node is %d, want %d", test.cap, got, test.alone)
		}
		if err := test.cap.CheckVariant(algorithms.Strict); (err != nil) != test.private {
			t.Errorf("%s: %v", test.cap, err)
		}
	}
	for _, bad := range []Cap{"", "0", "-3", "2.5", "max", "99999999999"} {
		if err := bad.Validate(); err == nil || !strings.HasPrefix(err.Error(),
			"lambda: ") {
			t.Errorf("cap %q: %v", bad, err)
		}
	}
}

// TestMix: splitmix64 seeded with 0 starts with this number, and unmix undoes mix.
func TestMix(t *testing.T) {
	if got := mix(0x9e3779b97f4a7c15); got != 0xe220a8397b1dcdaf {
		t.Errorf("mix gives %#x, splitmix64 0xe220a8397b1dcdaf", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		if x := rapid.Uint64().Draw(t, "x"); unmix(mix(x)) != x {
			t.Fatalf("unmix(mix(%#x)) = %#x", x, unmix(mix(x)))
		}
	})
}

// naive projects by the definition, with the library's sort.
func naive(g *datasets.Graph, theta int) (degrees []int, edges int) {
	var keys []uint64
	for u := range g.Nodes() {
		for _, v := range g.Adjacent(int32(u)) {
			if int(v) > u {
				keys = append(keys, uint64(u)<<32|uint64(v))
			}
		}
	}
	slices.SortFunc(keys, func(a, b uint64) int { return cmp.Compare(mix(a), mix(b)) })
	degrees = make([]int, g.Nodes())
	for _, key := range keys {
		if u, v := key>>32, key&0xffffffff; degrees[u] < theta && degrees[v] < theta {
			degrees[u]++
			degrees[v]++
			edges++
		}
	}
	return degrees, edges
}

func TestProject(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := testinput.DrawGraph(t, 12)
		theta := rapid.IntRange(1, 12).Draw(t, "theta")
		degrees, edges := naive(g, theta)
		want := make([]int32, theta+1)
		for _, d := range degrees {
			want[d]++
		}
		got := Project(g, theta)
		if !slices.Equal(got.Counts, want) || got.Edges != edges {
			t.Fatalf("counts %v and %d edges, want %v and %d", got.Counts, got.Edges, want, edges)
		}
	})
}

// TestProjectionSensitivity checks, for the private bound of errata G4, the arguments of Projection
// and ChooseBound on every graph of six nodes and every node isolated in it: no statistic moves by
// more than its bound, and those of small θ are attained, so that none is too careful. (The bounds
// of Day, Li & Lyu, 2θ+1 for the histogram and θ+1 for cumulative counts, are for removal;
// isolation exceeds them.)
func TestProjectionSensitivity(t *testing.T) {
	const n = 6
	var pairs [][2]int32
	for u := int32(0); u < n; u++ {
		for v := u + 1; v < n; v++ {
			pairs = append(pairs, [2]int32{u, v})
		}
	}
	thetas := Candidates(n - 1) // 1, 2, 4, 5
	projections := make([][]*Projection, 1<<len(pairs))
	score := make([][]float64, len(projections))
	for mask := range projections {
		var from, to []int32
		for i, pair := range pairs {
			if mask>>i&1 == 1 {
				from, to = append(from, pair[0]), append(to, pair[1])
			}
		}
		g := testinput.Graph(t, n, from, to)
		quality := make([]float64, len(thetas))
		for i, theta := range thetas {
			p := Project(g, theta)
			projections[mask] = append(projections[mask], p)
			quality[i] = 2*float64(p.Edges) - 5*math.Sqrt(float64(theta))
		}
		score[mask] = scores(thetas, quality)
	}
	histogram, cumulative := make([]int, len(thetas)), make([][n + 1]int, len(thetas))
	worstScore, worstEdges := 0.0, make([]int, len(thetas))
	for mask := range projections {
		for v := int32(0); v < n; v++ {
			isolated := mask
			for i, pair := range pairs {
				if pair[0] == v || pair[1] == v {
					isolated &^= 1 << i
				}
			}
			for i, theta := range thetas {
				one, other := projections[mask][i], projections[isolated][i]
				moved, below := 0, 0
				var crossed []int // by boundary, the counts below which differ by this much
				for d := range one.Counts {
					difference := int(one.Counts[d] - other.Counts[d])
					moved += max(difference, -difference)
					if below += difference; d < theta {
						crossed = append(crossed, max(below, -below))
					}
				}
				histogram[i] = max(histogram[i], moved)
				slices.SortFunc(crossed, func(a, b int) int { return b - a })
				sum := 0
				for k, c := range crossed { // the worst k+1 boundaries there are
					sum += c
					cumulative[i][k+1] = max(cumulative[i][k+1], sum)
				}
				lost := one.Edges - other.Edges
				if lost < 0 {
					t.Fatalf("graph %015b, node %d, theta %d: %d edges lost", mask, v, theta, lost)
				}
				worstEdges[i] = max(worstEdges[i], lost)
			}
			for i := range thetas {
				worstScore = max(worstScore, math.Abs(score[mask][i]-score[isolated][i]))
			}
		}
	}
	for i, theta := range thetas {
		bound := 2*theta + 2
		if got := histogram[i]; got > bound || theta <= 2 && got != bound {
			t.Errorf("theta %d: the histogram moved by %d, the bound is %d", theta, got, bound)
		}
		for k := 1; k <= theta; k++ {
			bound := theta + min(theta, k)
			if got := cumulative[i][k]; got > bound || theta <= 2 && got != bound {
				t.Errorf("theta %d: counts below %d boundaries moved by %d, the bound is %d", theta,
					k, got, bound)
			}
		}
		if worstEdges[i] != theta {
			t.Errorf("theta %d: at most %d edges lost", theta, worstEdges[i])
		}
	}
	if histogram[0] <= 2*1+1 || cumulative[1][2] <= 2+1 {
		t.Errorf("isolation stays within the bounds for removal: %v, %v", histogram[0],
			cumulative[1][2])
	}
	if worstScore > 1+1e-12 || worstScore < 0.4 {
		t.Errorf("a score moved by %v, must be at most 1 and not far below", worstScore)
	}
}
