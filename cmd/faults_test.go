package cmd

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ppdp/internal/results"
)

// fault is a mistake planted in the source of a baseline, with what sees it.
type fault struct {
	name, in string // in is the baseline
	params   string // of the spec that is audited; "" for the defaults
	dataset  string // of that spec; "" for a table
	edits    []mutant
	// replay are the kinds of failures, nil for none; blackBox says that the claim is refuted from
	// releases alone, at faultReleases; own that the baseline's own tests and its conformance fail,
	// replays left out.
	replay   []string
	blackBox bool
	own      bool
	// anonymous baselines make no claim of differential privacy: only their own tests apply
	anonymous bool
}

// faultReleases is how many releases of either input of a pair the black box makes.
const faultReleases = "4000"

// faults are the rows of the table in docs/privacy.md.
var faults = []fault{
	{name: "noise scaled down by n", in: "rps", edits: []mutant{{
		folder: "algorithms/rps", function: "newRecursion",
		old:  `in.CountNoise("leaf counts", privacy.Exact(1))`,
		with: `in.CountNoise("leaf counts", privacy.Exact(1/float64(1+len(in.Rows))))`}},
		replay: []string{"calls"}, blackBox: true, own: true,
	},
	{name: "cells of zero without noise", in: "dpcube", params: "combine: cells",
		edits: []mutant{{folder: "algorithms/dpcube", function: "release.estimate",
			old: "r.counts = make([]float64, r.grid.cells)",
			with: "r.counts = make([]float64, r.grid.cells)\n" +
				"	for i, n := range r.exact {\n		if n == 0 {\n" +
				"			r.noisy[i] = 0\n		}\n	}\n"}},
		replay: []string{"output"}, blackBox: true, own: true,
	},
	{name: "a bound read off the data", in: "hay", dataset: "graph", edits: []mutant{
		{folder: "algorithms/hay", function: "Algorithm.Release",
			old:  "low, high = 0, float64(lambda)",
			with: "low, high = 0, float64(in.Graph.MaxDegree())"}},
		replay: []string{"output"}, blackBox: true, own: true,
	},
	{name: "budget spent twice on one path", in: "rps", edits: []mutant{{
		folder: "algorithms/rps", function: "recursion.partition",
		old:  "dim, at, err := r.choose(rows, path, level.cut)",
		with: "own := path.Fork()\n\tdim, at, err := r.choose(rows, &own, level.cut)"}},
		replay: []string{"accounting", "loss"}, own: true,
	},
	{name: "one stream for two purposes", in: "dpcube", edits: []mutant{
		{folder: "random", function: "Streams.Open", old: "s.key.Derive(purpose)",
			with: `s.key.Derive("a purpose")`}},
		blackBox: true,
	},
	{name: "exact N in an output", in: "privbayes", edits: []mutant{{
		folder: "algorithms/privbayes", function: "fit.count",
		old:  "f.records, f.epsilon = max(0, noisy), f.epsilon-cost",
		with: "_, f.epsilon = noisy, f.epsilon-cost"}},
		replay: []string{"output"}, blackBox: true, own: true,
	},
	{name: "an early stop on an exact count", in: "rps", edits: []mutant{{
		folder: "algorithms/rps", function: "recursion.partition",
		old: "count <= r.params.Stop", with: "_ = count; float64(len(rows)) <= r.params.Stop"}},
		replay: []string{"calls"}, blackBox: true, own: true,
	},
	{name: "half the sensitivity of a count", in: "hay", dataset: "graph", edits: []mutant{
		{folder: "algorithms/hay", function: "Algorithm.Release",
			old: "sensitivity = privacy.Exact(2)", with: "sensitivity = privacy.Exact(1)"}},
		replay:   []string{"sensitivity", "claim", "accounting", "loss"},
		blackBox: true, own: true,
	},
	{name: "noise for L1 scaled to L2", in: "hay", dataset: "graph", edits: []mutant{
		{folder: "algorithms/hay", function: "Algorithm.Release",
			old:  "sensitivity = privacy.Exact(2)",
			with: "sensitivity = privacy.Exact(1.4142135623730951)"}},
		replay:   []string{"sensitivity", "claim", "accounting", "loss"},
		blackBox: true, own: true,
	},
	{name: "half the sensitivity of a choice", in: "diffgen", edits: []mutant{
		{folder: "algorithms/diffgen", function: "newCut", old: "c.scorer.Sensitivity()",
			with: "c.scorer.Sensitivity() / 2"}},
		replay: []string{"sensitivity", "claim", "accounting"}, own: true,
	},
	{name: "noise on one class only", in: "rps", edits: []mutant{{
		folder: "algorithms/rps", function: "recursion.leaf",
		old:  "r.leaves.AddAll(path, epsilon, r.noisy)",
		with: "r.leaves.AddAll(path, epsilon, r.noisy[:1])"}},
		replay: []string{"output"}, blackBox: true, own: true,
	},
	{name: "the same noise over sibling regions", in: "diffmulti", edits: []mutant{
		{folder: "algorithms/diffmulti", function: "recursion.publish",
			old: "var path privacy.Path\nfor leaf, at := range r.places {",
			with: "	var path privacy.Path\n	var reused []float64\n" +
				"	for leaf, at := range r.places {\n"},
		{folder: "algorithms/diffmulti", function: "recursion.publish",
			old: "if err := r.leaves.AddAll(&path, epsilon, counts); err != nil {\n" +
				"return nil, err\n}",
			with: "		exact := slices.Clone(counts)\n" +
				"		if leaf%2 == 1 {\n			for y := range counts {\n" +
				"				counts[y] += reused[y]\n			}\n" +
				"		} else if err := r.leaves.AddAll(&path, epsilon, counts); err != nil {\n" +
				"			return nil, err\n		} else {\n			reused = exact\n" +
				"			for y := range counts {\n" +
				"				reused[y] = counts[y] - exact[y]\n			}\n		}\n"}},
		replay: []string{"output"}, blackBox: true,
	},
	{name: "a label chosen from exact counts", in: "rps", edits: []mutant{{
		folder: "algorithms/rps", function: "recursion.leaf",
		old: "n > r.noisy[label]", with: "_ = n; r.exact[y] > r.exact[label]"}},
		replay: []string{"output"}, blackBox: true, own: true,
	},
	{name: "a cap that one record triggers", in: "diffgen",
		edits: []mutant{{folder: "algorithms/diffgen", function: "Algorithm.Release",
			old: "p := c.params",
			with: "	p := c.params\n	if len(exact.cells) > 4 {\n" +
				"		return nil, tooMany(4)\n	}\n"}},
		replay: []string{"calls", "failing"}, blackBox: true, own: true,
	},
	{name: "records in the order of the input", in: "privbayes", edits: []mutant{
		{folder: "algorithms/privbayes", function: "fit.draw",
			old: "release.Table, release.Warnings = w.builder.Table(), f.warnings",
			with: `	made := w.builder.Table()
	var order []int32
	used := make([]bool, made.Len())
	for _, row := range f.in.Rows {
		for i := range int32(made.Len()) {
			if !used[i] && made.Column(0).At(i) == f.in.Table.Column(0).At(row) {
				used[i], order = true, append(order, i)
				break
			}
		}
	}
	for i, taken := range used {
		if !taken {
			order = append(order, int32(i))
		}
	}
	release.Table, release.Warnings = made.Select(order), f.warnings
`}},
		replay: []string{"output"}, blackBox: true,
	},
	{name: "records in the order of the input", in: "mondrian", anonymous: true,
		edits: []mutant{{folder: "algorithms/kernel/partition", function: "shuffle",
			with: "// they stay where they are"}},
		own: true,
	},
	{name: "a choice scaled to the data's own sensitivity", in: "rps", edits: []mutant{
		{folder: "algorithms/rps", function: "newRecursion",
			old: "r.candidates.draws, params.sensitivity(in.Variant)",
			with: "r.candidates.draws, privacy.Exact(0.5*" +
				"float64(1+len(in.Rows))/float64(2+len(in.Rows)))"}},
		replay: []string{"sensitivity", "claim", "accounting"}, own: true,
	},
}

