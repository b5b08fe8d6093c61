// Package privbayes publishes synthetic records drawn from a noisy Bayesian network (J. Zhang, G.
// Cormode, C. M. Procopiuc, D. Srivastava and X. Xiao, PrivBayes: Private Data Release via Bayesian
// Networks, SIGMOD 2014, and its longer form in ACM TODS 42(4), 2017). GreedyBayes grows a network
// of low degree by the exponential mechanism (fit.greedyBayes); NoisyConditionals adds noise to the
// joint counts of each attribute and its parents, an AP pair (fit.noisyConditionals); records are
// drawn attribute by attribute in the order of the network (fit.draw). Every attribute takes part,
// the class and the sensitive ones included.
//
// The nodes of a network are bits of attributes, as in section 4 of the paper (bits.go), or
// attributes whose parents may be generalised, as in section 5 (attributes.go).
//
// The classifiers that the paper trains on the records are not here, nor its workloads of
// marginals.
//
// Units. Scores and marginals are kept in counts: n times the paper's probabilities, and so are
// their sensitivities. Noise of scale 2(d-k)/ε₂ on a count is the paper's 2(d-k)/(nε₂) on a
// probability.
//
// Scores are sums of whole numbers and rounded once at most, so that neighbours' scores as computed
// differ by no more than their sensitivities: F is a whole number of quarters and exact; R's bounds
// below and the paper's leave more than its rounding, up to some ten million records.
//
// Privacy, published. Neighbours differ by replacing one record; the number n of records is public
// and as many are published (errata X3; an epsilon of this relation is not one of adding and
// removing, errata X4). A replaced record moves two cells of a marginal by 1 each: L1 sensitivity
// 2. The scores' sensitivities are the paper's. The guarantee holds.
//
// Privacy, strict. Neighbours differ by adding or removing one record; n is private. A share of the
// budget buys a noisy number of records ñ, and all that the paper derives from n (degree, size of
// marginals, how many records to draw) derives from ñ. The rest needs no n:
//   - A marginal's cells are disjoint and one record is in one of them: sensitivity 1, two-sided
//     geometric noise.
//   - F of a pair (X, Π) in counts is the maximum over all ways to send each value of Π to 0 or 1
//     of min(n/2, K₀) + min(n/2, K₁) - n, K_x the number of records with X = x whose parents are
//     sent to x. Fix such a way and add a record. If it enters K_x, that minimum grows by between
//     1/2 and 1 and the other by at most 1/2: the sum changes by between -1/2 and 1/2. If it enters
//     neither, both minima grow by between 0 and 1/2: between -1 and 0. A maximum moves no further
//     than what it is taken over, so F moves within [-1, 1/2]. The score is F + n/4, the same
//     addition for every candidate, which the exponential mechanism cannot see: it moves within
//     [-3/4, 3/4].
//   - R in counts is half the L1 distance of the joint counts J from M = ab/n, a and b the margins.
//     A new record moves J by 1. With e and f the unit vectors of its values, M moves by
//     -ab/(n(n+1)) + (af + eb + ef)/(n+1), at most (3n+1)/(n+1) < 3 in L1. So R moves by less than
//     2, and comes as near to 2 as one likes: n records in one cell, and one in another row and
//     column.
//
// Deviations:
//   - The paper has no strict variant.
//   - The paper's score I, mutual information, is left out: in counts it moves by up to log₂ n when
//     a record is added, so that without a public n it has no sensitivity.
//   - Numeric attributes are cut into equal bins of whole cells of the public domain; where the
//     cells do not divide evenly, bins differ by one cell. Params.Values says which cell of a drawn
//     bin is published. Private bins are cut by noisy counts for a fifth of the budget, whose
//     sensitivity is that of a marginal.
//   - The paper does not say what becomes of drawn bits that encode no value. Such records are
//     drawn again; after maxTries draws the attributes concerned get uniform values and the release
//     warns.
//   - A parent configuration without mass gets a uniform conditional.
//   - Degree bounds the number of parents in the hierarchical form too, and marginals there are
//     capped at maxMarginal cells; the paper's only bound is theta-usefulness.
//   - The paper's vanilla encoding, of attributes that are not generalised, is left out, and its
//     Gray encoding of bits.
//   - With no parents at all (degree 0, or one attribute) there is no network to choose and its
//     share of the budget goes to the marginals.
//   - Parents in the hierarchical form climb a categorical attribute's taxonomy by depth from its
//     root; a numeric attribute's bins are joined in pairs, fours and so on. Without a taxonomy
//     there is only the attribute itself.
//   - Degree and theta follow the noise of each variant: strict noise is half as wide.
package privbayes

