package report

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"ppdp/claims"
)

// verdictWords are how the page shows a verdict, never by colour alone.
type verdictWords struct {
	Verdict claims.Verdict
	Sign    string
	Class   string // of the style sheet
	Meaning string
	One     string // predicate of one claim with this verdict
	Many    string // and of several
}

// verdictKey lists the verdicts, best first.
var verdictKey = []verdictWords{
	{claims.Holds, "✓", "v-holds", "every point supports the statement", "holds", "hold"},
	{claims.HoldsMostly, "≈", "v-mostly", "four fifths of the points support it",
		"mostly holds", "mostly hold"},
	{claims.NotReproduced, "?", "v-open", "these trials show neither it nor the contrary",
		"is not reproduced", "are not reproduced"},
	{claims.Contradicted, "✗", "v-against", "more than half of the points oppose it",
		"is contradicted", "are contradicted"},
	{claims.NotCovered, "–", "v-none", "not judged, for the reason given",
		"is not judged", "are not judged"},
	{claims.NoData, "·", "v-nodata", "records are missing: its experiments were not run, or " +
		"too few of their trials succeeded; the claim says which",
		"has no data", "have no data"},
}

func wordsOf(v claims.Verdict) verdictWords {
	for _, words := range verdictKey {
		if words.Verdict == v {
			return words
		}
	}
	return verdictWords{Verdict: v, Sign: "·", Class: "v-nodata"}
}

// claimView is a claim on the page.
type claimView struct {
	judgedView
	ID          string
	Strict      *verdictWords // nil where the strict variant has no separate verdict
	Source      []string
	Errata      []string
	Statement   string
	Tests       []string
	ByTests     bool // the verdict is the tests' alone
	Experiments []string
	Points      string // "12 of 15 points support"
	Readings    []readingView
	Surprise    bool
	placed      bool // is under an experiment
}

// readingView is a claim judged in another reading.
type readingView struct {
	judgedView
	Name string
}

// judgedView is the part of a judgement that claims and their readings share.
type judgedView struct {
	Verdict     verdictWords
	Remarks     []string
	Why, Reason string
	Checks      []checkView
}

// checkView is a check and its points.
type checkView struct {
	Predicate, Summary string
	Verdict            verdictWords
	Points             []pointView
}

// pointView is a point of a check's grid.
type pointView struct {
	At, Value, SE, N, P string
	State               string
}

func newJudgedView(j *claims.Judgement) judgedView {
	v := judgedView{wordsOf(j.Verdict), j.Remarks(), "", j.Reason, checkViews(j)}
	if j.Verdict == j.Expect { // the claims file explains the verdict that it expects
		v.Why = j.Why
	}
	return v
}

func newClaimView(j, strict *claims.Judgement) *claimView {
	c := &claimView{judgedView: newJudgedView(j), ID: j.ID, Source: j.Source, Errata: j.Errata,
		Statement: j.Statement, Tests: j.Tests, ByTests: j.Basis == "tests",
		Experiments: j.Experiments, Surprise: j.Surprise}
	if strict != nil && strict.Verdict != claims.NoData && strict.Verdict != claims.NotCovered {
		words := wordsOf(strict.Verdict)
		c.Strict = &words
	}
	supports, all := 0, 0
	for i := range j.Checks {
		supports += j.Checks[i].Supports
		all += len(j.Checks[i].Points)
	}
	if all > 0 {
		c.Points = fmt.Sprintf("%d of %d points support", supports, all)
	}
	for i := range j.Readings {
		r := &j.Readings[i]
		c.Readings = append(c.Readings, readingView{newJudgedView(r), r.Reading})
	}
	return c
}

func checkViews(j *claims.Judgement) []checkView {
	var views []checkView
	for i := range j.Checks {
		e := &j.Checks[i]
		v := checkView{Predicate: e.Predicate, Summary: e.Summary(), Verdict: wordsOf(e.Verdict)}
		for _, p := range e.Points {
			point := pointView{At: cmp.Or(p.At, "everywhere"), Value: number(p.Value),
				State: p.State, P: number(p.P)}
			if p.N > 0 {
				point.N = strconv.Itoa(p.N)
				point.SE = number(p.SE)
			}
			v.Points = append(v.Points, point)
		}
		views = append(views, v)
	}
	return views
}

// number writes a number with four digits, large ones in full. It is empty for NaN.
func number(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	text := strconv.FormatFloat(x, 'g', 4, 64)
	if strings.Contains(text, "e+0") {
		text = strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strings.Replace(text, "-", "−", 1)
}
