package claims

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"ppdp/internal/results"
)

// stance is what a verdict says of a statement, however far: for it, against it, or neither.
func (v Verdict) stance() Verdict {
	if v == HoldsInPart {
		return Holds
	}
	return v
}

// decided reports whether the verdict is one that more trials do not change.
func (v Verdict) decided() bool { return v.Judges() && v != Undecided }

// Stands is the verdict under which tables show and count a claim: Calibration for one whose
// numbers were chosen, DependsOnReading where at least half of the other decided readings take
// another stance than the judged one, and otherwise the verdict itself.
func (j *Judgement) Stands() Verdict {
	decided := 0
	for i := range j.Readings {
		if r := &j.Readings[i]; r.Verdict.decided() && !r.Beside {
			decided++
		}
	}
	reversing := len(j.reversing())
	switch {
	case j.Calibration != "" && j.Verdict.Judges():
		return Calibration
	case reversing > 0 && 2*reversing >= decided:
		return DependsOnReading
	}
	return j.Verdict
}

// reversing are the other readings that take another stance; none where either is not decided.
func (j *Judgement) reversing() (all []*Judgement) {
	for r := range results.Each(j.Readings) {
		if !r.Beside && j.Verdict.decided() && r.Verdict.decided() &&
			r.Verdict.stance() != j.Verdict.stance() {
			all = append(all, r)
		}
	}
	return all
}

// Says is the verdict that stands as readers see it, with the judged reading's.
func (j *Judgement) Says() string {
	if stands := j.Stands(); stands != j.Verdict {
		return stands.Text() + ": " + j.Words()
	}
	return j.Words()
}

// OthersText counts the other readings of a claim by what they say: "2 hold, 1 opposes".
func (j *Judgement) OthersText() string {
	numbers := make(map[Verdict]int)
	for i := range j.Readings {
		if r := &j.Readings[i]; !r.Beside {
			numbers[r.Verdict.stance()]++
		}
	}
	var texts []string
	for _, of := range []struct {
		stance    Verdict
		one, more string
	}{
		{Holds, "holds", "hold"}, {Contradicted, "opposes", "oppose"},
		{NoDifference, "shows no difference", "show no difference"},
		{Undecided, "is undecided", "are undecided"},
	} {
		switch n := numbers[of.stance]; {
		case n == 1:
			texts = append(texts, "1 "+of.one)
		case n > 1:
			texts = append(texts, fmt.Sprintf("%d %s", n, of.more))
		}
	}
	return strings.Join(texts, ", ")
}

// Reversals say what the points of each reading that takes another stance do.
func (j *Judgement) Reversals() (texts []string) {
	for _, r := range j.reversing() {
		counts := r.Counts()
		of, does := counts.Supports, "support it"
		switch r.Verdict {
		case Contradicted:
			of, does = counts.Opposes, "oppose it"
		case NoDifference:
			of, does = counts.Equal, "show no difference"
		}
		text := fmt.Sprintf("%d of %d points %s", of, counts.All(), does)
		if counts.All() == 0 {
			text = r.Verdict.Text()
		}
		texts = append(texts, text+" by another reading: "+r.Reading)
	}
	return texts
}

// thresholds are those of the rule, and others: the part of its points that may oppose what is not
// contradicted, and the part that must support what holds in part.
type thresholds struct {
	few, enough float64
	name        string
}

var ours = thresholds{few, enough, ""} // of the rule

var otherThresholds = []thresholds{
	{0.1, enough, "more than a tenth in place of a fifth"},
	{1. / 3, enough, "more than a third in place of a fifth"},
	{few, 1. / 3, "at least a third in place of half"},
	{few, 2. / 3, "at least two thirds in place of half"},
}

func (c Counts) verdict() Verdict { return c.verdictBy(ours) }

// verdictBy is what the points say together by some thresholds. A verdict is given when open points
// could not change it, but for one that holds in part and may yet hold.
func (c Counts) verdictBy(t thresholds) Verdict {
	n := float64(c.All())
	switch {
	case c.Supports == c.All():
		return Holds
	case float64(c.Opposes) > t.few*n:
		return Contradicted
	case float64(c.Opposes+c.Open) > t.few*n:
		return Undecided
	case float64(c.Supports) >= t.enough*n:
		return HoldsInPart
	case float64(c.Supports+c.Open) < t.enough*n:
		return NoDifference
	}
	return Undecided
}

