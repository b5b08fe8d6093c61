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

var (
	regionsHeader = []string{"cell", "region", "records", "attribute", "low", "high"}
	rowsHeader    = []string{"dataset", "row", "attribute", "value"}
)

// WriteRegions writes regions.csv, one side of one region a line.
func WriteRegions(w io.Writer, sides []RegionSide) error {
	c := csv.NewWriter(w)
	if err := c.Write(regionsHeader); err != nil {
		return err
	}
	for i := range sides {
		s := &sides[i]
		if err := validateSide(s); err != nil {
			return fmt.Errorf("side %d: %w", i, err)
		}
		if err := c.Write([]string{strconv.Itoa(s.Cell), strconv.Itoa(s.Region), formatNumber(s.Records), s.Attribute,
			formatNumber(s.Low), formatNumber(s.High)}); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// ReadRegions reads what WriteRegions wrote, reporting up to 20 problems at once with name:line.
func ReadRegions(r io.Reader, name string) ([]RegionSide, error) {
	sides := []RegionSide{}
	err := readCSV(r, name, regionsHeader, func(cells []string) error {
		p := cellParser{header: regionsHeader, cells: cells}
		side := RegionSide{Cell: int(p.integer(0)), Region: int(p.integer(1)), Records: p.number(2), Attribute: cells[3],
			Low: p.number(4), High: p.number(5)}
		if len(p.problems) == 0 {
			p.problems = append(p.problems, validateSide(&side))
		}
		sides = append(sides, side)
		return errors.Join(p.problems...)
	})
	if err != nil {
		return nil, err
	}
	return sides, nil
}

func validateSide(s *RegionSide) error {
	if s.Cell < 0 || s.Region < 0 {
		return fmt.Errorf("cell %d and region %d must be 0 or more", s.Cell, s.Region)
	}
	if !(s.Records >= 0) || math.IsInf(s.Records, 1) {
		return fmt.Errorf("%v records, must be 0 or more and finite", s.Records)
	}
	if !(s.Low < s.High) || math.IsInf(s.Low, 0) || math.IsInf(s.High, 0) {
		return fmt.Errorf("low %v and high %v must be finite, the lower first", s.Low, s.High)
	}
	return checkName("attribute", s.Attribute)
}

// WriteRows writes rows.csv, one value a line.
func WriteRows(w io.Writer, values []RowValue) error {
	c := csv.NewWriter(w)
	if err := c.Write(rowsHeader); err != nil {
		return err
	}
	for i := range values {
		v := &values[i]
		if err := validateValue(v); err != nil {
			return fmt.Errorf("value %d: %w", i, err)
		}
		if err := c.Write([]string{v.Dataset, strconv.Itoa(v.Row), v.Attribute, formatNumber(v.Value)}); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// ReadRows reads what WriteRows wrote, reporting up to 20 problems at once with name:line.
func ReadRows(r io.Reader, name string) ([]RowValue, error) {
	values := []RowValue{}
	err := readCSV(r, name, rowsHeader, func(cells []string) error {
		p := cellParser{header: rowsHeader, cells: cells}
		value := RowValue{Dataset: cells[0], Row: int(p.integer(1)), Attribute: cells[2], Value: p.number(3)}
		if len(p.problems) == 0 {
			p.problems = append(p.problems, validateValue(&value))
		}
		values = append(values, value)
		return errors.Join(p.problems...)
	})
	if err != nil {
		return nil, err
	}
	return values, nil
}

func validateValue(v *RowValue) error {
	if v.Row < 0 {
		return fmt.Errorf("row %d must be 0 or more", v.Row)
	}
	if math.IsNaN(v.Value) || math.IsInf(v.Value, 0) {
		return fmt.Errorf("value %v must be a finite number", v.Value)
	}
	return errors.Join(checkName("dataset", v.Dataset), checkName("attribute", v.Attribute))
}

// checkName refuses names that would not read back as they are, or say nothing.
func checkName(what, name string) error {
	if name == "" || strings.ContainsRune(name, '\r') {
		return fmt.Errorf("%s %q must be a name without a carriage return", what, name)
	}
	return nil
}
