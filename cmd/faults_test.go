package cmd

import (
	"cmp"
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

// fault is a mistake planted in the source of a baseline, or a sound change.
type fault struct {
	name, in string // in is the baseline
	folder   string // of the baseline's tests; "" for one of its name
	params   string // of the spec that is audited; "" for the defaults
	dataset  string // of that spec; "" for a table
	delta    string // beside epsilon 1; "" for pure epsilon
	persons  string // how many records each has; "" where records are protected
	edits    []mutant
	// anonymous baselines make no claim of differential privacy: only their own tests apply
	anonymous bool
	sound     bool // the change is no fault: nothing may see it
}

// faultKind is where faults are planted, with the head of their table.
type faultKind struct {
	head      string
	releases  string // of either input of a pair, for the black box
	handedOut bool   // what draws the releases that are handed out; package privacy tests it
	faults    []fault
}

// faultKinds are the tables. Exact draws take longer: there are fewer releases.
var faultKinds = []faultKind{
	{head: "| fault | planted in | replay | black box | own tests |\n",
		releases: "4000", faults: faults},
	{releases: "1000", handedOut: true, faults: publicationFaults,
		head: "| fault in the exact path | audited | replay | black box | law tests |\n"},
}

// faults are mistakes in baselines.
var faults = []fault{
	{name: "noise scaled down by n", in: "rps", edits: []mutant{{
		folder: "algorithms/rps", function: "newRecursion",
		old:  `in.CountNoise("leaf counts", privacy.Exact(1))`,
		with: `in.CountNoise("leaf counts", privacy.Exact(1/float64(1+len(in.Rows))))`}},
	},
	{name: "cells of zero without noise", in: "dpcube", params: "threshold: 0",
		edits: []mutant{{folder: "algorithms/dpcube", function: "release.estimate",
			old: "r.counts = make([]float64, r.grid.cells)",
			with: "r.counts = make([]float64, r.grid.cells)\n" +
				"	for i, n := range r.exact {\n		if n == 0 {\n" +
				"			r.noisy[i] = 0\n		}\n	}\n"}},
	},
	{name: "a bound read off the data", in: "hay", dataset: "graph", edits: []mutant{
		{folder: "algorithms/hay", function: "Algorithm.Release",
			old: "release.Degrees[i] = int32(math.Round(min(max(value, 0), float64(lambda))))",
			with: "release.Degrees[i] = int32(math.Round(min(max(value, 0), " +
				"float64(in.Graph.MaxDegree()))))"}},
	},
	{name: "budget spent twice on one path", in: "rps", edits: []mutant{{
		folder: "algorithms/rps", function: "recursion.partition",
		old:  "dim, at, err := r.choose(rows, path, level.cut)",
		with: "own := path.Fork()\n\tdim, at, err := r.choose(rows, &own, level.cut)"}},
	},
	{name: "one stream for two purposes", in: "dpcube", edits: []mutant{
		{folder: "numeric/random", function: "Streams.Open", old: "s.key.Derive(purpose)",
			with: `s.key.Derive("a purpose")`}},
	},
	{name: "exact N in an output", in: "privbayes", edits: []mutant{{
		folder: "algorithms/privbayes", function: "fit.count",
		old:  "f.records, f.epsilon = max(0, noisy), f.epsilon-cost",
		with: "_, f.epsilon = noisy, f.epsilon-cost"}},
	},
	{name: "an early stop on an exact count", in: "rps", edits: []mutant{{
		folder: "algorithms/rps", function: "recursion.partition",
		old: "count <= r.params.Stop", with: "_ = count; float64(len(rows)) <= r.params.Stop"}},
	},
	{name: "half the sensitivity of a count", in: "hay", dataset: "graph", edits: []mutant{
		{folder: "algorithms/hay", function: "Algorithm.Release",
			old: "sensitivity = privacy.Exact(2)", with: "sensitivity = privacy.Exact(1)"}},
	},
	{name: "noise for L1 scaled to L2", in: "hay", dataset: "graph", edits: []mutant{
		{folder: "algorithms/hay", function: "Algorithm.Release",
			old:  "sensitivity = privacy.Exact(2)",
			with: "sensitivity = privacy.Exact(1.4142135623730951)"}},
	},
	{name: "half the sensitivity of a choice", in: "diffgen", edits: []mutant{
		{folder: "algorithms/diffgen", function: "newCut", old: "c.scorer.Sensitivity()",
			with: "c.scorer.Sensitivity() / 2"}},
	},
	{name: "noise on one class only", in: "rps", edits: []mutant{{
		folder: "algorithms/rps", function: "recursion.leaf",
		old:  "r.leaves.AddAll(path, path.Remaining(), r.noisy)",
		with: "r.leaves.AddAll(path, path.Remaining(), r.noisy[:1])"}},
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
	},
	{name: "a label chosen from exact counts", in: "rps", edits: []mutant{{
		folder: "algorithms/rps", function: "recursion.leaf",
		old: "n > r.noisy[label]", with: "_ = n; r.exact[y] > r.exact[label]"}},
	},
	{name: "a cap that one record triggers", in: "diffgen",
		edits: []mutant{{folder: "algorithms/diffgen", function: "Algorithm.Release",
			old: "p := c.params",
			with: "	p := c.params\n	if len(exact.cells) > 4 {\n" +
				"		return nil, tooMany(4)\n	}\n"}},
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
	},
	{name: "records in the order of the input", in: "mondrian", anonymous: true,
		edits: []mutant{{folder: "algorithms/kernel/partition", function: "shuffle",
			with: "// they stay where they are"}},
	},
	{name: "a choice scaled to the data's own sensitivity", in: "rps", edits: []mutant{
		{folder: "algorithms/rps", function: "newRecursion",
			old: "r.candidates.draws, params.sensitivity(in.Variant)",
			with: "r.candidates.draws, privacy.Exact(0.5*" +
				"float64(1+len(in.Rows))/float64(2+len(in.Rows)))"}},
	},
	{name: "a sigma of epsilon instead of rho", in: "mst", delta: "1e-9", edits: []mutant{
		{folder: "privacy", function: "Gaussian.AddAll", old: "math.Sqrt(g.Variance(rho))",
			with: "g.sensitivity.Claimed / path.budget.epsilon"}},
	},
	{name: "the square root of delta", in: "mst", delta: "1e-9", edits: []mutant{
		{folder: "privacy", function: "NewApproximate", old: "RhoOf(epsilon, delta)",
			with: "RhoOf(epsilon, math.Sqrt(delta))"}},
	},
	{name: "k in place of k² for persons of k records", in: "mst", delta: "1e-9", persons: "3",
		edits: []mutant{{folder: "privacy", function: "Budget.Times",
			old: "return b.group * b.group", with: "return b.group"}},
	},
	{name: "rounds by the exact N", in: "aim", edits: []mutant{
		{folder: "algorithms/aim", function: "search.plan", old: "perAttribute = 4;",
			with: "perAttribute = 4 + len(s.in.Rows)/100;"}},
	},
	{name: "one draw for all cells", in: "independent", edits: []mutant{
		{folder: "privacy", function: "Path.perturb",
			old: "for i := range values {\nvalues[i] += draw()\n}",
			with: "	one := draw()\n" +
				"	for i := range values {\n		values[i] += one\n	}"}},
	},
	{name: "counts in eight bits", in: "independent", edits: []mutant{
		{folder: "algorithms/kernel/margins", function: "Data.Exact",
			with: "	counts, err := d.soundExact(attributes)\n	for i, n := range counts {\n" +
				"		counts[i] = float64(uint8(int(n)))\n	}\n	return counts, err"}},
	},
	{name: "a determinant that nobody pays for", in: "aim-labels", folder: "aim",
		edits: []mutant{{folder: "privacy", function: "Objective.Minimise",
			old:  "rest := float64((1-gapShare)*epsilon) - shape.Jacobian",
			with: "rest := float64((1 - gapShare) * epsilon)"}},
	},
	{name: "noise on two classes of four", in: "rps", edits: []mutant{
		{folder: "algorithms/rps", function: "recursion.leaf",
			old:  "r.leaves.AddAll(path, path.Remaining(), r.noisy)",
			with: "r.leaves.AddAll(path, path.Remaining(), r.noisy[:min(2, len(r.noisy))])"}},
	},
	{name: "counts kept from an earlier release", in: "independent", edits: []mutant{
		{folder: "algorithms/kernel/margins", function: "Data.Exact",
			with: `	lock <- true
	defer func() { <-lock }()
	key := fmt.Sprint(d.Sizes, attributes)
	if kept[key] == nil {
		counts, err := d.soundExact(attributes)
		if err != nil {
			return nil, err
		}
		kept[key] = counts
	}
	return append([]float64(nil), kept[key]...), nil
}

var kept, lock = make(map[string][]float64), make(chan bool, 1)

func neverCalled() {`}},
	},
	{name: "half the noise of all histograms", in: "independent", edits: []mutant{
		{folder: "privacy", function: "Path.addExactly",
			old:  "discreteLaplace(m.stream, s, t)",
			with: "discreteLaplace(m.stream, 2*s, t)"}},
	},
	{name: "the best in place of a choice", in: "mst", edits: []mutant{
		{folder: "privacy", function: "Exponential.ChooseElement",
			old:  "return e.draw(p.rate, scores, weights)",
			with: "return e.draw(1e9*p.rate, scores, weights)"}},
	},
	{name: "the exact size of large tables", in: "mst", edits: []mutant{
		{folder: "algorithms/kernel/margins", function: "Data.PublishLabelled",
			old: "total := math.Round(m.Total) * float64(copies)",
			with: "	if n := len(d.in.Rows); n > 1000 {\n		m.Total = float64(n)\n	}\n" +
				"	total := math.Round(m.Total) * float64(copies)"}},
	},
	{name: "bins by the exact N", in: "aim", edits: []mutant{
		{folder: "algorithms/kernel/margins", function: "privateBins",
			old: "bulk, even := bulkOf(leaves), evenly(leaves, bins)",
			with: "	rest := leaf{count: float64(len(codes)), variance: leaves[0].variance}\n" +
				"	for _, l := range leaves {\n		rest.count -= l.count\n	}\n" +
				"	bulk, even := bulkOf(leaves), evenly(append([]leaf{rest}, leaves...), bins)"}},
	},
	{name: "the exact N in weights", in: "mst", edits: []mutant{
		{folder: "algorithms/kernel/margins", function: "Data.PublishLabelled",
			old: "release.Marginals = d.paid",
			with: "release.Marginals = d.paid\n	for row := range release.Weights {\n" +
				"		release.Weights[row] = float64(len(d.in.Rows)) / float64(rows)\n	}"}},
	},
	{name: "histograms in another order", in: "independent", sound: true, edits: []mutant{
		{folder: "algorithms/independent", function: "Algorithm.Release",
			old: "sets := d.OneWay()",
			with: "sets := d.OneWay()\nfor i, j := 0, len(sets)-1; i < j; i, j = i+1, j-1 {\n" +
				"sets[i], sets[j] = sets[j], sets[i]\n}"}},
	},
	{name: "Laplace in place of integer noise", in: "rps", sound: true, edits: []mutant{
		{folder: "algorithms/rps", function: "newRecursion",
			old: `in.CountNoise("leaf counts", privacy.Exact(1))`,
			with: `in.Budget.Laplace("leaf counts", in.Noise.Open("leaf counts"), ` +
				`privacy.Exact(1))`}},
	},
	{name: "a purpose by another name", in: "dpcube", sound: true, edits: []mutant{
		{folder: "algorithms/dpcube", function: "newRelease", old: `"cell counts"`,
			with: `"counts of cells"`}},
	},
}

// publicationFaults are mistakes where only releases that are handed out are drawn.
var publicationFaults = []fault{
	{name: "empty counts of occupied cells without noise", in: "diffgen",
		edits: []mutant{{folder: "privacy", function: "newSparse",
			old: "for i, n := range table.Counts {",
			with: "for i, n := range table.Counts {\n" +
				"		if how.skips != nil && n == 0 {\n			continue\n		}\n"}}},
	{name: "empty cells without noise", in: "diffgen",
		edits: []mutant{{folder: "privacy", function: "skips.next", old: "from >= places ||",
			with: "from >= 0 ||"}}},
	{name: "half of sigma", in: "independent", delta: "1e-9",
		edits: []mutant{{folder: "privacy", function: "Gaussian.AddAll",
			old: "math.Sqrt(spared)", with: "2 * math.Sqrt(spared)"}}},
	{name: "half the scale of discrete Laplace noise", in: "rps",
		edits: []mutant{{folder: "privacy", function: "Path.addExactly",
			old: "discreteLaplace(m.stream, s, t)", with: "discreteLaplace(m.stream, 2*s, t)"}}},
	{name: "a rate for twice the epsilon", in: "rps",
		edits: []mutant{{folder: "privacy", function: "Path.exactRate",
			old: "rate *= spared", with: "rate *= 2 * spared"}}},
	{name: "a choice at twice its epsilon", in: "rps",
		edits: []mutant{{folder: "privacy", function: "mechanism.given",
			old: "choiceRate(epsilon)", with: "choiceRate(2 * epsilon)"}}},
	{name: "a grid that the number of records decides", in: "diffmulti", params: "utility: dm",
		edits: []mutant{{folder: "algorithms/kernel/partition", function: "NewCutPoints",
			old: "if scorer.Utility == Discernibility {", with: "if false {"}}},
	{name: "a mechanism skipped", in: "rps",
		edits: []mutant{{folder: "privacy", function: "Path.addExactly",
			old: "return p.perturb(m, epsilon,",
			with: "if true {\n		return p.charge(m, epsilon, 1)\n	}\n" +
				"	return p.perturb(m, epsilon,"}}},
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
  - {name: %s, variant: strict, delta: %s, params: {%s}}
measure:
  - {metric: %s}
`, dataset, f.in, cmp.Or(f.delta, "0"), f.params, measure)
}

// audit runs a program's audit of the fault's baseline.
func (k *faultKind) audit(t *testing.T, f *fault, program, stem string,
	more ...string) *results.Audit {
	t.Helper()
	write(t, stem+".yaml", f.subject())
	args := append([]string{"audit", stem + ".yaml", "--json", "--contributions",
		cmp.Or(f.persons, "0")}, more...)
	if k.handedOut {
		args = append(args, "--publication")
	}
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

// ownTests reports whether the tests of what is changed pass on changed sources: those of package
// privacy, or the baseline's own with its conformance, replays left out.
func (k *faultKind) ownTests(t *testing.T, f *fault, root, overlay string) bool {
	t.Helper()
	const replays = "TestConformance/[^/]*/[^/]*/[^/]*/replay|" +
		"TestConformance/[^/]*/[^/]*/[^/]*/delta/replay"
	commands := [][]string{{"./algorithms/" + cmp.Or(f.folder, f.in)},
		{"-run", "TestConformance/^" + f.in + "$", "-skip", replays, "./algorithms/all"}}
	if k.handedOut {
		commands = [][]string{{"./privacy"}}
	}
	pass := true
	for _, args := range commands {
		command := exec.Command("go", append([]string{"test", "-overlay", overlay}, args...)...)
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

// seen is what sees a fault: the kinds of failures in replays, whether the claim is refuted from
// releases alone, and whether the baseline's own tests and its conformance fail, replays left out.
type seen struct {
	kinds         []string
	blackBox, own bool
}

// row is the fault's line in the table of docs/privacy.md.
func (f *fault) row(found seen) string {
	mark := func(seen bool) string {
		if seen {
			return "seen"
		}
		return unseen
	}
	replay, blackBox := cmp.Or(strings.Join(found.kinds, ", "), unseen), mark(found.blackBox)
	if f.anonymous {
		replay, blackBox = "no claim", "no claim"
	}
	return fmt.Sprintf("%s%s | %s | %s |", f.head(), replay, blackBox, mark(found.own))
}

// unseen is how the table shows that nothing was seen.
const unseen = "–"

// head begins the fault's line.
func (f *fault) head() string {
	name := f.name
	if f.sound {
		name = "*sound:* " + name
	}
	return fmt.Sprintf("| %s | %s | ", name, f.in)
}

// table returns the page of the faults, the part of it that is their table, and the table's lines
// by how they begin.
func (k *faultKind) table() (page, table string, rows map[string]string) {
	page = string(must(os.ReadFile(faultsPage)))
	_, table, _ = strings.Cut(page, k.head+"|---|---|---|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	table += "\n"
	rows = make(map[string]string)
	for line := range strings.Lines(table) {
		for _, f := range k.faults {
			if strings.HasPrefix(line, f.head()) {
				rows[f.head()] = strings.TrimSpace(line)
			}
		}
	}
	return page, table, rows
}

var faultsPage = filepath.Join("..", "docs", "generated", "faults.md")

// TestFaultsApply: faults still change the source, and one of them, planted, is seen by the replay.
// "make faults" plants all.
func TestFaultsApply(t *testing.T) {
	for _, k := range faultKinds {
		for _, f := range k.faults {
			applies(t, f.name, f.edits...)
		}
	}
	if testing.Short() || raceDetector {
		t.Skip("builds a program, which -short and the race detector leave out")
	}
	k := &faultKinds[0]
	i := slices.IndexFunc(faults, func(f fault) bool { return f.name == "noise on one class only" })
	f := &faults[i]
	stem := filepath.Join(t.TempDir(), "fault")
	found := k.audit(t, f, build(t, must(filepath.Abs("..")), stem, f.edits...), stem)
	_, _, rows := k.table()
	if replay := strings.Join(kindsOf(found), ", "); !found.Refuted() ||
		!strings.HasPrefix(rows[f.head()], f.head()+replay+" |") {
		t.Errorf("the replay finds %v, docs/privacy.md has %s", replay, rows[f.head()])
	}
}

// TestFaultTable: each page has a line for each of its faults. Each fault that breaks a claim is
// seen by the replay or by the black box, and what is no fault by neither.
func TestFaultTable(t *testing.T) {
	for _, k := range faultKinds {
		_, table, rows := k.table()
		var want strings.Builder
		for _, f := range k.faults {
			row := rows[f.head()]
			want.WriteString(row + "\n")
			nothing := strings.HasPrefix(row, f.head()+unseen+" | "+unseen+" | ")
			if row == "" || !f.anonymous && nothing != f.sound ||
				f.sound && row != f.row(seen{}) && row != f.row(seen{own: true}) {
				t.Errorf("%q is the line of %s in %s", row, f.name, f.in)
			}
		}
		if table != want.String() {
			t.Errorf("%s has other lines than these, in this order:\n%s", faultsPage,
				want.String())
		}
	}
}

// TestFaults builds a program for every planted fault and measures which of replay, black box and
// tests see it. With -update it writes what it finds into the pages.
func TestFaults(t *testing.T) {
	if os.Getenv("PPDP_FAULTS") == "" {
		t.Skip("PPDP_FAULTS is not set: a program and its tests are built for each fault " +
			"(make faults)")
	}
	root, dir := must(filepath.Abs("..")), t.TempDir()
	sound := build(t, root, filepath.Join(dir, "sound"))
	for _, k := range faultKinds {
		for i, f := range k.faults {
			t.Run(f.name+" in "+f.in, func(t *testing.T) {
				k.measure(t, &f, root, sound, filepath.Join(dir, fmt.Sprint("fault-", i)))
			})
		}
	}
}

// measure plants a fault and compares what sees it with the line of the page.
func (k *faultKind) measure(t *testing.T, f *fault, root, sound, stem string) {
	var found seen
	if !f.anonymous {
		// Cuts for discernibility are refused where releases are handed out.
		if refused := k.handedOut && f.params != ""; !refused {
			if a := k.audit(t, f, sound, stem, "--transcripts", "10"); !a.Passed() {
				t.Errorf("without the fault: %s", a.Verdict())
			}
		}
		program := build(t, root, stem, f.edits...)
		a := k.audit(t, f, program, stem, "--black-box", k.releases)
		found.kinds, found.blackBox = kindsOf(a), a.BlackBox.Accused
		t.Logf("%v; %s", a.Failures, a.BlackBox.Text)
	}
	found.own = !k.ownTests(t, f, root, overlay(t, root, stem, f.edits...))
	row := f.row(found)
	t.Log(row)
	page, table, rows := k.table()
	switch old := rows[f.head()]; {
	case old == row:
	case !*update:
		t.Errorf("%s has %q: make faults FAULTS=-update", faultsPage, old)
	default:
		rows[f.head()] = row
		var lines strings.Builder
		for _, f := range k.faults {
			lines.WriteString(cmp.Or(rows[f.head()], f.head()+"? | ? | ? |") + "\n")
		}
		page = strings.Replace(page, table, lines.String(), 1)
		noError(t, os.WriteFile(faultsPage, []byte(page), 0o666))
	}
}
