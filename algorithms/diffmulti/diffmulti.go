// Package diffmulti is DiffMulti (Al-Hussaeni, Fung, Iqbal, Liu & Hung, Differentially-Private
// Multidimensional Data Publishing, 2018, Algorithm 1): all records start out generalised to the
// tops of their attributes' taxonomies; again and again a region is specialised on one attribute, a
// taxonomy node replaced by its children or a numeric interval cut in two, each region on an
// attribute of its own; a budget of h specialisations is shared out among the regions; leaves are
// published by noisy class counts.
//
// What is published are the regions, by taxonomy nodes and intervals, with the counts. Classifiers
// that need records get records drawn from them; generalised records are had by locating real ones
// in the regions. The package leaves out encodings, clustering and the discernibility and penalty
// of whole tables.
//
// Privacy. The unit is a record, neighbours differ by adding or removing one (under replacement a
// record touches two paths: up to twice the epsilon). Half of the budget is for the way to a leaf,
// in draws of ε′ = ε/(2(|A_num|+3|g|)): a cut point for each numeric attribute at the root, and for
// each specialisation the choice, the children's sizes and at most one new cut point (errata D0).
// Leaf counts get the other half, and what the longest path has not used (errata D7).
//
// Variants:
//   - published: Laplace noise. An exactly empty child gets no specialisations (errata D1), and
//     under utility: ncp the middles of intervals between data values are the cuts (errata D2): no
//     finite epsilon holds.
//   - strict: noise for every child, sizes clamped at 0 and set against the sum of the clamped
//     sizes, cuts from all positions between public cells; two-sided geometric noise for counts.
//     Its ledger takes no credit for the monotony of scores, so that what it says of a single call
//     holds for replacement too.
//   - refcode: what the authors' released program does otherwise: cut points, scales of scores,
//     shares of h, noise rounded upwards (errata D8). Its random numbers of 15 bits are not
//     imitated.
//
// Deviations:
//   - "Inverted" scores are negated ones: dm and ncp are losses.
//   - Cut points lie between neighbouring cells of an attribute's public granularity, where the
//     paper takes reals; on integers the law is that of the reals, but for cuts between the last
//     value and the bound. An interval of one cell is not cut. Continuous attributes are cut at the
//     schema's cells.
//   - A cut point is drawn when its region is specialised, not when it is made, so that leaves pay
//     for none.
//   - |P_i| in equation 10 is the sum of the noisy sizes of the children that get noise, clamped at
//     0; the paper does not say. Where it is 0 nobody gets anything (published) or all get the same
//     (strict).
//   - Of the remainder of rounding each child with a share above 0 gets at most one, at random.
//   - Children are visited in the order of the taxonomy, not of a stack: the order has no bearing
//     on the law.
//   - A categorical attribute without a taxonomy has one of height 1.
//   - Where noise makes for more records than max_rows the table is a thinned one with weights.
//   - Sensitive attributes take no part and are drawn from their public domain.
package diffmulti

import (
	"fmt"

	"ppdp/algorithms"
	"ppdp/algorithms/partition"
)

func init() { algorithms.Register(Algorithm{}) }

// Algorithm is the baseline "diffmulti".
type Algorithm struct{}

var _ algorithms.VariantChecker = Algorithm{}

func (a Algorithm) Info() algorithms.Info {
	return algorithms.Info{
		Name:     "diffmulti",
		Title:    "DiffMulti: differentially private multidimensional generalisation",
		Source:   "Al-Hussaeni et al. 2018, Algorithm 1",
		Input:    algorithms.TableInput,
		Produces: []algorithms.Product{algorithms.RecordsProduct, algorithms.RegionsProduct},
		Variants: algorithms.DefaultGuarantees(a, algorithms.Published, algorithms.Strict,
			algorithms.RefCode),
		Revision: 1,
	}
}

func (Algorithm) Params() algorithms.Params { return DefaultParams() }

// Guarantee depends on the utility and on the rule for h′.
func (Algorithm) Guarantee(variant algorithms.Variant,
	params algorithms.Params) algorithms.Guarantee {
	p := params.(*Params)
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
		g.Break("Sizes get noise ten thousand times too small and are set against an exact size.",
			"D8")
	case ByExact:
		g.Break("Specialisations are shared out by exact sizes: a control without privacy.", "D1")
	}
	partition.CutRuleOf(variant, p.Utility).Qualify(&g)
	return g
}

// CheckVariant refuses a rule for h′ that leaks under strict.
func (Algorithm) CheckVariant(variant algorithms.Variant, params algorithms.Params) error {
	rule := params.(*Params).HPrime
	if variant != algorithms.Strict || rule == ByVariant || rule == ByStrict || rule == ByEven {
		return nil
	}
	return fmt.Errorf("hprime: %q under variant strict, must be one of %s, %s, %s", string(rule),
		ByVariant, ByStrict, ByEven)
}
