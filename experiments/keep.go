package experiments

import (
	"math"
	"slices"
	"strings"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/internal/results"
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

// keeps reports whether a cell leaves its regions.
func (p *Plan) keeps(c *Cell) bool {
	return slices.Contains(p.Spec.Keep, KeepRegions) && c.Trial == 0 && c.Fold <= 0 &&
		c.Config.Info.Can(algorithms.RegionsProduct)
}

// sides lists the extents of a release's regions, in the attributes' units. Attributes that a
// release generalises along a taxonomy are left out: their regions are sets of values, not
// intervals.
func sides(schema *datasets.Schema, regions *algorithms.Regions) []results.RegionSide {
	var all []results.RegionSide
	for region := range regions.Len() {
		low, high := regions.Box(region)
		records := 0.0
		for _, n := range regions.Count(region) {
			records += n
		}
		for d, attribute := range regions.Attributes {
			if regions.Axes != nil && regions.Axes[d] != nil {
				continue
			}
			a := &schema.Attributes[attribute]
			all = append(all, results.RegionSide{Region: region, Records: records,
				Attribute: a.Name, Low: edge(a, low[d]), High: edge(a, high[d])})
		}
	}
	return all
}

// edge is where a code begins: halfway from the value before, or at the lower end of a continuous
// attribute's cell.
func edge(a *datasets.Attribute, code uint32) float64 {
	switch {
	case a.Kind == datasets.Categorical:
		return float64(code) - 0.5
	case a.Continuous:
		return math.Min(a.Low+float64(float64(code)*a.Step), a.High)
	}
	return a.Low + float64((float64(code)-0.5)*a.Step)
}

// original returns the quasi-identifiers of a table, column by column.
func original(table *datasets.Table) []results.Column {
	schema := table.Schema()
	var columns []results.Column
	for _, attribute := range schema.QuasiIdentifiers() {
		a := &schema.Attributes[attribute]
		column := results.Column{Attribute: a.Name, Values: make([]float64, table.Len())}
		for row := range column.Values {
			if a.Kind == datasets.Numeric {
				column.Values[row] = table.Number(int32(row), attribute)
			} else {
				column.Values[row] = float64(table.Column(attribute).At(int32(row)))
			}
		}
		columns = append(columns, column)
	}
	return columns
}
