// Package diffgen is DiffGen (Mohammed, Chen, Fung & Yu, Differentially Private Data Release for
// Data Mining, KDD 2011). All attributes start generalised to the tops of their taxonomies. h times
// the exponential mechanism chooses one value of the common cut, which is specialised for all
// records that carry it. The cells of the resulting contingency table are published with noisy
// class counts. DiffMulti (Al-Hussaeni et al. 2018) does region by region what is done here for
// whole attributes. The package leaves out classifiers, encodings and measures of distortion.
//
// Privacy. The unit is a record, neighbours differ by adding or removing one (under replacement a
// record leaves one cell and enters another: up to twice the epsilon). Half of the budget is for
// the cut, in draws of ε′ = ε/(2(|A_num|+2h)): one cut point for each numeric attribute's domain, h
// choices, and a cut point for each of the two parts of a chosen interval, which hold disjoint
// records. Class counts get the rest, at least half: ε minus what the cut has used, which can be
// read off the cut (errata D7, X1). Cells are disjoint, and their number follows from the cut
// alone.
//
// The scale of utility dm contains the number of records, like DiffMulti's (errata D3). With N
// records and s = u/(2N+1), u = n²-Σc² the reduction of a value with n records and children of c, a
// record that joins a child of c moves s by (2(n-c)(2N+1)-2u)/((2N+1)(2N+3)), which lies in [0, 1)
// because u ≤ n²-c², and the scores of values that it does not carry by -2u/((2N+1)(2N+3)), in
// [-1/2, 0]. All scores together move within an interval of length 3/2, so the mechanism loses at
// most 3/4 of what it is charged. For u = -Σc² both kinds move within [-1/2, 1/2].
//
// Variants:
//   - published: Laplace noise. Under utility: ncp the cut points are the middles between data
//     values (errata D2), and no finite epsilon holds.
//   - strict: cut points from all positions between public cells; two-sided geometric noise. Its
//     ledger takes no credit for monotone scores, so that it holds for replacement too, call by
//     call.
//   - refcode: the released program's rule for cut points (errata X1): the first interval scores 0,
//     the one above the largest value is missing, a single record is cut off in the exact middle.
//     It has only the utilities max and infogain.
//
// Deviations:
//   - Utilities dm and ncp are those of Al-Hussaeni et al. 2018, who do not say how they give them
//     to DiffGen. score: reduction is the loss of a value's records less that of its children;
//     children is minus the children's loss, which prefers values of few records.
//   - Cut points lie between neighbouring cells of an attribute's public granularity; an interval
//     of one cell is not cut. Continuous attributes are cut at the schema's cells. A categorical
//     attribute without a taxonomy has one of height 1.
//   - Noisy counts are rounded to the nearest integer and clamped at 0. For cells without records,
//     the noise is drawn as the gaps between those that come out above 0: the same law, in time
//     proportional to what is published.
//   - Cells whose noisy counts are all 0 are not listed. Since regions cover the domain, unlisted
//     cells become regions one by one where they are few (listAllBelow); elsewhere those that
//     share a value of one attribute with nothing listed under it are joined into one region.
//   - Where noise makes more records than max_rows the table is a thinned one with weights.
//   - Sensitive attributes take no part and are drawn from their public domain.
package diffgen

import (
	"fmt"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/partition"
	"ppdp/datasets"
)

// Algorithm is the baseline "diffgen".
var Algorithm = algorithms.Add(algorithms.Info{
	Name:     "diffgen",
	Title:    "DiffGen: differentially private top-down specialisation of whole attributes",
	Source:   "Mohammed et al. 2011, Algorithm 1",
	Input:    algorithms.TableInput,
	Produces: []algorithms.Product{algorithms.RecordsProduct, algorithms.RegionsProduct},
	Variants: algorithms.Guarantees(DefaultParams(), algorithms.Published,
		algorithms.Strict, algorithms.RefCode),
	Revision: 1,
}, DefaultParams, publish)

// Score says what a value of the cut is scored by under the utilities dm and ncp; the others gain
// by themselves.
type Score string

const (
	Reduction Score = "reduction" // loss of the value's records less that of its children's
	Children  Score = "children"  // minus the loss of the children's records
)

func (Score) Enum() []string { return algorithms.Words(Reduction, Children) }

// Params are the settings of a release.
type Params struct {
	Utility partition.Utility `yaml:"utility" doc:"what values of the cut and cut points are scored by"`
	Score   Score             `yaml:"score" doc:"what dm and ncp score values by"`
	// Specialisations is the paper's h: of a million ε′ is a millionth of the budget.
	Specialisations int `yaml:"h" doc:"the number of specialisations; fewer are made where nothing is left to specialise" min:"1" max:"1000000"`
	MaxNodes        int `yaml:"max_nodes" doc:"the largest number of regions; a release that would need more fails" min:"1" max:"2147483647"`
	// Drawing says how records are drawn.
	partition.Drawing `yaml:",inline"`
}

// DefaultParams are settings the papers use: h from the middle of its grids.
func DefaultParams() *Params {
	return &Params{Utility: partition.MaxClass, Score: Reduction, Specialisations: 10,
		MaxNodes: 2e7, Drawing: partition.DefaultDrawing()}
}

// scored reports that Score has a meaning.
func (p *Params) scored() bool {
	return p.Utility == partition.Discernibility || p.Utility == partition.CertaintyPenalty
}

// FitSchema specialises until all regions together are as many as their counts allow, by a score
// that needs no class where the table has none.
func (p *Params) FitSchema(s *datasets.Schema, cells int) {
	p.Specialisations = partition.WholeSpecialisations(s, max(1, cells/s.Classes()))
	if s.Class() < 0 {
		p.Utility = partition.CertaintyPenalty
	}
}

// CheckSchema refuses a utility that needs a class for tables without one.
func (p *Params) CheckSchema(s *datasets.Schema) error { return p.Utility.CheckSchema(s) }

// Guarantee depends on the utility.
func (p *Params) Guarantee(variant algorithms.Variant) algorithms.Guarantee {
	g := algorithms.RecordPrivacy(variant,
		"Cut points, choices and the counts of all cells are paid for; what the cut has not used"+
			" goes to the counts.",
		"X1", "D7")
	p.Utility.Qualify(&g)
	partition.CutRuleOf(variant, p.Utility).Qualify(&g)
	return g
}

// CheckVariant refuses under refcode what the program does not know.
func (p *Params) CheckVariant(variant algorithms.Variant) error {
	if variant == algorithms.RefCode && p.scored() {
		return fmt.Errorf("utility: %q, must be %s or %s under refcode", p.Utility,
			partition.MaxClass, partition.InformationGain)
	}
	return nil
}
