package claims

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ppdp/internal/results"
)

// TestProgramOnly: a reduced run, and one on stand-ins, says nothing of a paper, whatever its
// points say. Of the stand-ins themselves no claim is judged at all.
func TestProgramOnly(t *testing.T) {
	of := func(algorithm, standsFor string, quick bool) *results.Run {
		run := grid(tenEpsilons, 20, constant(1))
		run.Manifest.Overrides.Quick = quick
		for i := range run.Records {
			if s := run.Records[i].Setting; s.Series == "b" {
				s.Algorithm, s.Dataset.StandsFor = algorithm, standsFor
			}
		}
		return run
	}
	small := fileOf(t,
		"where: {metric: error, series: b}\neach: epsilon\nrange: {of: {}, max: 2}")
	both := fileOf(t, "where: {metric: error}\neach: epsilon\n"+
		"range: {of: {where: {series: a}, minus: {where: {series: b}}}, max: 2}")
	for i, c := range []struct {
		claim *File
		run   *results.Run
		want  Verdict
	}{
		{small, of("b", "", false), Holds}, {both, of("b", "", false), Holds},
		{small, of("b", "", true), ProgramOnly}, {both, of("b", "toys", false), ProgramOnly},
		{small, of("b", "toys", false), ProgramOnly},
		{small, of("identity", "", false), Holds}, {small, of("perfect", "", false), Holds},
		{small, of("identity", "toys", false), NoData},
		{small, of("perfect", "toys", true), NoData},
		{both, of("identity", "toys", false), ProgramOnly}, // one side is a release
	} {
		j := judged(t, c.claim, c.run)
		holds := func(e Evidence) bool { return e.Verdict == Holds }
		if j.Verdict != c.want || (c.want == Holds) != slices.ContainsFunc(j.Checks, holds) ||
			(c.want == Holds) != (j.Effect != nil) || j.Surprise {
			t.Errorf("%d: %s, effect %v, checks %+v; want %s", i, j.Verdict, j.Effect, j.Checks,
				c.want)
		}
	}
	one := grid(tenEpsilons, 1, constant(1)) // no standard error: too small to have points
	one.Manifest.Overrides.Quick = true
	if j := judged(t, small, one); j.Verdict != ProgramOnly || j.Reason == "" {
		t.Errorf("a run of one trial: %s, %q", j.Verdict, j.Reason)
	}
	half := fileOf(t, strings.Replace(below, "right: {", "right: {experiment: toy/two, ", 1))
	for _, j := range []Judgement{judged(t, small), judged(t, half, one)} {
		if j.Verdict != NoData || !strings.HasSuffix(j.Reason, " has not been run") {
			t.Errorf("not run, or only one of two: %s, %q", j.Verdict, j.Reason)
		}
	}
}

// TestAgreement: what is undecided, in the run or as published, or may yet hold, neither agrees nor
// differs, and each claim is counted once.
func TestAgreement(t *testing.T) {
	noise := source{5}
	for effect, want := range map[float64]bool{0: false, 5: true} { // at one of five points
		run := grid(tenEpsilons[:5], 20, func(series string, epsilon float64, _ int) float64 {
			value := noise.normal()
			if series == "b" {
				value += 5
			} else if epsilon == 0.01 {
				value += 5 + effect
			}
			return value
		})
		j := judged(t, fileOf(t, below), run)
		if j.Verdict != HoldsInPart || j.Expect != Holds || j.Surprise != want {
			t.Errorf("an excess of %v against it: %s, a surprise %t", effect, j.Verdict, j.Surprise)
		}
	}
	of := func(run, published Verdict) Judgement {
		j := Judgement{ID: fmt.Sprintf("%s/%s", run, published), Verdict: run, Expect: published}
		if published != "" {
			j.Published = &Judgement{Verdict: published}
		}
		return j
	}
	other := of(Holds, Contradicted)
	other.Surprise = true
	all := []Judgement{of(Holds, Holds), of(NoDifference, NoDifference), of(Undecided, Holds),
		of(Undecided, Undecided), of(Holds, Undecided), of(ProgramOnly, Holds), of(ByTests, Holds),
		of(NoData, Holds), of(NotCovered, "")}
	const others = " The others: 3 undecided, here or as published; 1 on stand-in data or a " +
		"reduced run, which tests the program only; 1 decided by tests of the source (make " +
		"test); 1 not run, or without the data they need; 1 not covered."
	const want = "2 of 3 claims that this run could judge agree with the verdicts published with " +
		"ppdp; 1 differ: holds/contradicted (here holds, published contradicted)." + others
	if got := Agreement(all, []Judgement{other}); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := Agreement(all[2:]); got != "This run could judge no claim of the papers."+others {
		t.Errorf("nothing judged: %s", got)
	}
	if got := Agreement(all[:1]); got != "1 of 1 claims that this run could judge agree with the "+
		"verdicts published with ppdp." {
		t.Errorf("all agree: %s", got)
	}
}

// TestBefore counts by hand: of D-10, D-11.1 and M-12, which held before by the same checks, one
// is open now and one is not settled; the checks of D-7h, contradicted before, have changed.
func TestBefore(t *testing.T) {
	var b strings.Builder
	if err := writeBefore(&b, []Judgement{{ID: "D-10", Verdict: Holds, Settled: true},
		{ID: "D-11.1", Verdict: Undecided, Settled: true}, {ID: "M-12", Verdict: Contradicted},
		{ID: "D-7h", Verdict: Holds, Settled: true}}); err != nil {
		t.Fatal(err)
	}
	for _, row := range []string{"| D-7h | contradicted | holds | changed |\n",
		"| D-11.1 | holds | undecided | same |\n"} {
		if !strings.Contains(b.String(), row) {
			t.Errorf("no %q in %s", row, b.String())
		}
	}
	if head := "\n1 of 2 claims"; !strings.Contains(b.String(), head) ||
		strings.Contains(b.String(), "D-10") || strings.Contains(b.String(), "M-12") {
		t.Error(b.String())
	}
}
