package mondrian

import (
	"math"

	"ppdp/datasets"
)

// summarise fills in the regions' statistics (paper, section 5): tight ranges, means and exact
// class counts. records are the table's rows, region after region.
func (p *partitioned) summarise(records *datasets.Table) {
	schema, regions := records.Schema(), p.regions
	regions.Means = make([]float64, len(regions.Low))
	for d, attribute := range regions.Attributes {
		a, column := &schema.Attributes[attribute], records.Column(attribute)
		switch {
		case column.U8 != nil:
			summary(p, column.U8, column.Exact, a, d)
		case column.U16 != nil:
			summary(p, column.U16, column.Exact, a, d)
		default:
			summary(p, column.U32, column.Exact, a, d)
		}
	}
	class := schema.Class()
	start := int32(0)
	for region, end := range p.ends {
		counts := regions.Count(region)
		if class < 0 {
			counts[0] = float64(end - start)
		} else {
			column := records.Column(class)
			for row := start; row < end; row++ {
				counts[column.At(row)]++
			}
		}
		start = end
	}
}

// summary bounds the codes of each region on dimension d, where that is not known already, and
// averages its numbers: the exact ones where the table keeps them.
func summary[T uint8 | uint16 | uint32](p *partitioned, codes []T, exact []float64,
	a *datasets.Attribute, d int) {
	r, dims, start := p.regions, len(p.regions.Attributes), int32(0)
	for region, end := range p.ends {
		at := region*dims + d
		if r.TightHigh[at] == unknown {
			lowest, highest := codes[start], codes[start]
			for _, code := range codes[start:end] {
				lowest, highest = min(lowest, code), max(highest, code)
			}
			r.TightLow[at], r.TightHigh[at] = uint32(lowest), uint32(highest)+1
		}
		value := math.NaN()
		switch n := float64(end - start); {
		case a.Kind == datasets.Categorical:
		case exact != nil:
			sum := 0.0
			for _, number := range exact[start:end] {
				sum += number
			}
			value = sum / n
		default: // numbers are linear in codes, and a sum of codes is exact
			sum := uint64(0)
			for _, code := range codes[start:end] {
				sum += uint64(code)
			}
			value = a.Number(0) + float64(float64(sum)*a.Step)/n
		}
		r.Means[at] = value
		start = end
	}
}
