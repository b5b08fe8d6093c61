package report

import (
	"cmp"
	"slices"
	"strconv"

	"ppdp/plots"
)

// numbers is a table of a figure's lines: a row a line, a column a place on the axis.
type numbers struct {
	Axis    string // label of what the columns are values of; "" for horizontal lines
	Columns []string
	Lines   []numberLine
}

// numberLine is one curve or benchmark.
type numberLine struct {
	Label  string
	Fields []numberField // by column; an empty Mean where the line has no point
}

// numberField is a mean over trials.
type numberField struct {
	Mean, SE  string
	N, Failed int
}

// numbersOf tabulates the lines of a figure: those along its axis, those along its second one, and
// horizontal ones.
func numbersOf(p *plots.Picture) []numbers {
	labels := map[string]string{p.Figure.X2: p.X2Label, p.Figure.X: p.XLabel}
	var tables []numbers
	for _, axis := range slices.Compact([]string{p.Figure.X, p.Figure.X2, ""}) {
		t := numbers{Axis: labels[axis]}
		var places []float64
		var lines []plots.Line
		for _, l := range p.Lines {
			if l.Axis == axis {
				lines = append(lines, l)
				for _, point := range l.Points {
					places = append(places, point.X)
				}
			}
		}
		slices.Sort(places)
		places = slices.Compact(places)
		for _, x := range places {
			column := strconv.FormatFloat(x, 'f', -1, 64)
			if axis == "" {
				column = "mean"
			}
			t.Columns = append(t.Columns, column)
		}
		for _, l := range lines {
			fields := make([]numberField, len(places))
			for _, point := range l.Points {
				fields[slices.Index(places, point.X)] = numberField{N: point.N,
					Failed: point.Failed, Mean: cmp.Or(number(point.Mean), "undefined"),
					SE: number(point.SE)}
			}
			t.Lines = append(t.Lines, numberLine{l.Label, fields})
		}
		if len(lines) > 0 {
			tables = append(tables, t)
		}
	}
	return tables
}
