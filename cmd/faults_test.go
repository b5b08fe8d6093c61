package cmd

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ppdp/internal/must"
	"ppdp/internal/results"
)

// fault is a mistake planted in the source, or a sound change, with the baseline that is audited.
// Package audit plants faults of releases; these are in code that all baselines share, or show that
// a whole program is audited.
type fault struct {
	name, in    string
	delta       string // beside epsilon 1; "" for pure epsilon
	publication bool   // releases are audited as they are handed out, and package privacy tested
	sound       bool   // the change is no fault: nothing may see it
	change      mutant
}

// faults are in the order of their table.
var faults = []fault{
	{name: "noise on one class only", in: "rps", change: mutant{"algorithms/rps",
		"r.leaves.AddAll(path, path.Remaining(), r.noisy)",
		"r.leaves.AddAll(path, path.Remaining(), r.noisy[:1])"}},
	{name: "one stream for two purposes", in: "dpcube", change: mutant{"numeric/random",
		"s.key.Derive(purpose)", `s.key.Derive("a purpose")`}},
	{name: "a sigma of epsilon instead of rho", in: "mst", delta: "1e-9", change: mutant{"privacy",
		"math.Sqrt(n.Variance(rho))", "n.sensitivity.Claimed / path.budget.epsilon"}},
	{name: "one draw for all cells", in: "independent", change: mutant{"privacy",
		"for i := range values {\n\t\tvalues[i] += draw()",
		"one := draw()\n\tfor i := range values {\n\t\tvalues[i] += one"}},
	{name: "counts kept from an earlier release", in: "independent",
		change: mutant{"algorithms/kernel/margins",
			"func (d *Data) Exact(attributes []int) ([]float64, error) {",
			`var kept, lock = make(map[string][]float64), make(chan bool, 1)

func (d *Data) Exact(attributes []int) ([]float64, error) {
	lock <- true
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

func (d *Data) soundExact(attributes []int) ([]float64, error) {`}},
	{name: "half the noise of all histograms", in: "independent", change: mutant{"privacy",
		"values,\n\t\tfunc() float64 { return float64(discreteLaplace(n.stream, s, t)) })",
		"values,\n\t\tfunc() float64 { return float64(discreteLaplace(n.stream, 2*s, t)) })"}},
	{name: "the best in place of a choice", in: "mst", change: mutant{"privacy",
		"return e.draw(p.rate, scores, weights)", "return e.draw(1e9*p.rate, scores, weights)"}},
	{name: "empty cells without noise", in: "diffgen", publication: true, change: mutant{"privacy",
		"from >= places ||", "from >= 0 ||"}},
	{name: "a choice at twice its epsilon", in: "rps", publication: true,
		change: mutant{"privacy", "s, t := laplaceRate(epsilon * spared",
			"s, t := laplaceRate(2 * epsilon * spared"}},
	{name: "histograms in another order", in: "independent", sound: true,
		change: mutant{"algorithms/independent", "sets := of(d)",
			"sets := of(d)\n\t\tfor i, j := 0, len(sets)-1; i < j; i, j = i+1, j-1 {\n" +
				"\t\t\tsets[i], sets[j] = sets[j], sets[i]\n\t\t}"}},
}

// spec has the fault's baseline, strict and at epsilon 1.
func (f *fault) spec() string {
	return fmt.Sprintf(`name: mine/fault
seed: 1
epsilon: 1
dataset: {name: gaussian, n: 100}
algorithms:
  - {name: %s, variant: strict, delta: %s}
measure:
  - {metric: w1}
`, f.in, cmp.Or(f.delta, "0"))
}

