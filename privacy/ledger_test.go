package privacy

import (
	"encoding/json"
	"math"
	"testing"

	"ppdp/internal/must"
)

// TestEntryOnDisk: entries are written as the records of earlier versions have them, and read back.
func TestEntryOnDisk(t *testing.T) {
	entry := Entry{Purpose: "cuts", Mechanism: "laplace", Claimed: 1, Proven: 2, Calls: 31,
		Cost: 0.1, Loss: Bound(math.Inf(1)), Composition: "parallel"}
	const want = `{"purpose":"cuts","mechanism":"laplace","claimed":1,"proven":2,"calls":31,` +
		`"epsilon":0.1,"loss":"Inf","composition":"parallel"}`
	text, err := json.Marshal(entry)
	if err != nil || string(text) != want {
		t.Fatalf("%s, %v; want %s", text, err, want)
	}
	var read Entry
	if err := json.Unmarshal(text, &read); err != nil || read != entry {
		t.Errorf("%+v, %v; want %+v", read, err, entry)
	}
	must.Fail(t, json.Unmarshal([]byte(`{"loss":"inf"}`), &read), "", "a loss of \"inf\" was read")
}

// TestExceeds: the rounding of a thousand charges does not overspend a budget, a millionth does.
func TestExceeds(t *testing.T) {
	for _, c := range []struct {
		spent, total float64
		want         bool
	}{{1, 1, false}, {1 + 1e-12, 1, false}, {1 + 1e-6, 1, true}, {1e-300, 0, true}, {0, 0, false},
		{math.Inf(1), 1e300, true}} {
		must.Be(t, Bound(c.spent).Exceeds(c.total), c.want, c.spent, c.total)
	}
}
