package csvtable

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"ppdp/datasets"
)

// IsDraft reports whether a schema file is a draft that nobody has reviewed: bounds and lists in it
// were read off the data.
func IsDraft(schema []byte) bool { return bytes.Contains(schema, []byte(draftMark)) }

// WriteSchema writes a schema file for tables that Write writes: ParseSchema reads the same
// attributes back, but for widths, which describe no value.
func WriteSchema(w io.Writer, schema *datasets.Schema) error {
	var b strings.Builder
	b.WriteString("attributes:\n")
	for i := range schema.Attributes {
		a := &schema.Attributes[i]
		fmt.Fprintf(&b, "  - {name: %s, role: %s, ", strconv.Quote(a.Name), a.Role)
		if a.Kind == datasets.Numeric {
			fmt.Fprintf(&b, "kind: numeric, low: %s, high: %s, step: %s", formatNumber(a.Low),
				formatNumber(a.High), formatNumber(a.Step))
			if a.Continuous {
				b.WriteString(", continuous: true")
			}
		} else {
			b.WriteString("kind: categorical, values: [")
			for v, value := range a.Values {
				if v > 0 {
					b.WriteString(", ")
				}
				b.WriteString(strconv.Quote(value))
			}
			b.WriteByte(']')
			if a.Ordered {
				b.WriteString(", order: given")
			}
			if a.Taxonomy != nil {
				b.WriteString(", taxonomy: {")
				writeTerm(&b, a.Taxonomy, 0)
				b.WriteByte('}')
			}
		}
		b.WriteString("}\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeTerm writes a broader term with what is below it.
func writeTerm(b *strings.Builder, t *datasets.Taxonomy, node int) {
	fmt.Fprintf(b, "%s: [", strconv.Quote(t.Nodes[node].Name))
	for i, child := range t.Nodes[node].Children {
		if i > 0 {
			b.WriteString(", ")
		}
		if len(t.Nodes[child].Children) == 0 {
			b.WriteString(strconv.Quote(t.Nodes[child].Name))
			continue
		}
		b.WriteByte('{')
		writeTerm(b, t, child)
		b.WriteByte('}')
	}
	b.WriteByte(']')
}
