package claims

import (
	"fmt"
	"slices"
	"strings"
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
	for i := range j.Readings {
		r := &j.Readings[i]
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
