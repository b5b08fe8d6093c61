package engine

import (
	"math"
	"strings"
	"testing"

	"ppdp/experiments/language"
	"ppdp/internal/results"
)

// deltaSpec is run in pure epsilon and in (epsilon, delta).
const deltaSpec = `
name: test/delta
dataset: {name: gaussian, shape: clusters-5d, n: 300}
epsilon: 1
algorithms:
  - {name: test-coin, variant: strict, delta: [0, 1e-9]}
measure:
  - {metric: accuracy, classifier: majority}
plots:
  - {name: a, x: epsilon, y: accuracy}
`

// TestDelta: what has a delta says so in its name, and its costs and losses are in rho. The coin's
// proven sensitivity is twice the claimed one, which costs four times the rho.
func TestDelta(t *testing.T) {
	out := t.TempDir()
	result := mustRun(t, mustPlan(t, deltaSpec, language.Overrides{}), options(t, out))
	run := mustOpen(t, result.Dir)
	pure, approximate := &run.Records[0], &run.Records[1]
	if pure.Label() != "test-coin" || pure.BudgetText() != "epsilon 1" || pure.Spent.Rho != 0 ||
		approximate.Label() != "test-coin, δ = 1e-09" ||
		approximate.BudgetText() != "epsilon 1, delta 1e-09" {
		t.Errorf("%q at %q, %q at %q", pure.Label(), pure.BudgetText(), approximate.Label(),
			approximate.BudgetText())
	}
	const rho = 0.0149731 // of (1, 1e-9)
	s := approximate.Spent
	total, ok := approximate.Budget()
	if math.Abs(s.Rho-rho) > 1e-7 || !ok || total != s.Rho ||
		math.Abs(s.Claimed/s.Rho-1) > 1e-12 || math.Abs(float64(s.Proven)/s.Rho-4) > 1e-12 ||
		!(s.ProvenEpsilon > 2 && s.ProvenEpsilon < 3) || approximate.Unit() != "rho" {
		t.Errorf("spent %+v, budget %v", s, total)
	}
	if row := approximate.Ledger[1]; row.Mechanism != "gaussian" || row.Cost != s.Claimed {
		t.Errorf("ledger %+v", row)
	}
	if summary := read(t, result.Dir, results.SummaryFile); strings.Count(summary,
		",1,1e-09,accuracy") != 1 || strings.Count(summary, ",1,,accuracy") != 1 {
		t.Errorf("summary:\n%s", summary)
	}
	ledger := read(t, result.Dir, results.LedgerFile)
	for _, want := range []string{"1,total,gaussian,1,2,1,rho,0.0149",
		"0,count,laplace,1,2,1,epsilon,1,"} {
		if !strings.Contains(ledger, want) {
			t.Errorf("no %q in the ledger:\n%s", want, ledger)
		}
	}
	for name, change := range map[string]func(s string) string{
		"a delta for a variant without": func(s string) string {
			return strings.Replace(s, "strict", "published", 1)
		},
		"a delta of 1": func(s string) string { return strings.Replace(s, "1e-9", "1", 1) },
		"twice":        func(s string) string { return strings.Replace(s, "1e-9", "0", 1) },
	} {
		if _, err := language.Parse("spec.yaml", []byte(change(deltaSpec))); err == nil ||
			!strings.Contains(err.Error(), "spec.yaml:6: algorithms[0].delta") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
