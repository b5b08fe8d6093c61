package margins

import (
	"math"
	"slices"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/pgm"
	"ppdp/datasets"
)

// Merge says which values of an attribute are made one because noise hides how often they occur.
type Merge string

const (
	NoMerge Merge = "none"
	// Rare makes one value of all that are rare, wherever they lie; each stands for any of them.
	Rare Merge = "rare"
	// Neighbours joins runs of neighbouring values until they are frequent, where the order of
	// values has a meaning, and is Rare elsewhere. Each value of a run is as frequent as measured.
	Neighbours Merge = "neighbours"
)

func (Merge) Enum() []string { return algorithms.Words(NoMerge, Rare, Neighbours) }

// Merge merges values whose measured counts are below threshold standard deviations of their noise,
// but for those of one attribute (-1 for none). It reads noisy marginals alone and maps record by
// record, so that it costs nothing and later sensitivities are what they were.
func (d *Data) Merge(rule Merge, threshold float64, but int) {
	if rule == NoMerge {
		return
	}
	for a := range d.Sizes {
		counts, variances := d.oneWay(a)
		if a == but || counts == nil {
			continue
		}
		frequent := func(count, variance float64) bool {
			return count >= threshold*math.Sqrt(variance)
		}
		attribute := &d.schema.Attributes[a]
		ordered := rule == Neighbours &&
			(attribute.Kind == datasets.Numeric || attribute.Ordered)
		numbers := counts // and not missing ones, which join no others
		if attribute.Kind == datasets.Numeric && attribute.Missing != nil {
			numbers = counts[:len(counts)-1]
		}
		var groups [][]int
		if ordered {
			groups = runs(numbers, variances, frequent)
		} else {
			var rare []int
			for v, count := range numbers {
				if frequent(count, variances[v]) {
					groups = append(groups, []int{v})
				} else {
					rare = append(rare, v)
				}
			}
			if len(rare) > 0 {
				groups = append(groups, rare)
			}
		}
		if len(numbers) < len(counts) {
			groups = append(groups, []int{len(numbers)})
		}
		if len(groups) == len(counts) {
			continue
		}
		d.apply(a, groups)
		d.shares[a] = make([]float64, len(counts))
		for v, count := range counts {
			d.shares[a][v] = 1
			if ordered {
				d.shares[a][v] = max(0, count)
			}
		}
	}
}

// oneWay is the most exact measurement of an attribute's own counts, nil for none.
func (d *Data) oneWay(a int) (counts, variances []float64) {
	best := math.Inf(1)
	for i := range d.Measured {
		m := &d.Measured[i]
		if !slices.Contains(m.Attributes, a) {
			continue
		}
		own, noise := sumTo(m, d.Sizes, a)
		if total := slices.Max(noise); total < best {
			best, counts, variances = total, own, noise
		}
	}
	return counts, variances
}

// sumTo sums a measurement out to one attribute.
func sumTo(m *pgm.Measurement, sizes []int, a int) (counts, variances []float64) {
	counts, variances = make([]float64, sizes[a]), make([]float64, sizes[a])
	inner := stride(m, sizes, a)
	for cell, count := range m.Counts {
		v := cell / inner % sizes[a]
		counts[v] += count
		variances[v] += m.Variances[min(cell, len(m.Variances)-1)]
	}
	return counts, variances
}

// stride is how many cells of a measurement lie between neighbouring values of an attribute.
func stride(m *pgm.Measurement, sizes []int, a int) int {
	n := 1
	for i := len(m.Attributes) - 1; m.Attributes[i] != a; i-- {
		n *= sizes[m.Attributes[i]]
	}
	return n
}

// runs joins neighbouring values until each run is frequent; what is left over joins the last one.
func runs(counts, variances []float64, frequent func(count, variance float64) bool) [][]int {
	var groups [][]int
	var open []int
	count, variance := 0.0, 0.0
	for v := range counts {
		open = append(open, v)
		count += counts[v]
		variance += variances[v]
		if frequent(count, variance) {
			groups = append(groups, open)
			open, count, variance = nil, 0, 0
		}
	}
	if len(open) > 0 && len(groups) > 0 {
		groups[len(groups)-1] = append(groups[len(groups)-1], open...)
	} else if len(open) > 0 {
		groups = append(groups, open)
	}
	return groups
}

// apply replaces the values of an attribute by their groups' numbers, in rows and measurements.
func (d *Data) apply(a int, groups [][]int) {
	group := make([]uint32, d.Sizes[a])
	for g, members := range groups {
		for _, v := range members {
			group[v] = uint32(g)
		}
	}
	block := make([]uint32, blockRows)
	for from := 0; from < len(d.in.Rows); from += len(block) {
		values := block[:min(len(block), len(d.in.Rows)-from)]
		d.columns[a].Widen(from, values)
		d.columns[a].Put(from, values, group)
	}
	for i := range d.Measured {
		m := &d.Measured[i]
		if !slices.Contains(m.Attributes, a) {
			continue
		}
		inner := stride(m, d.Sizes, a)
		merged := pgm.Measurement{Attributes: m.Attributes,
			Counts:    make([]float64, len(m.Counts)/d.Sizes[a]*len(groups)),
			Variances: make([]float64, len(m.Counts)/d.Sizes[a]*len(groups))}
		for cell, count := range m.Counts {
			outer, v := cell/inner/d.Sizes[a], cell/inner%d.Sizes[a]
			to := (outer*len(groups)+int(group[v]))*inner + cell%inner
			merged.Counts[to] += count
			merged.Variances[to] += m.Variances[min(cell, len(m.Variances)-1)]
		}
		*m = merged
	}
	d.Sizes[a], d.members[a], d.values[a] = len(groups), groups, nil
}
