package mondrian

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"ppdp/algorithms"
	"ppdp/algorithms/internal/testinput"
	"ppdp/algorithms/kernel/disclosure"
	"ppdp/algorithms/kernel/partition"
	"ppdp/datasets"
	"ppdp/internal/declared"
)

// drawSmall draws points whose cuts can all be tried.
func drawSmall(t *rapid.T, least int) points {
	p := drawFrom(t, least, []int{1, 2, 5, 12, 3000}, 3, []int{3, 12, 3000})
	for range p.rows {
		p.labels = append(p.labels, rapid.IntRange(0, 2).Draw(t, "label"))
	}
	return p
}

// area is a region of the replay of a tree: some rows in a box, [low, high).
type area struct {
	node      int32 // of the tree
	rows      []int32
	low, high []int
}

func (p points) whole() area {
	return area{rows: p.table().AllRows(), low: make([]int, len(p.cells)),
		high: slices.Clone(p.cells)}
}

// divide is the two parts of an area.
func (p points) divide(a area, dim, at int) (left, right area) {
	left, right = area{low: a.low, high: slices.Clone(a.high)}, area{low: slices.Clone(a.low),
		high: a.high}
	left.high[dim], right.low[dim] = at, at
	for _, row := range a.rows {
		if p.rows[row][dim] < at {
			left.rows = append(left.rows, row)
		} else {
			right.rows = append(right.rows, row)
		}
	}
	return left, right
}

// allowable lists the cuts that leave k rows on either side, as dimension and code.
func (p points) allowable(a area, k int) (cuts [][2]int) {
	for d := range p.cells {
		for _, at := range a.rows { // other cuts are between the same rows, or leave a side empty
			for _, c := range []int{p.rows[at][d], p.rows[at][d] + 1} {
				if c <= a.low[d] || c >= a.high[d] {
					continue
				}
				if left, right := p.divide(a, d, c); len(left.rows) >= k && len(right.rows) >= k {
					cuts = append(cuts, [2]int{d, c})
				}
			}
		}
	}
	return cuts
}

// TestClassSplit replays the tree from the top: each cut is allowable, none says more about the
// class, computed from the definition of entropy; where none is informative it is the paper's; and
// what is not cut cannot be.
func TestClassSplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(2, 5).Draw(t, "k")
		p := drawSmall(t, k)
		table := p.table()
		r := release(t, table, table.AllRows(), Params{K: k, Mode: Strict, Cut: First, Split: Class,
			Records: partition.Box})
		entropy := func(rows []int32) float64 { // nats, times the rows
			var counts [3]float64
			for _, row := range rows {
				counts[p.labels[row]]++
			}
			sum := 0.0
			for _, n := range counts {
				if n > 0 {
					sum -= n * math.Log(n/float64(len(rows)))
				}
			}
			return sum
		}
		gain := func(a area, cut [2]int) float64 {
			left, right := p.divide(a, cut[0], cut[1])
			return entropy(a.rows) - entropy(left.rows) - entropy(right.rows)
		}
		var walk func(a area)
		walk = func(a area) {
			cuts := p.allowable(a, k)
			if len(r.Regions.Tree) == 0 || a.node < 0 {
				if len(cuts) > 0 {
					t.Fatalf("a region of %d rows could be cut at %v", len(a.rows), cuts[0])
				}
				return
			}
			node := r.Regions.Tree[a.node]
			taken := [2]int{node.Dim, int(node.At)}
			left, right := p.divide(a, node.Dim, int(node.At))
			if min(len(left.rows), len(right.rows)) < k {
				t.Fatalf("a cut into %d and %d rows", len(left.rows), len(right.rows))
			}
			best := 0.0
			for _, cut := range cuts {
				best = max(best, gain(a, cut))
			}
			if got := gain(a, taken); got < best-2*leastGain {
				t.Fatalf("cut %v gains %v, the best %v", taken, got, best)
			}
			if best < leastGain/2 {
				p.wantMedian(t, a, k, left.rows)
			}
			left.node, right.node = node.Left, node.Right
			walk(left)
			walk(right)
		}
		walk(p.whole())
	})
}

// wantMedian fails unless the left part of an area is what the paper's rule puts there: the first
// of the groups that the rule makes of the area.
func (p points) wantMedian(t *rapid.T, a area, k int, left []int32) {
	t.Helper()
	var first []int32
	for _, group := range p.reference(a.rows, Params{K: k, Mode: Strict, Cut: First}) {
		if first = append(first, group...); len(first) >= len(left) {
			break
		}
	}
	slices.Sort(first)
	if !slices.Equal(first, slices.Sorted(slices.Values(left))) {
		t.Fatalf("no cut is better than the median's, which was not taken: rows %v go left", left)
	}
}

