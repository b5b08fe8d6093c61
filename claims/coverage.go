package claims

import (
	"fmt"
	"slices"
	"strings"
)

// Coverage counts claims that have a verdict other than NotCovered and NoData, and their figures.
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
		if j := &judgements[i]; j.Verdict != NotCovered && j.Verdict != NoData {
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
	if len(c.Missing) > 0 {
		text += " (without " + strings.Join(c.Missing, ", ") + ")"
	}
	return text
}

// Count returns how many judgements have each verdict, best first, without those that none has.
func Count(judgements []Judgement) (counts []string) {
	numbers := numbersOf(judgements)
	for _, v := range append(slices.Clone(fromBest), NotCovered, NoData) {
		if n := numbers[v]; n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, v))
		}
	}
	return counts
}

// numbersOf counts judgements by their verdict.
func numbersOf(judgements []Judgement) map[Verdict]int {
	numbers := make(map[Verdict]int)
	for i := range judgements {
		numbers[judgements[i].Verdict]++
	}
	return numbers
}
