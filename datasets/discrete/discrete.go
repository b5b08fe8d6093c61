// Package discrete generates the synthetic tables of LeFevre, DeWitt & Ramakrishnan, Mondrian
// Multidimensional K-Anonymity, ICDE 2006, Section 6 and Fig. 9: source "discrete". It leaves out
// what is done with them.
//
// A table has attributes x1, x2, ... of integers 0..cardinality-1, independent of one another.
// Shape uniform draws each value with the same probability. Shape skewed draws it from a normal
// distribution of mean mu cut into cells of width 1 around the integers; draws outside the domain
// are made again.
//
// The paper does not say in what unit its σ = 0.2 is. With unit: domain, the default, it is a share
// of the domain: at 0.2 the standard deviation is 1.6 of 8 cells and 10 of 50, which is the reading
// that comes close to the paper's query errors. With unit: cells it is what it says, and 99 values
// in 100 fall into one or two cells.
//
// With parity a class is added, which is not the paper's: whether the sum of the first attributes
// is even or odd, but for a share of flipped records. Where the cardinality is even and values
// uniform, all marginals of the class with fewer attributes are those of an independent class.
//
// The schema is public and depends on the parameters alone. Every attribute has a binary tree over
// its cells as its hierarchy for full-domain generalisation. Everything is drawn from the request's
// key.
package discrete

import (
	"math"
	"strconv"

	"ppdp/datasets"
	"ppdp/numeric/random"
)

// The words of Params.
const (
	Uniform = "uniform"
	Skewed  = "skewed"

	Domain = "domain" // a standard deviation of 1 is the whole width of the domain
	Cells  = "cells"  // or one cell
)

// Middle is the Mu that stands for the middle of the domain.
const Middle = -1

// Params chooses the table.
type Params struct {
	N           int    `yaml:"n" doc:"the number of rows" min:"1" max:"10000000"`
	Attributes  int    `yaml:"attributes" doc:"the number of attributes" min:"1" max:"64"`
	Cardinality int    `yaml:"cardinality" doc:"the number of cells of each attribute" min:"2" max:"65536"`
	Shape       string `yaml:"shape" doc:"how values are distributed" words:"uniform skewed"`
	// Mu is the paper's μ; the middle of 8 cells is its 3.5.
	Mu float64 `yaml:"mu" doc:"the mean of skewed values, in cells" values:"a number from 0 to cardinality-1, or -1 for the middle of the domain"`
	// Sigma is the paper's σ.
	Sigma float64 `yaml:"sigma" doc:"the standard deviation of skewed values, at most ten domains" above:"0"`
	Unit  string  `yaml:"unit" doc:"the unit of sigma" words:"domain cells"`

	Parity int     `yaml:"parity" doc:"how many attributes, the first ones, decide a class: whether their sum is even or odd; 0 for no class" min:"0"`
	Flips  float64 `yaml:"flips" doc:"the share of records that have the other class" min:"0" max:"0.5"`
}

const (
	maxSpread = 10 // domains a standard deviation may span: 4 draws in 100 still fall inside
)

// Validate checks mu and sigma against the domain, and the class against the attributes.
func (p *Params) Validate() error {
	var bad datasets.Problems
	if p.Parity > p.Attributes {
		bad.Add("parity: %d, must be at most attributes, %d", p.Parity, p.Attributes)
	}
	if last := float64(p.Cardinality - 1); p.Mu != Middle && !(p.Mu >= 0 && p.Mu <= last) {
		bad.Add("mu: %v, must be from 0 to %v, or %d for the middle", p.Mu, last, Middle)
	}
	most := float64(maxSpread*p.Cardinality) / p.scale()
	if !(p.Sigma > 0 && p.Sigma <= most) {
		bad.Add("sigma: %v, must be above 0 and at most %v %s", p.Sigma, most, p.Unit)
	}
	return bad.Err()
}

// scale is the number of cells in a unit of sigma.
func (p *Params) scale() float64 {
	if p.Unit == Domain {
		return float64(p.Cardinality)
	}
	return 1
}

// Source generates the tables: by default 10,000 rows of 5 uniform attributes of 8 cells.
var Source = datasets.Generator[Params]{
	About: datasets.Info{
		Name:     "discrete",
		Title:    "Discrete uniform and skewed tables",
		Citation: "Generated after LeFevre, K., DeWitt, D. & Ramakrishnan, R. (2006), Section 6",
		License:  "none: generated",
	},
	Defaults: func() *Params {
		return &Params{N: 10000, Attributes: 5, Cardinality: 8, Shape: Uniform, Mu: Middle,
			Sigma: 0.2, Unit: Domain}
	},
	Table: table,
}

func init() { datasets.Register(Source) }

func table(p *Params, stream *random.Stream) (*datasets.Schema, int,
	func(b *datasets.Builder, row int) error) {
	draw := p.law(stream)
	return schema(p), p.N, func(b *datasets.Builder, row int) error {
		sum := uint32(0)
		for attribute := range p.Attributes {
			code := draw()
			b.Set(row, attribute, code)
			if attribute < p.Parity {
				sum += code
			}
		}
		if p.Parity > 0 {
			if stream.Open01() < p.Flips {
				sum++
			}
			b.Set(row, p.Attributes, sum%2)
		}
		return nil
	}
}

func (p *Params) law(stream *random.Stream) func() uint32 {
	cells := uint32(p.Cardinality)
	if p.Shape == Uniform {
		return func() uint32 { return stream.Uint32N(cells) }
	}
	mean, deviation, last := p.Mu, float64(p.Sigma*p.scale()), float64(cells-1)
	if mean == Middle {
		mean = last / 2
	}
	return func() uint32 {
		for {
			cell := math.Floor(mean + float64(deviation*stream.NormFloat64()) + 0.5)
			if cell >= 0 && cell <= last {
				return uint32(cell)
			}
		}
	}
}

func schema(p *Params) *datasets.Schema {
	hierarchy := datasets.BinaryHierarchy(p.Cardinality)
	schema := &datasets.Schema{Attributes: make([]datasets.Attribute, p.Attributes)}
	for i := range schema.Attributes {
		schema.Attributes[i] = datasets.Attribute{
			Name: "x" + strconv.Itoa(i+1), High: float64(p.Cardinality), Step: 1,
			Hierarchy: hierarchy,
		}
	}
	if p.Parity > 0 {
		schema.Attributes = append(schema.Attributes, datasets.Attribute{Name: "class",
			Kind: datasets.Categorical, Role: datasets.Class, Values: []string{"even", "odd"}})
	}
	return schema
}