// audit runs a program's audit of the fault's baseline.
func (f *fault) audit(t *testing.T, program, stem string, more ...string) *results.Audit {
	t.Helper()
	write(t, stem+".yaml", f.spec())
	args := append([]string{"audit", stem + ".yaml", "--json"}, more...)
	if f.publication {
		args = append(args, "--publication")
	}
	out, err := exec.Command(program, args...).Output() // exit code 1 where something is refuted
	var found []results.Audit
	if jsonErr := json.Unmarshal(out, &found); jsonErr != nil || len(found) != 1 {
		t.Fatalf("%s: %v, %v\n%s", f.name, err, jsonErr, out)
	}
	return &found[0]
}

// ownTests reports whether the tests of what is changed pass on changed sources: those of package
// privacy, or the baseline's own with its conformance, replays left out.
func (f *fault) ownTests(t *testing.T, root, overlay string) bool {
	t.Helper()
	const replays = "TestConformance/[^/]*/[^/]*/[^/]*/replay|" +
		"TestConformance/[^/]*/[^/]*/[^/]*/delta/replay"
	commands := [][]string{{"./algorithms/" + f.in},
		{"-run", "TestConformance/^" + f.in + "$", "-skip", replays, "./algorithms/all"}}
	if f.publication {
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

// unseen is how the table shows that nothing was seen.
const unseen = "–"

// head begins the fault's line in the table, row is the whole line: the kinds of failures in
// replays, whether the claim is refuted from releases alone, and whether own tests fail.
func (f *fault) head() string {
	name, in := f.name, f.in
	if f.sound {
		name = "*sound:* " + name
	}
	if f.publication {
		in += ", publication"
	}
	return fmt.Sprintf("| %s | %s | ", name, in)
}

func (f *fault) row(kinds []string, blackBox, own bool) string {
	mark := map[bool]string{true: "seen", false: unseen}
	return fmt.Sprintf("%s%s | %s | %s |", f.head(), cmp.Or(strings.Join(kinds, ", "), unseen),
		mark[blackBox], mark[own])
}

func kindsOf(a *results.Audit) []string {
	return results.Mapped(a.Failures, func(f results.AuditFailure) string { return f.Kind })
}

var faultsPage = filepath.Join("..", "docs", "generated", "faults.md")

// faultRows are the page's table, and its lines by the heads of the faults.
func faultRows() (page, table string, rows map[string]string) {
	page = string(must.Get(os.ReadFile(faultsPage)))
	_, table, _ = strings.Cut(page, "|---|---|---|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	table = strings.TrimSuffix(table, "\n") + "\n"
	rows = make(map[string]string)
	for line := range strings.Lines(table) {
		for i := range faults {
			if head := faults[i].head(); strings.HasPrefix(line, head) {
				rows[head] = strings.TrimSpace(line)
			}
		}
	}
	return page, table, rows
}

// TestFaultsApply: faults still change the source. TestRebuilt plants the first, "make faults" all.
func TestFaultsApply(t *testing.T) {
	for _, f := range faults {
		if _, err := changedFiles("..", f.change); err != nil {
			t.Errorf("%s: %v", f.name, err)
		}
	}
}

// TestFaultTable: the page has a line for each fault and no other. Each fault is seen by the replay
// or by the black box, and what is no fault by neither.
func TestFaultTable(t *testing.T) {
	_, table, rows := faultRows()
	var want strings.Builder
	for f := range results.Each(faults) {
		row := rows[f.head()]
		want.WriteString(row + "\n")
		nothing := strings.HasPrefix(row, f.head()+unseen+" | "+unseen+" | ")
		if row == "" || nothing != f.sound {
			t.Errorf("%q is the line of %s in %s", row, f.name, f.in)
		}
	}
	if table != want.String() {
		t.Errorf("%s has other lines than these, in this order:\n%s", faultsPage, want.String())
	}
}

// TestFaults builds a program for every planted fault and measures which of replay, black box and
// tests see it. With -update it writes what it finds into the page.
func TestFaults(t *testing.T) {
	if os.Getenv("PPDP_FAULTS") == "" {
		t.Skip("PPDP_FAULTS is not set: a program and its tests are built for each fault " +
			"(make faults)")
	}
	root, dir := must.Get(filepath.Abs("..")), t.TempDir()
	sound := build(t, root, filepath.Join(dir, "sound"))
	for i := range faults {
		f := &faults[i]
		t.Run(f.name, func(t *testing.T) {
			f.measure(t, root, sound, filepath.Join(dir, fmt.Sprint("fault-", i)))
		})
	}
}

// measure plants a fault and compares what sees it with the line of the page. Exact draws take
// longer: there are fewer releases.
func (f *fault) measure(t *testing.T, root, sound, stem string) {
	if a := f.audit(t, sound, stem, "--transcripts", "10"); !a.Passed() {
		t.Errorf("without the fault: %s", a.Verdict())
	}
	releases := "4000"
	if f.publication {
		releases = "1000"
	}
	a := f.audit(t, build(t, root, stem, f.change), stem, "--black-box", releases)
	own := !f.ownTests(t, root, overlay(t, root, stem, f.change))
	row := f.row(kindsOf(a), a.BlackBox.Accused, own)
	t.Logf("%s\n%v; %s", row, a.Failures, a.BlackBox.Text)
	page, table, rows := faultRows()
	switch old := rows[f.head()]; {
	case old == row:
	case !*update:
		t.Errorf("%s has %q, now %q: make faults FAULTS=-update", faultsPage, old, row)
	default:
		rows[f.head()] = row
		var lines strings.Builder
		for i := range faults {
			lines.WriteString(cmp.Or(rows[faults[i].head()], faults[i].head()+"? | ? | ? |") + "\n")
		}
		page = strings.Replace(page, table, lines.String(), 1)
		must.Do(t, os.WriteFile(faultsPage, []byte(page), 0o666))
	}
}

// mutant is a change of the source in a folder: old, which its files have once, becomes with.
type mutant struct{ folder, old, with string }

// changedFiles returns the files that mutants change, by path.
func changedFiles(root string, mutants ...mutant) (map[string]string, error) {
	files := make(map[string]string)
	for _, m := range mutants {
		paths, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(m.folder), "*.go"))
		if err != nil {
			return nil, err
		}
		times := 0
		for _, path := range paths {
			text, changed := files[path]
			if !changed {
				source, err := os.ReadFile(path)
				if err != nil {
					return nil, err
				}
				text = string(source)
			}
			if n := strings.Count(text, m.old); n > 0 && !strings.HasSuffix(path, "_test.go") {
				files[path] = strings.Replace(text, m.old, m.with, 1)
				times += n
			}
		}
		if times != 1 {
			return nil, fmt.Errorf("%s: %q is there %d times, must be once: the mutant is out of "+
				"date", m.folder, m.old, times)
		}
	}
	return files, nil
}

// overlay writes changed sources for the go command's -overlay and returns the file to name there.
func overlay(t *testing.T, root, stem string, mutants ...mutant) string {
	t.Helper()
	files := must.Get(changedFiles(root, mutants...))
	replaced := make(map[string]string)
	for i, path := range slices.Sorted(maps.Keys(files)) {
		replaced[path] = fmt.Sprintf("%s-%d.go.txt", stem, i)
		write(t, replaced[path], files[path])
	}
	text := must.Get(json.Marshal(map[string]any{"Replace": replaced}))
	write(t, stem+".json", string(text))
	return stem + ".json"
}

// build builds the command from the changed source.
func build(t *testing.T, root, stem string, mutants ...mutant) string {
	t.Helper()
	command := exec.Command("go", "build", "-overlay", overlay(t, root, stem, mutants...),
		"-o", stem+".exe", "./cmd/ppdp")
	command.Dir = root
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", mutants[0].folder, err, out)
	}
	return stem + ".exe"
}

func write(t *testing.T, path, text string) {
	t.Helper()
	must.Do(t, os.WriteFile(path, []byte(text), 0o666))
}
