package results

import (
	"encoding/csv"
	"io"
	"math"
	"strconv"
	"strings"
)

// WriteCSV writes a header and then the lines that fill adds. Cells that do not apply are empty,
// and numbers have as many digits as it takes to read them back. A text that a spreadsheet would
// take for a formula is written with an apostrophe before it.
func WriteCSV(w io.Writer, header []string, fill func(line func(cells ...string))) error {
	c := csv.NewWriter(w)
	c.Write(header) // csv.Writer keeps its first error
	fill(func(cells ...string) {
		for i, cell := range cells {
			if isFormula(cell) {
				cells[i] = "'" + cell
			}
		}
		c.Write(cells)
	})
	c.Flush()
	return c.Error()
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

// numberText is empty for NaN and "Inf" for infinity.
func numberText(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return Bound(x).String()
}

// writeSummary writes summary.csv: a line for each measured sample.
func (r *Run) writeSummary(w io.Writer) error {
	header := []string{"experiment", "series", "dataset", "algorithm", "variant", "params",
		"epsilon", "delta", "metric", "classifier", "n", "failed", "mean", "se", "lo95", "hi95"}
	return WriteCSV(w, header, func(line func(...string)) {
		for _, row := range Rows(r.Samples()) {
			line(r.Manifest.Experiment, row.Label(), row.Dataset.Label(), row.Algorithm,
				row.Variant, FormatParams(row.AllParams()), row.EpsilonText(), row.DeltaText(),
				row.Metric, row.Classifier, strconv.Itoa(row.N), strconv.Itoa(row.Failed),
				numberText(row.Mean), numberText(row.SE), numberText(row.Lo95),
				numberText(row.Hi95))
		}
	})
}

// writeLedger writes ledger.csv: a line for each mechanism of each cell. Cells count from 0; cost
// and loss are in the unit.
func (r *Run) writeLedger(w io.Writer) error {
	header := []string{"cell", "purpose", "mechanism", "claimed", "proven", "calls", "unit",
		"cost", "loss", "composition"}
	return WriteCSV(w, header, func(line func(...string)) {
		for i := range r.Cells {
			for _, e := range r.Cells[i].Ledger {
				line(strconv.Itoa(i), e.Purpose, e.Mechanism, FormatNumber(e.Claimed),
					e.Proven.String(), strconv.FormatInt(e.Calls, 10), r.Cells[i].Unit(),
					FormatNumber(e.Cost), e.Loss.String(), e.Composition)
			}
		}
	})
}

// writeRegions writes regions.csv: a line for each side of each region kept.
func (r *Run) writeRegions(w io.Writer) error {
	header := []string{"cell", "region", "records", "attribute", "low", "high"}
	return WriteCSV(w, header, func(line func(...string)) {
		for i := range r.Cells {
			for _, s := range r.Cells[i].Regions {
				line(strconv.Itoa(i), strconv.Itoa(s.Region), FormatNumber(s.Records), s.Attribute,
					FormatNumber(s.Low), FormatNumber(s.High))
			}
		}
	})
}

// writeOriginal writes rows.csv: a line for each original value kept.
func (r *Run) writeOriginal(w io.Writer) error {
	header := []string{"dataset", "row", "attribute", "value"}
	return WriteCSV(w, header, func(line func(...string)) {
		for i := range r.Cells {
			c := &r.Cells[i]
			for _, column := range c.Original {
				for row, value := range column.Values {
					line(c.Dataset.Label(), strconv.Itoa(row), column.Attribute,
						FormatNumber(value))
				}
			}
		}
	})
}
