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

// boundsText is a numeric attribute's bounds as a schema file has them.
func boundsText(a *datasets.Attribute) string {
	low, high := a.NumberText(a.Low), a.NumberText(a.High)
	if a.Clock == "" {
		return fmt.Sprintf("low: %s, high: %s", low, high)
	}
	return fmt.Sprintf("time: %q, low: %q, high: %q", a.Clock, low, high)
}

// numericText is the keys of a numeric attribute in a schema file, without those of any kind.
func numericText(a *datasets.Attribute) string {
	step := datasets.AppendNumber(nil, a.Step, 64)
	text := fmt.Sprintf("kind: numeric, %s, step: %s", boundsText(a), step)
	if a.Continuous {
		text += ", continuous: true"
	}
	if a.Digits != nil {
		text += fmt.Sprintf(", digits: %d", *a.Digits)
	}
	if a.Log {
		text += ", scale: log"
	}
	if a.Bins != nil {
		text += ", bins: [" + binEdge(a, 0)
		for _, end := range a.Bins {
			text += ", " + binEdge(a, end)
		}
		text += "]"
	}
	return text
}

// binEdge is the bound below a cell, high after the last one.
func binEdge(a *datasets.Attribute, cell uint32) string {
	if a.Clock != "" {
		return strconv.Quote(edgeText(a, cell))
	}
	return edgeText(a, cell)
}

// attributeText is the entry of an attribute in a schema file, without braces; role may be empty.
func attributeText(a *datasets.Attribute, role string) string {
	text := "name: " + strconv.Quote(a.Name)
	if role != "" {
		text += ", role: " + role
	}
	if a.Kind == datasets.Numeric {
		return text + ", " + numericText(a)
	}
	text += ", kind: categorical"
	if a.Values != nil {
		text += ", values: [" + quoted(a.Values) + "]"
	}
	if a.Ordered {
		text += ", order: given"
	}
	if a.Taxonomy != nil {
		text += ", taxonomy: {" + taxonomyText(a.Taxonomy, 0) + "}"
	}
	return text
}

// taxonomyText is a node with what is below it as a schema file has it, without braces.
func taxonomyText(t *datasets.Taxonomy, node int) string {
	children := make([]string, len(t.Nodes[node].Children))
	for i, child := range t.Nodes[node].Children {
		if len(t.Nodes[child].Children) == 0 {
			children[i] = strconv.Quote(t.Nodes[child].Name)
		} else {
			children[i] = "{" + taxonomyText(t, child) + "}"
		}
	}
	return strconv.Quote(t.Nodes[node].Name) + ": [" + strings.Join(children, ", ") + "]"
}

// quoted lists texts as YAML does.
func quoted(texts []string) string { return datasets.QuoteSome(texts, len(texts)) }

// WriteSchema writes a schema file for tables that Write writes: ParseSchema reads the same
// attributes back, but for widths, which describe no value.
func WriteSchema(w io.Writer, schema *datasets.Schema) error {
	var b strings.Builder
	if marker, kept, _ := missingOf(schema); kept != nil {
		fmt.Fprintf(&b, "missing: [%q]\nmissing-as-value: [%s]\n", marker, quoted(kept))
	}
	b.WriteString("attributes:\n")
	for i := range schema.Attributes {
		a := &schema.Attributes[i]
		fmt.Fprintf(&b, "  - {%s}\n", attributeText(a, a.Role.String()))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// About is what a certificate says of a table's holder: "" for what is not said.
type About struct {
	Title   string `yaml:"title" json:"title" doc:"what a release is called in its certificate" help:"What the release is called, in place of the schema's title."`
	Owner   string `yaml:"owner" json:"owner,omitempty" doc:"who releases the table; for the certificate, as the next two" help:"Who releases the table, in place of the schema's owner."`
	Purpose string `yaml:"purpose" json:"purpose,omitempty" doc:"what releases are for" help:"What the release is for, in place of the schema's purpose."`
	Contact string `yaml:"contact" json:"contact,omitempty" doc:"whom to ask about a release, such as an address of mail" help:"Whom to ask about the release, in place of the schema's contact."`
}
