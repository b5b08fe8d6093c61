// Package registry holds the one table every plug-in kind of the harness uses: names to
// values, filled at init time by blank imports, read by everything else.
//
// It knows nothing of what it stores; each room wraps it in a typed Register and Lookup.
package registry

import (
	"fmt"
	"sort"
	"strings"

	"ppdp/internal/spelling"
)

// Registry maps names to plug-ins of one kind. Register during init, read afterwards:
// it is not safe to register while others read.
type Registry[T any] struct {
	kind    string
	entries map[string]T
}

// New returns an empty registry; kind ("algorithm", "dataset") names its entries in messages.
func New[T any](kind string) *Registry[T] {
	return &Registry[T]{kind: kind, entries: make(map[string]T)}
}

// Register adds a plug-in. An empty or taken name is a programmer's mistake and panics.
func (r *Registry[T]) Register(name string, value T) {
	if name == "" {
		panic(fmt.Sprintf("registry: %s without a name", r.kind))
	}
	if _, taken := r.entries[name]; taken {
		panic(fmt.Sprintf("registry: %s %q registered twice", r.kind, name))
	}
	r.entries[name] = value
}

// Lookup returns the plug-in called name, or an error that lists every name there is and the one that was probably meant.
func (r *Registry[T]) Lookup(name string) (T, error) {
	if value, ok := r.entries[name]; ok {
		return value, nil
	}
	var zero T
	return zero, fmt.Errorf("unknown %s %q%s, must be one of %s", r.kind, name, spelling.Hint(name, r.Names()), strings.Join(r.Names(), ", "))
}

// Names lists every registered name in alphabetical order.
func (r *Registry[T]) Names() []string {
	names := make([]string, 0, len(r.entries))
	for name := range r.entries {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
