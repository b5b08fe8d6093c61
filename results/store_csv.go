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

// infinite is how an infinite proven loss is written: JSON has no number for it.
const infinite = "Inf"

// readCSV checks the header and hands every further line to parse, joining the errors with name:line.
func readCSV(r io.Reader, name string, header []string, parse func(cells []string) error) error {
	c := csv.NewReader(r)
	c.FieldsPerRecord = -1 // counted here, for a better message
	first, err := c.Read()
	if err == io.EOF {
		return fmt.Errorf("%s:1: the file is empty, must begin with %s", name, strings.Join(header, ","))
	}
	if err != nil {
		return fmt.Errorf("%s:%w", name, lineError(err))
	}
	if strings.Join(first, ",") != strings.Join(header, ",") || len(first) != len(header) {
		return fmt.Errorf("%s:1: header %q, must be %q", name, strings.Join(first, ","), strings.Join(header, ","))
	}
	return readCells(c, name, header, parse)
}

// readCells hands every line after the header to parse, joining the errors with name:line.
func readCells(c *csv.Reader, name string, header []string, parse func(cells []string) error) error {
	var problems []error
	for {
		cells, err := c.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("%s:%w", name, lineError(err)))
			break
		}
		line, _ := c.FieldPos(0)
		if len(cells) != len(header) {
			problems = append(problems, fmt.Errorf("%s:%d: %d cells, must be %d", name, line, len(cells), len(header)))
		} else if err := parse(cells); err != nil {
			problems = append(problems, fmt.Errorf("%s:%d: %w", name, line, err))
		}
		if len(problems) == maxProblems {
			problems = append(problems, fmt.Errorf("%s:%d: and perhaps more, stopped reading", name, line))
			break
		}
	}
	return errors.Join(problems...)
}

// lineError puts a CSV error into the form of the others, the line first.
func lineError(err error) error {
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		return fmt.Errorf("%d: %w", parse.Line, parse.Err)
	}
	return err
}

// cellParser reads cells of one line and gathers what is wrong with them.
type cellParser struct {
	header, cells []string
	problems      []error
}

func (p *cellParser) problem(column int, want string) {
	p.problems = append(p.problems, fmt.Errorf("%s: %q, must be %s", p.header[column], p.cells[column], want))
}

func (p *cellParser) integer(column int) int64 {
	// 53 bits keep it an int everywhere and exact in every reader of CSV.
	v, err := strconv.ParseInt(p.cells[column], 10, 54)
	if err != nil {
		p.problem(column, "a whole number")
	}
	return v
}

// number reads a finite number, an empty cell as NaN.
func (p *cellParser) number(column int) float64 {
	if p.cells[column] == "" {
		return math.NaN()
	}
	v, err := strconv.ParseFloat(p.cells[column], 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		p.problem(column, "a finite number or empty")
		return math.NaN()
	}
	return v
}

// boundless reads a number of 0 or more, Inf included.
func (p *cellParser) boundless(column int) float64 {
	if p.cells[column] == infinite {
		return math.Inf(1)
	}
	v, err := strconv.ParseFloat(p.cells[column], 64)
	if err != nil || !(v >= 0) || math.IsInf(v, 0) {
		p.problem(column, "a number of 0 or more, or "+infinite)
		return 0
	}
	return v
}

// formatNumber writes the shortest text that reads back as v, NaN as nothing.
func formatNumber(v float64) string {
	switch {
	case math.IsNaN(v):
		return ""
	case math.IsInf(v, 1):
		return infinite
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
