package report

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestCompareNames(t *testing.T) {
	want := "compare/adult compare/adult-four mondrian/fig9 mondrian/fig15-16 rps/fig1 " +
		"rps/fig1-readings rps/fig2 rps/fig02 rps/fig10 rps/table1"
	names := strings.Fields(want)
	slices.Sort(names)
	slices.SortFunc(names, CompareNames)
	// fig02 and fig2 are the same number: the strings decide.
	if got := strings.Join(names, " "); got != strings.Replace(want, "rps/fig2 rps/fig02",
		"rps/fig02 rps/fig2", 1) {
		t.Errorf("got %s", got)
	}
}

// TestCompareNamesOrders: it is an order of all strings.
func TestCompareNamesOrders(t *testing.T) {
	name := rapid.StringMatching(`[a/]{0,2}[0-9]{0,3}[-b]?[0-9]{0,2}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := name.Draw(t, "a"), name.Draw(t, "b"), name.Draw(t, "c")
		if CompareNames(a, b) != -CompareNames(b, a) || (CompareNames(a, b) == 0) != (a == b) {
			t.Fatalf("%q and %q compare as %d and %d", a, b, CompareNames(a, b), CompareNames(b, a))
		}
		if CompareNames(a, b) <= 0 && CompareNames(b, c) <= 0 && CompareNames(a, c) > 0 {
			t.Fatalf("%q, %q and %q are in a circle", a, b, c)
		}
	})
}
