package claims

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"ppdp/internal/must"
	"ppdp/internal/results"
)

// TestStands: a claim depends on the reading where at least half of its other decided readings take
// another stance; "in part" is the stance of "holds". What no run judges stands as it is, and a
// calibration is none of the verdicts.
func TestStands(t *testing.T) {
	for _, c := range []struct {
		judged Verdict
		others []Verdict
		want   Verdict
		text   string
	}{
		{Holds, nil, Holds, ""},
		{Holds, []Verdict{HoldsInPart}, Holds, "1 holds"},
		{HoldsInPart, []Verdict{Holds, Holds, Contradicted}, HoldsInPart, "2 hold, 1 opposes"},
		{HoldsInPart, []Verdict{Holds, Contradicted}, DependsOnReading, "1 holds, 1 opposes"},
		{Holds, []Verdict{NoDifference}, DependsOnReading, "1 shows no difference"},
		{Contradicted, []Verdict{Holds, HoldsInPart}, DependsOnReading, "2 hold"},
		{NoDifference, []Verdict{Contradicted, NoDifference, NoDifference}, NoDifference,
			"1 opposes, 2 show no difference"},
		{Holds, []Verdict{Contradicted, Holds, Undecided, NoData}, DependsOnReading,
			"1 holds, 1 opposes, 1 is undecided"},
		{Holds, []Verdict{Undecided, Undecided}, Holds, "2 are undecided"},
		{Undecided, []Verdict{Contradicted, Contradicted}, Undecided, "2 oppose"},
		{NoData, []Verdict{Contradicted}, NoData, "1 opposes"},
		{ProgramOnly, []Verdict{ProgramOnly}, ProgramOnly, ""},
	} {
		j := Judgement{ID: "A", Verdict: c.judged, Source: []string{"Fig. 1"}}
		for _, v := range c.others {
			j.Readings = append(j.Readings, Judgement{Verdict: v})
		}
		if got, text := j.Stands(), j.OthersText(); got != c.want || text != c.text {
			t.Errorf("%s beside %s: %s, %q; want %s, %q", c.judged, c.others, got, text, c.want,
				c.text)
		}
		j.Calibration, j.Published, j.Expect = "chosen", &Judgement{}, c.judged
		of := (&File{Judgements: []Judgement{j}}).Coverage()
		if judged := c.judged.Judges(); !strings.HasPrefix(of, "0 of 1 ") ||
			judged != (j.Stands() == Calibration) ||
			judged != strings.Contains(Agreement([]Judgement{j}), " 1 calibrated: ") {
			t.Errorf("%s as a calibration: %s, %s, %s", c.judged, j.Stands(), of,
				Agreement([]Judgement{j}))
		}
	}
}

// TestBesideStands: the verdict that stands is that of the run's readings, and of the published
// ones in the published judgement.
func TestBesideStands(t *testing.T) {
	l := fileOf(t, below)
	l.Claims[0].Readings = []Reading{{Name: "the other way",
		Checks: fileOf(t, strings.Replace(below, "is: below", "is: above", 1)).Claims[0].Checks,
		Expect: HoldsInPart}}
	judged := must.Get(Evaluate(l, summaries(fiveBelow(0)), Options{}))
	j := Beside(judged, &Settled{}, &Settled{})[0]
	if j.Verdict != Holds || j.Headline != DependsOnReading || j.Published.Headline != Holds {
		t.Errorf("%s stands as %s, published as %s", j.Verdict, j.Headline, j.Published.Headline)
	}
	const want = "5 of 5 points oppose it by another reading: the other way"
	if got := j.Reversals(); len(got) != 1 || got[0] != want {
		t.Errorf("%q, want %q", got, want)
	}
	control := &l.Claims[0].Readings[0]
	control.Beside, control.Expect = true, Contradicted
	judged = must.Get(Evaluate(l, summaries(fiveBelow(0)), Options{}))
	j = Beside(judged, &Settled{}, &Settled{})[0]
	if j.Headline != Holds || j.Published.Headline != Holds {
		t.Errorf("beside a control it stands as %s, published as %s", j.Headline,
			j.Published.Headline)
	}
}

