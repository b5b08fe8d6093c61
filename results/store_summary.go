package results

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

var summaryHeader = []string{"experiment", "series", "dataset", "algorithm", "variant", "params", "epsilon",
	"metric", "classifier", "n", "failed", "mean", "se", "lo95", "hi95"}

// WriteSummary writes summary.csv. A cell is empty where its column does not apply: no epsilon, no
// classifier, a mean without trials, an error without two. Numbers have as many digits as it takes to
// read them back exactly. Params are name=value by name, joined by ";"; in names and values a
// backslash, ";", "=", line feed and carriage return are written \\, \;, \=, \n and \r.
//
// Other names must not hold a carriage return, which CSV readers do not keep.
func WriteSummary(w io.Writer, rows []Row) error {
	c := csv.NewWriter(w)
	if err := c.Write(summaryHeader); err != nil {
		return err
	}
	for i := range rows {
		r := &rows[i]
		if err := validateRow(r); err != nil {
			return fmt.Errorf("row %d: %w", i, err)
		}
		epsilon := ""
		if r.Epsilon != nil {
			epsilon = formatNumber(*r.Epsilon)
		}
		if err := c.Write([]string{r.Experiment, r.Series, r.Dataset, r.Algorithm, r.Variant, FormatParams(r.Params), epsilon,
			r.Metric, r.Classifier, strconv.Itoa(r.N), strconv.Itoa(r.Failed),
			formatNumber(r.Mean), formatNumber(r.SE), formatNumber(r.Lo95), formatNumber(r.Hi95)}); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// ReadSummary reads what WriteSummary wrote, reporting up to 20 problems at once with name:line.
// StandIn, for which the file has no column, is set where the dataset's name contains "standin", as
// the names of all stand-ins do.
func ReadSummary(r io.Reader, name string) ([]Row, error) {
	var rows []Row
	err := readCSV(r, name, summaryHeader, func(cells []string) error {
		p := cellParser{header: summaryHeader, cells: cells}
		row := Row{
			Experiment: cells[0], Series: cells[1], Dataset: cells[2], Algorithm: cells[3], Variant: cells[4],
			Metric: cells[7], Classifier: cells[8],
			N: int(p.integer(9)), Failed: int(p.integer(10)),
			Mean: p.number(11), SE: p.number(12), Lo95: p.number(13), Hi95: p.number(14),
			StandIn: strings.Contains(cells[2], "standin"),
		}
		var err error
		if row.Params, err = parseParams(cells[5]); err != nil {
			p.problems = append(p.problems, fmt.Errorf("params: %w", err))
		}
		if cells[6] != "" {
			epsilon := p.number(6)
			row.Epsilon = &epsilon
		}
		if len(p.problems) == 0 {
			p.problems = append(p.problems, validateRow(&row))
		}
		if err := errors.Join(p.problems...); err != nil {
			return err
		}
		rows = append(rows, row)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return rows, nil
}

func validateRow(r *Row) error {
	var problems []error
	problem := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	if r.Experiment == "" {
		problem("experiment is empty, must name the experiment")
	}
	names := []string{r.Experiment, r.Series, r.Dataset, r.Algorithm, r.Variant, r.Metric, r.Classifier}
	for _, name := range names {
		if strings.ContainsRune(name, '\r') {
			problem("%q must not hold a carriage return", name)
		}
	}
	if _, named := r.Params[""]; named {
		problem("params: a parameter has no name")
	}
	if r.Epsilon != nil && (!(*r.Epsilon >= 0) || math.IsInf(*r.Epsilon, 1)) {
		problem("epsilon: %v, must be 0 or more and finite", *r.Epsilon)
	}
	if r.N < 0 || r.Failed < 0 {
		problem("n %d and failed %d must be 0 or more", r.N, r.Failed)
	}
	for _, v := range []float64{r.Mean, r.SE, r.Lo95, r.Hi95} {
		if math.IsInf(v, 0) {
			problem("mean, se, lo95 and hi95 must be finite")
			break
		}
	}
	if math.IsNaN(r.Mean) != (r.N == 0) {
		problem("mean must be empty when n is 0 and only then, n is %d", r.N)
	}
	for _, v := range []float64{r.SE, r.Lo95, r.Hi95} {
		if math.IsNaN(v) != (r.N < 2) {
			problem("se, lo95 and hi95 must be empty when n is less than 2 and only then, n is %d", r.N)
			break
		}
	}
	if r.SE < 0 {
		problem("se: %v, must be 0 or more", r.SE)
	}
	if r.Lo95 > r.Hi95 {
		problem("lo95 %v is above hi95 %v", r.Lo95, r.Hi95)
	}
	return errors.Join(problems...)
}
