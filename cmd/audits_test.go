package cmd

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"ppdp/docs"
	"ppdp/internal/results"
)

// auditsBlackBox is how many releases the table's black boxes make of either input of a pair.
const auditsBlackBox = "400"

// TestAuditsTable: docs/generated/audits.jsonl is what replays find today, of every variant in
// docs/generated/algorithms.md. Its black boxes take minutes and are made again by "make audits"
// only, which writes the file, with every variant registered.
func TestAuditsTable(t *testing.T) {
	if os.Getenv("PPDP_LONG") == "" && !*update {
		t.Skip("PPDP_LONG is not set: make test-long replays every variant")
	}
	args := []string{"audit", "--json"}
	if *update {
		args = append(args, "--black-box", auditsBlackBox)
	} else {
		_, committed := readTable(t)
		args = append(args, committed...)
	}
	var out, messages bytes.Buffer
	run(args, &out, &messages, environment{ctx: t.Context(), now: time.Now})
	var found []results.Audit
	if err := json.Unmarshal(out.Bytes(), &found); err != nil {
		t.Fatalf("%v\n%s", err, messages.String())
	}
	for i := range found {
		found[i].Moved = nil
	}
	if *update {
		var text bytes.Buffer
		for _, a := range found {
			noError(t, results.NewEncoder(&text).Encode(a))
		}
		path := filepath.Join("..", "docs", "generated", "audits.jsonl")
		noError(t, os.WriteFile(path, text.Bytes(), 0o666))
		return
	}
	table := must(results.ReadAudits(strings.NewReader(docs.Audits), "docs/generated/audits.jsonl"))
	const stale = "docs/generated/audits.jsonl is stale: make audits"
	if len(table) != len(found) {
		t.Fatalf("%d audits, there are %d: %s", len(table), len(found), stale)
	}
	for i, a := range table {
		b, name := found[i], a.Algorithm+", "+a.VariantName()
		if a.BlackBox == nil {
			t.Errorf("%s has no black box: %s", name, stale)
		}
		// the last digits of logarithms are not what the table is for
		close := func(x, y results.Bound) bool {
			return x == y || math.Abs(float64(x-y)) < 1e-9
		}
		if !close(a.Proven, b.Proven) || !close(a.Seen, b.Seen) {
			t.Errorf("%s, %s: proven %v, seen %v, now %v and %v: %s", a.Algorithm, a.VariantName(),
				a.Proven, a.Seen, b.Proven, b.Seen, stale)
		}
		kinds := func(a *results.Audit) (kinds []string) {
			for _, f := range a.Failures {
				kinds = append(kinds, f.Kind)
			}
			return kinds
		}
		if x, y := kinds(&a), kinds(&b); !reflect.DeepEqual(x, y) {
			t.Errorf("%s: refuted by %v, now %v: %s", name, x, y, stale)
		}
		a.Proven, a.Seen, a.Failures, a.BlackBox = b.Proven, b.Seen, b.Failures, nil
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%+v\nnow %+v: %s", a, b, stale)
		}
	}
}

// TestAuditsByCurveAndTime: a curve and a time need no number of releases, and a curve alone has
// none.
func TestAuditsByCurveAndTime(t *testing.T) {
	var out, messages bytes.Buffer
	e := environment{ctx: t.Context(), now: time.Now}
	code := run(strings.Fields("audit rps --variant strict --transcripts 1 --for 1s --curve "+
		"--json"), &out, &messages, e)
	var found []results.Audit
	if err := json.Unmarshal(out.Bytes(), &found); code != 0 || err != nil || len(found) == 0 {
		t.Fatalf("exit code %d, %v\n%s", code, err, messages.String())
	}
	for _, a := range found {
		if box := a.BlackBox; box == nil || box.Releases == 0 || box.Curve == nil ||
			box.Curve.Allowed < 1.2 || !strings.Contains(box.Text, "a mu of at least") {
			t.Errorf("%+v", box)
		}
	}
	messages.Reset()
	if run([]string{"audit", "rps", "--curve"}, &out, &messages, e) == 0 ||
		!strings.Contains(messages.String(), "--curve: must come with --black-box or --for") {
		t.Error(messages.String())
	}
}
