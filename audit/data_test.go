package audit

import (
	"slices"
	"testing"

	"ppdp/algorithms"
	"ppdp/audit/blackbox"
	"ppdp/datasets"
	"ppdp/internal/must"
	"ppdp/internal/results"
)

func records(t *datasets.Table) [][]uint32 {
	var all [][]uint32
	for row := range int32(t.Len()) {
		var record []uint32
		for a := range t.Schema().Attributes {
			record = append(record, t.Column(a).At(row))
		}
		all = append(all, record)
	}
	return all
}

// TestPairsOnTables: the rarest record is the first to go, with all others of its person, or to be
// replaced; nothing else changes.
func TestPairsOnTables(t *testing.T) {
	common, rare, other := []uint32{1, 1, 1, 0}, []uint32{9, 3, 2, 1}, []uint32{1, 1, 1, 1}
	rows := [][]uint32{common, common, rare, common, other}
	schema := small()
	schema.Contributions = 2
	singles := table(small(), rows)
	persons := datasets.OfPersons(table(schema, rows), []int32{0, 1, 0, 1, 2},
		[]string{"a", "b", "c"})
	added := algorithms.RecordPrivacy(algorithms.Strict, "")
	replaced := added
	replaced.Relation = algorithms.ReplaceRecord
	for _, c := range []struct {
		g    algorithms.Guarantee
		of   *datasets.Table
		want [][]uint32
	}{
		{added, singles, [][]uint32{common, common, common, other}},
		{replaced, singles, [][]uint32{common, common, common, common, other}},
		{added.OfPersons(2), persons, [][]uint32{common, common, other}},
		{replaced.OfPersons(2), persons, [][]uint32{common, common, common, common, other}},
	} {
		pairs, err := PairsOn(c.g, "data", Data{Table: c.of})
		if err != nil || len(pairs) < 2 {
			t.Fatalf("%s: %d pairs, error %v", c.g.Relation, len(pairs), err)
		}
		got := records(pairs[0].B.Table)
		if !slices.EqualFunc(got, c.want, slices.Equal[[]uint32]) || pairs[0].A.Table != c.of {
			t.Errorf("%s: the neighbour is %v, want %v", c.g.Relation, got, c.want)
		}
	}
	if _, err := PairsOn(algorithms.NodePrivacy(algorithms.Strict, ""), "data",
		Data{Table: singles}); err == nil {
		t.Error("a table has neighbours by nodes")
	}
}

// TestTargets: the record farthest from all others is the first target. The rarest values are those
// of the two equal ones, which are as near to another as can be.
func TestTargets(t *testing.T) {
	common, twin, alone := []uint32{1, 1, 1, 0}, []uint32{9, 3, 2, 1}, []uint32{6, 1, 1, 0}
	rows := [][]uint32{common, twin, common, common, alone, twin, {2, 1, 1, 0}, common}
	data := Data{Table: table(small(), rows)}
	pairs, err := Targets(t.Context(), algorithms.RecordPrivacy(algorithms.Strict, ""), "data",
		data, 2)
	if err != nil || len(pairs) != 2 || pairs[0].Name != "data, record 5 of 8" ||
		pairs[1].Name != "data, record 7 of 8" {
		t.Fatalf("%v, error %v", pairs, err)
	}
	if got := records(pairs[0].B.Table); !slices.EqualFunc(got,
		slices.Delete(slices.Clone(rows), 4, 5), slices.Equal[[]uint32]) {
		t.Errorf("the neighbour is %v", got)
	}
	graph := Data{Graph: graph(3, [][2]int32{{0, 1}})}
	if _, err := Targets(t.Context(), algorithms.NodePrivacy(algorithms.Strict, ""), "data", graph,
		1); err == nil {
		t.Error("a graph has targets")
	}
}

// TestAttacks: each target's best test is an attack; what is likelier without the record is turned
// round.
func TestAttacks(t *testing.T) {
	got := attacks(&blackbox.Finding{Tests: []blackbox.Test{
		{Pair: "a", Event: "x", Likelier: 0, Hits: [2]int{5, 1}, Of: 10, Bound: 0.5},
		{Pair: "a", Event: "y", Likelier: 1, Hits: [2]int{1, 9}, Of: 10, Bound: 0.75},
		{Pair: "b", Event: "z", Likelier: 0, Hits: [2]int{2, 1}, Of: 10},
	}})
	want := []results.Attack{
		{Target: "a", Event: "not so: y", TruePositives: 0.9, FalsePositives: 0.1, Bound: 0.75},
		{Target: "b", Event: "z", TruePositives: 0.2, FalsePositives: 0.1},
	}
	if !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestPairsOnGraphs: the hub is the first to lose its edges: all of them, or one.
func TestPairsOnGraphs(t *testing.T) {
	data := Data{Graph: graph(5, [][2]int32{{0, 1}, {0, 2}, {0, 3}, {1, 2}})}
	edge := algorithms.Guarantee{Unit: "edge"}
	for _, c := range []struct {
		g    algorithms.Guarantee
		want []int // degrees
	}{
		{algorithms.NodePrivacy(algorithms.Strict, ""), []int{0, 1, 1, 0, 0}},
		{edge, []int{2, 1, 2, 1, 0}},
	} {
		pairs := must.Get(PairsOn(c.g, "data", data))
		var got []int
		for v := range int32(5) {
			got = append(got, pairs[0].B.Graph.Degree(v))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: degrees %v, want %v", c.g.Unit, got, c.want)
		}
	}
	capped := algorithms.NodePrivacy(algorithms.Strict, "")
	capped.MaxDegree = 2
	if _, err := PairsOn(capped, "data", data); err == nil {
		t.Error("a graph above the cap has neighbours")
	}
}
