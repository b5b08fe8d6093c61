package language

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"

	"ppdp/internal/declared"
	"ppdp/internal/results"
	"ppdp/internal/strictyaml"
)

// Sweep is a mapping of parameters any value of which may be a list; lists multiply. It keeps the
// document's nodes, so that whatever is wrong with a value is reported with its line.
type Sweep struct {
	node *strictyaml.Node
	axes []axis
}

// axis is one parameter with the values it takes.
type axis struct {
	key    string
	at     *strictyaml.Node // the key
	values []*strictyaml.Node
}

var _ strictyaml.Unmarshaler = (*Sweep)(nil)

// UnmarshalStrict reads the mapping; what its keys mean is checked when it is expanded.
func (s *Sweep) UnmarshalStrict(r *strictyaml.Reader, n *strictyaml.Node) {
	if n.Kind != strictyaml.MappingNode {
		r.Problemf(n, "must be a mapping of names to values")
		return
	}
	s.node = n
	for _, entry := range r.Entries(n) {
		s.add(r, entry)
	}
}

func (s *Sweep) add(r *strictyaml.Reader, entry strictyaml.Entry) {
	a := axis{key: entry.Key, at: entry.KeyNode, values: []*strictyaml.Node{entry.Value}}
	if entry.Value.Kind == strictyaml.SequenceNode {
		if a.values = entry.Value.Content; len(a.values) == 0 {
			r.Problemf(entry.Value, "an empty list, must hold at least one value")
			return
		}
	}
	s.axes = append(s.axes, a)
}

// swept lists the keys that take more than one value, in the document's order.
func (s *Sweep) swept() []string {
	var keys []string
	for _, a := range s.axes {
		if len(a.values) > 1 {
			keys = append(keys, a.key)
		}
	}
	return keys
}

// maxCombinations stops a sweep that multiplies beyond anything that could be run.
const maxCombinations = 1 << 16

// combinations lists every choice of a value for each axis. The last axis varies fastest. It is nil
// for more than maxCombinations.
func (s *Sweep) combinations() [][]*strictyaml.Node {
	all := [][]*strictyaml.Node{nil}
	for _, a := range s.axes {
		if len(all)*len(a.values) > maxCombinations {
			return nil
		}
		var longer [][]*strictyaml.Node
		for _, values := range all {
			for _, value := range a.values {
				longer = append(longer, append(slices.Clip(values), value))
			}
		}
		all = longer
	}
	return all
}

// expand decodes every combination onto a fresh parameter struct and validates it. fresh returns a
// pointer to defaults, or nil where no parameters exist; owner names their owner in messages and at
// is its place. Problems are recorded in r, which reports each once; combinations with problems are
// left out.
func (s *Sweep) expand(r *strictyaml.Reader, at *strictyaml.Node, owner string,
	fresh func() any) []any {
	s.node = cmp.Or(s.node, at)
	if isNil(fresh()) {
		for _, a := range s.axes {
			r.Problemf(a.at, "%s: unknown key, %s takes no parameters", a.key, owner)
		}
		return []any{nil}
	}
	combinations := s.combinations()
	if combinations == nil {
		r.Problemf(s.node, "%s: the lists multiply to more than %d combinations", owner,
			maxCombinations)
		return nil
	}
	var expanded []any
	for _, values := range combinations {
		params := fresh()
		var failed []string // keys whose values cannot be decoded, which is reported
		for k, a := range s.axes {
			if !a.decode(r, values[k], params) {
				failed = append(failed, a.key)
			}
		}
		problems := flatten(declared.Check(params))
		if len(failed)+len(problems) == 0 {
			expanded = append(expanded, params)
		}
		for _, problem := range problems {
			key, at, text := s.blame(values, problem)
			// Where a default stands for a value, only what is said of another key is meant.
			if failed == nil || key != "" && !slices.Contains(failed, key) {
				r.Problemf(at, "%s", text)
			}
		}
	}
	return expanded
}

// blame finds the key and the value that a validation message is about, and the message without
// its key: messages start with "key: ".
func (s *Sweep) blame(values []*strictyaml.Node, problem string) (key string, at *strictyaml.Node,
	text string) {
	for k, a := range s.axes {
		if rest, ok := strings.CutPrefix(problem, a.key+": "); ok {
			return a.key, values[k], rest
		}
	}
	return "", s.node, problem
}

func flatten(err error) []string {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return slices.Concat(results.Mapped(joined.Unwrap(), flatten)...)
	}
	return []string{err.Error()}
}

// decode decodes one value of the axis onto a parameter struct and reports whether it could.
func (a *axis) decode(r *strictyaml.Reader, value *strictyaml.Node, params any) bool {
	before := r.Problems()
	r.Decode(&strictyaml.Node{Kind: strictyaml.MappingNode, Tag: "!!map", Line: a.at.Line,
		Column: a.at.Column, Content: []*strictyaml.Node{a.at, value}}, params)
	return r.Problems() == before
}

func isNil(v any) bool {
	if v == nil {
		return true
	}
	rv := reflect.ValueOf(v)
	return rv.Kind() == reflect.Pointer && rv.IsNil()
}

// resolve flattens a parameter struct: all its values by name, and the names of those that differ
// from the defaults, sorted. Keys and seeds are made from the latter, so that a new parameter whose
// default changes nothing leaves all old results as they are.
func resolve(params, defaults any) (all map[string]string, changed []string) {
	if isNil(params) {
		return nil, nil
	}
	all = strictyaml.Resolved(params)
	usual := strictyaml.Resolved(defaults)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if all[key] != usual[key] {
			changed = append(changed, key)
		}
	}
	return all, changed
}

// changedText writes the changed parameters as "name=value name=value".
func changedText(all map[string]string, changed []string) string {
	words := results.Mapped(changed, func(key string) string { return key + "=" + all[key] })
	return strings.Join(words, " ")
}
