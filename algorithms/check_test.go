package algorithms

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"ppdp/privacy"
)

// TestBreak: the first reason takes the place of the praise, the second joins it, and no erratum
// is listed twice.
func TestBreak(t *testing.T) {
	g := Guarantee{Status: Holds, Errata: []string{"D7"}, Note: "All is paid for."}
	g.Break("One thing leaks.", "D1")
	g.Break("Another too.", "D1", "D8")
	if g.Status != Broken || g.Note != "One thing leaks. Another too." ||
		!slices.Equal(g.Errata, []string{"D7", "D1", "D8"}) {
		t.Errorf("%+v", g)
	}
}

type checkedParams struct{ bad error }

func (p *checkedParams) Validate() error { return p.bad }

// checked is an algorithm of one variant; choosy does not like its parameters.
type checked struct{}

func (checked) Info() Info {
	return Info{Name: "checked",
		Variants: []Guarantee{{Variant: Strict, Model: DifferentialPrivacy}}}
}
func (checked) Params() Params { return &checkedParams{} }
func (checked) Release(context.Context, Input) (*Release, error) {
	return nil, errors.New("not asked for")
}

type choosy struct{ checked }

func (choosy) CheckVariant(Variant, Params) error { return errors.New("x: not under strict") }

func TestCheckInput(t *testing.T) {
	good := &checkedParams{}
	for _, c := range []struct {
		algorithm Algorithm
		in        Input
		want      string
	}{
		{checked{}, Input{Params: good, Variant: Strict, Budget: privacy.NewBudget(1)}, ""},
		{checked{}, Input{Params: nil, Variant: Strict, Budget: privacy.NewBudget(1)},
			"checked: parameters of type <nil>, must be *algorithms.checkedParams"},
		{checked{}, Input{Params: &checkedParams{errors.New("x: 7, must be 8")}, Variant: Strict,
			Budget: privacy.NewBudget(1)}, "checked: x: 7, must be 8"},
		{checked{}, Input{Params: good, Variant: Published, Budget: privacy.NewBudget(1)},
			`no variant "published"`},
		{choosy{}, Input{Params: good, Variant: Strict, Budget: privacy.NewBudget(1)},
			"checked: x: not under strict"},
		{checked{}, Input{Params: good, Variant: Strict, Budget: privacy.NewBudget(0)},
			"checked: epsilon 0, must be above 0"},
	} {
		params, err := CheckInput[*checkedParams](t.Context(), c.algorithm, c.in)
		switch {
		case c.want == "" && (err != nil || params != good):
			t.Errorf("parameters %v, error %v", params, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("error %v, must say %q", err, c.want)
		}
	}
}
