package mondrian

import (
	"fmt"
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ppdp/algorithms/kernel/partition"
	"ppdp/internal/must"
)

// box is a box of cells, both ends of each dimension included.
type box struct{ low, high []int }

func (b box) holds(at []int) bool {
	for d, x := range at {
		if x < b.low[d] || x > b.high[d] {
			return false
		}
	}
	return true
}

// hull is the least box around points.
func hull(of [][]int) box {
	b := box{slices.Clone(of[0]), slices.Clone(of[0])}
	for _, at := range of {
		for d, x := range at {
			b.low[d], b.high[d] = min(b.low[d], x), max(b.high[d], x)
		}
	}
	return b
}

// walk visits every cell of a domain, or, with from, those from that corner on.
func walk(cells, from []int, visit func(at []int)) {
	at := make([]int, len(cells))
	var next func(d int)
	next = func(d int) {
		if d == len(cells) {
			visit(at)
			return
		}
		low := 0
		if from != nil {
			low = from[d]
		}
		for at[d] = low; at[d] < cells[d]; at[d]++ {
			next(d + 1)
		}
	}
	next(0)
}

// boxes are all boxes of a domain.
func boxes(cells []int) (all []box) {
	walk(cells, nil, func(low []int) {
		from := slices.Clone(low)
		walk(cells, from, func(high []int) {
			all = append(all, box{from, slices.Clone(high)})
		})
	})
	return all
}

// disjoint reports that two boxes share no cell.
func disjoint(a, b box) bool {
	for d := range a.low {
		if a.high[d] < b.low[d] || b.high[d] < a.low[d] {
			return true
		}
	}
	return false
}

// TestReductionOfTheorem1 follows the proof of Theorem 1 (errata M7). Integers a₁ … aₙ become aᵢ
// records at the i-th unit vector, and k is half of their sum: two regions of k records exist if,
// and only if, the integers have two halves of equal sums. Whether they have is found by the sums
// that can be reached, in as many steps as integers times records: on tables written out row by row
// the problem that the proof starts from is easy.
//
// Which unit vectors two regions can divide among them is found by trying all pairs of boxes. With
// plain boxes, as cuts make them, one region must be a single vector: all larger ones hold the
// origin. With the proof's box that is open there every division is possible. Mondrian's cuts
// make two regions exactly where plain boxes can.
func TestReductionOfTheorem1(t *testing.T) {
	for n := 2; n <= 4; n++ {
		cells := make([]int, n)
		for d := range cells {
			cells[d] = 2
		}
		unit := func(i int) []int {
			at := make([]int, n)
			at[i] = 1
			return at
		}
		members := func(b box) (set uint) {
			for i := range n {
				if b.holds(unit(i)) {
					set |= 1 << i
				}
			}
			return set
		}
		everyone, origin := uint(1)<<n-1, make([]int, n)
		plain, open := make(map[uint]bool), make(map[uint]bool)
		all := boxes(cells)
		for _, a := range all {
			for _, b := range all {
				one, other := members(a), members(b)
				if one == 0 || other == 0 || one|other != everyone || one&other != 0 {
					continue
				}
				plain[one] = plain[one] || disjoint(a, b)
				shared := 0 // cells but the origin
				walk(cells, nil, func(at []int) {
					if a.holds(at) && b.holds(at) && !slices.Equal(at, origin) {
						shared++
					}
				})
				open[one] = open[one] || shared == 0
			}
		}
		for set := uint(1); set < everyone; set++ {
			alone := bits.OnesCount(set) == 1 || bits.OnesCount(everyone&^set) == 1
			if plain[set] != alone || !open[set] {
				t.Fatalf("n %d, set %b: two plain boxes %t, must be %t; with an open corner %t",
					n, set, plain[set], alone, open[set])
			}
		}
		most := []int{0, 0, 12, 8, 6}[n]
		walk(slices.Repeat([]int{most}, n), nil, func(numbers []int) {
			sum := n
			for _, a := range numbers { // one less than the integers
				sum += a
			}
			if sum%2 == 1 {
				return
			}
			k := sum / 2
			reached := make([]bool, sum+1)
			reached[0] = true
			byBoxes, halves := false, false
			for i, a := range numbers {
				byBoxes = byBoxes || a+1 == k
				for s := sum; s > i && s >= a+1; s-- {
					reached[s] = reached[s] || reached[s-a-1]
				}
			}
			p := points{cells: cells}
			for i, a := range numbers {
				for range a + 1 {
					p.rows = append(p.rows, unit(i))
				}
			}
			for set := range open { // order-free: looks for any
				size := 0
				for i, a := range numbers {
					if set>>i&1 == 1 {
						size += a + 1
					}
				}
				halves = halves || size == k
			}
			if halves != reached[k] {
				t.Fatalf("%v+1: two regions %t, halves of equal sums %t", numbers, halves,
					reached[k])
			}
			if k < 2 {
				return
			}
			table := p.table()
			r := release(t, table, table.AllRows(), Params{K: k, Mode: Strict, Cut: First,
				Split: Median, Records: partition.Box})
			if got := r.Regions.Len() == 2; got != byBoxes {
				t.Fatalf("%v+1: %d regions, an integer is half of the sum: %t", numbers,
					r.Regions.Len(), byBoxes)
			}
		})
	}
}

