// Package must is for steps that cannot fail, and for those that a test takes for granted.
package must

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