// TestWorkloadSplit replays the tree, the largest area first, and computes the error of every query
// from all areas anew for every possible cut: each cut leaves the least error that one can, or is
// the paper's where none lowers it, and what is not cut cannot be.
func TestWorkloadSplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(2, 5).Draw(t, "k")
		p := drawSmall(t, k)
		for d := range p.cells {
			p.cells[d] = min(p.cells[d], 40) // every cut is judged
			for i := range p.rows {
				p.rows[i][d] = min(p.rows[i][d], p.cells[d]-1)
			}
		}
		type query struct{ dim, code int }
		var queries []query
		for d, cells := range p.cells {
			for c := range cells {
				queries = append(queries, query{d, c})
			}
		}
		table := p.table()
		r := release(t, table, table.AllRows(), Params{K: k, Mode: Strict, Cut: First,
			Split: Workload, Records: partition.Box})
		failure := func(areas []area) float64 {
			sum := 0.0
			for _, q := range queries {
				off := 0.0
				for _, a := range areas {
					if low, high := a.low[q.dim], a.high[q.dim]; q.code >= low && q.code < high {
						off += float64(len(a.rows)) / float64(high-low)
					}
					for _, row := range a.rows {
						if p.rows[row][q.dim] == q.code {
							off--
						}
					}
				}
				sum += math.Abs(off)
			}
			return sum
		}
		areas := []area{p.whole()} // in order of creation; done ones keep their place
		open := []bool{true}
		for {
			at := -1
			for i := range areas {
				if open[i] && (at < 0 || len(areas[i].rows) > len(areas[at].rows)) {
					at = i
				}
			}
			if at < 0 {
				break
			}
			open[at] = false
			a := areas[at]
			cuts := p.allowable(a, k)
			if len(r.Regions.Tree) == 0 || a.node < 0 {
				if len(cuts) > 0 {
					t.Fatalf("a region of %d rows could be cut at %v", len(a.rows), cuts[0])
				}
				continue
			}
			before := failure(areas)
			leaves := slices.Concat(areas[:at], areas[at+1:])
			after := func(dim, c int) float64 {
				left, right := p.divide(a, dim, c)
				if min(len(left.rows), len(right.rows)) < k {
					return math.Inf(1)
				}
				return failure(slices.Concat(leaves, []area{left, right}))
			}
			best := before
			for d := range p.cells {
				for c := a.low[d] + 1; c < a.high[d]; c++ {
					best = min(best, after(d, c))
				}
			}
			node := r.Regions.Tree[a.node]
			left, right := p.divide(a, node.Dim, int(node.At))
			got := after(node.Dim, int(node.At))
			if math.IsInf(got, 1) || best < before-1e-3 && got > best+1e-6 {
				t.Fatalf("cut of dimension %d at %d, into %d and %d rows, takes the error from %v"+
					" to %v, %v is possible", node.Dim, node.At, len(left.rows), len(right.rows),
					before, got, best)
			}
			if best > before-1e-9 {
				p.wantMedian(t, a, k, left.rows)
			}
			left.node, right.node = node.Left, node.Right
			areas, open = append(leaves, left, right),
				append(slices.Delete(open, at, at+1), true, true)
		}
	})
}

func TestSplitRefuses(t *testing.T) {
	schema := func(cells float64) *datasets.Schema {
		return &datasets.Schema{Attributes: []datasets.Attribute{{Name: "x", Step: 1, High: cells,
			Role: datasets.QuasiIdentifier}}}
	}
	for _, test := range []struct {
		change func(*Params)
		cells  float64
		want   string // "" for none
	}{
		{func(p *Params) { p.Split = "best" }, 2, "must be one of median, class, workload"},
		{func(p *Params) { p.Mode, p.Split = Relaxed, Class }, 2, "must be median in mode relaxed"},
		{func(p *Params) { p.Split = Class }, 2, "the table has no class attribute"},
		{func(p *Params) { p.Split = Workload }, maxQueries + 1, "a table may have"},
		{func(p *Params) { p.Split = Workload }, maxQueries, ""},
	} {
		p := DefaultParams()
		test.change(p)
		err := errors.Join(declared.Check(p), p.CheckSchema(schema(test.cells)))
		if got := fmt.Sprint(err); test.want == "" && err != nil ||
			!strings.Contains(got, test.want) {
			t.Errorf("%+v: %v, want %q", p, err, test.want)
		}
	}
}

