package encoding

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/internal/must"
)

// schema has a taxonomy of jobs, an attribute of colours without one, years from 0 to 9 and a
// class. The codes of jobs are not in the order of the tree.
func schema() *datasets.Schema {
	jobs := &datasets.Taxonomy{Nodes: []datasets.TaxonomyNode{
		{Name: "any", Parent: -1, Children: []int{1, 4}},
		{Name: "office", Parent: 0, Children: []int{2, 3}},
		{Name: "clerk", Parent: 1},
		{Name: "lawyer", Parent: 1},
		{Name: "field", Parent: 0, Children: []int{5}}, // one child: the same leaves, another node
		{Name: "farmer", Parent: 4},
	}}
	return &datasets.Schema{Attributes: []datasets.Attribute{
		{Name: "pay", Kind: datasets.Categorical, Role: datasets.Class,
			Values: []string{"low", "high"}},
		{Name: "job", Kind: datasets.Categorical, Values: []string{"farmer", "lawyer", "clerk"},
			Taxonomy: jobs},
		{Name: "year", High: 10, Step: 1},
		{Name: "colour", Kind: datasets.Categorical, Values: []string{"red", "green", "blue"}},
	}}
}

// regions are four boxes over job, year and colour. With axes the jobs are the nodes office, field,
// farmer (by rank); without, intervals of codes that mean lawyer and clerk, farmer, all.
func regions(s *datasets.Schema, axes bool) *algorithms.Regions {
	q := &algorithms.Regions{Attributes: []int{1, 2, 3}, Classes: 2, Counts: make([]float64, 8)}
	q.Low = []uint32{1, 0, 0 /**/, 0, 0, 0 /**/, 0, 3, 1 /**/, 1, 0, 1}
	q.High = []uint32{3, 10, 3 /**/, 1, 3, 1 /**/, 3, 4, 2 /**/, 2, 10, 3}
	if axes {
		// ranks: clerk 0, lawyer 1, farmer 2
		q.Axes = []*datasets.Axis{s.Attributes[1].Axis(), nil, nil}
		for r, at := range []uint32{0, 2, 2, 1} {
			q.Low[3*r], q.High[3*r] = at, at+1
		}
		q.High[0] = 2
		q.Nodes = []int32{1, -1, -1, 4, -1, -1, 5, -1, -1, 3, -1, -1}
	}
	// The sides stand in a list, last first.
	slices.Reverse(q.Low)
	slices.Reverse(q.High)
	slices.Reverse(q.Nodes)
	for i := range q.Low {
		q.Sides = append(q.Sides, uint32(len(q.Low)-1-i))
	}
	return q
}

func encode(t *testing.T, e Encoding, axes bool) []string {
	t.Helper()
	s := schema()
	table := must.Get(e.Encode(context.Background(), s, regions(s, axes),
		[]Record{{0, 1}, {1, 0}, {2, 0}, {3, 1}, {1, 1}}))
	encoded := table.Schema()
	if err := encoded.Validate(); err != nil {
		t.Error(err)
	}
	if class := encoded.Class(); class != len(encoded.Attributes)-1 || encoded.Classes() != 2 {
		t.Errorf("class attribute at %d with %d values", class, encoded.Classes())
	}
	lines := []string{strings.Join(encoded.Names(), " | ")}
	for row := range table.Len() {
		var cells []string
		for at := range encoded.Attributes {
			code := table.Column(at).At(int32(row))
			if int(code) >= encoded.Attributes[at].Cells() {
				t.Fatalf("%s: code %d of %d", encoded.Attributes[at].Name, code,
					encoded.Attributes[at].Cells())
			}
			text := encoded.Attributes[at].Text(code)
			if encoded.Attributes[at].Kind == datasets.Numeric {
				text = fmt.Sprintf("%.4g", table.Number(int32(row), at))
			}
			cells = append(cells, text)
		}
		lines = append(lines, strings.Join(cells, " | "))
	}
	return lines
}

// TestEncodings: every encoding of the same regions, worked out by hand.
func TestEncodings(t *testing.T) {
	for _, c := range []struct {
		encoding Encoding
		axes     bool
		want     []string
	}{
		{NodeMidpoint, true, []string{
			"job/office | job/lawyer | job/field | job/farmer | year | colour/red | colour/green " +
				"| pay",
			"yes | no | no | no | 4.5 | no | no | high", // all years 0 to 9, any colour
			"no | no | yes | no | 1 | yes | no | low",
			"no | no | yes | yes | 3 | no | yes | low",
			// Green and blue: only the root holds both.
			"yes | yes | no | no | 4.5 | no | no | high",
			"no | no | yes | no | 1 | yes | no | high",
		}},
		// Lowest common nodes of code intervals: office, farmer, any, lawyer.
		{NodeWidth, false, []string{
			"job/office | job/lawyer | job/farmer | year | colour/red | colour/green | pay",
			"yes | no | no | 1 | no | no | high",
			"no | no | yes | 0.3 | yes | no | low",
			"no | no | no | 0.1 | no | yes | low",
			"yes | yes | no | 1 | no | no | high",
			"no | no | yes | 0.3 | yes | no | high",
		}},
		{Nominal, true, []string{
			"job | year | colour | pay",
			"1 office | [0, 10) | 0 colour | high",
			"4 field | [0, 3) | 1 red | low",
			"5 farmer | [3, 4) | 2 green | low",
			"3 lawyer | [0, 10) | 0 colour | high",
			"4 field | [0, 3) | 1 red | high",
		}},
		{Nominal, false, []string{
			"job | year | colour | pay",
			"1 office | [0, 10) | 0 colour | high",
			"5 farmer | [0, 3) | 1 red | low",
			"0 any | [3, 4) | 2 green | low",
			"3 lawyer | [0, 10) | 0 colour | high",
			"5 farmer | [0, 3) | 1 red | high",
		}},
		{Midpoint, true, []string{ // ranks on the axis, codes without one
			"job | year | colour | pay",
			"0.5 | 4.5 | 1 | high",
			"2 | 1 | 0 | low",
			"2 | 3 | 1 | low",
			"1 | 4.5 | 1.5 | high",
			"2 | 1 | 0 | high",
		}},
	} {
		must.Equal(t, encode(t, c.encoding, c.axes), c.want, c.encoding, c.axes)
	}
}

// TestContinuousMidpoint: the middle of a continuous cell is half a step above its lower end.
func TestContinuousMidpoint(t *testing.T) {
	s := &datasets.Schema{Attributes: []datasets.Attribute{
		{Name: "x", Low: -4, High: 4, Step: 2, Continuous: true},
		{Name: "y", Kind: datasets.Categorical, Role: datasets.Class, Values: []string{"a"}},
	}}
	q := &algorithms.Regions{Attributes: []int{0}, Low: []uint32{0, 1}, High: []uint32{1, 4},
		Classes: 1, Counts: []float64{1, 1}}
	table := must.Get(NodeMidpoint.Encode(context.Background(), s, q, []Record{{0, 0}, {1, 0}}))
	if first, second := table.Number(0, 0), table.Number(1, 0); first != -3 || second != 1 {
		t.Errorf("midpoints of [-4, -2) and [-2, 4) are %v and %v, must be -3 and 1", first, second)
	}
}

func TestEncodeCancelled(t *testing.T) {
	s := schema()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Nominal.Encode(ctx, s, regions(s, true), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