// subject is a spec of the fault's baseline, strict and at epsilon 1.
func (f *fault) subject() string {
	dataset, measure := "{name: gaussian, n: 100}", "w1"
	if f.dataset == "graph" {
		dataset, measure = "{name: barabasi-albert, nodes: 50, links: 3}", "edges"
	}
	return fmt.Sprintf(`name: mine/fault
seed: 1
epsilon: 1
dataset: %s
algorithms:
  - {name: %s, variant: strict, params: {%s}}
measure:
  - {metric: %s}
`, dataset, f.in, f.params, measure)
}

// audit runs a program's audit of the fault's baseline.
func (f *fault) audit(t *testing.T, program, stem string, more ...string) *results.Audit {
	t.Helper()
	write(t, stem+".yaml", f.subject())
	args := append([]string{"audit", stem + ".yaml", "--json"}, more...)
	command := exec.Command(program, args...)
	out, err := command.Output() // exit code 1 where something is refuted
	var found []results.Audit
	if jsonErr := json.Unmarshal(out, &found); jsonErr != nil || len(found) != 1 {
		t.Fatalf("%s: %v, %v\n%s", f.name, err, jsonErr, out)
	}
	return &found[0]
}

func kindsOf(a *results.Audit) (kinds []string) {
	for _, failure := range a.Failures {
		kinds = append(kinds, failure.Kind)
	}
	return kinds
}

