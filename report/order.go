package report

import (
	"cmp"
	"strings"
)

// CompareNames orders names of experiments by the numbers in them: rps/fig9 comes before rps/fig10.
// Only equal strings compare as equal.
func CompareNames(a, b string) int {
	whole := strings.Compare(a, b)
	for a != "" && b != "" {
		if x, y := digits(a), digits(b); x > 0 && y > 0 {
			left, right := strings.TrimLeft(a[:x], "0"), strings.TrimLeft(b[:y], "0")
			by := cmp.Or(cmp.Compare(len(left), len(right)), strings.Compare(left, right))
			if by != 0 {
				return by
			}
			a, b = a[x:], b[y:]
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Or(cmp.Compare(len(a), len(b)), whole)
}

// digits counts the digits a text begins with.
func digits(s string) int {
	return len(s) - len(strings.TrimLeft(s, "0123456789"))
}
