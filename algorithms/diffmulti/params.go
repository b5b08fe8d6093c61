package diffmulti

import (
	"errors"
	"math"

	"ppdp/algorithms"
	"ppdp/algorithms/partition"
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

// Remainder says what becomes of the specialisations that rounding down leaves over.
type Remainder string

const (
	RandomRemainder Remainder = "random" // one each to children drawn at random
	DropRemainder   Remainder = "drop"
)

func (Remainder) Enum() []string { return algorithms.Words(RandomRemainder, DropRemainder) }

// Bounds of parameters: all fit in 31 bits, and paths stay short enough for a recursion.
const (
	maxSpecialisations = 1e9
	maxHeight          = 1000
)

// Params are the settings of a release.
type Params struct {
	// Utility scores candidates and cut points.
	Utility partition.Utility `yaml:"utility"`
	// Specialisations is the largest number of specialisations altogether, the paper's h.
	Specialisations int `yaml:"h"`
	// HPrime shares them out among children.
	HPrime HPrime `yaml:"hprime"`
	// Remainder is for what rounding leaves over; hprime: refcode has its own rule.
	Remainder Remainder `yaml:"remainder"`
	// LongestPath caps the specialisations above a leaf, the paper's |g|; 0 is the sum of the
	// taxonomies' heights, with NumericHeight for each numeric attribute.
	LongestPath int `yaml:"path"`
	// NumericHeight is what a numeric attribute counts for in LongestPath: 0; 7 in section 5.
	NumericHeight int `yaml:"numeric_height"`
	// CarryOver adds the budget of levels that the deepest leaf has not reached to that of leaf
	// counts (section 5); false gives leaf counts exactly half.
	CarryOver bool `yaml:"carry_over"`
	// MaxNodes caps the regions visited; a release that would need more fails.
	MaxNodes int `yaml:"max_nodes"`
	// Drawing says how records are drawn.
	partition.Drawing `yaml:",inline"`
}

// DefaultParams are the settings of section 5 where it gives them.
func DefaultParams() *Params {
	return &Params{
		Utility: partition.MaxClass, Specialisations: 1000, HPrime: ByVariant,
		Remainder:     RandomRemainder,
		NumericHeight: 7, CarryOver: true, MaxNodes: 5e7, Drawing: partition.DefaultDrawing(),
	}
}

func (p *Params) Validate() error {
	return errors.Join(
		algorithms.CheckWord("utility", p.Utility),
		algorithms.CheckWord("hprime", p.HPrime),
		algorithms.CheckWord("remainder", p.Remainder),
		algorithms.CheckRange("h", p.Specialisations, 1, maxSpecialisations),
		algorithms.CheckRange("path", p.LongestPath, 0, maxHeight),
		algorithms.CheckRange("numeric_height", p.NumericHeight, 0, maxHeight),
		algorithms.CheckRange("max_nodes", p.MaxNodes, 1, math.MaxInt32),
		p.Drawing.Check(),
	)
}

// rule is the rule for h′ under a variant.
func (p *Params) rule(v algorithms.Variant) HPrime {
	if p.HPrime == ByVariant {
		return HPrime(v)
	}
	return p.HPrime
}
