// Package equal brings equal records together, so that classifiers learn from the distinct ones.
package equal

import (
	"cmp"
	"slices"

	"ppdp/datasets"
)

// Groups lists the records 0 to n-1 in groups of those that compare says are equal, in its order.
// In a group they are in the order of within (nil for none), then in their own: where within tells
// all apart that sums can, these do not depend on the order of the records.
func Groups(n int, compare, within func(a, b int32) int) (groups [][]int32) {
	order := datasets.InOrder(n)
	slices.SortFunc(order, func(a, b int32) int {
		by := compare(a, b)
		if by == 0 && within != nil {
			by = within(a, b)
		}
		return cmp.Or(by, cmp.Compare(a, b))
	})
	from := 0
	for i := range order {
		if i+1 == n || compare(order[i], order[i+1]) != 0 {
			groups = append(groups, order[from:i+1])
			from = i + 1
		}
	}
	return groups
}
