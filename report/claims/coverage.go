package claims

import (
	"fmt"
	"slices"
	"strings"
)

// Coverage counts claims that points or tests give a verdict, and their figures.
type Coverage struct {
	Judged, Claims   int
	Covered, Figures int      // figures and tables of the paper with at least one judged claim
	Missing          []string // the figures and tables without
}

// CoverageOf counts the judgements of a claims file.
func CoverageOf(f *File, judgements []Judgement) Coverage {
	c := Coverage{Claims: len(judgements), Figures: len(f.Figures)}
	var judged []string
	for i := range judgements {
		if j := &judgements[i]; j.Stands().Judges() {
			c.Judged++
			judged = append(judged, j.Source...)
		}
	}
	for _, figure := range f.Figures {
		if slices.Contains(judged, figure) {
			c.Covered++
		} else {
			c.Missing = append(c.Missing, figure)
		}
	}
	return c
}

func (c Coverage) String() string {
	text := fmt.Sprintf("%d of %d claims, %d of %d figures and tables",
		c.Judged, c.Claims, c.Covered, c.Figures)
	if c.Covered > 0 && len(c.Missing) > 0 {
		text += " (without " + strings.Join(c.Missing, ", ") + ")"
	}
	return text
}

// Count returns how many judgements stand under each verdict, best first, without those that none
// has.
func Count(judgements []Judgement) (counts []string) {
	numbers := numbersOf(judgements)
	for _, v := range slices.Concat(headlines, unjudged) {
		if n := numbers[v]; n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, v))
		}
	}
	return counts
}

// numbersOf counts judgements by the verdict that stands.
func numbersOf(judgements []Judgement) map[Verdict]int {
	numbers := make(map[Verdict]int)
	for i := range judgements {
		numbers[judgements[i].Stands()]++
	}
	return numbers
}

// headlines are the verdicts under which claims stand, as tables order them.
var headlines = []Verdict{Holds, HoldsInPart, DependsOnReading, NoDifference, Contradicted,
	Undecided}

// unjudged are the verdicts that judge nothing.
var unjudged = []Verdict{Calibration, ProgramOnly, ByTests, NoData, NotCovered}

// neither is why a claim neither agrees with what is published nor differs.
var neither = map[Verdict]string{
	Undecided:   "undecided, here or as published",
	Calibration: "calibrated: a parameter was chosen so that their numbers come out",
	ProgramOnly: "on stand-in data or a reduced run, which tests the program only",
	ByTests:     "decided by tests of the source (make test)",
	NoData:      "not run, or without the data they need",
	NotCovered:  "not covered",
}

// Agreement says in how many claims a run agrees with what is published, in which it differs, and
// why it says nothing of the others.
func Agreement(judgements ...[]Judgement) string {
	agree, numbers := 0, make(map[Verdict]int)
	var differ, others []string
	for _, j := range slices.Concat(judgements...) {
		switch {
		case j.Surprise:
			differ = append(differ, fmt.Sprintf("%s (here %s, published %s)", j.ID, j.Words(),
				j.Published.Words()))
		case j.Stands() == Calibration:
			numbers[Calibration]++
		case j.Published != nil && j.comparable():
			agree++
		case j.Verdict.Judges():
			numbers[Undecided]++
		default:
			numbers[j.Verdict]++
		}
	}
	text := "This run could judge no claim of the papers"
	if judged := agree + len(differ); judged > 0 {
		text = fmt.Sprintf("%d of %d claims that this run could judge agree with the verdicts "+
			"published with ppdp", agree, judged)
	}
	if len(differ) > 0 {
		text += fmt.Sprintf("; %d differ: %s", len(differ), strings.Join(differ, ", "))
	}
	for _, v := range append([]Verdict{Undecided}, unjudged...) {
		if n := numbers[v]; n > 0 {
			others = append(others, fmt.Sprintf("%d %s", n, neither[v]))
		}
	}
	if len(others) > 0 {
		text += ". The others: " + strings.Join(others, "; ")
	}
	return text + "."
}
