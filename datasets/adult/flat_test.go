package adult

import (
	"context"
	"testing"

	"ppdp/datasets"
	"ppdp/internal/must"
	"ppdp/numeric/random"
)

// TestFlat: flat hierarchies leave the rows and the original table's schema as they are, and every
// taxonomy that Adult has is of height 1.
func TestFlat(t *testing.T) {
	request := datasets.Request{Params: &Params{Select: "dpcube"}, Key: random.NewKey(0)}
	original := must.Get(StandIn.Load(context.Background(), request))
	source := must.Get(datasets.Lookup("adult-flat-standin"))
	flat := must.Get(source.Load(context.Background(), request))
	if flat.Table.Len() != original.Table.Len() {
		t.Fatalf("%d rows, must be %d", flat.Table.Len(), original.Table.Len())
	}
	higher := 0
	for _, at := range flat.Table.Schema().QuasiIdentifiers() {
		was, is := &original.Table.Schema().Attributes[at], &flat.Table.Schema().Attributes[at]
		if was.Kind != datasets.Categorical {
			continue
		}
		if was.Axis().Taxonomy.Height() > 1 {
			higher++
		}
		if height := is.Axis().Taxonomy.Height(); height != 1 {
			t.Errorf("%s: height %d, must be 1", is.Name, height)
		}
		for row := range int32(flat.Table.Len()) {
			got, want := flat.Table.Column(at).At(row), original.Table.Column(at).At(row)
			if got != want {
				t.Fatalf("%s of row %d is %d, must be %d", is.Name, row, got, want)
			}
		}
	}
	if higher == 0 {
		t.Error("Adult has no higher taxonomy, so that nothing was made flat")
	}
}
