// Package registry holds the plug-ins of one kind by name. Packages register theirs during init,
// because a package named all imports them; everything else only reads.
//
// It knows nothing of what it stores; each kind wraps it in a typed Register and Lookup.
package registry

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"

	"ppdp/internal/spelling"
)

// Registry maps names to plug-ins of one kind. Register must not run beside other methods.
type Registry[T any] struct {
	kind    string
	entries map[string]T
}

// registrars are the packages that registered the plug-in of a kind and name.
var registrars = make(map[[2]string][]string)

// Packages lists the packages whose functions registered a plug-in: its own among them, with all
// that it imports. There are none for one that is not registered.
func Packages(kind, name string) []string { return registrars[[2]string{kind, name}] }

// New returns an empty registry; kind ("algorithm", "dataset") is for messages.
func New[T any](kind string) *Registry[T] {
	return &Registry[T]{kind: kind, entries: make(map[string]T)}
}

// Register adds a plug-in. An empty or duplicate name is a programmer's mistake and panics.
func (r *Registry[T]) Register(name string, value T) {
	if name == "" {
		panic(fmt.Sprintf("registry: %s without a name", r.kind))
	}
	if _, taken := r.entries[name]; taken {
		panic(fmt.Sprintf("registry: %s %q registered twice", r.kind, name))
	}
	r.entries[name] = value
	registrars[[2]string{r.kind, name}] = callers()
}

// callers lists the packages of the functions that have called Register. Tests are packages of
// their own, called like the one that they are of and "_test".
func callers() (packages []string) {
	stack := make([]uintptr, 64)
	frames := runtime.CallersFrames(stack[:runtime.Callers(3, stack)])
	for frame, more := frames.Next(); more; frame, more = frames.Next() {
		function, _, _ := strings.Cut(frame.Function, "[") // type arguments
		folder := strings.LastIndexByte(function, '/') + 1
		name, _, _ := strings.Cut(function[folder:], ".")
		if name = function[:folder] + name; name == "runtime" || name == "testing" {
			break
		}
		if strings.HasSuffix(frame.File, "_test.go") && !strings.HasSuffix(name, "_test") {
			name += "_test"
		}
		if !slices.Contains(packages, name) {
			packages = append(packages, name)
		}
	}
	return packages
}

// Lookup returns the plug-in called name, or an error with all names and the one probably meant.
func (r *Registry[T]) Lookup(name string) (T, error) {
	value, ok := r.entries[name]
	if ok {
		return value, nil
	}
	names := r.Names()
	return value, fmt.Errorf("unknown %s %q%s, must be one of %s",
		r.kind, name, spelling.Hint(name, names), strings.Join(names, ", "))
}

// Names lists all names in alphabetical order.
func (r *Registry[T]) Names() []string { return slices.Sorted(maps.Keys(r.entries)) }
