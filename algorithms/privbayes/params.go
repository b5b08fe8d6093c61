package privbayes

import (
	"ppdp/algorithms"
	"ppdp/algorithms/kernel/margins"
	"ppdp/algorithms/kernel/partition"
)

// Encoding says what the nodes of the network are.
type Encoding string

const (
	Binary       Encoding = "binary"       // the bits of an attribute's code
	Vanilla      Encoding = "vanilla"      // attributes
	Hierarchical Encoding = "hierarchical" // attributes, which as parents may be generalised
)

func (Encoding) Enum() []string { return algorithms.Words(Binary, Vanilla, Hierarchical) }

// score rates a node with a set of parents.
type score string

const (
	// maximalJoint is the paper's F: how near the joint distribution is to one of largest mutual
	// information. It rates bits; for larger domains it is hard to compute.
	maximalJoint score = "maximal-joint"
	// totalVariation is the paper's R: half the L1 distance between the joint distribution and the
	// product of its marginals. It rates attributes.
	totalVariation score = "total-variation"
)

// score is the paper's choice for the encoding.
func (e Encoding) score() score {
	if e == Binary {
		return maximalJoint
	}
	return totalVariation
}

// countShare is the share of the budget that buys the noisy number of records under strict.
const countShare = 0.02

// maxDegree is the largest Params.Degree: 2⁸ parent configurations of bits.
const maxDegree = 8

// Params are the settings of a release.
type Params struct {
	Encoding Encoding `yaml:"encoding" doc:"what the nodes of the network are: bits, attributes or nodes of taxonomies"`
	Degree   int      `yaml:"degree" doc:"the largest number of parents of a node; theta may lower it" min:"0" max:"8"`
	// Beta is 0.3 as the paper recommends; its authors' program for Adult has 0.5.
	Beta  float64     `yaml:"beta" doc:"the share of the budget (after the noisy count under strict) that chooses the network; the rest goes to the marginals" above:"0" below:"1"`
	Theta float64     `yaml:"theta" doc:"how many times its noise the average count of a marginal must be" above:"0"`
	Bins  int         `yaml:"bins" doc:"how many bins a numeric attribute is cut into; one of fewer cells keeps its cells" min:"2" max:"65536"`
	Cut   margins.Cut `yaml:"cut" doc:"into what bins, where the schema gives none: equal ones of the public domain, or private, of about as many records each by noisy counts"`
	// Drawing says how records are drawn.
	partition.Drawing `yaml:",inline"`
}

// DefaultParams are the paper's recommendations, with the degree of the authors' experiments.
func DefaultParams() *Params {
	return &Params{
		Encoding: Binary, Degree: 3, Beta: 0.3, Theta: 4,
		Bins: 16, Cut: margins.Equal, Drawing: partition.DefaultDrawing(),
	}
}
