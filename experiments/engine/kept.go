package engine

import (
	"context"
	"math"
	"slices"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/experiments/language"
	"ppdp/internal/results"
)

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

// numberOf is a number for a figure, in which a missing one is just above all others.
func numberOf(number float64, a *datasets.Attribute) float64 {
	if number != number {
		return a.High
	}
	return number
}

// keepsRows reports whether the records keep the quasi-identifiers of a dataset.
func (r *run) keepsRows(d *language.Dataset) bool {
	return slices.Contains(r.plan.Spec.Keep, language.KeepRows) && !d.Info.Graph
}

// original returns the quasi-identifiers of a job's data.
func (r *run) original(c *language.Job) ([]results.Column, error) {
	m, err := r.useData(context.Background(), c.Index) // all jobs have ended
	if err != nil {
		return nil, err
	}
	defer r.doneWith(m)
	data := m.data
	if m.seal.isBroken() {
		data, err = r.plan.Load(context.Background(), r.opts.Files, c.Config.Data, c.Trial)
		if err == nil && data.Checksum != r.checksum(c.Index) {
			err = errOtherData
		}
		if err != nil {
			return nil, r.cannotReload(c.Index, err)
		}
	}
	return columnsOf(data.Table), nil
}

// columnsOf returns the quasi-identifiers of a table, column by column.
func columnsOf(table *datasets.Table) []results.Column {
	schema := table.Schema()
	var columns []results.Column
	for _, attribute := range schema.QuasiIdentifiers() {
		a := &schema.Attributes[attribute]
		column := results.Column{Attribute: a.Name, Values: make([]float64, table.Len())}
		for row := range column.Values {
			if a.Kind == datasets.Numeric {
				column.Values[row] = numberOf(table.Number(int32(row), attribute), a)
			} else {
				column.Values[row] = float64(table.Column(attribute).At(int32(row)))
			}
		}
		columns = append(columns, column)
	}
	return columns
}