// isStrict reports that the regions that name gives the cells of a domain are disjoint boxes.
func isStrict(cells []int, name func(at []int) string) bool {
	groups := make(map[string][][]int)
	walk(cells, nil, func(at []int) {
		groups[name(at)] = append(groups[name(at)], slices.Clone(at))
	})
	strict := true
	for key, group := range groups { // order-free: all must be boxes
		region := hull(group)
		walk(cells, nil, func(at []int) {
			strict = strict && (!region.holds(at) || name(at) == key)
		})
	}
	return strict
}

// TestProposition1: the regions of single-dimensional cuts are a strict multidimensional
// partitioning. The other way, one side cut once more is strict and made by no set of
// single-dimensional cuts, in any domain of two or more dimensions of two or more values.
func TestProposition1(t *testing.T) {
	for _, cells := range [][]int{{2, 2}, {2, 4}, {4, 3}, {2, 2, 2}, {3, 2, 3}} {
		sideways := func(at []int) string {
			if at[0] > 0 {
				return "one side"
			}
			return fmt.Sprint("the other, ", at[1] > 0)
		}
		if !isStrict(cells, sideways) {
			t.Errorf("%v: one side cut once more is not strict", cells)
		}
		choices := make([]int, len(cells)) // of sets of cuts, a bit for each two neighbours
		for d, n := range cells {
			choices[d] = 1 << (n - 1)
		}
		walk(choices, nil, func(cuts []int) {
			single := func(at []int) (name string) {
				for d, x := range at {
					name += fmt.Sprint(bits.OnesCount(uint(cuts[d]&(1<<x-1))), ",")
				}
				return name
			}
			if !isStrict(cells, single) {
				t.Errorf("%v: cuts %b are not strict", cells, cuts)
			}
			regions, pairs := make(map[string]bool), make(map[string]bool)
			walk(cells, nil, func(at []int) {
				regions[single(at)], pairs[single(at)+sideways(at)] = true, true
			})
			if len(regions) == 3 && len(pairs) == 3 { // each region of one is one of the other
				t.Errorf("%v: cuts %b make one side and two parts of the other", cells, cuts)
			}
		})
	}
}

// TestProposition2: a strict partitioning keeps equal records together; where a table has two, a
// relaxed one that is not strict parts them. The proposition needs a domain of more than one value
// (of one there are no two regions). Relaxed Mondrian parts equal records so: whatever the table,
// its regions have k to 2k-1 records, where strict ones keep up to all.
func TestProposition2(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(2, 5).Draw(t, "k")
		p := drawPoints(t, 2*k)
		twice := rapid.IntRange(0, len(p.rows)-1).Draw(t, "repeated")
		for range 2 * k {
			p.rows = append(p.rows, p.rows[twice])
		}
		table := p.table()
		regionsOf := func(mode Mode) (most int) {
			r := release(t, table, table.AllRows(), Params{K: k, Mode: mode, Cut: First,
				Split: Median, Records: partition.Box})
			seen := make(map[string]map[int32]bool)
			for row, region := range r.Regions.Assignment {
				key := fmt.Sprint(p.rows[row])
				if seen[key] == nil {
					seen[key] = make(map[int32]bool)
				}
				seen[key][region] = true
				most = max(most, len(seen[key]))
			}
			return most
		}
		if n := regionsOf(Strict); n != 1 {
			t.Fatalf("strict: equal records are in %d regions", n)
		}
		if n := regionsOf(Relaxed); n < 2 { // 2k+1 equal records do not fit into 2k-1
			t.Fatalf("relaxed: %d equal records are in one region of at most %d", 2*k+1, 2*k-1)
		}
	})
}

