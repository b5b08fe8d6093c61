package metrics

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ppdp/algorithms"
	"ppdp/algorithms/mondrian"
	"ppdp/datasets"
	"ppdp/internal/declared"
	"ppdp/internal/must"
	"ppdp/numeric/random"
	"ppdp/privacy"
)

// rounding is the relative error allowed between two ways of summing at most some hundred terms.
const rounding = 1e-12

func near(a, b float64) bool {
	return math.Abs(a-b) <= rounding*max(1, math.Abs(a), math.Abs(b))
}

// measure measures by the metric called name; changes are done to the default parameters, which a
// case without any gets.
func measure(t rapid.TB, name string, c Case, changes ...func(Params)) (float64, bool) {
	t.Helper()
	value, ok, err := tryMeasure(t, name, c, changes...)
	must.Do(t, err)
	return value, ok
}

// defined is measure of what must be defined; change may be nil.
func defined(t rapid.TB, name string, c Case, change func(Params)) float64 {
	t.Helper()
	value, ok := measure(t, name, c, change)
	if !ok {
		t.Fatalf("%s is undefined", name)
	}
	return value
}

// wants measures what must be defined and have a value; of tells which one it is.
func wants(t rapid.TB, name string, c Case, change func(Params), want float64, of ...any) {
	t.Helper()
	if got := defined(t, name, c, change); !near(got, want) {
		t.Errorf("%s of %v: %v, want %v", name, of, got, want)
	}
}

// undefined measures what must have no value.
func undefined(t rapid.TB, name string, c Case) {
	t.Helper()
	if got, ok := measure(t, name, c); ok {
		t.Errorf("%s is %v, must be undefined", name, got)
	}
}

// refuses wants an error with a text in it.
func refuses(t rapid.TB, name string, c Case, want string) {
	t.Helper()
	_, _, err := tryMeasure(t, name, c)
	must.Fail(t, err, want, name)
}

func tryMeasure(t rapid.TB, name string, c Case, changes ...func(Params)) (float64, bool, error) {
	t.Helper()
	m := must.Get(Lookup(name))
	if p, ok := m.(Parameterised); ok && c.Params == nil {
		c.Params = p.Params()
		for _, change := range changes {
			if change != nil {
				change(c.Params)
			}
		}
		must.Do(t, declared.Check(c.Params))
	}
	value, ok, err := m.Measure(context.Background(), c)
	again := func(what string) {
		t.Helper()
		other, okOther, errOther := m.Measure(context.Background(), c)
		if math.Float64bits(other) != math.Float64bits(value) || okOther != ok ||
			(errOther == nil) != (err == nil) {
			t.Errorf("%s: %v, %t, %v; %s %v, %t, %v", name, value, ok, err, what, other, okOther,
				errOther)
		}
	}
	if c.Truth == nil && c.Table != nil {
		of := truth{c.Table, fmt.Sprint(c.Train, c.Test)}
		if truths[of] == nil {
			truths[of] = new(Memo)
		}
		c.Truth = truths[of]
		again("with what other measurements of the table left")
	}
	r := c.Release
	if c.Published == nil && r != nil && r.Regions != nil && r.Regions.Sides == nil {
		other := *r
		other.Regions = listed(other.Regions)
		c.Release = &other
		again("with a list of sides")
	}
	return value, ok, err
}

// truth is what cases with one memo of it agree in.
type truth struct {
	table *datasets.Table
	rows  string
}

var truths = make(map[truth]*Memo) // of all measurements of this process

// listed is the same regions with their sides in a list, last first.
func listed(q *algorithms.Regions) *algorithms.Regions {
	r := *q
	r.Low, r.High, r.Nodes = slices.Clone(q.Low), slices.Clone(q.High), slices.Clone(q.Nodes)
	slices.Reverse(r.Low)
	slices.Reverse(r.High)
	slices.Reverse(r.Nodes)
	r.Sides = make([]uint32, len(r.Low))
	for i := range r.Sides {
		r.Sides[i] = uint32(len(r.Low) - 1 - i)
	}
	return &r
}

// codedTable is a table of the given columns of codes.
func codedTable(attributes []datasets.Attribute, rows ...[]uint32) *datasets.Table {
	b := datasets.NewBuilder(&datasets.Schema{Attributes: attributes}, len(rows))
	for _, row := range rows {
		b.AddRow(row...)
	}
	return b.Table()
}