// ownTests reports whether the baseline's own tests, replays left out, pass on changed sources.
func (f *fault) ownTests(t *testing.T, root, overlay string) bool {
	t.Helper()
	own := exec.Command("go", "test", "-overlay", overlay, "./algorithms/"+f.in)
	suite := exec.Command("go", "test", "-overlay", overlay, "-run", "TestConformance/^"+f.in+"$",
		"-skip", "TestConformance/[^/]*/[^/]*/[^/]*/replay", "./algorithms/all")
	pass := true
	for _, command := range []*exec.Cmd{own, suite} {
		command.Dir = root
		out, err := command.CombinedOutput()
		if strings.Contains(string(out), "build failed") {
			t.Fatalf("%s", out)
		}
		if err != nil {
			pass = false
			lines := strings.Split(string(out), "\n")
			t.Logf("%s: %s", f.name, strings.Join(lines[:min(3, len(lines))], "\n"))
		}
	}
	return pass
}

// TestFaultsApply: the source still has the places that faults change, and one of them, planted, is
// seen by the replay. "make faults" plants all.
func TestFaultsApply(t *testing.T) {
	for _, f := range faults {
		if _, err := changedFiles("..", f.edits...); err != nil {
			t.Errorf("%s: %v", f.name, err)
		}
	}
	if testing.Short() || raceDetector {
		t.Skip("builds a program, which -short and the race detector leave out")
	}
	root := must(filepath.Abs(".."))
	i := slices.IndexFunc(faults, func(f fault) bool { return f.name == "noise on one class only" })
	stem := filepath.Join(t.TempDir(), "fault")
	found := faults[i].audit(t, build(t, root, stem, faults[i].edits...), stem)
	if kinds := kindsOf(found); !slices.Equal(kinds, faults[i].replay) || !found.Refuted() {
		t.Errorf("the replay finds %v, want %v", kinds, faults[i].replay)
	}
}

// TestFaultTable: docs/privacy.md has the table of faults.
func TestFaultTable(t *testing.T) {
	mark := func(seen bool) string {
		if seen {
			return "seen"
		}
		return "–"
	}
	var table strings.Builder
	table.WriteString("| fault | planted in | replay | black box | own tests |\n" +
		"|---|---|---|---|---|\n")
	for _, f := range faults {
		replay, blackBox := strings.Join(f.replay, ", "), mark(f.blackBox)
		if replay == "" {
			replay = "–"
		}
		if f.anonymous {
			replay, blackBox = "no claim", "no claim"
		}
		fmt.Fprintf(&table, "| %s | %s | %s | %s | %s |\n", f.name, f.in, replay, blackBox,
			mark(f.own))
	}
	page := must(os.ReadFile(filepath.Join("..", "docs", "privacy.md")))
	if !strings.Contains(string(page), table.String()) {
		t.Errorf("docs/privacy.md lacks this table:\n%s", table.String())
	}
}

// TestFaults builds a program for every planted fault and measures which of replay, black box and
// the baseline's own tests see it.
func TestFaults(t *testing.T) {
	if os.Getenv("PPDP_FAULTS") == "" {
		t.Skip("PPDP_FAULTS is not set: a program and its tests are built for each fault " +
			"(make faults)")
	}
	root := must(filepath.Abs(".."))
	dir := t.TempDir()
	sound := build(t, root, filepath.Join(dir, "sound"))
	for i, f := range faults {
		t.Run(fmt.Sprint(i, " ", f.name, " in ", f.in), func(t *testing.T) {
			stem := filepath.Join(dir, fmt.Sprint("fault-", i))
			if !f.anonymous {
				if a := f.audit(t, sound, stem); !a.Passed() {
					t.Errorf("without the fault: %s", a.Verdict())
				}
				program := build(t, root, stem, f.edits...)
				a := f.audit(t, program, stem, "--black-box", faultReleases)
				if kinds := kindsOf(a); !slices.Equal(kinds, f.replay) {
					t.Errorf("the replay finds %v, want %v", kinds, f.replay)
				}
				if a.BlackBox.Accused != f.blackBox {
					t.Errorf("black box: accused %t, want %t", a.BlackBox.Accused, f.blackBox)
				}
				t.Logf("%s in %s: replay %v; black box %.3g (detectable %.3g): %s", f.name, f.in,
					kindsOf(a), a.BlackBox.Bound, float64(a.BlackBox.Detectable), a.BlackBox.Text)
			}
			if own := !f.ownTests(t, root, overlay(t, root, stem, f.edits...)); own != f.own {
				t.Errorf("own tests see it: %t, want %t", own, f.own)
			} else {
				t.Logf("own tests see it: %t", own)
			}
		})
	}
}
