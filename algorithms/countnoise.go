package algorithms

import "ppdp/privacy"

// CountNoise declares the noise of whole counts: two-sided geometric in the strict variant, whose
// outputs have no low bits that reveal the count, Laplace noise in the others, as in the papers.
// It opens the stream of the same name.
func (in *Input) CountNoise(purpose string, s privacy.Sensitivity) privacy.Counter {
	stream := in.Noise.Open(purpose)
	if in.Variant == Strict {
		return in.Budget.Geometric(purpose, stream, s)
	}
	return in.Budget.Laplace(purpose, stream, s)
}
