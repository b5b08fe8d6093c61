package report

import (
	"fmt"

	"ppdp/plots"
	"ppdp/report/claims"
)

// verdictWords are how the page shows a verdict, never by colour alone.
type verdictWords struct {
	Verdict claims.Verdict
	Sign    string
	Class   string // of the style sheet
	Meaning string
}

// verdictKey lists the verdicts, best first.
var verdictKey = []verdictWords{
	{claims.Holds, "✓", "v-holds", "every point supports the statement"},
	{claims.HoldsInPart, "≈", "v-mostly", "at least half of the points support it, and at most " +
		"a fifth may oppose it"},
	{claims.DependsOnReading, "~", "v-open", "at least half of the other readings " +
		"that are decided take another stance than the judged one"},
	{claims.NoDifference, "=", "v-equal", "at most points there is no difference, or less than " +
		"the stated margin"},
	{claims.Undecided, "?", "v-open", "these trials show neither it nor the contrary"},
	{claims.Contradicted, "✗", "v-against", "more than a fifth of the points oppose it"},
	{claims.Calibration, "c", "v-none", "a parameter was chosen so that these numbers come out: " +
		"they are no evidence"},
	{claims.ProgramOnly, "○", "v-none", "stand-in data or a reduced run: the program works, and " +
		"nothing is said of the paper"},
	{claims.ByTests, "T", "v-none", "not a matter of runs: tests of the source decide it"},
	{claims.NotCovered, "–", "v-none", "not judged, for the reason given"},
	{claims.NoData, "·", "v-nodata", "records are missing: its experiments were not run, or " +
		"too few of their trials succeeded; the claim says which"},
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
	Errata []string          // of the claim's, those that the page has
	Strict *claims.Judgement // of the strict variant; nil where it was not judged
	placed bool              // is under an experiment
}

// Points counts the points of all checks: "12 of 15 points support".
func (c *claimView) Points() string {
	counts := c.Counts()
	return fmt.Sprintf("%d of %d points support", counts.Supports, counts.All())
}

// number writes numbers of tables as those of figures are.
var number = plots.Number
