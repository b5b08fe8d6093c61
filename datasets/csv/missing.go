package csvtable

import (
	"fmt"
	"slices"
	"strings"

	"ppdp/datasets"
	"ppdp/internal/strictyaml"
)

// keptMissing are the attributes whose missing values are kept: all, or those named.
type keptMissing struct {
	all   bool
	names []string
}

func (k *keptMissing) UnmarshalStrict(r *strictyaml.Reader, n *strictyaml.Node) {
	if n.Kind == strictyaml.SequenceNode {
		r.Decode(n, &k.names)
	} else {
		r.Decode(n, &k.all)
	}
}

func (k *keptMissing) has(name string) bool { return k.all || slices.Contains(k.names, name) }

// addMissing adds the value that missing ones become unless the schema lists it: at the end of the
// values and directly below the taxonomy's root.
func addMissing(a *datasets.Attribute) {
	marker := *a.Missing
	if slices.Contains(a.Values, marker) {
		return
	}
	a.Values = append(a.Values, marker)
	if t := a.Taxonomy; t != nil && len(t.Nodes) > 0 {
		leaf := datasets.TaxonomyNode{Name: marker, Parent: 0}
		t.Nodes[0].Children = append(t.Nodes[0].Children, len(t.Nodes))
		t.Nodes = append(t.Nodes, leaf)
	}
}

// Lost says which rows were left out as they lack a value, "" for none.
func (c *Content) Lost() string {
	if c.Dropped == 0 {
		return ""
	}
	all := c.Dropped + c.Beyond + c.Table.Len()
	return fmt.Sprintf("WARNING: %d of %d rows (%.0f %%) are left out, since they lack a value of "+
		"%s; missing-as-value: true in the schema keeps them", c.Dropped, all,
		100*float64(c.Dropped)/float64(all), strings.Join(c.Lacking, ", "))
}

// Drops reports whether rows that lack a value of some attribute are left out.
func (f *Format) Drops() bool {
	return len(f.Missing) > 0 && slices.ContainsFunc(f.Schema.Attributes,
		func(a datasets.Attribute) bool { return a.Missing == nil })
}

// missingOf lists the attributes that keep missing values, by the marker, and the others.
func missingOf(s *datasets.Schema) (marker string, kept, others []string) {
	for i := range s.Attributes {
		if a := &s.Attributes[i]; a.Missing != nil {
			marker, kept = *a.Missing, append(kept, a.Name)
		} else {
			others = append(others, a.Name)
		}
	}
	return marker, kept, others
}

// MissingRule says what became of missing values: by the schema alone, so that it discloses
// nothing. Empty where no text stood for one; drops is what Drops says.
func MissingRule(s *datasets.Schema, drops bool) string {
	marker, kept, others := missingOf(s)
	rule := ""
	if len(kept) > 0 {
		rule = fmt.Sprintf("Missing values are kept, written as %q: of %s. ", marker,
			strings.Join(kept, ", "))
	}
	if drops {
		rule += "Records that lacked a value were left out before the release was made: of " +
			strings.Join(others, ", ") + "."
	}
	return strings.TrimSpace(rule)
}
