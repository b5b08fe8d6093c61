package registry

import (
	"slices"
	"testing"

	"ppdp/internal/must"
)

func TestLookup(t *testing.T) {
	r := New[int]("colour")
	r.Register("red", 1)
	r.Register("green", 0) // a zero value is registered like any other
	for name, want := range map[string]int{"red": 1, "green": 0} {
		must.Be(t, must.Get(r.Lookup(name)), want, name)
	}
	for name, want := range map[string]string{
		"gren": `unknown colour "gren" (did you mean green?), must be one of green, red`,
		"blue": `unknown colour "blue", must be one of green, red`,
		"":     `unknown colour "", must be one of green, red`,
	} {
		if got, err := r.Lookup(name); got != 0 || err == nil || err.Error() != want {
			t.Errorf("%q: %d, %v, want 0, %s", name, got, err, want)
		}
	}
}

func TestRegisterPanics(t *testing.T) {
	r := New[string]("colour")
	r.Register("red", "first")
	for name, want := range map[string]string{
		"":    "registry: colour without a name",
		"red": `registry: colour "red" registered twice`,
	} {
		func() {
			defer func() {
				if got := recover(); got != want {
					t.Errorf("%q: panic %v, want %s", name, got, want)
				}
			}()
			r.Register(name, "second")
		}()
	}
	must.Be(t, must.Get(r.Lookup("red")), "first")
}

// TestPackages: the packages of all functions between Register and the runtime's count, so that
// what one package registers through another has the imports of both; tests are none of them.
func TestPackages(t *testing.T) {
	New[int]("shape").Register("square", 4)
	if got, want := Packages("shape", "square"), "ppdp/internal/registry_test"; len(got) != 1 ||
		got[0] != want {
		t.Errorf("%v, want %s", got, want)
	}
	slices.SortFunc([]int{2, 1}, func(int, int) int {
		New[int]("shape").Register("circle", 1)
		return 0
	})
	if got := Packages("shape", "circle"); !slices.Contains(got, "slices") {
		t.Errorf("%v, want slices among them", got)
	}
	if got := Packages("colour", "square"); got != nil {
		t.Errorf("%v for a kind without squares", got)
	}
}
