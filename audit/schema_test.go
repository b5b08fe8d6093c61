package audit

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ppdp/datasets"
	csvtable "ppdp/datasets/csv"
)

// TestSchemaYAML: the text describes the tables that are audited.
func TestSchemaYAML(t *testing.T) {
	format, err := csvtable.ParseSchema("schema.yaml", []byte(SchemaYAML))
	if err != nil {
		t.Fatal(err)
	}
	diff := cmp.Diff(schema(), format.Schema, cmpopts.EquateEmpty(),
		cmpopts.IgnoreUnexported(datasets.Schema{}),
		cmpopts.IgnoreFields(datasets.Attribute{}, "Hierarchy"))
	if diff != "" {
		t.Error(diff)
	}
}