// TestCopiedTogether: on a table so large that regions' rows are copied together, every row still
// is in its region (release checks that), and regions have as many rows as k asks for.
func TestCopiedTogether(t *testing.T) {
	table := shaped(partition.FarRows)
	for _, mode := range []Mode{Strict, Relaxed} {
		params := Params{K: 50, Mode: mode, Cut: First, Split: Median, Records: partition.Range}
		for region, rows := range groups(release(t, table, table.AllRows(), params)) {
			n := len(rows)
			if n < params.K || mode == Relaxed && n >= 2*params.K {
				t.Fatalf("%s: region %d has %d rows", mode, region, n)
			}
		}
	}
}

// TestPersons: however cuts are chosen, regions have rows of k persons, also those of a part of the
// rows in any order, and those of rows that are copied together, whose numbers then say nothing of
// persons: in the large table each of the first rows is another person's, then three are one's.
func TestPersons(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(2, 4).Draw(t, "k")
		table := drawSmall(t, 6).table()
		table.Schema().Contributions = rapid.IntRange(2, 3).Draw(t, "contributions")
		rows := rapid.Permutation(table.AllRows()).Draw(t, "order")
		rows = rows[:rapid.IntRange(1, len(rows)).Draw(t, "rows")]
		for _, p := range []Params{{Mode: Strict, Split: Median}, {Mode: Strict, Split: Class},
			{Mode: Strict, Split: Workload}, {Mode: Relaxed, Split: Median}} {
			p.K, p.Cut, p.Records = k, First, partition.Box
			wantPersons(t, table, rows, p)
		}
	})
	b := datasets.NewBuilder(&datasets.Schema{Contributions: 3,
		Attributes: []datasets.Attribute{{Name: "x", High: partition.FarRows, Step: 1}}}, 0)
	var persons []int32
	for row := range uint32(partition.FarRows) {
		b.AddRow(row)
		if persons = append(persons, int32(row)); row >= partition.FarRows/4 {
			persons[row] -= persons[row] % 3
		}
	}
	table := datasets.OfPersons(b.Table(), persons, make([]string, partition.FarRows))
	wantPersons(t, table, table.AllRows(), Params{K: 50, Mode: Strict, Cut: First, Split: Median,
		Records: partition.Box})
}

// wantPersons fails unless every region of a release has rows of k persons, or all have fewer.
func wantPersons(t testinput.TB, table *datasets.Table, rows []int32, p Params) {
	t.Helper()
	p.Limits = disclosure.NoLimits()
	in := testinput.Input(table, &p, algorithms.Published, 0, 1)
	in.Rows = slices.Clone(rows)
	r, err := Algorithm.Release(context.Background(), in)
	if err != nil && !errors.Is(err, algorithms.ErrTooFew) {
		t.Fatal(err)
	}
	regions := [][]int32{make([]int32, len(rows))} // places among rows
	for at := range rows {
		regions[0][at] = int32(at)
	}
	if err == nil {
		regions = groups(r)
	}
	for _, places := range regions {
		met := make(map[int32]bool)
		for _, at := range places {
			met[table.Person(rows[at])] = true
		}
		if (len(met) >= p.K) != (err == nil) {
			t.Fatal(p, err, "a region of", len(places), "rows has", len(met), "persons")
		}
	}
}

// TestProcessors: a release of a large table is the same with any number of processors.
func TestProcessors(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	table := shaped(partition.FarRows + 1)
	for _, params := range []Params{{K: 300, Mode: Strict, Cut: Even, Records: partition.Range},
		{K: table.Len()/2 + 1, Mode: Strict, Cut: First, Records: partition.Box}} {
		var want *algorithms.Release
		for _, processors := range []int{1, 5} {
			runtime.GOMAXPROCS(processors)
			got := release(t, table, table.AllRows(), params)
			if want == nil {
				want = got
				continue
			}
			if diff := cmp.Diff(want.Regions, got.Regions, cmpopts.EquateNaNs(),
				cmp.Comparer(slices.Equal[[]int32])); diff != "" {
				t.Errorf("regions with %d processors:\n%s", processors, diff)
			}
			if want.Structure != got.Structure || want.Table.Checksum() != got.Table.Checksum() {
				t.Errorf("%d processors: %+v and other records, want %+v", processors,
					got.Structure, want.Structure)
			}
		}
	}
}