// TestThresholds: verdicts by other thresholds are what their words say.
func TestThresholds(t *testing.T) {
	for _, c := range []struct {
		counts Counts
		want   []Verdict // by each of otherThresholds
	}{
		{Counts{17, 3, 0, 0}, []Verdict{Contradicted, HoldsInPart, HoldsInPart, HoldsInPart}},
		{Counts{15, 5, 0, 0}, []Verdict{Contradicted, HoldsInPart, Contradicted, Contradicted}},
		{Counts{8, 0, 12, 0}, []Verdict{NoDifference, NoDifference, HoldsInPart, NoDifference}},
		{Counts{12, 0, 8, 0}, []Verdict{HoldsInPart, HoldsInPart, HoldsInPart, NoDifference}},
	} {
		j := Judgement{Checks: []Evidence{{Counts: c.counts, Points: make([]Point, 20)}}}
		for i, other := range otherThresholds {
			must.Be(t, j.verdictBy(other), c.want[i], c.counts, other.name)
		}
	}
}

// TestUnits: times and growths, of which nothing is settled, have their units.
func TestUnits(t *testing.T) {
	for check, want := range map[string]string{
		"range: {of: {minus: {where: {series: b}}}, max: 2}": "s",
		"growth: {of: {}, along: n, order: n, max: 0.2}":     "exponent",
	} {
		c := &fileOf(t, "where: {metric: runtime, series: a}\n"+check).Claims[0].Checks[0]
		s := (&evaluation{file: &File{}}).scope(&Judgement{}, c, &Reading{})
		if unit, difference := s.unit(); unit != want || difference != (want == "s") {
			t.Errorf("%s: %q, a difference %t", check, unit, difference)
		}
	}
}

// TestFixed: the last line of fixed.jsonl for a claim is of what the claim is judged by now, and
// every change has a reason. Add lines for what has changed, and then their reasons, with
//
//	go test ./report/claims -run TestFixed -update
func TestFixed(t *testing.T) {
	var added strings.Builder
	last := make(map[string]string)
	for _, f := range allFixed() {
		last[f.Claim] = f.Judged
	}
	for _, l := range every(t) {
		for c := range results.Each(l.Claims) {
			if c.judged == "" || last[c.ID] == c.judged {
				continue
			}
			line := Fixed{Date: time.Now().UTC().Format(time.DateOnly), Claim: c.ID,
				Judged: c.judged, Seen: "settled runs", Reason: noReason}
			text := string(must.Get(json.Marshal(line))) + "\n"
			if added.WriteString(text); !*update {
				t.Errorf("%s is judged by another reading, check or margin than fixed.jsonl says; "+
					"add with a reason, in the paper's words or empty\n%s", c.ID, text)
			}
		}
	}
	if *update {
		must.Do(t, os.WriteFile("fixed.jsonl", append(fixedText, added.String()...), 0o666))
		return
	}
	seen := []string{"runs of single figures", "whole runs", "settled runs"}
	before := ""
	for _, f := range allFixed() {
		if f.Date < before || f.Reason == noReason || !slices.Contains(seen, f.Seen) {
			t.Errorf("fixed.jsonl: %+v: must be in order of dates, with one of %s seen, and a "+
				"reason in place of %q, in the paper's words or empty", f, seen, noReason)
		}
		before = f.Date
	}
	const want = "Reading and margins fixed 2026-11-21, after runs of single figures had been seen"
	must.Be(t, (&Judgement{ID: "M-14"}).FixedText(), want)
}

// noReason stands in new lines until they have a reason.
const noReason = "?"

// TestReadingWithChecks: a reading is judged by checks of its own where it has any.
func TestReadingWithChecks(t *testing.T) {
	l := fileOf(t, "where: {metric: error, series: a}\neach: epsilon\nrange: {of: {}, max: 2}")
	own := fileOf(t, "where: {metric: error, series: a}\neach: epsilon\n"+
		"range: {of: {minus: {experiment: toy/two}}, min: 2}")
	l.Claims[0].Readings = []Reading{{Name: "other", Checks: own.Claims[0].Checks}}
	checks, readings := l.Claims[0].Experiments()
	if !slices.Equal(checks, []string{"toy/one"}) ||
		!slices.Equal(readings, []string{"toy/one", "toy/two"}) {
		t.Errorf("experiments %v and %v", checks, readings)
	}
	one := grid(tenEpsilons, 2, constant(1))
	two := grid(tenEpsilons, 2, constant(1))
	two.Manifest.Experiment = "toy/two"
	j := judged(t, l, one, two)
	if j.Verdict != Holds || j.Readings[0].Verdict != Contradicted {
		t.Errorf("%s and %s (%s)", j.Verdict, j.Readings[0].Verdict, j.Readings[0].Reason)
	}
}

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
	must.Be(t, Agreement(append(all, other)), want)
	must.Be(t, Agreement(all[2:]), "This run could judge no claim of the papers."+others,
		"nothing judged")
	if got := Agreement(all[:1]); got != "1 of 1 claims that this run could judge agree with the "+
		"verdicts published with ppdp." {
		t.Errorf("all agree: %s", got)
	}
}
