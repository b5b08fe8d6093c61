package registry

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestLookup(t *testing.T) {
	r := New[int]("colour")
	r.Register("red", 1)
	r.Register("green", 0) // a zero value is registered like any other
	for name, want := range map[string]int{"red": 1, "green": 0} {
		if got, err := r.Lookup(name); got != want || err != nil {
			t.Errorf("%s: %d, %v, want %d", name, got, err, want)
		}
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
	if got, err := r.Lookup("red"); got != "first" || err != nil {
		t.Errorf("after the panic: %q, %v, want the first entry", got, err)
	}
}

// TestNames: names are sorted whatever order they were registered in, and the caller may change
// them.
func TestNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfDistinct(rapid.StringN(1, 4, -1), rapid.ID[string]).Draw(t, "names")
		r := New[int]("name")
		for i, name := range names {
			r.Register(name, i)
		}
		sorted := slices.Sorted(slices.Values(names))
		for range 2 {
			got := r.Names()
			if !slices.Equal(got, sorted) {
				t.Fatalf("names %q, want %q", got, sorted)
			}
			if len(got) > 0 {
				got[0] = strings.Repeat("changed", 3)
			}
		}
	})
}
