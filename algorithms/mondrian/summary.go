package mondrian

import (
	"math"

	"ppdp/datasets"
)

// summarise fills in the regions' statistics (paper, section 5): tight ranges, means and exact
// class counts. records are the table's rows, region after region.
func (p *partitioned) summarise(records *datasets.Table) {
	schema, regions := records.Schema(), p.regions
	dims := len(regions.Attributes)
	regions.Means = make([]float64, len(regions.Low))
	for d, attribute := range regions.Attributes {
		a, column := &schema.Attributes[attribute], records.Column(attribute)
		switch {
		case column.U8 != nil:
			ranges(column.U8, p.ends, regions.TightLow, regions.TightHigh, d, dims)
			means(column.U8, column.Exact, a, p.ends, regions.Means, d, dims)
		case column.U16 != nil:
			ranges(column.U16, p.ends, regions.TightLow, regions.TightHigh, d, dims)
			means(column.U16, column.Exact, a, p.ends, regions.Means, d, dims)
		default:
			ranges(column.U32, p.ends, regions.TightLow, regions.TightHigh, d, dims)
			means(column.U32, column.Exact, a, p.ends, regions.Means, d, dims)
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

// ranges bounds the codes of each region on dimension d of dims where that is not known already.
func ranges[T uint8 | uint16 | uint32](codes []T, ends []int32, low, high []uint32, d, dims int) {
	start := int32(0)
	for region, end := range ends {
		if at := region*dims + d; high[at] == unknown {
			lowest, highest := codes[start], codes[start]
			for _, code := range codes[start:end] {
				lowest, highest = min(lowest, code), max(highest, code)
			}
			low[at], high[at] = uint32(lowest), uint32(highest)+1
		}
		start = end
	}
}

// means averages each region's numbers: the exact ones where the table keeps them.
func means[T uint8 | uint16 | uint32](codes []T, exact []float64, a *datasets.Attribute,
	ends []int32, mean []float64, d, dims int) {
	start := int32(0)
	for region, end := range ends {
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
		mean[region*dims+d] = value
		start = end
	}
}
