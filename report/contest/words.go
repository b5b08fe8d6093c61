package contest

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"ppdp/internal/results"
)

// Legend says how the verdicts are made.
const Legend = "By d ± e: the mean difference, trial by trial, and its standard error. p is that " +
	"of Student's paired test, two-sided, with Holm's correction over all budgets of a task, and " +
	"over both tasks where a model's accuracy and AUC were measured. A release with p above " +
	"0.05 is not distinguishable from the best. It leads if it is best or not distinguishable " +
	"from the best, by accuracy and by AUC where both were measured, unless a release that does " +
	"not lead has better means of both."

// text is the budget in words. The neighbours are named where those of one table differ.
func (b Budget) text(neighbours bool) string {
	text := "no budget"
	switch {
	case b.K > 0:
		return "k = " + strconv.Itoa(b.K)
	case b.Epsilon > 0:
		text = "ε = " + results.FormatNumber(b.Epsilon)
	}
	if b.Delta > 0 {
		text += ", δ = " + results.FormatNumber(b.Delta)
	}
	if neighbours {
		text += ", " + b.Relation
	}
	return text
}

// Number writes a number with some digits, none of them below a millionth unless that would leave
// 0. It is "-" for NaN.
func Number(x float64, digits int) string {
	if math.IsNaN(x) {
		return "-"
	}
	if x != 0 && math.Abs(x) < 5e-7 {
		return strconv.FormatFloat(x, 'g', digits, 64)
	}
	_, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', digits-1, 64), "e")
	place, _ := strconv.Atoi(exponent)
	return strconv.FormatFloat(x, 'f', min(6, max(0, digits-1-place)), 64)
}

// Lead says by how much the best is better than an entry, with the p-value of that, or plainly why
// there is none. comparison is how the number is introduced: "ahead by", "better than X by".
func (e *Entry) Lead(comparison string) string {
	d := e.Behind
	switch {
	case d.N == 0:
		return "no trial in common"
	case d.Mean < 0: // trials of one of them failed
		return "worse in the trials that both have"
	case d.N == 1:
		return fmt.Sprintf("%s %.3g in a single trial, too few to test", comparison, d.Mean)
	case d.SE == 0 && d.Mean == 0:
		return fmt.Sprintf("equal in each of %d trials", d.N)
	case d.SE == 0:
		return fmt.Sprintf("%s %.3g in each of %d trials, no spread to test by", comparison,
			d.Mean, d.N)
	case d.P < 0.0001:
		return fmt.Sprintf("%s %.3g ± %.2g, p < 0.0001", comparison, d.Mean, d.SE)
	}
	return fmt.Sprintf("%s %.3g ± %.2g, p = %.2g", comparison, d.Mean, d.SE, d.P)
}

// Verdict says who is best of a discipline under a budget, and in each of its tasks who has the
// best mean, than whom it is better and by how much.
func (t *Table) Verdict(d *Discipline, column int) string {
	if len(d.Tasks) == 1 {
		return t.verdict(d.Tasks[0], column, "is best", "no release is shown to be best: ")
	}
	text := "no release is best: none leads by accuracy and by AUC"
	if leaders := t.Leaders(d, column); len(leaders) > 0 {
		name, others := t.Releases[leaders[0]].Name(), len(leaders)-1
		text = name + " is best: no other leads by accuracy and by AUC"
		if others > 0 {
			text = fmt.Sprintf("no release is shown to be best: %s and %d more lead by accuracy "+
				"and by AUC", name, others)
		}
	}
	for _, task := range d.Tasks {
		text += "; " + task.Short() + ": " + t.verdict(task, column, "is first", "")
	}
	return text
}

// field is the releases that a task's best is compared with under a budget: those that are not
// distinguishable from it and those that are worse, the nearest first.
func (t *Table) field(task *Task, column int) (tied, worse []int) {
	for i, r := range t.Releases {
		switch {
		case r.Column != column:
		case task.Entries[i].Rank == Tied:
			tied = append(tied, i)
		case task.Entries[i].Rank == Worse:
			worse = append(worse, i)
		}
	}
	for _, all := range [][]int{tied, worse} {
		slices.SortStableFunc(all, func(a, b int) int {
			return task.Entries[a].Place - task.Entries[b].Place
		})
	}
	return tied, worse
}

// verdict is that of a task. wins is said of a release that is better than all others, and open
// before what is said where it is better than none.
func (t *Table) verdict(task *Task, column int, wins, open string) string {
	if task.Best[column] < 0 {
		return "no release has a value"
	}
	first, name := &task.Entries[task.Best[column]], t.Releases[task.Best[column]].Name()
	tied, worse := t.field(task, column)
	better, alike := "", ""
	if len(worse) > 0 {
		better = task.Entries[worse[0]].Lead("better than "+t.Releases[worse[0]].Name()+" by") +
			more(", and than %d more", len(worse)-1)
	}
	if len(tied) > 0 {
		alike = fmt.Sprintf("not distinguishable from %s (%s)%s", t.Releases[tied[0]].Name(),
			task.Entries[tied[0]].Lead("ahead by"), more(" and %d more", len(tied)-1))
	}
	text := map[[2]bool]string{ // is another alike, is another worse?
		{false, false}: name + " is alone",
		{false, true}:  name + " " + wins + ": " + better,
		{true, false}:  open + name + " has the best mean but is " + alike,
		{true, true}:   name + " is " + alike + "; " + better,
	}[[2]bool{alike != "", better != ""}]
	if first.Equal != nil {
		text += "; as good as a sample of " + first.Equal.String() + " of the true records"
	}
	if first.NoBetter {
		text += "; NOT SHOWN TO BEAT THE MAJORITY CLASS"
	}
	return text
}

// more is a remark on n others, nothing where there are none.
func more(format string, n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(format, n)
}

// Heading names the contests under a budget, with the dataset where there are several.
func (t *Table) Heading(column int, of []*Table) string {
	title := "Releases" // none of them competes
	if column < len(t.Columns) {
		title = t.Columns[column]
	}
	if len(of) > 1 {
		title += ", " + t.Dataset
	}
	return title
}
