package language

import (
	"slices"

	"ppdp/algorithms"
	"ppdp/internal/strictyaml"
)

// What a spec's keep may ask for beyond measurements, for figures that show one release. It is kept
// of every configuration's first trial, and of that trial's first fold.
const (
	// KeepRegions keeps the releases' regions.
	KeepRegions = "regions"
	// KeepRows keeps the original quasi-identifiers: the private data themselves, so only for data
	// that are generated or public.
	KeepRows = "rows"
)

// checkKeep refuses to keep regions where no algorithm releases any.
func (s *Spec) checkKeep(r *strictyaml.Reader) {
	if !slices.Contains(s.Keep, KeepRegions) {
		return
	}
	for i := range s.Algorithms {
		if a := s.Algorithms[i].found; a != nil {
			if info := a.Info(); info.Can(algorithms.RegionsProduct) {
				return
			}
		}
	}
	r.Problemf(valueOf(s.node, "keep"), "regions, but none of the algorithms releases regions")
}

// KeepsRegions reports whether a job leaves its regions.
func (p *Plan) KeepsRegions(c *Job) bool {
	return slices.Contains(p.Spec.Keep, KeepRegions) && c.Trial == 0 && c.Fold <= 0 &&
		c.Config.Info.Can(algorithms.RegionsProduct)
}
