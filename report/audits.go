package report

import (
	"strconv"
	"strings"

	"ppdp/internal/results"
)

// audits is what was found of an experiment's guarantees.
type audits struct {
	Summary  string // "12 guarantees: 10 passed, 2 refuted as said"
	Lines    []auditLine
	BlackBox bool // some line has one
	Long     bool // too many lines to be shown at once
}

// auditLine is one guarantee. Losses are in nats, as epsilon is.
type auditLine struct {
	*results.Audit
	Claimed, Proven, Seen, Certified, Found string

	Class  string // of the verdict, in the style sheet
	Reason string // what refutes the guarantee, or why nothing was found
	Over   bool   // the proven loss exceeds what is claimed
}

// shownAudits is how many lines are shown at once.
const shownAudits = 24

// newAudits tabulates audits; nil where there are none.
func newAudits(all []results.Audit) *audits {
	if len(all) == 0 {
		return nil
	}
	t := &audits{Long: len(all) > shownAudits}
	const wrong, passed, open = "said to hold and refuted", "passed", "declared and not refuted"
	const known, without = "known not to hold and refuted", "not audited"
	counts := make(map[string]int)
	for i := range all {
		a := &all[i]
		line := auditLine{Audit: a, Claimed: number(a.Epsilon) + delta(a.Delta),
			Proven: loss(a.Proven), Seen: loss(a.Seen) + delta(a.SeenDelta), Class: "v-holds",
			Over: a.Proven.Exceeds(a.Epsilon)}
		if len(a.Failures) > 0 {
			f := &a.Failures[0]
			line.Reason = f.Pair + ": " + f.Text
		}
		if a.Declared() { // and no call seen
			line.Seen = "–"
		}
		switch {
		case a.Error != "":
			counts[without]++
			line.Class, line.Reason, line.Proven, line.Seen = "v-none", a.Error, "", ""
		case a.Refuted():
			counts[wrong]++
			line.Class = "v-against"
		case !a.Passed():
			counts[known]++
			line.Class = "v-open"
		case a.Declared():
			counts[open]++
			line.Class = "v-open"
		default:
			counts[passed]++
		}
		if b := a.BlackBox; b != nil {
			t.BlackBox = true
			line.Certified, line.Found = number(b.Bound), b.Text
		}
		t.Lines = append(t.Lines, line)
	}
	var parts []string
	for _, kind := range []string{wrong, passed, open, known, without} {
		if n := counts[kind]; n > 0 {
			parts = append(parts, strconv.Itoa(n)+" "+kind)
		}
	}
	t.Summary = strings.Join(parts, ", ")
	return t
}

func delta(x float64) string {
	if x == 0 {
		return ""
	}
	return ", δ " + number(x)
}

// loss is a loss as text.
func loss(b results.Bound) string {
	if !b.Finite() {
		return "∞"
	}
	return number(float64(b))
}
