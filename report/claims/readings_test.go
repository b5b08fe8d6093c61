package claims

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
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
		of := CoverageOf(&File{}, []Judgement{j})
		if judged := c.judged.Judges(); of.Judged != 0 || judged != (j.Stands() == Calibration) ||
			judged != strings.Contains(Agreement([]Judgement{j}), " 1 calibrated: ") {
			t.Errorf("%s as a calibration: %s, %+v, %s", c.judged, j.Stands(), of,
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
	j := Beside(must(Evaluate(l, summaries(fiveBelow(0)), Options{})), &Settled{}, &Settled{})[0]
	if j.Verdict != Holds || j.Headline != DependsOnReading || j.Published.Headline != Holds {
		t.Errorf("%s stands as %s, published as %s", j.Verdict, j.Headline, j.Published.Headline)
	}
	const want = "5 of 5 points oppose it by another reading: the other way"
	if got := j.Reversals(); len(got) != 1 || got[0] != want {
		t.Errorf("%q, want %q", got, want)
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
			if got := j.verdictBy(other); got != c.want[i] {
				t.Errorf("%+v %s: %s, want %s", c.counts, other.name, got, c.want[i])
			}
		}
	}
}

// TestEffects: an effect has its unit, a sign if it is a difference, and its bound.
func TestEffects(t *testing.T) {
	const runtime = "where: {metric: runtime, series: a}\neach: epsilon\n"
	const b = "{where: {series: b}}"
	for check, want := range map[string]string{
		below:                               "−1 error, bound below 0",
		"equal: 0.1\n" + below:              "−1 error, bound below 0",
		runtime + "range: {of: {}, max: 2}": "2 s, bound at most 2",
		runtime + "range: {of: {minus: " + b + "}, min: 0.5}":  "+1 s, bound at least 0.5",
		runtime + "range: {of: {per: " + b + "}, max: 10}":     "ratio 2, bound at most 10",
		runtime + "near: {of: {}, value: 1.7, tolerance: 0.1}": "2 s, bound from 1.6 to 1.8",
		"where: {metric: error, series: a}\n" +
			"monotone: {of: {}, along: epsilon, is: increasing}": "+3 error, bound above 0",
		"where: {metric: error, series: a}\n" +
			"growth: {of: {}, along: n, order: n, max: 0.2}": "exponent 3, bound at most 0.2",
	} {
		c := &fileOf(t, check).Claims[0].Checks[0]
		s := (&evaluation{file: &File{}}).scope(&Judgement{}, c, &Reading{})
		e := Evidence{Bound: c.predicate.bounds().text(), Verdict: Holds}
		e.Unit, e.Difference = s.unit()
		text, _, _ := strings.Cut(want, ",")
		value := 1.0
		switch {
		case strings.Contains(text, "2"):
			value = 2
		case strings.Contains(text, "3"):
			value = 3
		case strings.Contains(text, "−"):
			value = -1
		}
		j := Judgement{Effect: &Point{Value: value}, Checks: []Evidence{{Verdict: Holds}, e}}
		j.Checks[1].Verdict = Contradicted
		if got := j.EffectText() + j.BoundText(); got != want {
			t.Errorf("%s: %q, want %q", check, got, want)
		}
	}
}

// TestFixed: the last line of fixed.jsonl for a claim is of what the claim is judged by now, and
// every change has a reason. Add lines for what has changed, and then their reasons, with
//
//	go test ./report/claims -run TestFixed -update
func TestFixed(t *testing.T) {
	var added strings.Builder
	for _, l := range every(t) {
		for i := range l.Claims {
			c := &l.Claims[i]
			last := fixedOf(c.ID)
			if c.judged == "" || last != nil && last.Judged == c.judged {
				continue
			}
			line := Fixed{Date: time.Now().UTC().Format(time.DateOnly), Claim: c.ID,
				Judged: c.judged, Seen: "settled runs", Reason: noReason}
			text := string(must(json.Marshal(line))) + "\n"
			if added.WriteString(text); !*update {
				t.Errorf("%s is judged by another reading, check or margin than fixed.jsonl says; "+
					"add with a reason, in the paper's words or empty\n%s", c.ID, text)
			}
		}
	}
	if *update {
		noError(t, os.WriteFile("fixed.jsonl", append(fixedText, added.String()...), 0o666))
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
}

// noReason stands in new lines until they have a reason.
const noReason = "?"

// TestChanges: a claim's first line is no change; later ones say what differs from the line before.
func TestChanges(t *testing.T) {
	var b strings.Builder
	writeChanges(&b, []Judgement{{ID: "D-8.4"}, {ID: "M-17.2"}, {ID: "M-14"}})
	for _, want := range []string{"margins of M-17.2.\n",
		"reading or checks, and margins of D-8.4. "} {
		if !strings.Contains(b.String(), "- 2026-11-23, after whole runs had been seen: "+want) {
			t.Errorf("%s, want %q", b.String(), want)
		}
	}
	if strings.Contains(b.String(), "M-14") || strings.Contains(b.String(), "R-") {
		t.Errorf("%s has a claim without a change, or of another list", b.String())
	}
	const want = "Reading and margins fixed 2026-11-21, after runs of single figures had been seen"
	if got := (&Judgement{ID: "M-14"}).FixedText(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
