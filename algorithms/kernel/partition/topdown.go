package partition

import (
	"errors"
	"math"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/privacy"
)

// What follows is common to the algorithms that specialise from the top down by draws of the
// exponential mechanism: DiffGen for all records at once, DiffMulti region by region.

// CutRuleOf is how cut points are drawn under a variant.
func CutRuleOf(variant algorithms.Variant, utility Utility) CutRule {
	switch {
	case variant == algorithms.RefCode:
		return Program
	case variant == algorithms.Published && utility == CertaintyPenalty:
		return Midpoints
	default:
		return EveryCut
	}
}

// Qualify enters into a guarantee what the rule does to it.
func (r CutRule) Qualify(g *algorithms.Guarantee) {
	switch r {
	case Midpoints:
		g.Break("Cut points are middles between data values.", "D2")
	case Program:
		g.Break("Cut points above the largest value are impossible.", "D8")
	}
}

// Qualify enters into a guarantee what the scale of the scores does to it.
func (u Utility) Qualify(g *algorithms.Guarantee) {
	if u == Discernibility {
		g.Errata = append(g.Errata, "D3")
		g.Note += " The scale of dm contains the number of records, which holds by a proof of its" +
			" own."
	}
}

// CheckSchema reports a utility that a table cannot be scored by. Its error names the yaml key.
func (u Utility) CheckSchema(schema *datasets.Schema) error {
	if u == InformationGain && schema.Classes() < 2 {
		return errors.New("utility: infogain needs a class of at least two values")
	}
	return nil
}

// NewCutPoints opens the stream "cut points" and enters the mechanism of that name into the ledger,
// at the sensitivity of the scores where the rule is private.
func NewCutPoints(in algorithms.Input, scorer Scorer, scores privacy.Sensitivity) *CutPoints {
	rule := CutRuleOf(in.Variant, scorer.Utility)
	if rule != EveryCut {
		scores.Proven = math.Inf(1) // errata D2, D8 and X1
	}
	if rule == EveryCut && scorer.Utility == CertaintyPenalty {
		in.Budget.Inexact("utility ncp weighs cut points by sums that are no whole numbers")
	}
	if scorer.Utility == Discernibility {
		in.Budget.Inexact("utility dm divides scores by the number of records, which is private: " +
			"one record can move the rounding of every region's scores at once")
	}
	draws := in.Noise.Open("cut points")
	choice := in.Budget.Exponential("cut points", draws, scores)
	return &CutPoints{Scorer: scorer, Rule: rule, Choice: choice, Draws: draws}
}
