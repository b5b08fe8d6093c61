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

// publicationFault is a mistake planted where only releases that are handed out are drawn, with
// what sees it in the strict variant of a baseline.
type publicationFault struct {
	name, in string
	delta    string // of the budget, "" for pure epsilon
	params   string // "" for the defaults
	edit     mutant
	replay   []string // kinds of failures
	blackBox bool     // at publicationReleases
	laws     bool     // the tests of package privacy fail
}

// publicationReleases is how many releases of either input of a pair the black box makes. They are
// fewer than for other faults, since exact draws take longer.
const publicationReleases = "1000"

// publicationFaults are the rows of the table in docs/promises.md.
var publicationFaults = []publicationFault{
	{name: "empty counts of occupied cells without noise", in: "diffgen",
		edit: mutant{folder: "privacy", function: "newSparse",
			old: "for i, n := range table.Counts {",
			with: "for i, n := range table.Counts {\n" +
				"		if how.skips != nil && n == 0 {\n			continue\n		}\n"},
		blackBox: true, laws: true},
	{name: "empty cells without noise", in: "diffgen",
		edit: mutant{folder: "privacy", function: "skips.next", old: "from >= places ||",
			with: "from >= 0 ||"},
		blackBox: true, laws: true},
	{name: "half of sigma", in: "independent", delta: "1e-9",
		edit: mutant{folder: "privacy", function: "Gaussian.AddAll",
			old: "math.Sqrt(spared)", with: "2 * math.Sqrt(spared)"},
		replay: []string{"claim", "accounting", "loss", "law"}, laws: true},
	{name: "half the scale of discrete Laplace noise", in: "rps",
		edit: mutant{folder: "privacy", function: "Path.addExactly",
			old: "discreteLaplace(m.stream, s, t)", with: "discreteLaplace(m.stream, 2*s, t)"},
		replay: []string{"law"}, blackBox: true, laws: true},
	{name: "a rate for twice the epsilon", in: "rps",
		edit: mutant{folder: "privacy", function: "Path.exactRate",
			old: "rate *= spared", with: "rate *= 2 * spared"},
		replay: []string{"claim", "loss", "law"}, blackBox: true, laws: true},
	{name: "a choice at twice its epsilon", in: "rps",
		edit: mutant{folder: "privacy", function: "mechanism.given",
			old: "choiceRate(epsilon)", with: "choiceRate(2 * epsilon)"},
		replay: []string{"claim"}, laws: true},
	{name: "a grid that the number of records decides", in: "diffmulti", params: "utility: dm",
		edit: mutant{folder: "algorithms/kernel/partition", function: "NewCutPoints",
			old: "if scorer.Utility == Discernibility {", with: "if false {"},
		replay: []string{"calls"}},
	{name: "a mechanism skipped", in: "rps",
		edit: mutant{folder: "privacy", function: "Path.addExactly",
			old: "return p.perturb(m, epsilon,",
			with: "if true {\n		return p.charge(m, epsilon, 1)\n	}\n" +
				"	return p.perturb(m, epsilon,"},
		replay:   []string{"output", "calls", "sensitivity", "claim", "loss"},
		blackBox: true, laws: true},
}

// audit runs a program's audit of the fault's baseline, as its releases are handed out.
func (f *publicationFault) audit(t *testing.T, program string, more ...string) *results.Audit {
	t.Helper()
	what := f.in
	if f.params != "" {
		what = filepath.Join(t.TempDir(), "fault.yaml")
		write(t, what, (&fault{in: f.in, params: f.params}).subject())
	}
	args := append([]string{"audit", what, "--publication", "--json"}, more...)
	if f.delta != "" {
		args = append(args, "--delta", f.delta)
	}
	out, err := exec.Command(program, args...).Output() // exit code 1 where something is refuted
	var found []results.Audit
	if jsonErr := json.Unmarshal(out, &found); jsonErr != nil || len(found) != 1 {
		t.Fatalf("%s: %v, %v\n%s", f.name, err, jsonErr, out)
	}
	return &found[0]
}

// TestPublicationFaultTable: docs/promises.md has the table of faults.
func TestPublicationFaultTable(t *testing.T) {
	mark := map[bool]string{true: "seen", false: "–"}
	var table strings.Builder
	table.WriteString("| fault in the exact path | audited | replay | black box | law tests |\n" +
		"|---|---|---|---|---|\n")
	for _, f := range publicationFaults {
		replay := strings.Join(f.replay, ", ")
		if replay == "" {
			replay = "–"
		}
		fmt.Fprintf(&table, "| %s | %s | %s | %s | %s |\n", f.name, f.in, replay,
			mark[f.blackBox], mark[f.laws])
	}
	page := must(os.ReadFile(filepath.Join("..", "docs", "promises.md")))
	if !strings.Contains(string(page), table.String()) {
		t.Errorf("docs/promises.md lacks this table:\n%s", table.String())
	}
}

// TestPublicationFaults is TestFaults for mistakes in the exact path.
func TestPublicationFaults(t *testing.T) {
	for _, f := range publicationFaults {
		applies(t, f.name, f.edit)
	}
	if os.Getenv("PPDP_FAULTS") == "" {
		t.Skip("PPDP_FAULTS is not set: a program and its tests are built for each fault " +
			"(make faults)")
	}
	root, dir := must(filepath.Abs("..")), t.TempDir()
	sound := build(t, root, filepath.Join(dir, "sound"))
	for i, f := range publicationFaults {
		t.Run(f.name, func(t *testing.T) {
			stem := filepath.Join(dir, fmt.Sprint("fault-", i))
			if f.params == "" { // else it is refused
				if a := f.audit(t, sound, "--transcripts", "10"); !a.Passed() {
					t.Errorf("without the fault: %s", a.Verdict())
				}
			}
			a := f.audit(t, build(t, root, stem, f.edit), "--black-box", publicationReleases)
			if kinds := kindsOf(a); !slices.Equal(kinds, f.replay) {
				t.Errorf("the replay finds %v, want %v", kinds, f.replay)
			}
			if a.BlackBox.Accused != f.blackBox {
				t.Errorf("black box: accused %t, want %t: %s", a.BlackBox.Accused, f.blackBox,
					a.BlackBox.Text)
			}
			own := exec.Command("go", "test", "-overlay", overlay(t, root, stem, f.edit),
				"./privacy")
			own.Dir = root
			out, err := own.CombinedOutput()
			if strings.Contains(string(out), "build failed") {
				t.Fatalf("%s", out)
			}
			if (err != nil) != f.laws {
				t.Errorf("tests of privacy fail: %t, want %t\n%s", err != nil, f.laws, out)
			}
		})
	}
}
