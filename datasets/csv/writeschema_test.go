package csvtable

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ppdp/internal/must"
)

// TestWriteSchema reads back what is written: the same attributes, whatever their texts hold.
func TestWriteSchema(t *testing.T) {
	format := must.Get(ParseSchema("x.yaml", []byte(`missing: ["?"]
missing-as-value: true
attributes:
  - {name: "a: b", kind: numeric, low: -1.5, high: 1e9, step: 0.5}
  - {name: c, kind: numeric, low: 0, high: 1, step: 0.25, continuous: true, digits: 2, role: sensitive}
  - {name: pay, kind: numeric, low: 0, high: 2000000, bins: [0, 1, 5000, 2000000]}
  - {name: at, kind: numeric, time: "hh:mm", low: "00:00", high: "24:00", bins: ["00:00", "07:30", "24:00"]}
  - {name: gain, kind: numeric, low: 0, high: 2.5, step: 0.1, continuous: true, bins: [0, 0.3, 0.7, 2.5]}
  - {name: loss, kind: numeric, low: 0, high: 100000, scale: log}
  - {name: "true", kind: categorical, values: ["no", "1", "é\t\"x\" {}, # y", "~"], order: given}
  - {name: r, kind: categorical, values: [c, b, a], order: random}
  - name: tree
    kind: categorical
    taxonomy: {any: {low: [a, {deep: [b]}], high: [c]}}
  - {name: y, kind: categorical, values: ["0", "1"], role: class}
`)))
	var b bytes.Buffer
	must.Do(t, WriteSchema(&b, format.Schema))
	back, err := ParseSchema("y.yaml", b.Bytes())
	if err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	if diff := cmp.Diff(format.Schema, back.Schema); diff != "" {
		t.Errorf("%s\n%s", diff, b.String())
	}
}