import (
	"ppdp/algorithms"
	"ppdp/algorithms/kernel/margins"
	"ppdp/algorithms/kernel/partition"
	"ppdp/datasets"
)

// Algorithm is the baseline "privbayes".
var Algorithm = algorithms.Add(algorithms.Info{
	Name:     "privbayes",
	Title:    "PrivBayes: synthetic records from a noisy Bayesian network",
	Source:   "Zhang, Cormode, Procopiuc, Srivastava & Xiao 2014, sections 3 to 5",
	Input:    algorithms.TableInput,
	Produces: []algorithms.Product{algorithms.RecordsProduct},
	Variants: []algorithms.Guarantee{published(), algorithms.RecordPrivacy(algorithms.Strict,
		"The number of records is noisy, scores have proven sensitivities under adding and"+
			" removing, counts get two-sided geometric noise.", "X3", "X4")},
	Revision: 3,
}, DefaultParams, publish)

func published() algorithms.Guarantee {
	g := algorithms.RecordPrivacy(algorithms.Published,
		"Publishes exactly as many records as it was given, so it promises nothing about adding or"+
			" removing one.", "X3", "X4")
	g.Relation = algorithms.ReplaceRecord
	return g
}

// Encoding says what the nodes of the network are.
type Encoding string

const (
	Binary       Encoding = "binary"       // the bits of an attribute's code
	Hierarchical Encoding = "hierarchical" // attributes, which as parents may be generalised
)

func (Encoding) Enum() []string { return algorithms.Words(Binary, Hierarchical) }

// maxDegree is the largest Params.Degree: 2⁸ parent configurations of bits.
const maxDegree = 8

// Params are the settings of a release.
type Params struct {
	Encoding Encoding `yaml:"encoding" doc:"what the nodes of the network are: bits or attributes, which as parents may be nodes of taxonomies"`
	Degree   int      `yaml:"degree" doc:"the largest number of parents of a node; theta may lower it" min:"0" max:"8"`
	// Beta is 0.3 as the paper recommends; its authors' program for Adult has 0.5.
	Beta  float64     `yaml:"beta" doc:"the share of the budget (after the noisy count under strict) that chooses the network; the rest goes to the marginals" above:"0" below:"1"`
	Theta float64     `yaml:"theta" doc:"how many times its noise the average count of a marginal must be" above:"0"`
	Bins  int         `yaml:"bins" doc:"how many bins a numeric attribute is cut into; one of fewer cells keeps its cells" min:"2" max:"65536"`
	Cut   margins.Cut `yaml:"cut" doc:"into what bins, where the schema gives none: equal ones of the public domain, private, of about as many records each by noisy counts, or wide: private for numbers of more than 256 cells"`
	// Drawing says how records are drawn.
	partition.Drawing `yaml:",inline"`
}

// DefaultParams are the paper's recommendations, with the degree of the authors' experiments and
// private bins of wide attributes.
func DefaultParams() *Params {
	return &Params{Encoding: Binary, Degree: 3, Beta: 0.3, Theta: 4, Bins: 16, Cut: margins.Wide,
		Drawing: partition.DefaultDrawing()}
}

// FitSchema has attributes for nodes, and as many bins as other releases from marginals.
func (p *Params) FitSchema(*datasets.Schema, int) {
	p.Encoding, p.Bins = Hierarchical, margins.DefaultParams().Bins
}
