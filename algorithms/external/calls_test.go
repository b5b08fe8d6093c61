//go:build unix

package external

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"ppdp/audit"
)

// asking is a descriptor of a program in Python that asks ppdp for its noise.
const asking = `name: asking
title: Asks for noise
source: test
input: table
produces: records
command: [PYTHON, PROGRAM]
files: [PROGRAM, ppdp.py]
values: codes
variants:
  - variant: published
    model: differential privacy
    unit: record
    relation: RELATION
    approximate: true
    mechanisms: ppdp
    note: None.
params:
  fault: {type: string, default: ""}
`

const addOrRemove = "add or remove one record"

// pythonExamples are the programs in Python, and what they import.
const pythonExamples = "../../docs/examples/python"

// python is the interpreter itself, in place of what chooses one at each start.
var python = sync.OnceValue(func() string {
	path, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		panic(err)
	}
	return strings.TrimSpace(string(path))
})

// asks loads a program of testdata or of the examples.
func asks(t testing.TB, program, relation string) *Algorithm {
	t.Helper()
	needsPython(t)
	dir := t.TempDir()
	noError(t, os.CopyFS(dir, os.DirFS(pythonExamples)))
	noError(t, os.CopyFS(dir, os.DirFS("testdata")))
	path := filepath.Join(dir, "a.baseline.yaml")
	text := strings.NewReplacer("PYTHON", python(), "PROGRAM", program, "RELATION",
		relation).Replace(asking)
	noError(t, os.WriteFile(path, []byte(text), 0o666))
	a := must(Load(path))
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

// replayed audits a program at an epsilon, or at a delta too, on a few small pairs.
func replayed(t *testing.T, a *Algorithm, fault string, delta float64) (kinds []string,
	text string) {
	t.Helper()
	params := newParams(a.d.Params)
	params.values["fault"] = fault
	c := must(audit.NewCase(audit.Subject{Algorithm: a, Variant: "published", Params: params,
		Epsilon: 1, Delta: delta}))
	c.Pairs = slices.DeleteFunc(c.Pairs, func(p audit.Pair) bool {
		return p.Weight > 1 || !p.Unrelated && !strings.Contains(p.Name, "single") &&
			!strings.Contains(p.Name, "alone") && !strings.Contains(p.Name, "equal records, record 12")
	})
	found := must(c.Audit(context.Background(), audit.Options{Transcripts: 1, Seed: 1}))
	text = found.Error
	for _, f := range found.Failures {
		kinds, text = append(kinds, f.Kind), text+"\n"+f.Text
	}
	return kinds, text
}

// TestPlantedFaults: a replay finds every fault of a program that asks for its noise, as the kind of
// failure that it is, and nothing against the same program without one.
func TestPlantedFaults(t *testing.T) {
	t.Parallel()
	a := asks(t, "faults.py", addOrRemove)
	for fault, want := range map[string]struct{ kind, text string }{
		"":                                {},
		"the domain read off the data":    {audit.Calls, "values, were"},
		"rounds by the number of records": {audit.Calls, "was"},
		"the size of the file":            {audit.Calls, "for size at"},
		"NaN":                             {audit.Failing, "numbers must be finite"},
		"the budget twice":                {"", "privacy budget overspent"},
		"sensitivity 0":                   {"", "sensitivity: 0, must be above 0"},
		"too small a sensitivity":         {audit.Sensitivity, "moved by 1, proven is 0.5"},
		"a sensitivity from the data":     {audit.Calls, "is scaled to a sensitivity of"},
		"an amount from the data":         {audit.Calls, "at epsilon"},
		"an early stop":                   {audit.Calls, "is missing"},
		"one noise for two marginals":     {audit.Output, "the same"},
		"data in an error":                {audit.Failing, "row ["},
		"data in every error":             {audit.Failing, "rows"},
		"data in a warning":               {audit.Output, "the same"},

		"a bound read off the data":   {audit.Output, "the same"},
		"its own randomness":          {audit.Output, "the same"},
		"the clock":                   {audit.Output, "the same"},
		"branches that overlap":       {audit.Accounting, "cost 2, the ledger has 1"},
		"a branch from the data":      {audit.Calls, "is of branch"},
		"a choice scaled to the data": {audit.Calls, "is scaled to a sensitivity of"},
		"too wide a score":            {audit.Sensitivity, "moved by 3, proven is 1"},
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			kinds, text := replayed(t, a, fault, 0)
			if want.kind == "" && len(kinds) > 0 ||
				want.kind != "" && !slices.Contains(kinds, want.kind) ||
				!strings.Contains(text, want.text) || want.text == "" && text != "" {
				t.Errorf("%v, want %q: %s, want %q", kinds, want.kind, text, want.text)
			}
		})
	}
}

// TestSoundPrograms: replays find nothing against the examples, at an epsilon and at a delta.
func TestSoundPrograms(t *testing.T) {
	t.Parallel()
	for program, relation := range map[string]string{"histograms.py": addOrRemove,
		"rps.py": addOrRemove, "privbayes.py": "replace one record, number of records public"} {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			a := asks(t, program, relation)
			for _, delta := range []float64{0, 1e-9} {
				if kinds, text := replayed(t, a, "", delta); text != "" {
					t.Errorf("delta %v: %v: %s", delta, kinds, text)
				}
			}
		})
	}
}
