//go:build unix

package external

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"ppdp/algorithms"
	"ppdp/algorithms/internal/testinput"
	"ppdp/algorithms/kernel/margins"
	"ppdp/algorithms/mst"
	"ppdp/audit"
	"ppdp/datasets"
	"ppdp/internal/must"
	"ppdp/metrics"
	"ppdp/numeric/random"
	"ppdp/privacy"
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

// asks loads a program of testdata or of the examples.
func asks(t testing.TB, program, relation string) *Algorithm {
	t.Helper()
	needsPython(t)
	return asksOf(t, "python3", program, relation)
}

func asksOf(t testing.TB, python, program, relation string) *Algorithm {
	t.Helper()
	return load(t, strings.NewReplacer("PYTHON", python, "PROGRAM", program, "RELATION",
		relation).Replace(asking), pythonExamples)
}

// replayed audits a program at an epsilon, or at a delta too, on a few small pairs; one with a
// fault, which may cost a process for each release, on one record, the twelfth of equal ones, and
// unrelated tables.
func replayed(t *testing.T, a *Algorithm, fault string, delta float64) (kinds []string,
	text string) {
	t.Helper()
	params := a.Params()
	set(params, "fault", fault)
	c := must.Get(audit.NewCase(audit.Subject{Algorithm: a, Variant: "published", Params: params,
		Epsilon: 1, Delta: delta}))
	c.Pairs = slices.DeleteFunc(c.Pairs, func(p audit.Pair) bool {
		return p.Weight > 1 || fault != "" && strings.Contains(p.Name, "half the rows") ||
			!p.Unrelated && !strings.Contains(p.Name, "single") &&
				(fault != "" || !strings.Contains(p.Name, "alone")) &&
				!strings.Contains(p.Name, "equal records, record 12")
	})
	found := must.Get(c.Audit(context.Background(), audit.Options{Transcripts: 1, Seed: 1}))
	text = found.Error
	for _, f := range found.Failures {
		kinds, text = append(kinds, f.Kind), text+"\n"+f.Text
	}
	return kinds, text
}

// TestPlantedFaults: a replay finds every fault of a program that asks for its noise, as the kind
// of failure that it is, and nothing against the same program without one.
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

// withNumpy is an interpreter that has numpy, "" for none.
var withNumpy = sync.OnceValue(func() string {
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(python, "-c", "import numpy").Run() == nil {
			return python
		}
	}
	return ""
})

// TestMST: a replay finds nothing against the example's MST in numpy. Over sixteen releases the
// distances of its 2-way marginals are within a tenth of those of ppdp's own, with equal bins.
func TestMST(t *testing.T) {
	t.Parallel()
	if withNumpy() == "" {
		t.Skip("no Python with numpy here: docs/examples/python/mst.py is not tested")
	}
	a := asksOf(t, withNumpy(), "mst.py", addOrRemove)
	for _, delta := range []float64{0, 1e-9} {
		if kinds, text := replayed(t, a, "", delta); text != "" {
			t.Errorf("delta %v: %v: %s", delta, kinds, text)
		}
	}
	data := testinput.Wide(8, 3000)
	params := mst.Algorithm.Params().(*margins.Params)
	params.Cut = margins.Equal
	own := testinput.Input(data, params, algorithms.Published, 1, 0)
	var off [2]float64 // theirs and ours
	for seed := range uint64(16) {
		theirs := must.Get(a.Release(t.Context(), input(a, data, seed)))
		own.Budget, own.Noise = privacy.NewBudget(1), random.NewStreams(random.NewKey(seed))
		ours := must.Get(mst.Algorithm.Release(t.Context(), own))
		off[0] += pairsOff(t, data, theirs) / 16
		off[1] += pairsOff(t, data, ours) / 16
	}
	if math.Abs(off[0]/off[1]-1) > 0.1 {
		t.Errorf("pairs are off by %.4f, with ppdp's own MST by %.4f", off[0], off[1])
	}
}

// pairsOff is the mean total variation distance of two tables' 2-way marginals.
func pairsOff(t *testing.T, a *datasets.Table, b *algorithms.Release) float64 {
	t.Helper()
	distance := must.Get(metrics.Lookup("marginal-distance"))
	off, _, err := distance.Measure(t.Context(), metrics.Case{Table: a, Train: a.AllRows(),
		Release: b, Params: &metrics.MarginalDistanceParams{Attributes: 2, Bins: 100,
			Cut: metrics.Equally}})
	must.Do(t, err)
	return off
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

// TestCallers: whatever a program does between its calls costs one release, and one that begins
// once more in a fresh process is charged once, with the same noise.
func TestCallers(t *testing.T) {
	t.Parallel()
	a := asks(t, "faults.py", addOrRemove)
	data := table(t, 50)
	release := func(fault string) (string, float64, error) {
		in := input(a, data, 3)
		set(in.Params, "fault", fault)
		made, err := a.Release(context.Background(), in)
		if err != nil {
			return "", 0, err
		}
		spent, _ := in.Budget.Spent()
		return made.Table.Checksum(), spent, nil
	}
	sound, spent, err := release("") // also a process that has served
	must.Do(t, err)
	again, twice, err := release("ends late")
	if err != nil || again != sound || twice != spent || spent != 0.5 {
		t.Errorf("begun once more: %v, the same %v, spent %v, want %v", err, again == sound, twice,
			spent)
	}
	for fault, want := range map[string]string{
		"floods":                  "prints more lines before it has read the replies",
		"ends early":              "ended without an answer (exit status 3)",
		"goes on after a refusal": "call 0: privacy budget overspent",
	} {
		if _, _, err := release(fault); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", fault, err, want)
		}
	}
	if again, _, err := release(""); err != nil || again != sound {
		t.Errorf("afterwards: %v, the same %v", err, again == sound)
	}
}

