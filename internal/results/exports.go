package results

import (
	"encoding/csv"
	"io"
	"math"
	"strconv"
	"strings"
)

// csvWriter writes lines of CSV. Fields that do not apply are empty, and numbers have as many
// digits as it takes to read them back. A text that a spreadsheet would take for a formula is
// written with an apostrophe before it.
type csvWriter struct{ to *csv.Writer }

func newCSV(w io.Writer) csvWriter { return csvWriter{csv.NewWriter(w)} }

func (w csvWriter) line(fields ...string) {
	for i, field := range fields {
		if isFormula(field) {
			fields[i] = "'" + field
		}
	}
	w.to.Write(fields) // csv.Writer keeps its first error
}

func (w csvWriter) end() error {
	w.to.Flush()
	return w.to.Error()
}

// isFormula reports whether a spreadsheet would compute the text: one that begins as formulas do
// and is no number.
func isFormula(text string) bool {
	if text == "" || !strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return false
	}
	_, err := strconv.ParseFloat(text, 64)
	return err != nil
}

// NumberText is FormatNumber, but empty for NaN and "Inf" for infinity.
func NumberText(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return Bound(x).String()
}

// headers are those of the exports. Jobs count from 0; cost and loss are in the unit.
var headers = map[string][]string{
	SummaryFile: {"experiment", "series", "dataset", "algorithm", "variant", "params", "epsilon",
		"delta", "metric", "classifier", "n", "failed", "mean", "se", "lo95", "hi95"},
	LedgerFile: {"cell", "purpose", "mechanism", "claimed", "proven", "calls", "unit", "cost",
		"loss", "composition"},
}

// summaryLines writes a line for each measured sample.
func summaryLines(to csvWriter, s *Summary) {
	for _, row := range Rows(s.Samples()) {
		to.line(s.Manifest.Experiment, row.Label(), row.Dataset.Label(), row.Algorithm,
			row.Variant, FormatParams(row.AllParams()), row.EpsilonText(), row.DeltaText(),
			row.Metric, row.Classifier, strconv.Itoa(row.N), strconv.Itoa(row.Failed),
			NumberText(row.Mean), NumberText(row.SE), NumberText(row.Lo95), NumberText(row.Hi95))
	}
}

// ledgerLines writes a line for each mechanism of a release.
func ledgerLines(to csvWriter, job int, c *Record) {
	for _, e := range c.Ledger {
		to.line(strconv.Itoa(job), e.Purpose, e.Mechanism, FormatNumber(e.Claimed),
			e.Proven.String(), strconv.FormatInt(e.Calls, 10), c.Unit(), FormatNumber(e.Cost),
			e.Loss.String(), e.Composition)
	}
}
