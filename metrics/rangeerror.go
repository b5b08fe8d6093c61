package metrics

import "math"

func init() {
	registerMarginals(Info{
		Name: "range-error", Title: "Error of range queries", Unit: "fraction",
		Source: "range-count queries as Xiao, Wang & Gehrke 2010 ask them: here all of the form " +
			"a ≤ x and b ≤ y, answered by the share of the published records",
	}, rangeError)
}

// rangeError is by how much the share of records with a ≤ x and b ≤ y is off, averaged over all
// bins x and y of attributes a and b, or of a set of another size. Values are in the schema's
// order; the last bin of an attribute, which all records satisfy, is left out where there are
// others.
func rangeError(truth, published marginal) float64 {
	for _, m := range []marginal{truth, published} {
		stride := 1
		for i := len(m.sizes) - 1; i >= 0; i-- { // counts of cells to those of corners
			for cell := stride; cell < len(m.counts); cell++ {
				if cell/stride%m.sizes[i] > 0 {
					m.counts[cell] += m.counts[cell-stride]
				}
			}
			stride *= m.sizes[i]
		}
	}
	sum, queries := 0.0, 0
	for cell, x := range truth.counts {
		rest, asked := cell, true
		for i := len(truth.sizes) - 1; i >= 0; i-- {
			size := truth.sizes[i]
			asked = asked && (rest%size < size-1 || size == 1)
			rest /= size
		}
		if asked {
			sum += math.Abs(x/truth.mass - published.counts[cell]/published.mass)
			queries++
		}
	}
	return sum / float64(queries)
}
