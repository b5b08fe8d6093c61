// Package must is for steps that cannot fail, and for what tests take for granted or ask often.
package must

import (
	"math"
	"slices"
	"strings"
)

// Get returns v, and panics on an error.
func Get[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Do ends the test, benchmark or property on an error.
func Do(t interface {
	Helper()
	Fatal(args ...any)
}, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Err returns the error of a function that returns a value besides.
func Err[T any](_ T, err error) error { return err }

// errorer is what a test reports by.
type errorer interface {
	Helper()
	Errorf(format string, args ...any)
}

// Be reports a value that is not what it must be. Of tells which one it is.
func Be[T comparable](t errorer, got, want T, of ...any) {
	t.Helper()
	if got != want {
		t.Errorf("%v: %#v, must be %#v", of, got, want)
	}
}

// Equal is Be of lists, element by element.
func Equal[T comparable](t errorer, got, want []T, of ...any) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%v: %#v, must be %#v", of, got, want)
	}
}

// Near reports a number that is not within a tolerance of what it must be.
func Near(t errorer, got, want, tolerance float64, of ...any) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%v: %v, must be %v, give or take %v", of, got, want, tolerance)
	}
}

// Fail reports a missing error, or one without the words that it must have. Of tells which it is.
func Fail(t errorer, err error, want string, of ...any) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v: error %v, must say %q", of, err, want)
	}
}

// Say reports the words that a text lacks.
func Say(t errorer, text string, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("no %q in %.3000s", word, text)
		}
	}
}
