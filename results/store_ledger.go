package results

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

var ledgerHeader = []string{"cell", "purpose", "mechanism", "claimed", "proven", "calls", "epsilon", "loss", "composition"}

// WriteLedger writes ledger.csv, one mechanism of one cell a line. A sensitivity or loss without bound
// is written Inf.
func WriteLedger(w io.Writer, rows []LedgerRow) error {
	c := csv.NewWriter(w)
	if err := c.Write(ledgerHeader); err != nil {
		return err
	}
	for i := range rows {
		r := &rows[i]
		if err := validateLedgerRow(r); err != nil {
			return fmt.Errorf("row %d: %w", i, err)
		}
		if err := c.Write([]string{strconv.Itoa(r.Cell), r.Purpose, r.Mechanism, formatNumber(r.Claimed), formatNumber(r.Proven),
			strconv.FormatInt(r.Calls, 10), formatNumber(r.Epsilon), formatNumber(r.Loss), r.Composition}); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// ReadLedger reads what WriteLedger wrote, reporting up to 20 problems at once with name:line.
func ReadLedger(r io.Reader, name string) ([]LedgerRow, error) {
	rows := []LedgerRow{}
	err := readCSV(r, name, ledgerHeader, func(cells []string) error {
		p := cellParser{header: ledgerHeader, cells: cells}
		row := LedgerRow{
			Cell: int(p.integer(0)), Purpose: cells[1], Mechanism: cells[2],
			Claimed: p.boundless(3), Proven: p.boundless(4), Calls: p.integer(5),
			Epsilon: p.boundless(6), Loss: p.boundless(7), Composition: cells[8],
		}
		if len(p.problems) == 0 {
			p.problems = append(p.problems, validateLedgerRow(&row))
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

func validateLedgerRow(r *LedgerRow) error {
	if r.Cell < 0 || r.Calls < 0 {
		return fmt.Errorf("cell %d and calls %d must be 0 or more", r.Cell, r.Calls)
	}
	for _, v := range []float64{r.Claimed, r.Proven, r.Epsilon, r.Loss} {
		if !(v >= 0) {
			return fmt.Errorf("claimed %v, proven %v, epsilon %v and loss %v must be 0 or more", r.Claimed, r.Proven, r.Epsilon, r.Loss)
		}
	}
	for _, name := range []string{r.Purpose, r.Mechanism, r.Composition} {
		if strings.ContainsRune(name, '\r') {
			return fmt.Errorf("%q must not hold a carriage return", name)
		}
	}
	return nil
}
