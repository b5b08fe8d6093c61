package margins

import (
	"math"
	"slices"

	"ppdp/algorithms/kernel/pgm"
	"ppdp/datasets"
)

// threshold is how many standard deviations of its noise a frequent value's count is above 0.
const threshold = 3

// MergeRare makes one value of all whose measured counts are not frequent, wherever they lie, but
// for those of one attribute (-1 for none); it stands for any of them. It reads noisy marginals
// alone and maps record by record, so that it costs nothing and later sensitivities are what they
// were. Missing numbers join no others.
func (d *Data) MergeRare(but int) {
	for a := range d.Sizes {
		counts, variances := d.oneWay(a)
		if a == but || counts == nil {
			continue
		}
		numbers := counts
		if a := &d.schema.Attributes[a]; a.Kind == datasets.Numeric && a.Missing != nil {
			numbers = counts[:len(counts)-1]
		}
		var groups [][]int
		var rare []int
		for v, count := range numbers {
			if count >= threshold*math.Sqrt(variances[v]) {
				groups = append(groups, []int{v})
			} else {
				rare = append(rare, v)
			}
		}
		if len(rare) > 0 {
			groups = append(groups, rare)
		}
		if len(numbers) < len(counts) {
			groups = append(groups, []int{len(numbers)})
		}
		if len(groups) < len(counts) {
			d.apply(a, groups)
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
		size, inner := d.Sizes[a], stride(m, d.Sizes, a)
		own, noise := make([]float64, size), make([]float64, size)
		for cell, count := range m.Counts {
			v := cell / inner % size
			own[v] += count
			noise[v] += m.Variances[min(cell, len(m.Variances)-1)]
		}
		if total := slices.Max(noise); total < best {
			best, counts, variances = total, own, noise
		}
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
