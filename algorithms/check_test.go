package algorithms

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"ppdp/internal/must"
	"ppdp/numeric/random"
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
		params    Params
		variant   Variant
		epsilon   float64
		want      string
	}{
		{checked{}, good, Strict, 1, ""},
		{checked{}, nil, Strict, 1,
			"checked: parameters of type <nil>, must be *algorithms.checkedParams"},
		{checked{}, &checkedParams{errors.New("x: 7, must be 8")}, Strict, 1,
			"checked: x: 7, must be 8"},
		{checked{}, good, Published, 1, `no variant "published"`},
		{choosy{}, good, Strict, 1, "checked: x: not under strict"},
		{checked{}, good, Strict, 0, "checked: epsilon 0, must be above 0"},
	} {
		params, err := CheckInput[*checkedParams](t.Context(), c.algorithm, Input{Params: c.params,
			Variant: c.variant, Budget: privacy.NewBudget(c.epsilon)})
		switch {
		case c.want == "" && (err != nil || params != good):
			t.Errorf("parameters %v, error %v", params, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("error %v, must say %q", err, c.want)
		}
	}
}

// TestCountNoise: strict noise is whole, the other is not; both are in the ledger under their name.
func TestCountNoise(t *testing.T) {
	for variant, kind := range map[Variant]string{Strict: "geometric", Published: "laplace",
		RefCode: "laplace"} {
		in := Input{Variant: variant, Budget: privacy.NewBudget(1),
			Noise: random.NewStreams(random.NewKey(1))}
		path := in.Budget.Root()
		x := must.Get(in.CountNoise("leaf counts", privacy.Exact(2)).Add(&path, 1, 7))
		entry := in.Budget.Ledger()[0]
		if entry.Mechanism != kind || entry.Purpose != "leaf counts" || entry.Claimed != 2 {
			t.Errorf("%s: ledger %+v, want %s", variant, entry, kind)
		}
		if (x == math.Trunc(x)) != (variant == Strict) {
			t.Errorf("%s: 7 became %v", variant, x)
		}
	}
}