// TestSingleDimensionalClasses shows Theorem 3 of the paper: a single-dimensional partitioning to
// which no cut can be added may keep nearly all records in one class, where strict multidimensional
// classes stay within a bound that does not know the table's size (Theorem 4).
//
// The table: 2k-1 records at x = 0, k at the lowest y and k-1 at the highest, and n records at x =
// 1 with a y of their own each. Between x = 0 and x = 1 lies a cut. Any further cut on y passes
// through x = 0 as well, as single-dimensional cuts do, and leaves fewer than k of the 2k-1 on one
// side.
func TestSingleDimensionalClasses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(2, 10).Draw(t, "k")
		n := rapid.IntRange(20*k, 60*k).Draw(t, "n")
		var p points
		p.cells = []int{2, n}
		for i := range 2*k - 1 {
			y := 0
			if i >= k {
				y = n - 1
			}
			p.rows = append(p.rows, []int{0, y})
		}
		for y := range n {
			p.rows = append(p.rows, []int{1, y})
		}

		// The cut on x alone is allowed, and with it no cut on y is.
		largest := 0
		for _, size := range classSizes(p.rows, 0) {
			largest = max(largest, size)
			if size > 0 && size < k {
				t.Fatalf("the cut on x leaves a class of %d records, k is %d", size, k)
			}
		}
		for cut := 1; cut < n; cut++ {
			allowed := true
			for _, size := range classSizes(p.rows, cut) {
				allowed = allowed && (size == 0 || size >= k)
			}
			if allowed {
				t.Fatalf("y can still be cut at %d", cut)
			}
		}
		if largest != n {
			t.Fatalf("the largest class has %d of %d records, want the %d at x = 1", largest,
				len(p.rows), n)
		}

		const dimensions = 2
		identical := k // at x = 0 and the lowest y
		bound := 2*dimensions*(k-1) + identical
		table := p.table()
		for _, group := range groups(release(t, table, table.AllRows(), Params{K: k, Mode: Strict,
			Cut: First, Records: partition.Box, Split: Median})) {
			if len(group) > bound {
				t.Fatalf("a multidimensional class has %d records, the bound is %d", len(group),
					bound)
			}
		}
	})
}

// classSizes counts the records of the four cells made by the cut between x = 0 and x = 1 and a cut
// on y; 0 is no cut on y, which leaves two cells empty.
func classSizes(rows [][]int, cut int) (sizes [4]int) {
	for _, row := range rows {
		side := 0
		if row[1] >= cut {
			side = 1
		}
		sizes[2*row[0]+side]++
	}
	return sizes
}

// TestFigure6: generalised by zip code alone, the six patients allow strict partitioning no cut at
// k of 3 and become one class. Relaxed partitioning makes two of three, which share 53711.
func TestFigure6(t *testing.T) {
	table := must.Get(patients().Project("zipcode", "disease"))
	for _, test := range []struct {
		mode Mode
		want []string
	}{
		{Strict, []string{"53710-53712: 6"}},
		{Relaxed, []string{"53710-53711: 3", "53711-53712: 3"}},
	} {
		r := release(t, table, table.AllRows(), Params{K: 3, Mode: test.mode, Cut: First,
			Records: partition.Range})
		var got []string
		zip := &table.Schema().Attributes[0]
		for region := range r.Regions.Len() {
			got = append(got, fmt.Sprintf("%s-%s: %v", zip.Text(r.Regions.TightLow[region]),
				zip.Text(r.Regions.TightHigh[region]-1), r.Regions.Counts[region]))
		}
		if slices.Sort(got); !slices.Equal(got, test.want) {
			t.Errorf("%s: classes %q, must be %q", test.mode, got, test.want)
		}
	}
}

// TestLemma1: the paper's points without an allowable cut (section 2.3, Fig. 5), m of them at the
// centre and k-1 one step away from it in each direction, stay one region of the largest size
// there can be, 2d(k-1)+m. One point more (Lemma 2) lets any of the cuts be made.
func TestLemma1(t *testing.T) {
	for dims := 1; dims <= 4; dims++ {
		for _, k := range []int{2, 3, 10} {
			for _, m := range []int{k - 1, k, 3 * k} {
				centre := make([]int, dims)
				p := points{cells: make([]int, dims)}
				for d := range dims {
					centre[d], p.cells[d] = 1, 3
				}
				for range m {
					p.rows = append(p.rows, slices.Clone(centre))
				}
				for d := range dims {
					for _, step := range []int{-1, 1} {
						for range k - 1 {
							at := slices.Clone(centre)
							at[d] += step
							p.rows = append(p.rows, at)
						}
					}
				}
				params := Params{K: k, Mode: Strict, Cut: First, Records: partition.Box}
				table := p.table()
				r := release(t, table, table.AllRows(), params)
				if size := 2*dims*(k-1) + m; r.Regions.Len() != 1 ||
					r.Regions.Counts[0] != float64(size) {
					t.Errorf("d %d, k %d, m %d: regions of %v, must be one of %d", dims, k, m,
						r.Regions.Counts, size)
				}
				if m < k {
					continue // a copy of an outer point would be the one repeated most often
				}
				corner := slices.Clone(centre)
				corner[dims-1]++
				p.rows = append(p.rows, corner)
				table = p.table()
				if r := release(t, table, table.AllRows(), params); r.Regions.Len() < 2 {
					t.Errorf("d %d, k %d, m %d: no cut with a point more", dims, k, m)
				}
			}
		}
	}
}
