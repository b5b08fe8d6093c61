package contest

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"ppdp/internal/results"
)

// Legend says how the best are found.
const Legend = "Behind by d ± e: the mean difference, trial by trial, and its standard error. " +
	"p is that of Student's paired test, two-sided, with Holm's correction over all budgets " +
	"of a task, and over both tasks where a model's accuracy and AUC were measured. " +
	"A release with p above 0.05 is not distinguishable from the best. It leads if it is best " +
	"or not distinguishable from the best, by accuracy and by AUC where both were measured, " +
	"unless a release that does not lead has better means of both."

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

// Lag says by how much an entry is behind the best, with the p-value of that, or plainly why there
// is none.
func (e *Entry) Lag() string {
	d := e.Behind
	switch {
	case d.N == 0:
		return "no trial in common"
	case d.Mean < 0: // trials of one of them failed
		return "better in the trials that both have"
	case d.N == 1:
		return fmt.Sprintf("behind by %.3g in a single trial, too few to test", d.Mean)
	case d.SE == 0 && d.Mean == 0:
		return fmt.Sprintf("equal in each of %d trials", d.N)
	case d.SE == 0:
		return fmt.Sprintf("behind by %.3g in each of %d trials, no spread to test by", d.Mean, d.N)
	case d.P < 0.0001:
		return fmt.Sprintf("behind by %.3g ± %.2g, p < 0.0001", d.Mean, d.SE)
	}
	return fmt.Sprintf("behind by %.3g ± %.2g, p = %.2g", d.Mean, d.SE, d.P)
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
