// Package diffmulti is DiffMulti (Al-Hussaeni, Fung, Iqbal, Liu & Hung, Differentially-Private
// Multidimensional Data Publishing, 2018, Algorithm 1). All records start generalised to the tops
// of their attributes' taxonomies. Region by region one attribute is specialised: a taxonomy node
// is replaced by its children or a numeric interval cut in two. A budget of h specialisations is
// shared out among the regions, and leaves are published with noisy class counts.
//
// Published are the regions, by taxonomy nodes and intervals, with their counts, and records drawn
// from them. The package leaves out encodings, clustering, and the discernibility and penalty of
// whole tables.
//
// Privacy. The unit is a record, neighbours differ by adding or removing one (under replacement a
// record touches two paths: up to twice the epsilon). Half of the budget is for the way to a leaf,
// in draws of ε′ = ε/(2(|A_num|+3|g|)): a cut point for each numeric attribute at the root, and for
// each specialisation the choice, the children's sizes and at most one new cut point (errata D0).
// Leaf counts get the other half, and what the longest path has not used (errata D7).
//
// Variants:
//   - published: Laplace noise. An empty child gets no specialisations (errata D1), and under
//     utility: ncp the cuts are the middles between data values (errata D2): no finite epsilon
//     holds.
//   - strict: noise for every child, sizes clamped at 0 and divided by the sum of the clamped
//     sizes, cuts from all positions between public cells; two-sided geometric noise for counts.
//     Its ledger takes no credit for monotone scores, so that it holds for replacement too, call by
//     call.
//   - refcode: as the authors' released program, which has other cut points, scales of scores and
//     shares of h, and rounds noise upwards (errata D8). Its 15-bit random numbers are not
//     imitated.
//
// Deviations:
//   - "Inverted" scores are negated ones: dm and ncp are losses.
//   - Cut points lie between neighbouring cells of an attribute's public granularity, where the
//     paper takes reals. On integers the law is the same, but for cuts between the last value and
//     the bound. An interval of one cell is not cut. Continuous attributes are cut at the schema's
//     cells.
//   - A cut point is drawn when its region is specialised, not when it is made: leaves pay for
//     none.
//   - |P_i| in equation 10 is the sum of the children's noisy sizes, clamped at 0; the paper does
//     not say. Where it is 0, no child gets anything (published) or all get the same (strict).
//   - Each child with a share above 0 gets at most one of what rounding leaves over, at random.
//   - Children are visited in the order of the taxonomy, not of a stack; this does not change the
//     law, but for which regions are left as they are where iterations ends the loop early.
//   - A categorical attribute without a taxonomy has one of height 1.
//   - Where noise makes more records than max_rows the table is a thinned one with weights.
//   - Sensitive attributes take no part and are drawn from their public domain.
package diffmulti

import (
	"fmt"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/partition"
	"ppdp/datasets"
)

// Algorithm is the baseline "diffmulti".
var Algorithm = algorithms.Add(algorithms.Info{
	Name:     "diffmulti",
	Title:    "DiffMulti: differentially private multidimensional generalisation",
	Source:   "Al-Hussaeni et al. 2018, Algorithm 1",
	Input:    algorithms.TableInput,
	Produces: []algorithms.Product{algorithms.RecordsProduct, algorithms.RegionsProduct},
	Variants: algorithms.Guarantees(DefaultParams(), algorithms.Published,
		algorithms.Strict, algorithms.RefCode),
	Revision: 1,
}, DefaultParams, publish)

// CheckSchema refuses a utility that needs a class for tables without one.
func (p *Params) CheckSchema(s *datasets.Schema) error { return p.Utility.CheckSchema(s) }

// Guarantee depends on the utility and on the rule for h′.
func (p *Params) Guarantee(variant algorithms.Variant) algorithms.Guarantee {
	g := algorithms.RecordPrivacy(variant,
		"Choices, sizes and counts are all paid for; what the longest path has not used goes to"+
			" the leaf counts.",
		"D0", "D4", "D6", "D7")
	p.Utility.Qualify(&g)
	switch p.rule(variant) {
	case ByPublished:
		g.Break("A child without a record gets no specialisations: one record can make possible"+
			" what was impossible.", "D1")
	case ByRefCode:
		g.Break(
			"Sizes get noise ten thousand times too small and are set against an exact size.", "D8")
	case ByExact:
		g.Break("Specialisations are shared out by exact sizes: a control without privacy.", "D1")
	}
	partition.CutRuleOf(variant, p.Utility).Qualify(&g)
	return g
}

// CheckVariant refuses a rule for h′ that leaks under strict.
func (p *Params) CheckVariant(variant algorithms.Variant) error {
	rule := p.HPrime
	if variant != algorithms.Strict || rule == ByVariant || rule == ByStrict || rule == ByEven {
		return nil
	}
	return fmt.Errorf("hprime: %q under variant strict, must be one of %s, %s, %s", string(rule),
		ByVariant, ByStrict, ByEven)
}

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

// FitSchema specialises until regions are as many as their counts allow, by a score that needs no
// class where the table has none.
func (p *Params) FitSchema(s *datasets.Schema, cells int) {
	widest := 2
	for _, fanouts := range partition.Fanouts(s) {
		widest = max(widest, fanouts[0])
	}
	p.Specialisations = max(1, (max(1, cells/s.Classes())-1)/(widest-1))
	if s.Class() < 0 {
		p.Utility = partition.CertaintyPenalty
	}
}
