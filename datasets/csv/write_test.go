package csvtable

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ppdp/datasets"
	"ppdp/internal/must"
)

// TestWriteDigits: a number is written with the digits of its attribute, in its own cell, less than
// a unit away. Where cells begin at such numbers it is the largest one that is not above: so all
// that a cell holds are as likely as each other if any number of the cell is.
func TestWriteDigits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		digits := rapid.IntRange(0, 6).Draw(t, "digits")
		unit := math.Pow10(-digits)
		cells := rapid.IntRange(1, 200).Draw(t, "cells")
		whole := rapid.Bool().Draw(t, "whole")
		a := datasets.Attribute{Name: "x", Continuous: true, Digits: &digits,
			Step: unit * rapid.Float64Range(1, 50).Draw(t, "step"),
			Low:  rapid.Float64Range(-1000, 1000).Draw(t, "low")}
		if whole { // units
			a.Step, a.Low = a.Rounded(a.Step), a.Rounded(a.Low)
		}
		a.High = a.Low + float64(float64(cells)*a.Step)
		if err := a.Validate(); err != nil {
			t.Skip(err)
		}
		if first := a.Rounded(a.Low + unit/2); first+unit >= a.High {
			t.Skip("hardly a number with such digits")
		}
		number := a.Low + rapid.Float64Range(0, 1).Draw(t, "place")*(a.High-a.Low)
		cell, err := a.NumberCode(number)
		if err != nil {
			t.Skip(err)
		}
		text := string(appendDigits(nil, &a, cell, number))
		got := must.Get(strconv.ParseFloat(text, 64))
		_, after, _ := strings.Cut(text, ".")
		if code, err := a.NumberCode(got); err != nil || len(after) != digits ||
			math.Abs(got-number) > unit*(1+1e-6) {
			t.Fatalf("%v became %s with %d digits in %v: %v", number, text, digits, a, err)
		} else if below := a.Low + float64(float64(cell)*a.Step); code != cell &&
			math.Min(math.Abs(got-below), math.Abs(got-below-a.Step)) > 1e-6*unit {
			t.Fatalf("%v of cell %d became %s of cell %d in %v", number, cell, text, code, a)
		}
		if whole && got-number > 1e-6*unit { // edges are rounded to binary
			t.Fatalf("%v became %s, which is more", number, text)
		}
	})
}

// TestDigits: a release has as many digits as the description says, texts of the table that have
// more are refused, and a decimal comma is read where it is described alone.
func TestDigits(t *testing.T) {
	format := parse(t, `delimiter: ";"
decimal: ","
attributes:
  - {name: amount, kind: numeric, low: 0, high: 5000000, step: 50000, continuous: true, digits: 0}
  - {name: rate, kind: numeric, low: 0, high: 1, step: 0.25, continuous: true, digits: 2}
`)
	const table = "amount;rate\n1234567;0,29\n0;0,5\n"
	content := must.Get(read(format, table))
	b := datasets.NewBuilder(format.Schema, 2)
	for _, row := range [][2]float64{{49999.999, 0.999}, {50000, 0.2501}} {
		at := b.AddRow()
		must.Do(t, b.SetNumber(at, 0, row[0]))
		must.Do(t, b.SetNumber(at, 1, row[1]))
	}
	for _, test := range []struct {
		table *datasets.Table
		want  string
	}{
		{content.Table, "amount,rate\n1234567,0.29\n0,0.50\n"},
		{b.Table(), "amount,rate\n49999,0.99\n50000,0.25\n"},
	} {
		var text bytes.Buffer
		must.Do(t, Write(&text, test.table, nil, nil))
		must.Be(t, text.String(), test.want)
	}
	for text, want := range map[string]string{ // order-free
		"amount;rate\n1,5;0\n":   "2:1: amount: 1,5 has too many digits, must have at most 0 after",
		"amount;rate\n1;0,125\n": "2:3: rate: 0,125 has too many digits, must have at most 2 after",
		"amount;rate\n1;0.5\n":   `rate: "0.5" is not a number, must be a decimal number with a`,
		"amount;rate\n1.000;0\n": `amount: "1.000" is not a number`,
	} {
		must.Fail(t, must.Err(read(format, text)), want, text)
	}
}

// TestWriteInOrder writes rows in an order, some twice and others never, with their weights: as
// many as are copied in two parts.
func TestWriteInOrder(t *testing.T) {
	const n = 1<<18 + 5
	schema := parse(t, "attributes:\n- {name: x, kind: numeric, low: 0, high: 1000000}\n").Schema
	b := datasets.NewBuilder(schema, n)
	rows, weights := make([]int32, n), make([]float64, n)
	var want strings.Builder
	want.WriteString("x,weight\n")
	for i := range n {
		b.Set(b.AddRow(), 0, uint32(3*i))
		rows[i], weights[i] = int32(i*7%1000+i/2), float64(i%4)/4
	}
	for _, row := range rows {
		fmt.Fprintf(&want, "%d,%v\n", 3*row, float64(row%4)/4)
	}
	var got strings.Builder
	must.Do(t, Write(&got, b.Table(), rows, weights))
	if got.String() != want.String() {
		t.Error("other rows, another order or other weights")
	}
}
