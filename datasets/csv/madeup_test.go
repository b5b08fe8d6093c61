package csvtable

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"

	"ppdp/datasets"
	"ppdp/internal/must"
	"ppdp/numeric/random"
)

// TestMadeUpRecordsDepend: made-up attributes are neither constant nor independent, so that there
// is something to learn; another key makes other records. The distance of the joint distribution
// from the product of its margins would be about 0.01 for independent attributes: for 2 by 10 cells
// and 20,000 records, a mean of Σ √(2p/πn)/2.
func TestMadeUpRecordsDepend(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.yaml")
	must.Do(t, os.WriteFile(path, []byte("attributes:\n"+
		"- {name: n, kind: numeric, low: 0, high: 10}\n"+
		"- {name: y, kind: categorical, values: [a, b]}\n"), 0o666))
	sums := make(map[string]bool)
	dependent := 0
	for seed := range uint64(20) {
		const rows = 20_000
		set := must.Get(MadeUp{}.Load(context.Background(), datasets.Request{
			Key:    random.NewKey(seed),
			Params: &MadeUpParams{Schema: path, Target: "y", N: rows}}))
		sums[set.Checksum] = true
		if set.Table.Len() != rows || set.Table.Schema().Class() != 1 ||
			set.Table.Validate() != nil {
			t.Fatalf("%d rows, class %d, %v", set.Table.Len(), set.Table.Schema().Class(),
				set.Table.Validate())
		}
		var joint [10][2]float64
		var n [10]float64
		var y [2]float64
		for row := range int32(rows) {
			a, b := set.Table.Column(0).At(row), set.Table.Column(1).At(row)
			joint[a][b] += 1.0 / rows
			n[a] += 1.0 / rows
			y[b] += 1.0 / rows
		}
		distance := 0.0
		for a := range joint {
			for b := range joint[a] {
				distance += math.Abs(joint[a][b]-n[a]*y[b]) / 2
			}
		}
		if distance > 0.05 {
			dependent++
		}
	}
	if len(sums) != 20 || dependent < 15 {
		t.Errorf("%d tables differ, %d of 20 have dependent attributes", len(sums), dependent)
	}
}