// judging are the counts by which each check is judged: of its own points or, for checks of one
// point, of all such points together.
func (j *Judgement) judging() []Counts {
	var singles Counts
	all := make([]Counts, len(j.Checks))
	for i := range j.Checks {
		c := &j.Checks[i]
		if all[i] = c.Counts; len(c.Points) == 1 {
			singles.count(c.Points[0].State)
		}
	}
	for i := range all {
		if len(j.Checks[i].Points) == 1 {
			all[i] = singles
		}
	}
	return all
}

// verdictBy is the verdict of the worst check by some thresholds.
func (j *Judgement) verdictBy(t thresholds) Verdict {
	worst := 0
	for _, counts := range j.judging() {
		worst = max(worst, slices.Index(fromBest, counts.verdictBy(t)))
	}
	return fromBest[worst]
}

// Fixed says when that was fixed by which a claim is judged: its reading, its checks and their
// margins. The last one of a claim is in force.
type Fixed struct {
	Date   string `json:"date"`
	Claim  string `json:"claim"`
	Judged string `json:"judged"` // the claim's digests: of reading and checks, and of margins
	Seen   string `json:"seen"`   // the results that had been seen: "whole runs"
	Reason string `json:"reason"` // of a change, in the paper's words; "" if they say nothing of it
	// What is what differs from the line before: "" for the first line of a claim.
	What string `json:"-"`
}

//go:embed fixed.jsonl
var fixedText []byte

// allFixed are the lines of fixed.jsonl, by date.
var allFixed = sync.OnceValue(func() (all []Fixed) {
	before := make(map[string]string)
	for decoder := json.NewDecoder(bytes.NewReader(fixedText)); decoder.More(); {
		var f Fixed
		if err := decoder.Decode(&f); err != nil {
			panic(err) // a test reads it
		}
		checks, margins, _ := strings.Cut(f.Judged, "-")
		oldChecks, oldMargins, known := strings.Cut(before[f.Claim], "-")
		switch {
		case !known:
		case margins == oldMargins:
			f.What = "reading or checks"
		case checks == oldChecks:
			f.What = "margins"
		default:
			f.What = "reading or checks, and margins"
		}
		before[f.Claim] = f.Judged
		all = append(all, f)
	}
	return all
})

// fixedOf is the last line of a claim, nil without one.
func fixedOf(id string) (last *Fixed) {
	all := allFixed()
	for i := range all {
		if all[i].Claim == id {
			last = &all[i]
		}
	}
	return last
}

// FixedText says when the way in which the claim is judged was fixed; "" where that is not known.
func (j *Judgement) FixedText() string {
	f := fixedOf(j.ID)
	if f == nil {
		return ""
	}
	return "Reading and margins fixed " + f.Date + ", after " + f.Seen + " had been seen"
}

// writeChanges lists when readings, checks and margins of claims were changed, those of one reason
// together.
func writeChanges(b *strings.Builder, judgements []Judgement) {
	b.WriteString("\n## Changes of judged readings\n\nThe reason is the paper's, in our words; " +
		"without one, the paper says nothing of it.\n\n")
	known := make(map[string]bool)
	for i := range judgements {
		known[judgements[i].ID] = true
	}
	of := func(f Fixed) string { return f.Date + f.What + f.Seen + f.Reason }
	for _, group := range results.Grouped(allFixed(), of) {
		f := group[0]
		if f.What == "" {
			continue
		}
		var ids []string
		for _, change := range group {
			if known[change.Claim] {
				ids = append(ids, change.Claim)
			}
		}
		if len(ids) == 0 {
			continue
		}
		b.WriteString("- " + f.Date + ", after " + f.Seen + " had been seen: " + f.What + " of " +
			strings.Join(ids, ", "))
		if f.Reason != "" {
			b.WriteString(". " + strings.TrimSuffix(f.Reason, "."))
		}
		b.WriteString(".\n")
	}
}
