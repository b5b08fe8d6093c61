package classifiers

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"ppdp/datasets"
	"ppdp/internal/must"
)

func pair() *datasets.Table {
	schema := &datasets.Schema{Attributes: []datasets.Attribute{
		{Name: "x", Kind: datasets.Categorical, Values: []string{"p", "q"}},
		{Name: "y", Kind: datasets.Categorical, Values: []string{"n", "y"}, Role: datasets.Class},
	}}
	b := datasets.NewBuilder(schema, 2)
	b.AddRow()
	b.Set(b.AddRow(), 1, 1)
	return b.Table()
}

func TestCheckSaysEverything(t *testing.T) {
	table := pair()
	schema := *table.Schema()
	schema.Attributes = append([]datasets.Attribute(nil), schema.Attributes...)
	schema.Attributes[1].Role = datasets.QuasiIdentifier
	classless := must.Get(table.WithSchema(&schema))
	bad := Data{Table: classless, Rows: []int32{0, 2}, Weights: []float64{math.NaN()}}
	err := bad.Check(t.Context())
	if !errors.Is(err, ErrNoClass) {
		t.Errorf("error %v, must wrap %v", err, ErrNoClass)
	}
	for _, part := range []string{"row 2 of a table of 2 rows", "1 weights for a table of 2 rows",
		"weight NaN of row 0"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("error %v does not say %q", err, part)
		}
	}
	for _, weights := range [][]float64{{1, -1}, {math.Inf(1), 1}} {
		if err := (Data{Table: table, Weights: weights}).Check(t.Context()); err == nil {
			t.Errorf("weights %v were accepted", weights)
		}
	}
	heavy := Data{Table: table, Rows: []int32{0, 1},
		Weights: []float64{math.MaxFloat64, math.MaxFloat64}}
	if err := heavy.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "add up") {
		t.Errorf("weights beyond all numbers together: error %v", err)
	}
	heavy.Rows = heavy.Rows[:1]
	if err := heavy.Check(t.Context()); err != nil {
		t.Errorf("the largest weight by itself: error %v", err)
	}
	if err := (Data{}).Check(t.Context()); err == nil {
		t.Error("no table was accepted")
	}
	good := Data{Table: table, Rows: []int32{1, 0}, Weights: []float64{0, 0.5}}
	if err := good.Check(t.Context()); err != nil {
		t.Errorf("error %v of good data", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := good.Check(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
}

func TestLabelsLeaveOutWeightless(t *testing.T) {
	rows, labels, weights := Data{Table: pair(), Rows: []int32{1, 0, 1},
		Weights: []float64{0, 2}}.Labels()
	if len(rows) != 2 || rows[0] != 1 || rows[1] != 1 || labels[0] != 1 || labels[1] != 1 ||
		weights[0] != 2 || weights[1] != 2 {
		t.Errorf("rows %v, labels %v, weights %v", rows, labels, weights)
	}
}
