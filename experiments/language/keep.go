package language

import (
	"slices"
	"strings"

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

var keepWords = []string{KeepRegions, KeepRows}

// checkKeep records what is wrong with the keep section.
func (s *Spec) checkKeep(r *strictyaml.Reader) {
	at := valueOf(s.node, "keep")
	for _, word := range s.Keep {
		if !slices.Contains(keepWords, word) {
			r.Problemf(at, "%q, must be some of %s", word, strings.Join(keepWords, ", "))
		}
	}
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
	r.Problemf(at, "regions, but none of the algorithms releases regions")
}

// KeepsRegions reports whether a job leaves its regions.
func (p *Plan) KeepsRegions(c *Job) bool {
	return slices.Contains(p.Spec.Keep, KeepRegions) && c.Trial == 0 && c.Fold <= 0 &&
		c.Config.Info.Can(algorithms.RegionsProduct)
}
