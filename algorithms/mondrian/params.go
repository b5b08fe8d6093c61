package mondrian

import (
	"errors"
	"fmt"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/disclosure"
	"ppdp/algorithms/kernel/partition"
	"ppdp/datasets"
)

// Mode is the model of partitioning.
type Mode string

const (
	// Strict cuts between values, so that regions are disjoint boxes (paper, section 2).
	Strict Mode = "strict"
	// Relaxed shares the records at the median out, so that regions may overlap (section 3).
	Relaxed Mode = "relaxed"
)

func (Mode) Enum() []string { return algorithms.Words(Strict, Relaxed) }

// Cut says which of the two cuts beside the median a strict partition takes.
type Cut string

const (
	// First is the paper's {≤ m | > m} where it leaves k records on either side, else {< m | ≥ m}.
	First Cut = "first"
	// Even is the one whose sides differ less in size, the paper's where they are equal.
	Even Cut = "even"
)

func (Cut) Enum() []string { return algorithms.Words(First, Even) }

// Split says by what a region's cut is chosen.
type Split string

const (
	// Median is the paper's: the median of the widest quasi-identifier.
	Median Split = "median"
	// Class takes, of all allowable cuts, the one most informative about the class (largest
	// information gain), and the median of the widest where none is informative.
	Class Split = "class"
	// Workload takes, of all allowable cuts, the one that lowers the error of a workload the most,
	// and the median of the widest where none lowers it. The workload counts the records of every
	// value of every quasi-identifier.
	Workload Split = "workload"
)

func (Split) Enum() []string { return algorithms.Words(Median, Class, Workload) }

// Params are Mondrian's parameters.
type Params struct {
	K       int               `yaml:"k" doc:"the least number of records that share a published combination of quasi-identifiers" min:"2" max:"2147483647"`
	Mode    Mode              `yaml:"mode" doc:"strict cuts between values, relaxed also among records of one value"`
	Cut     Cut               `yaml:"cut" doc:"which cut is tried first; without effect on relaxed partitions and on cuts not at a median"`
	Split   Split             `yaml:"split" doc:"where a region is cut: at the median, where classes separate best or where the counts of every value are answered best; relaxed partitions know only median"`
	Records partition.Records `yaml:"records" doc:"where records are drawn from: the whole region, or the range its records span"`

	disclosure.Limits `yaml:",inline"`
}

func (p *Params) Anonymity() int { return p.K }

// DefaultParams are strict partitions of at least 10 records, drawn from their boxes.
func DefaultParams() *Params {
	return &Params{K: 10, Mode: Strict, Cut: First, Split: Median,
		Records: partition.Box, Limits: disclosure.NoLimits()}
}

// Validate reports a split that relaxed partitions do not know, and what knows no limits.
func (p *Params) Validate() error {
	if p.Limits.Any() && !p.limitable() {
		return fmt.Errorf("l: %d, t: %v, must be 1 and 1 in mode %s and with split: %s", p.L, p.T,
			Relaxed, Workload)
	}
	if p.Mode == Relaxed && (p.Split == Class || p.Split == Workload) {
		return fmt.Errorf("split: %q, must be %s in mode %s", p.Split, Median, Relaxed)
	}
	return nil
}

// CheckSchema refuses split: class for tables without a class, split: workload for too many
// values, and limits that a table's attributes do not allow.
func (p *Params) CheckSchema(s *datasets.Schema) error {
	if err := p.Limits.CheckSchema(s); err != nil {
		return err
	}
	switch p.Split {
	case Class:
		if s.Class() < 0 {
			return errors.New("split: class, but the table has no class attribute")
		}
	case Workload:
		values := 0
		for _, attribute := range s.QuasiIdentifiers() {
			if values += s.Attributes[attribute].Cells(); values > maxQueries {
				return fmt.Errorf("split: workload counts every value, of which a table may"+
					" have %d", maxQueries)
			}
		}
	}
	return nil
}

// limitable reports whether more can be asked of regions than k records.
func (p *Params) limitable() bool { return p.Mode == Strict && p.Split != Workload }

// FitSchema cuts where classes separate best, where there is one.
func (p *Params) FitSchema(s *datasets.Schema, _ int) {
	if s.Class() >= 0 {
		p.Split = Class
	}
}