// answered parses a call and answers it from a budget.
func answered(b *privacy.Budget, text string) (calls *calls, said reply) {
	calls = newCalls(b, random.NewKey(1))
	return calls, calls.hear(text)
}

// hear answers a line as Algorithm.ask does.
func (c *calls) hear(text string) (said reply) {
	var asked line
	err := decodeStrictly([]byte(text), &asked)
	back := must.Get(c.answer(&asked.call, err))
	if err := json.Unmarshal(back, &said); err != nil {
		panic(err)
	}
	return said
}

// TestRelations: what is replayed of a graph is one edge, whatever a descriptor says.
func TestRelations(t *testing.T) {
	for relation, refused := range map[string]bool{"": false, "\n    relation: any two": true,
		"\n    relation: " + algorithms.AddOrRemoveEdge: false} {
		dir := t.TempDir()
		must.Do(t, os.CopyFS(dir, os.DirFS(pythonExamples)))
		path := filepath.Join(dir, "a.baseline.yaml")
		must.Do(t, os.WriteFile(path, []byte(strings.NewReplacer("PYTHON", "cat", "PROGRAM",
			"ppdp.py", ", ppdp.py]", "]", "input: table", "input: graph", "records", "degrees",
			"record\n    relation: RELATION", "edge"+relation).Replace(asking)), 0o666))
		a, err := Load(path)
		if refused != (err != nil) || err == nil &&
			a.Info().Variants[0].Relation != algorithms.AddOrRemoveEdge {
			t.Errorf("%q: %v, refused must be %v", relation, err, refused)
		}
	}
}

// TestRefusedCalls: what a call lacks is said; nothing is charged for it.
func TestRefusedCalls(t *testing.T) {
	const (
		rest = `,"purpose":"p","sensitivity":1,"amount":0.5}`
		some = `{"call":"laplace","values":[1],"purpose":"p","sensitivity":1,`
	)
	for text, want := range map[string]string{
		`{"call":"uniform","values":[1]` + rest: `call: "uniform", must be one of laplace, ` +
			"geometric, gaussian, discrete-gaussian, choose",
		`{"call":"laplace","values":[1,null]` + rest:           "number 2 of 2 is not a finite",
		`{"call":"laplace","values":[1e999]` + rest:            "is not a finite number",
		`{"call":"laplace","values":[1e301]` + rest:            "of at most 1e+300",
		`{"call":"laplace","values":["1"]` + rest:              "number 1 of 1 is not a finite",
		`{"call":"laplace","values":[[1]]` + rest:              "number 1 of 1 is not a finite",
		`{"call":"laplace","values":3` + rest:                  "must be lists of numbers",
		`{"call":"laplace","scores":[1]` + rest:                "laplace is for values",
		`{"call":"laplace","values":[1],"scores":[1]` + rest:   "for values and nothing else",
		`{"call":"choose","values":[1]` + rest:                 "choose is for scores",
		`{"call":"choose","scores":[]` + rest:                  "without a candidate",
		`{"call":"geometric","values":[1,0.5]` + rest:          "value 2: geometric is for whole",
		`{"call":"gaussian","values":[1]` + rest:               "has no pure epsilon",
		`{"call":"laplace","values":[1],"branch":[0.5]` + rest: "must be a list of whole",
		`{"call":"laplace","values":[1],"colour":1` + rest:     `unknown field "colour"`,
		`{"call":"laplace","values":[1],"id":1` + rest:         "cannot unmarshal number",

		`{"call":"laplace","values":[1],"sensitivity":1,"amount":1}`: "purpose: ",
		`{"call":"laplace","values":[1],"purpose":"p","amount":1}`:   "sensitivity: 0, must be",

		some + `"amount":0}`:   "must be above 0",
		some + `"amount":1.1}`: "privacy budget overspent",
	} {
		b := privacy.NewBudget(1)
		if _, said := answered(b, text); !strings.Contains(said.Error, want) || said.Values != nil {
			t.Errorf("%s: %+v, want %q", text, said, want)
		}
		if spent, _ := b.Spent(); spent > 0 && want != "without a candidate" {
			t.Errorf("%s: charged %v", text, spent)
		}
	}
	_, none := answered(privacy.NewBudget(1), `{"call":"laplace","values":[]`+rest)
	if none.Values == nil {
		t.Errorf("no values are answered by %+v, must be an empty list", none)
	}
	asked, _ := answered(privacy.NewBudget(1), `{"call":"uniform"}`)
	if _, err := asked.answer(&call{}, nil); err == nil {
		t.Error("a program may go on after a refusal")
	}
}

