package rps

import (
	"math/bits"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/partition"
	"ppdp/datasets"
)

var _ algorithms.Fitter = Algorithm{}

// FitSchema lets the cuts of one attribute compete, so that a cut costs less, and ends where leaves
// are as many as their counts allow.
func (Algorithm) FitSchema(s *datasets.Schema, cells int) algorithms.Params {
	p := DefaultParams()
	p.Attributes = Random
	cuts := bits.Len(uint(max(1, cells/s.Classes()))) - 1
	p.Depth = max(1, min(partition.DomainBits(s), cuts))
	if s.Classes() == 2 {
		p.Quality = Class
	}
	return p
}
