package mondrian

import (
	"errors"
	"math"

	"ppdp/algorithms"
)

// Mode is the model of partitioning.
type Mode string

const (
	// Strict cuts between values, so that regions are disjoint boxes (paper, section 2).
	Strict Mode = "strict"
	// Relaxed shares the records at the median out, so that regions may overlap (section 3).
	Relaxed Mode = "relaxed"
)

// Enum lists the words for a specification.
func (Mode) Enum() []string { return []string{string(Strict), string(Relaxed)} }

// Cut says which of the two cuts beside the median a strict partition takes.
type Cut string

const (
	// First is the paper's {≤ m | > m} where it leaves k records on either side, else {< m | ≥ m}.
	First Cut = "first"
	// Even is the one whose sides differ less in size, the paper's where they are equal.
	Even Cut = "even"
)

// Enum lists the words for a specification.
func (Cut) Enum() []string { return []string{string(First), string(Even)} }

// Records says where a published record's quasi-identifiers come from. The paper publishes
// ranges and is silent about records; Qardaji & Li 2012 train classifiers on them without saying how.
type Records string

const (
	// Box draws every value uniformly from the region's box, which reaches to the next cuts.
	Box Records = "box"
	// Range draws every value uniformly from the tight range of the region's own records.
	Range Records = "range"
	// Mean puts the region's mean into numeric attributes (rounded to the nearest value of a domain
	// with gaps) and draws categorical ones from their tight range.
	Mean Records = "mean"
)

// Enum lists the words for a specification.
func (Records) Enum() []string { return []string{string(Box), string(Range), string(Mean)} }

// Params are Mondrian's parameters.
type Params struct {
	// K is the least number of records in a region, at least 2. Default 10.
	K int `yaml:"k"`
	// Mode is strict (the default) or relaxed.
	Mode Mode `yaml:"mode"`
	// Cut is first (the default) or even; without effect on relaxed partitions.
	Cut Cut `yaml:"cut"`
	// Records is box (the default), range or mean.
	Records Records `yaml:"records"`
}

// Anonymity is K.
func (p *Params) Anonymity() int { return p.K }

// Validate reports every value out of range.
func (p *Params) Validate() error {
	return errors.Join(
		algorithms.CheckRange("k", p.K, 2, math.MaxInt32),
		algorithms.CheckWord("mode", p.Mode),
		algorithms.CheckWord("cut", p.Cut),
		algorithms.CheckWord("records", p.Records),
	)
}
