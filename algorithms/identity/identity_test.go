package identity

import (
	"testing"

	"ppdp/algorithms"
	"ppdp/algorithms/internal/testinput"
	"ppdp/audit/conformance"
)

func TestReleaseIsTheRows(t *testing.T) {
	in := testinput.Input(conformance.Table(50), &algorithms.NoParams{}, algorithms.Published, 0, 1)
	in.Rows = []int32{7, 3, 49, 3}
	release := testinput.LazyRelease(t, Algorithm, in)
	if want := in.Table.Select([]int32{7, 3, 49, 3}); release.Weights != nil ||
		release.Table.Checksum() != want.Checksum() {
		t.Errorf("%d records, weights %v: not the rows", release.Table.Len(), release.Weights)
	}
}
