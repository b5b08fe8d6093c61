package datasets

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// TestNumberCodeInDomain looks for values inside the bounds whose code is outside the domain, most
// of all just below High.
func TestNumberCodeInDomain(t *testing.T) {
	check := func(a *Attribute, value float64) (code uint32, ok bool) {
		code, err := a.NumberCode(value)
		return code, err != nil || int(code) < a.Cells()
	}
	for _, a := range []Attribute{
		{Low: 0, High: 10, Step: 1},
		{Low: 0, High: 3 + 1e-10, Step: 1, Continuous: true},
		{Low: 0, High: 3 + 1e-10, Step: 1},
		{Low: 0, High: 0.3, Step: 0.1, Continuous: true},
		{Low: 0, High: 1e-10, Step: 1, Continuous: true}, // far narrower than a step
	} {
		for _, value := range []float64{a.High - 5e-11, a.High - 1e-7, math.Nextafter(a.High, 0),
			math.Round(a.High)} {
			if code, ok := check(&a, value); !ok {
				t.Errorf("%v in [%v, %v) step %v has code %d of %d", value, a.Low, a.High, a.Step,
					code, a.Cells())
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a := Attribute{
			Low:        rapid.Float64Range(-1e6, 1e6).Draw(t, "low"),
			Step:       rapid.Float64Range(1e-3, 1e3).Draw(t, "step"),
			Continuous: rapid.Bool().Draw(t, "continuous"),
		}
		a.High = a.Low + float64(a.Step*float64(rapid.IntRange(1, 1000).Draw(t, "cells")))
		value := rapid.Float64Range(a.Low, a.High).Draw(t, "value")
		if code, ok := check(&a, value); !ok {
			t.Errorf("%v in %+v has code %d of %d", value, a, code, a.Cells())
		}
		for _, code := range []uint32{0, uint32(a.Cells() - 1)} {
			if got, err := a.NumberCode(a.Number(code)); !a.Continuous &&
				err == nil && got != code {
				t.Errorf("code %d stands for %v, which has code %d", code, a.Number(code), got)
			}
		}
	})
}

// TestDecimalBounds: attributes whose bounds and steps are written in decimals have as many cells
// as the decimals say, computed in fractions, and their first and last values, written in decimals
// too, the first and the last code.
func TestDecimalBounds(t *testing.T) {
	fraction := func(text string) *big.Rat {
		x, ok := new(big.Rat).SetString(text)
		if !ok {
			t.Fatal(text)
		}
		return x
	}
	number := func(x *big.Rat) float64 { f, _ := x.Float64(); return f }
	for _, step := range []string{"1", "7", "0.1", "0.01", "0.001", "0.0001", "0.00001", "0.000001",
		"0.3", "0.7"} {
		for _, cells := range []int64{1, 3, 10, 99, 1001, 12345, 1000003, 99999999,
			1000000007, 1<<31 - 1} {
			for _, low := range []string{"0", "0.1", "17.3", "1900.05", "-1000000.7",
				"1000000000000000"} {
				place := func(code int64) float64 {
					return number(new(big.Rat).Add(fraction(low),
						new(big.Rat).Mul(fraction(step), big.NewRat(code, 1))))
				}
				a := Attribute{Name: "a", Low: place(0), High: place(cells),
					Step: number(fraction(step))}
				// Where numbers next to each other are a hundredth of a step apart or more, steps
				// cannot be told from rounding.
				if size := max(math.Abs(a.Low), math.Abs(a.High)); (math.Nextafter(size,
					math.Inf(1))-size)/a.Step > 0.01 && a.Step != math.Trunc(a.Step) {
					continue
				}
				if int64(a.Cells()) != cells || !a.WholeCells() {
					t.Errorf("%d cells of %s from %s on: %d, whole %t", cells, step, low, a.Cells(),
						a.WholeCells())
				}
				for _, code := range []int64{0, cells / 2, cells - 1} {
					if got, err := a.NumberCode(place(code)); err != nil || int64(got) != code {
						t.Errorf("%d cells of %s from %s on: %v has code %d, want %d (%v)",
							cells, step, low, place(code), got, code, err)
					}
				}
			}
		}
	}
	for _, a := range []Attribute{{High: 5, Step: 2}, {High: 0.4, Step: 1},
		{Low: 0.1, High: 0.45, Step: 0.1}} {
		if a.WholeCells() {
			t.Errorf("%v fits whole between %v and %v", a.Step, a.Low, a.High)
		}
	}
}
