package partition

import (
	"ppdp/algorithms"
)

// Values says which point of its interval stands for an ordered attribute of a drawn record.
// Categorical attributes always get a uniformly drawn member of the interval or taxonomy node.
type Values string

const (
	Uniform  Values = "uniform"  // a uniformly drawn point
	Midpoint Values = "midpoint" // the middle; of an even number of discrete cells the lower one
	Low      Values = "low"      // the lower end
)

func (Values) Enum() []string { return algorithms.Words(Uniform, Midpoint, Low) }

// Drawing are the parameters of records drawn from a release's regions.
type Drawing struct {
	Values  Values `yaml:"values" doc:"the point of its interval that a numeric attribute of a drawn record gets"`
	MaxRows int    `yaml:"max_rows" doc:"the largest number of drawn records; beyond it all regions are thinned alike, records get a weight and the release a warning" min:"1" max:"2147483647"`
}

// DefaultDrawing are uniformly drawn points and at most two million records.
func DefaultDrawing() Drawing { return Drawing{Values: Uniform, MaxRows: 2e6} }

// LimitRows sets MaxRows: an audit makes releases that are thinned.
func (d *Drawing) LimitRows(most int) { d.MaxRows = most }
