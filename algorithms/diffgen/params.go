package diffgen

import (
	"ppdp/algorithms"
	"ppdp/algorithms/kernel/partition"
	"ppdp/datasets"
)

// Score says what a value of the cut is scored by under the utilities dm and ncp; the others gain
// by themselves.
type Score string

const (
	Reduction Score = "reduction" // loss of the value's records less that of its children's
	Children  Score = "children"  // minus the loss of the children's records
)

func (Score) Enum() []string { return algorithms.Words(Reduction, Children) }

// Empty says what becomes of cells that hold no record.
type Empty string

const (
	Drawn   Empty = "drawn"   // they get noise like all others
	Omitted Empty = "omitted" // they are left out: a control that is not private
)

func (Empty) Enum() []string { return algorithms.Words(Drawn, Omitted) }

// Params are the settings of a release.
type Params struct {
	Utility partition.Utility `yaml:"utility" doc:"what values of the cut and cut points are scored by"`
	Score   Score             `yaml:"score" doc:"what dm and ncp score values by"`
	// Specialisations is the paper's h: of a million ε′ is a millionth of the budget.
	Specialisations int   `yaml:"h" doc:"the number of specialisations; fewer are made where nothing is left to specialise" min:"1" max:"1000000"`
	Empty           Empty `yaml:"empty" doc:"what becomes of cells that hold no record: drawn gives them noise like all others; omitted leaves them out, which is not private"`
	MaxNodes        int   `yaml:"max_nodes" doc:"the largest number of regions; a release that would need more fails" min:"1" max:"2147483647"`
	// Drawing says how records are drawn.
	partition.Drawing `yaml:",inline"`
}

// DefaultParams are settings the papers use: h from the middle of its grids.
func DefaultParams() *Params {
	return &Params{
		Utility: partition.MaxClass, Score: Reduction, Specialisations: 10, Empty: Drawn,
		MaxNodes: 2e7, Drawing: partition.DefaultDrawing(),
	}
}

// scored reports that Score has a meaning.
func (p *Params) scored() bool {
	return p.Utility == partition.Discernibility || p.Utility == partition.CertaintyPenalty
}

var _ algorithms.Fitter = Algorithm{}

// FitSchema specialises until all regions together are as many as their counts allow, by a score
// that needs no class where the table has none.
func (Algorithm) FitSchema(s *datasets.Schema, cells int) algorithms.Params {
	p := DefaultParams()
	p.Specialisations = partition.WholeSpecialisations(s, max(1, cells/s.Classes()))
	if s.Class() < 0 {
		p.Utility = partition.CertaintyPenalty
	}
	return p
}
