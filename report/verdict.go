package report

import (
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
	{claims.HoldsInPart, "≈", "v-mostly", "at least half of the points support it, and at most " +
		"a fifth may oppose it", "holds in part", "hold in part"},
	{claims.NoDifference, "=", "v-equal", "at most points there is no difference, or less than " +
		"the stated margin", "shows no difference", "show no difference"},
	{claims.Undecided, "?", "v-open", "these trials show neither it nor the contrary",
		"is undecided", "are undecided"},
	{claims.Contradicted, "✗", "v-against", "more than a fifth of the points oppose it",
		"is contradicted", "are contradicted"},
	{claims.ProgramOnly, "○", "v-none", "stand-in data or a reduced run: the program works, and " +
		"nothing is said of the paper", "only tests the program", "only test the program"},
	{claims.ByTests, "T", "v-none", "not a matter of runs: tests of the source decide it",
		"is decided by tests of the source", "are decided by tests of the source"},
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

// claimView is a claim on the page: its judgement, of which the template shows most as it is.
type claimView struct {
	*claims.Judgement
	Errata []string       // of the claim's, those that the page has
	Strict claims.Verdict // of the strict variant; "" where it has no separate one
	// StrictTests is the published verdict of the strict variant, which only tests have.
	StrictTests claims.Verdict
	placed      bool // is under an experiment
}

func newClaimView(j, strict *claims.Judgement) *claimView {
	c := &claimView{Judgement: j, Errata: j.Errata}
	if strict != nil && strict.Verdict.Judges() {
		c.Strict = strict.Verdict
	}
	if strict != nil && strict.Published != nil {
		c.StrictTests = strict.Published.Verdict
	}
	return c
}

// Points counts the points of all checks: "12 of 15 points support".
func (c *claimView) Points() string {
	counts := c.Counts()
	return fmt.Sprintf("%d of %d points support", counts.Supports, counts.All())
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
