package engine

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWarnings: warnings that differ in numbers only are counted as one, with the releases that
// gave it; a warning that came once is logged unchanged.
func TestWarnings(t *testing.T) {
	var w warnings
	for _, message := range []string{
		"gap 81.3 % after 2290 nodes", "not private", "gap 81 % after 31 nodes",
		"gap 7.25 % after 4 nodes", "gap 81.3 % after 2290 nodes at last",
	} {
		w.add("A", message)
	}
	w.add("B", "gap 1 % after 2 nodes")
	w.add("C", "C published too much")
	for _, release := range []string{"A", "B", "C", "D", "E", "F"} {
		w.add(release, "wide")
	}
	var logged []string
	w.log(func(message string) { logged = append(logged, message) })
	want := []string{"warning: A, B: gap 81.3 % after 2290 nodes (the first of 4 like it)",
		"warning: A: not private", "warning: A: gap 81.3 % after 2290 nodes at last",
		"warning: C published too much",
		"warning: A, B, C, D and 2 more: wide (the first of 6 like it)"}
	if diff := cmp.Diff(want, logged); diff != "" {
		t.Error(diff)
	}
}