// line is a table of one numeric attribute with that many cells.
func line(cells int, codes ...uint32) *datasets.Table {
	return codedTable([]datasets.Attribute{number("x", cells)}, slices.Collect(
		slices.Chunk(codes, 1))...)
}

func category(name string, values ...string) datasets.Attribute {
	return datasets.Attribute{Name: name, Kind: datasets.Categorical, Values: values}
}

func number(name string, cells int) datasets.Attribute {
	return datasets.Attribute{Name: name, High: float64(cells), Step: 1}
}

// rowsOf reads rows of a number and a class: "2a 0b" are (2, 0) and (0, 1).
func rowsOf(text string) (rows [][2]uint32) {
	for word := range strings.FieldsSeq(text) {
		rows = append(rows, [2]uint32{uint32(word[0] - '0'), uint32(word[1] - 'a')})
	}
	return rows
}

// labelled is a table of one quasi-identifier x in 0..9 and a class of three values.
func labelled(rows string) *datasets.Table { return labelledBy(rowsOf(rows)) }

func labelledBy(rows [][2]uint32) *datasets.Table {
	class := category("y", "a", "b", "c")
	class.Role = datasets.Class
	codes := make([][]uint32, len(rows))
	for i := range rows {
		codes[i] = rows[i][:]
	}
	return codedTable([]datasets.Attribute{number("x", 10), class}, codes...)
}

// against is the case of a release of records made from a table, weights nil for 1 each.
func against(table, records *datasets.Table, weights []float64) Case {
	return Case{Table: table, Train: table.AllRows(), Test: table.AllRows(),
		Release: &algorithms.Release{Table: records, Weights: weights}}
}

// inRegions is the case of a release of a table's regions.
func inRegions(table *datasets.Table, regions *algorithms.Regions) Case {
	return Case{Table: table, Train: table.AllRows(), Test: table.AllRows(),
		Release: &algorithms.Release{Regions: regions}}
}

func numericTable(t testing.TB, a datasets.Attribute, values ...float64) *datasets.Table {
	t.Helper()
	schema := &datasets.Schema{Attributes: []datasets.Attribute{a}}
	b := datasets.NewBuilder(schema, len(values))
	for _, v := range values {
		must.Do(t, b.SetNumber(b.AddRow(), 0, v))
	}
	return b.Table()
}

// mondrianRelease is Mondrian's release of all rows.
func mondrianRelease(t rapid.TB, table *datasets.Table, k int,
	mode mondrian.Mode) *algorithms.Release {
	t.Helper()
	algorithm := must.Get(algorithms.Lookup("mondrian"))
	params := algorithm.Params().(*mondrian.Params)
	params.K, params.Mode = k, mode
	return must.Get(algorithm.Release(context.Background(),
		algorithms.Input{Table: table, Rows: table.AllRows(), Params: params,
			Variant: algorithms.Published, Budget: privacy.NewBudget(0),
			Noise: random.NewStreams(random.NewKey(1))}))
}

// threeBoxes is [0,3), [3,6), [6,10) along labelled's x with the given counts.
func threeBoxes(counts ...float64) *algorithms.Regions {
	return &algorithms.Regions{
		Attributes: []int{0}, Low: []uint32{0, 3, 6}, High: []uint32{3, 6, 10},
		Classes: 3, Counts: counts,
	}
}

// inBoxes are cases of threeBoxes that hold the classes a a b | c | nothing, one for each way of
// finding a row's box; the row at 9 is not among those released.
func inBoxes(counts ...float64) map[string]Case {
	table := labelled("9a 0a 2a 1b 4c")
	cases := make(map[string]Case)
	for _, name := range []string{"boxes", "tree", "assignment"} {
		regions := threeBoxes(counts...)
		switch name {
		case "tree":
			regions.Tree = []algorithms.Cut{
				{At: 3, Left: ^0, Right: 1}, {At: 6, Left: ^1, Right: ^2}}
		case "assignment":
			regions.Assignment = []int32{0, 0, 0, 1}
		}
		cases[name] = Case{Table: table, Train: []int32{1, 2, 3, 4},
			Release: &algorithms.Release{Regions: regions}}
	}
	return cases
}
