package partition

import "slices"

// Group finds rows with equal codes. codes holds those of n rows, dims for each. It returns the
// distinct combinations, in ascending order, and the place of each row's among them.
func Group(codes []uint32, dims, n int) (groups [][]uint32, of []int32) {
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	row := func(i int32) []uint32 { return codes[int(i)*dims : int(i+1)*dims] }
	slices.SortFunc(order, func(i, j int32) int { return slices.Compare(row(i), row(j)) })
	of = make([]int32, n)
	for at, i := range order {
		if at == 0 || !slices.Equal(row(i), row(order[at-1])) {
			groups = append(groups, row(i))
		}
		of[i] = int32(len(groups) - 1)
	}
	return groups, of
}
