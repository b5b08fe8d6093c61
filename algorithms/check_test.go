package algorithms

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"ppdp/datasets"
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

// checkedParams fail Validate with bad and CheckVariant with refused.
type checkedParams struct{ bad, refused error }

func (p *checkedParams) Validate() error            { return p.bad }
func (p *checkedParams) CheckVariant(Variant) error { return p.refused }

// checked is an algorithm of one variant.
type checked struct{}

func (checked) Info() Info {
	return Info{Name: "checked",
		Variants: []Guarantee{{Variant: Strict, Model: DifferentialPrivacy}}}
}
func (checked) Params() Params { return &checkedParams{} }
func (checked) Release(context.Context, Input) (*Release, error) {
	return nil, errors.New("not asked for")
}

func TestCheckInput(t *testing.T) {
	good := &checkedParams{}
	for _, c := range []struct {
		params  Params
		variant Variant
		epsilon float64
		want    string
	}{
		{good, Strict, 1, ""},
		{nil, Strict, 1,
			"checked: parameters of type <nil>, must be *algorithms.checkedParams"},
		{&checkedParams{bad: errors.New("x: 7, must be 8")}, Strict, 1,
			"checked: x: 7, must be 8"},
		{good, Published, 1, `no variant "published"`},
		{&checkedParams{refused: errors.New("x: not under strict")}, Strict, 1,
			"checked: x: not under strict"},
		{good, Strict, 0, "checked: epsilon 0, must be above 0"},
	} {
		params, err := CheckInput[*checkedParams](t.Context(), checked{}, Input{Params: c.params,
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

// lazy is a release of n records that are all alike; draws counts how often they are drawn.
func lazy(n int, weight float64, draws *int) *Release {
	return &Release{Lazy: &LazyRecords{Rows: n, Weight: weight,
		Draw: func(ctx context.Context) (*datasets.Table, error) {
			*draws++
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			b := datasets.NewBuilder(&datasets.Schema{Attributes: []datasets.Attribute{{Name: "x",
				High: 10, Step: 1}}}, n)
			for range n {
				b.AddRow()
			}
			return b.Table(), nil
		}}}
}

func TestRecordsAreDrawnOnce(t *testing.T) {
	for _, weight := range []float64{1, 2.5} {
		draws := 0
		r := lazy(4, weight, &draws)
		if n, ok := r.RecordCount(); !ok || n != 4*weight || draws != 0 {
			t.Errorf("weight %v: %v records, drawn %d times to count them", weight, n, draws)
		}
		table, weights, err := r.Records(context.Background())
		if err != nil || table.Len() != 4 {
			t.Fatalf("weight %v: %v, %v", weight, table, err)
		}
		switch {
		case weight == 1 && weights != nil:
			t.Errorf("weights %v, must be none", weights)
		case weight != 1 && (len(weights) != 4 || weights[0] != weight || weights[3] != weight):
			t.Errorf("weights %v, must be four of %v", weights, weight)
		}
		again, _, err := r.Records(context.Background())
		if err != nil || again != table || r.Table != table || draws != 1 {
			t.Errorf("weight %v: drawn %d times, error %v", weight, draws, err)
		}
		if n, ok := r.RecordCount(); !ok || n != 4*weight {
			t.Errorf("weight %v: %v records when drawn", weight, n)
		}
	}
}

// TestRecordCountKeepsItsBits: the sum of a hundred weights of a tenth is not ten, and drawing must
// not change that.
func TestRecordCountKeepsItsBits(t *testing.T) {
	draws := 0
	r := lazy(100, 0.1, &draws)
	before, _ := r.RecordCount()
	if _, _, err := r.Records(context.Background()); err != nil {
		t.Fatal(err)
	}
	if after, _ := r.RecordCount(); before != after {
		t.Errorf("%v records, when drawn %v", before, after)
	}
}

func TestRecordsFailForGood(t *testing.T) {
	draws := 0
	r := lazy(4, 1, &draws)
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, ctx := range []context.Context{cancelled, context.Background()} {
		if _, _, err := r.Records(ctx); !errors.Is(err, context.Canceled) || draws != 1 {
			t.Errorf("drawn %d times with error %v, must be once, cancelled", draws, err)
		}
	}
	r = lazy(4, 1, &draws)
	r.Lazy.Rows = 5
	if _, _, err := r.Records(context.Background()); err == nil {
		t.Error("four records for five are accepted")
	}
}

func TestNoRecords(t *testing.T) {
	r := &Release{}
	if table, _, err := r.Records(context.Background()); table != nil || err != nil {
		t.Errorf("records %v, error %v of a release without any", table, err)
	}
	if n, ok := r.RecordCount(); ok {
		t.Errorf("%v records of a release without any", n)
	}
}
