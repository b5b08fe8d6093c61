package datasets

import (
	"math"
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
		for _, value := range []float64{a.High - 5e-11, a.High - 1e-7, math.Nextafter(a.High, 0), math.Round(a.High)} {
			if code, ok := check(&a, value); !ok {
				t.Errorf("%v in [%v, %v) step %v has code %d of %d", value, a.Low, a.High, a.Step, code, a.Cells())
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a := Attribute{
			Low: rapid.Float64Range(-1e6, 1e6).Draw(t, "low"), Step: rapid.Float64Range(1e-3, 1e3).Draw(t, "step"),
			Continuous: rapid.Bool().Draw(t, "continuous"),
		}
		a.High = a.Low + float64(a.Step*float64(rapid.IntRange(1, 1000).Draw(t, "cells")))
		value := rapid.Float64Range(a.Low, a.High).Draw(t, "value")
		if code, ok := check(&a, value); !ok {
			t.Errorf("%v in %+v has code %d of %d", value, a, code, a.Cells())
		}
		for _, code := range []uint32{0, uint32(a.Cells() - 1)} {
			if got, err := a.NumberCode(a.Number(code)); !a.Continuous && err == nil && got != code {
				t.Errorf("code %d stands for %v, which has code %d", code, a.Number(code), got)
			}
		}
	})
}
