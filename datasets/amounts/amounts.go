// Package amounts generates tables with skewed amounts within wide bounds, as payments and balances
// are: source "amounts". It leaves out what is done with them.
//
// Each record has a hidden value h of a standard normal law, on which its attributes depend: six
// categories, four numbers from 0 to 99, an amount, a limit and a class. A share of the amounts is
// 0. Otherwise it is e^(6+shape·x), lognormal, or 1000·u^(-1/shape), a Pareto amount,
// where x = .5·h + √.75·z with a standard normal z, and u is the probability of a larger x. The
// limit is e^(8+.8·y), rounded up to hundreds; y is made as x is. The class is yes where
// h + x + 2z > 1, with a new z.
//
// The schema is public and depends on the parameters alone. The amount is bounded by the power of
// ten above 400 times its 99th percentile, by 10⁹ at most, as by a holder who has not looked; a
// larger one is drawn again. The limit is bounded by 10⁷.
package amounts

import (
	"cmp"
	"math"
	"strconv"

	"ppdp/datasets"
	"ppdp/numeric/elementary"
	"ppdp/numeric/random"
)

// The laws of the first amount, above 0.
const (
	Lognormal = "lognormal"
	Pareto    = "pareto"
)

// Params choose the table.
type Params struct {
	N     int     `yaml:"n" doc:"the number of rows" min:"1" max:"10000000"`
	Law   string  `yaml:"law" doc:"the distribution of the first amount above 0" words:"lognormal pareto"`
	Shape float64 `yaml:"shape" doc:"the lognormal law's σ or the Pareto law's index" min:"0.5" max:"3"`
	Zeros float64 `yaml:"zeros" doc:"the share of records whose first amount is 0" min:"0" max:"0.99"`
}

// Source generates the tables: by default 30,000 rows, lognormal amounts of σ = 1.5, and 30 % of
// them 0.
var Source = datasets.Generator[Params]{
	About: datasets.Info{Name: "amounts", Title: "Skewed amounts within wide bounds",
		License: "none: generated"},
	Defaults: func() *Params {
		return &Params{N: 30000, Law: Lognormal, Shape: 1.5, Zeros: 0.3}
	},
	Table: table,
}

func init() { datasets.Register(Source) }

// categories are the numbers of values of the categories.
var categories = [...]int{2, 3, 4, 6, 9, 15}

const (
	numbers  = 4                  // attributes from 0 to 99
	p99      = 2.3263478740408408 // of a standard normal law
	maxBound = 1e9
	limits   = 1e7
)

func table(p *Params, stream *random.Stream) (*datasets.Schema, int,
	func(b *datasets.Builder, row int) error) {
	bound := p.bound()
	return schema(bound), p.N, func(b *datasets.Builder, row int) error {
		h, at := stream.NormFloat64(), 0
		cell := func(n int) uint32 { // of n, the higher the higher h
			place := 0.5 + float64(0.1*h) + float64(0.15*stream.NormFloat64())
			return uint32(max(0, min(float64(n-1), math.Floor(place*float64(n)))))
		}
		for _, n := range categories {
			b.Set(row, at, cell(n))
			at++
		}
		for range numbers {
			b.Set(row, at, cell(100))
			at++
		}
		with := func() float64 {
			return float64(0.5*h) + float64(math.Sqrt(0.75)*stream.NormFloat64())
		}
		x := with()
		amount := math.Floor(p.amount(x))
		for ; amount >= bound; amount = math.Floor(p.amount(x)) {
			x = with()
		}
		if stream.Open01() < p.Zeros {
			amount = 0
		}
		limit := 100 * math.Ceil(elementary.Exp(8+float64(0.8*with()))/100)
		class := h + x + float64(2*stream.NormFloat64())
		if class > 1 {
			b.Set(row, at+2, 1)
		}
		return cmp.Or(b.SetNumber(row, at, amount), b.SetNumber(row, at+1, min(limit, limits-1)))
	}
}

// amount is what belongs to x, a standard normal value.
func (p *Params) amount(x float64) float64 {
	if p.Law == Lognormal {
		return elementary.Exp(6 + float64(p.Shape*x))
	}
	above := elementary.Erfc(x/math.Sqrt2) / 2
	return 1000 * elementary.Exp(-elementary.Log(above)/p.Shape)
}

// bound is the first amount that is not allowed.
func (p *Params) bound() float64 {
	bound := 1.0
	for wide := 400 * p.amount(p99); bound < wide && bound < maxBound; {
		bound *= 10
	}
	return bound
}

func schema(bound float64) *datasets.Schema {
	s := &datasets.Schema{}
	for i, n := range categories {
		a := datasets.Attribute{Name: "c" + strconv.Itoa(i+1), Kind: datasets.Categorical}
		for v := range n {
			a.Values = append(a.Values, "v"+strconv.Itoa(v+1))
		}
		s.Attributes = append(s.Attributes, a)
	}
	number := func(name string, high float64) {
		s.Attributes = append(s.Attributes, datasets.Attribute{Name: name, High: high, Step: 1})
	}
	for i := range numbers {
		number("n"+strconv.Itoa(i+1), 100)
	}
	number("amount", bound)
	number("limit", limits)
	s.Attributes = append(s.Attributes, datasets.Attribute{Name: "class",
		Kind: datasets.Categorical, Role: datasets.Class, Values: []string{"no", "yes"}})
	return s
}