// TestBranches: costs add up along a path, those of disjoint parts do not, and a call on a whole
// after calls on its parts is charged on top of the dearest.
func TestBranches(t *testing.T) {
	for _, c := range []struct {
		branches string // of calls of 1/8 each
		want     float64
	}{
		{"", 0}, {"[]", 1}, {"[] []", 2}, {"[0] [1] [2]", 1}, {"[0] [0] [1]", 2},
		{"[] [0] [0,1] [1]", 3}, {"[0,0,0] [0,1] [0,1]", 2}, {"[0] [0] [1] []", 3},
		{"[0] [0] [1] [] [1]", 4}, {"[0,0] [0,0] [0] [0,1]", 4}, {"[5,0] [5] [6]", 2},
	} {
		b := privacy.NewBudget(1)
		asked := newCalls(b, random.NewKey(1))
		for _, branch := range strings.Fields(c.branches) {
			if said := asked.hear(`{"call":"laplace","purpose":"p","values":[0],"sensitivity":1,` +
				`"amount":0.125,"branch":` + branch + `}`); said.Error != "" {
				t.Errorf("%s: %s", c.branches, said.Error)
			}
		}
		if spent, _ := b.Spent(); spent != c.want/8 {
			t.Errorf("%s: %v charged, want %v/8", c.branches, spent, c.want)
		}
	}
}

// TestAmounts: in either unit a call costs the amount that it names.
func TestAmounts(t *testing.T) {
	for _, name := range []string{"laplace", "geometric", "gaussian", "discrete-gaussian",
		"choose"} {
		for _, delta := range []float64{0, 1e-6} {
			key := map[bool]string{false: "values", true: "scores"}[name == "choose"]
			b := privacy.NewApproximate(2, delta)
			_, said := answered(b, fmt.Sprintf(`{"call":%q,"purpose":"p",%q:[3,4],"sensitivity":1,`+
				`"amount":%v}`, name, key, b.Total()/4))
			spent, _ := b.Spent()
			if refused := delta == 0 && strings.Contains(name, "gaussian"); refused !=
				(said.Error != "") || !refused && math.Abs(spent-b.Total()/4) > 1e-12 {
				t.Errorf("%s at delta %v: %v of %v, %s", name, delta, spent, b.Total(), said.Error)
			}
		}
	}
}

// FuzzCalls: no line makes a call panic, overspend, or answer with fewer numbers or with what is
// none.
func FuzzCalls(f *testing.F) {
	const end = `,"purpose":"p","sensitivity":1}`
	for _, text := range []string{
		`{"call":"laplace","values":[1,-2.5e3],"amount":0.5` + end,
		`{"call":"geometric","values":[ ],"amount":1` + end,
		`{"call":"gaussian","values":[1e300],"amount":1e-12` + end,
		`{"call":"discrete-gaussian","values":[4503599627370496],"amount":1` + end,
		`{"call":"choose","scores":[1,2],"amount":1e-300,"branch":[0,-1]` + end,
		`{"call":"choose","scores":[1e300,-1e300],"amount":1` + end,
		`{"call":"laplace","values":[NaN]}`, `{"call":null,"values":null}`, `{"id":"1","file":"x"}`,
	} {
		f.Add(text, 0.0)
		f.Add(text, 1e-6)
	}
	f.Fuzz(func(t *testing.T, text string, delta float64) {
		if !(delta >= 1e-100 && delta < 0.5) {
			delta = 0
		}
		b := privacy.NewApproximate(1, delta)
		asked := newCalls(b, random.NewKey(1))
		for range 3 {
			if asked.refused != nil {
				break
			}
			var given line
			err := decodeStrictly([]byte(text), &given)
			n := len(given.Values)
			said := asked.hear(text)
			switch {
			case said.Error != "":
			case err != nil:
				t.Fatalf("%q is answered: %+v", text, said)
			case said.Choice != nil:
				if *said.Choice < 0 || *said.Choice >= len(given.Scores) {
					t.Fatalf("%q: %d is chosen", text, *said.Choice)
				}
			case len(said.Values) != n || slices.ContainsFunc(said.Values, func(v float64) bool {
				return math.IsNaN(v) || math.IsInf(v, 0)
			}):
				t.Fatalf("%q: %v", text, said.Values)
			}
		}
		if spent, _ := b.Spent(); privacy.Bound(spent).Exceeds(b.Total()) {
			t.Fatalf("%q: %v of %v spent", text, spent, b.Total())
		}
	})
}
