// Package labeltree is a tree of private cuts that serves one purpose: to predict the class. Level
// by level every region chooses one cut of all attributes, a taxonomy node into its children or a
// numeric interval in two (between bins where the schema gives these), by how many records the most
// frequent classes of the parts would label rightly. After a number of levels that follows from
// epsilon and the number of records, each leaf is published with noisy class counts, and all its
// records get one class. The baseline is ppdp's own; docs/tried.md says what was tried and what
// it gave. The package leaves out classifiers and stop tests: a region is cut as long as there is a
// level.
//
// With cut: private a tenth of the budget first goes for 32 bins of about as many records each,
// of numbers with more than 256 cells and none in the schema: they may be cut between these, too.
// The rest, or all where there are none, is the ε that is divided as follows.
//
//   - 0.02 for the noisy number of records N. There are as many levels L as 18·f^L ≤ εN allows, f
//     the mean over attributes of the parts that a first cut has: leaves hold 18/ε records or more
//     on average. At most there are 12. (Where L is a parameter, N is not asked for.)
//   - 0.5 for the cuts, level i in proportion to f^(i/2): the fewer records a region has, the more
//     ε it takes to see which of two cuts is better.
//   - What is left, 0.48 for leaves of the last level, for the class counts of a leaf.
//
// The label of a leaf is that of its largest noisy count, after 8/ε counts in the shares of its
// parent have been added, whose own shares are those of its leaves' counts together, corrected by
// its parent in the same way. That costs nothing, and matters where counts are mostly noise.
//
// Privacy. The unit is a record, neighbours differ by adding or removing one. It lies in one region
// of each level and in one leaf: regions of a level compose in parallel, private bins, levels, N
// and counts one after the other. Cuts are chosen by permute-and-flip (privacy.PermuteAndFlip),
// whose law depends on differences of scores alone. A record more, of class y, joins one part of
// each candidate. Let that part have n records, c of them of class y, and Σ the sum of its squared
// class counts.
//
//   - M, the count of its most frequent class, rises by 0 or 1. Less half the region's records, the
//     same for all candidates, the score moves by at most 1/2 either way.
//   - G = Σ/n, n times one less its Gini impurity, moves by (2c+1-G)/(n+1), or by 1 for n = 0. As
//     c²/n ≤ G ≤ n, that is at most (2c+1-c²/n)/(n+1) = 1-(n-c)²/(n(n+1)) ≤ 1, and at least
//     (1-n)/(n+1) > -1. So (G+M)/2 moves within [-1/2, 1]; less a quarter of the region's records,
//     by at most 3/4 either way.
//
// The first half of the levels, rounded up, is scored by (G+M)/2: where one class is frequent
// everywhere, as at the root of a table of few positives, M is the same for nearly all cuts. The
// other levels are scored by M, which costs less.
//
// Deviations: none, there is no paper. A categorical attribute without a taxonomy has one of
// height 1. Sensitive attributes take no part and are drawn from their public domain. A leaf has as
// many records as its class counts add up to, or none; published class counts are raised to 0.
package labeltree

import (
	"fmt"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/margins"
	"ppdp/algorithms/kernel/partition"
	"ppdp/datasets"
)

func init() { algorithms.Register(Algorithm{}) }

// Algorithm is the baseline "label-tree".
type Algorithm struct{}

func (Algorithm) Info() algorithms.Info {
	return algorithms.Info{
		Name: "label-tree", Title: "Label tree: private cuts that tell the class",
		Source:   "ppdp; on McKenna & Sheldon 2020",
		Input:    algorithms.TableInput,
		Produces: []algorithms.Product{algorithms.RecordsProduct, algorithms.RegionsProduct},
		Variants: []algorithms.Guarantee{algorithms.RecordPrivacy(algorithms.Strict, "Private"+
			" bins, the number of records, cuts and class counts of leaves are paid for; all else"+
			" follows from them and the schema.")},
		Revision: 2,
	}
}

// Params are the settings of a release.
type Params struct {
	Levels int         `yaml:"levels" doc:"the number of levels of cuts; 0 is as many as a noisy number of records allows, at most 12" min:"0" max:"30"`
	Cut    margins.Cut `yaml:"cut" doc:"where numbers of more than 256 cells may be cut, where the schema gives no bins: at equal distances, or (private or wide) also between bins of about as many records each by noisy counts"`
	// Drawing says how records are drawn.
	partition.Drawing `yaml:",inline"`
}

// DefaultParams returns the defaults.
func DefaultParams() *Params {
	return &Params{Cut: margins.Equal, Drawing: partition.DefaultDrawing()}
}

func (Algorithm) Params() algorithms.Params { return DefaultParams() }

// CheckSchema refuses tables without a class to predict.
func (Algorithm) CheckSchema(s *datasets.Schema, _ algorithms.Params) error {
	if s.Classes() < 2 {
		return fmt.Errorf("label-tree needs a class of at least two values")
	}
	return nil
}
