package experiments

import (
	"math"
	"slices"
	"strings"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/internal/strictyaml"
	"ppdp/results"
)

// What a spec's keep may ask for beyond measurements, for figures that show one release. It is kept of every
// configuration's first trial, and of that trial's first fold.
const (
	// KeepRegions keeps the releases' regions in regions.csv.
	KeepRegions = "regions"
	// KeepRows keeps the original quasi-identifiers in rows.csv: the private data themselves, so only for data that
	// are generated or public.
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
		if a, err := algorithms.Lookup(s.Algorithms[i].Name); err == nil {
			if info := a.Info(); info.Can(algorithms.RegionsProduct) {
				return
			}
		}
	}
	r.Problemf(at, "regions, but none of the algorithms releases regions")
}

// keeps reports whether a cell leaves its regions.
func (p *Plan) keeps(c *Cell) bool {
	return slices.Contains(p.Spec.Keep, KeepRegions) && c.Trial == 0 && c.Fold <= 0 && c.Config.Info.Can(algorithms.RegionsProduct)
}

// sides lists the extents of a release's regions, in the attributes' units. Attributes that a release generalises along a
// taxonomy are left out: their regions are sets of values, not intervals.
func sides(cell int, schema *datasets.Schema, regions *algorithms.Regions) []results.RegionSide {
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
			all = append(all, results.RegionSide{Cell: cell, Region: region, Records: records, Attribute: a.Name,
				Low: edge(a, low[d]), High: edge(a, high[d])})
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

// rowValues lists the quasi-identifiers of the first trial's tables.
func (s *stock) rowValues(p *Plan) []results.RowValue {
	var all []results.RowValue
	seen := make(map[string]bool)
	for _, config := range p.Configs {
		label := config.data.label
		table := s.materials[materialName(&config.data, 0)].data.Table
		if seen[label] || table == nil {
			continue
		}
		seen[label] = true
		schema := table.Schema()
		for row := range table.Len() {
			for _, attribute := range schema.QuasiIdentifiers() {
				value := float64(table.Column(attribute).At(int32(row)))
				if schema.Attributes[attribute].Kind == datasets.Numeric {
					value = table.Number(int32(row), attribute)
				}
				all = append(all, results.RowValue{Dataset: label, Row: row, Attribute: schema.Attributes[attribute].Name, Value: value})
			}
		}
	}
	return all
}
