// Package gaussian generates the synthetic tables of Qardaji & Li 2012, Section 4.1: source
// "gaussian". It leaves out what is done with them.
//
// Shape normal-1d (Fig. 1) is one continuous attribute x drawn from a normal distribution of mean
// 50 and standard deviation 25. The paper says no more than "from a predefined space". The default
// is [0, 100), the domain of its own example and the mean ± 2 standard deviations, in cells of
// width 1; low, high and step choose another. Values outside are drawn again.
//
// Shape clusters-5d (Fig. 2) is a mixture in five continuous attributes x1..x5 over [0, 100), whose
// class attribute cluster names the component: A, B or C, each with probability 1/3. The paper
// gives no parameters; those of clusters.go are this package's own. The clusters lie off the middle
// of the domain, as data within public bounds usually do, and overlap moderately. Points outside
// the domain (3 in 1,000) are drawn again from the same component, so the weights stay equal.
//
// Its cells have width 1. Everything is drawn from the request's key.
package gaussian

import (
	"fmt"

	"ppdp/datasets"
	"ppdp/numeric/random"
)

// Params chooses the table. One deviation on either side of the mean is inside its domain, so that
// few values are drawn again; of the widest with the finest cells, codes allow as many.
type Params struct {
	N     int     `yaml:"n" doc:"the number of rows" min:"1" max:"10000000"`
	Shape string  `yaml:"shape" doc:"normal-1d has one normal attribute, clusters-5d five and clusters of classes" words:"normal-1d clusters-5d"`
	Low   float64 `yaml:"low" doc:"where the domain of normal-1d begins" min:"-1000000" max:"25"`
	High  float64 `yaml:"high" doc:"where it ends" min:"75" max:"1000000"`
	Step  float64 `yaml:"step" doc:"the width of its cells" min:"0.001" max:"25"`
}

// Validate refuses another domain for clusters.
func (p *Params) Validate() error {
	d := defaults()
	if d.N, d.Shape = p.N, p.Shape; p.Shape == clusters5D && *p != *d {
		return fmt.Errorf("low, high and step: %v, %v and %v, must be %v, %v and %v for %s",
			p.Low, p.High, p.Step, d.Low, d.High, d.Step, clusters5D)
	}
	return nil
}

const (
	normal1D   = "normal-1d"
	clusters5D = "clusters-5d"
)

// Source generates the tables: by default 10,000 points of Fig. 1.
var Source = datasets.Generator[Params]{
	About: datasets.Info{
		Name:     "gaussian",
		Title:    "Gaussian points",
		Citation: "Generated after Qardaji, W. & Li, N. (2012), Section 4.1",
		License:  "none: generated",
	},
	Defaults: defaults,
	Table: func(p *Params, stream *random.Stream) (*datasets.Schema, int,
		func(b *datasets.Builder, row int) error) {
		if p.Shape == clusters5D {
			return clusterSchema(), p.N, clusters(stream)
		}
		attributes := []datasets.Attribute{continuous("x", p.Low, p.High, p.Step)}
		return &datasets.Schema{Attributes: attributes}, p.N, normal(p, stream)
	},
}

func init() { datasets.Register(Source) }

func defaults() *Params { return &Params{N: 10000, Shape: normal1D, High: 100, Step: 1} }

// The normal distribution of Fig. 1.
const (
	mean      = 50
	deviation = 25
)

func normal(p *Params, stream *random.Stream) func(b *datasets.Builder, row int) error {
	return func(b *datasets.Builder, row int) error {
		x := mean + float64(deviation*stream.NormFloat64())
		for x < p.Low || x >= p.High {
			x = mean + float64(deviation*stream.NormFloat64())
		}
		return b.SetNumber(row, 0, x)
	}
}

func continuous(name string, low, high, step float64) datasets.Attribute {
	return datasets.Attribute{Name: name, Low: low, High: high, Step: step, Continuous: true}
}
