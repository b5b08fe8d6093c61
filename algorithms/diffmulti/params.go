package diffmulti

import (
	"ppdp/algorithms"
	"ppdp/algorithms/kernel/partition"
	"ppdp/datasets"
)

// HPrime says what the specialisations left to a region, the paper's h′, are shared out by among
// its children.
type HPrime string

const (
	ByVariant HPrime = "variant" // by the rule of the same name as the variant
	// noisy sizes, but none for an empty child (equation 10; errata D1)
	ByPublished HPrime = "published"
	ByStrict    HPrime = "strict"  // noisy sizes of all children
	ByRefCode   HPrime = "refcode" // as the released program does (errata D8)
	ByEven      HPrime = "even"    // equal shares: Example 4.2, costs nothing
	ByExact     HPrime = "none"    // sizes without noise: a control that is not private
)

func (HPrime) Enum() []string {
	return algorithms.Words(ByVariant, ByPublished, ByStrict, ByRefCode, ByEven, ByExact)
}

// Params are the settings of a release. All fit in 31 bits, and paths stay short enough for a
// recursion.
type Params struct {
	Utility partition.Utility `yaml:"utility" doc:"what candidates and cut points are scored by"`
	// Specialisations is the paper's h.
	Specialisations int `yaml:"h" doc:"the largest number of specialisations altogether" min:"1" max:"1000000000"`
	// HPrime is the paper's h′.
	HPrime HPrime `yaml:"hprime" doc:"how specialisations are shared out among children"`
	// Iterations ends the loop of Algorithm 1 early (section 4.5).
	Iterations int `yaml:"iterations" doc:"publish after this many specialisations, made depth first, and leave the other regions as they are; 0 goes on until no region can be specialised" min:"0" max:"1000000000"`
	// LongestPath is the paper's |g|.
	LongestPath int `yaml:"path" doc:"the largest number of specialisations above a leaf; 0 is the sum of the taxonomies' heights" min:"0" max:"1000"`
	// NumericHeight is 7 in section 5.
	NumericHeight int `yaml:"numeric_height" doc:"what a numeric attribute counts for in path: 0" min:"0" max:"1000"`
	// Drawing says how records are drawn.
	partition.Drawing `yaml:",inline"`
}

// maxNodes is the largest number of regions visited; a release that would need more fails.
const maxNodes = 5e7

// DefaultParams are the settings of section 5 where it gives them.
func DefaultParams() *Params {
	return &Params{
		Utility: partition.MaxClass, Specialisations: 1000, HPrime: ByVariant,
		NumericHeight: 7, Drawing: partition.DefaultDrawing(),
	}
}

// rule is the rule for h′ under a variant.
func (p *Params) rule(v algorithms.Variant) HPrime {
	if p.HPrime == ByVariant {
		return HPrime(v)
	}
	return p.HPrime
}

var _ algorithms.Fitter = Algorithm{}

// FitSchema specialises until regions are as many as their counts allow, by a score that needs no
// class where the table has none.
func (Algorithm) FitSchema(s *datasets.Schema, cells int) algorithms.Params {
	p := DefaultParams()
	widest := 2
	for _, fanouts := range partition.Fanouts(s) {
		widest = max(widest, fanouts[0])
	}
	p.Specialisations = max(1, (max(1, cells/s.Classes())-1)/(widest-1))
	if s.Class() < 0 {
		p.Utility = partition.CertaintyPenalty
	}
	return p
}
