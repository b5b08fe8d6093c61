package report

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"ppdp/results"
)

// numbers is a table of what a figure shows: a line a curve, a column a place on the axis.
type numbers struct {
	Axis    string // what the columns are values of; "" for lines without an axis
	Columns []string
	Lines   []numberLine
}

// numberLine is one curve.
type numberLine struct {
	Label string
	Cells []numberCell // by column; an empty Mean where there is none
}

// numberCell is a mean over trials.
type numberCell struct {
	Mean, SE  string
	N, Failed int
}

// numbersOf gathers the rows a figure draws, along its axis, then along its second one, then those without either, which
// are drawn as lines across. Rows that differ in more than the axis stand in lines of their own.
func numbersOf(f *results.Figure, rows []results.Row) []numbers {
	if f.Kind == results.RegionsKind {
		return nil
	}
	var along, second, across []*results.Row
	for i := range rows {
		r := &rows[i]
		if r.Metric != f.Y {
			continue
		}
		drawn := f.Where.Selects(r)
		if slices.Contains(f.Reference, r.Algorithm) || slices.Contains(f.Reference, r.Classifier) {
			drawn = referenceSelects(f, r)
		}
		switch {
		case !drawn:
		case fact(r, f.X) != "":
			along = append(along, r)
		case f.X2 != "" && fact(r, f.X2) != "":
			second = append(second, r)
		default:
			across = append(across, r)
		}
	}
	var tables []numbers
	for _, t := range []struct {
		axis string
		rows []*results.Row
	}{{f.X, along}, {f.X2, second}, {"", across}} {
		if len(t.rows) > 0 {
			tables = append(tables, tabulate(t.axis, t.rows))
		}
	}
	return tables
}

// referenceSelects applies a figure's filter to a benchmark, which has the same dataset and classifier as the curves and
// is free in all else.
func referenceSelects(f *results.Figure, r *results.Row) bool {
	part := f.Where.Only("dataset", "classifier")
	for key := range part { // order-free: deletes by key
		if slices.Contains(f.Reference, fact(r, key)) {
			delete(part, key)
		}
	}
	return part.Selects(r)
}

// fact is a row's fact, "" where it has none.
func fact(r *results.Row, name string) string {
	value, _ := r.Fact(name)
	return value
}

// tabulate spreads rows over the values of an axis.
func tabulate(axis string, rows []*results.Row) numbers {
	t := numbers{Axis: axis}
	if axis == "" {
		t.Columns = []string{"mean"}
	}
	for _, r := range rows {
		if x := fact(r, axis); axis != "" && !slices.Contains(t.Columns, x) {
			t.Columns = append(t.Columns, x)
		}
	}
	slices.SortStableFunc(t.Columns, byNumber)
	at := make(map[string]int)
	for i, key := range labels(axis, rows) {
		line, known := at[key]
		if !known {
			line = len(t.Lines)
			at[key] = line
			t.Lines = append(t.Lines, numberLine{Label: key, Cells: make([]numberCell, len(t.Columns))})
		}
		column := 0
		if axis != "" {
			column = slices.Index(t.Columns, fact(rows[i], axis))
		}
		r := rows[i]
		cell := numberCell{N: r.N, Failed: r.Failed, Mean: "undefined"}
		if !math.IsNaN(r.Mean) {
			cell.Mean = number(r.Mean)
		}
		if !math.IsNaN(r.SE) && r.N > 1 {
			cell.SE = number(r.SE)
		}
		t.Lines[line].Cells[column] = cell
	}
	return t
}

// labels names the curve of each row: its series, and every fact in which rows of equal series and place on the axis differ.
func labels(axis string, rows []*results.Row) []string {
	facts := make([]map[string]string, len(rows))
	var keys []string
	for i, r := range rows {
		facts[i] = r.Facts()
		for key := range facts[i] { // order-free: sorted below
			if key != axis && key != "series" && key != "metric" && !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	slices.Sort(keys)
	seen := make(map[string]map[string]string) // by series and place, the first row's facts
	var telling []string
	for _, f := range facts {
		place := f["series"] + "\x00" + f[axis]
		first, known := seen[place]
		if !known {
			seen[place] = f
			continue
		}
		for _, key := range keys {
			if f[key] != first[key] && !slices.Contains(telling, key) {
				telling = append(telling, key)
			}
		}
	}
	slices.Sort(telling)
	names := make([]string, len(rows))
	for i, f := range facts {
		parts := []string{f["series"]}
		for _, key := range telling {
			if f[key] != "" {
				parts = append(parts, key+" "+f[key])
			}
		}
		names[i] = strings.Join(parts, ", ")
	}
	return names
}

// byNumber orders texts by the numbers they are, and those that are none by themselves, after the numbers.
func byNumber(a, b string) int {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	switch {
	case errX == nil && errY == nil && x < y:
		return -1
	case errX == nil && errY == nil && x > y:
		return 1
	case errX == nil && errY == nil:
		return 0
	case errX == nil:
		return -1
	case errY == nil:
		return 1
	}
	return strings.Compare(a, b)
}
