package mondrian

import (
	"testing"

	"ppdp/algorithms/kernel/partition"

	"pgregory.net/rapid"
)

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
		for _, size := range classSizes(p.rows, -1) {
			largest = max(largest, size)
			if size < k {
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
			Records: partition.Box, Split: Median})) {
			if len(group) > bound {
				t.Fatalf("a multidimensional class has %d records, the bound is %d", len(group),
					bound)
			}
		}
	})
}

// classSizes counts the records of the four cells made by the cut between x = 0 and x = 1 and a cut
// on y; -1 is no cut on y, which leaves two cells.
func classSizes(rows [][]int, cut int) []int {
	if cut < 0 {
		sizes := make([]int, 2)
		for _, row := range rows {
			sizes[row[0]]++
		}
		return sizes
	}
	sizes := make([]int, 4)
	for _, row := range rows {
		side := 0
		if row[1] >= cut {
			side = 1
		}
		sizes[2*row[0]+side]++
	}
	return sizes
}
