package partition

import "ppdp/algorithms"

// Values says which point of its interval stands for an ordered attribute of a drawn record.
// Categorical attributes always get a uniformly drawn member of the interval or taxonomy node.
type Values string

const (
	Uniform  Values = "uniform"  // a uniformly drawn point
	Midpoint Values = "midpoint" // the middle; of an even number of discrete cells the lower one
	Low      Values = "low"      // the lower end
)

func (Values) Enum() []string { return algorithms.Words(Uniform, Midpoint, Low) }
