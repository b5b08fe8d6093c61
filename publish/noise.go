package publish

import (
	"fmt"
	"math"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/internal/problem"
	"ppdp/internal/results"
	"ppdp/numeric/elementary"
	"ppdp/privacy"
)

// falseAlarm is the chance that a sound release is refused for its counts, at most: half of it for
// what the release says by itself, half for what the original adds. Each half is divided evenly
// among its doubts (Bonferroni).
const falseAlarm = 1e-4

// doubt is something that noise does seldom: chance bounds how often it does this or more.
type doubt struct {
	what   string
	chance float64
}

// weigh notes a sentence that holds or, in its place, the doubts that noise does not explain.
func (r *Report) weigh(holds string, doubts []doubt) {
	var problems []error
	for _, d := range doubts {
		least := falseAlarm / 2 / float64(len(doubts))
		problems = append(problems, problem.Unless(d.chance >= least, "%s: %s: by the "+
			"certificate's noise this has a chance below %.1g", MarginalsFile, d.what, least))
	}
	r.check(holds, problems...)
}

// offset is how far a sum of noisy counts is from what it would be without noise, which has the law
// of sums. The last of them is drawn after all that the others and earlier offsets are of.
type offset struct {
	by   float64
	sums []privacy.Summed
}

// far bounds the chance that noise is as large as it is here, of m independent offsets: by m times
// the least chance (Bonferroni), or by the product of all, where -log of m chances adds up to m·x
// with probability exp(-m(x - 1 - log x)) at most (Fisher 1925, with Chernoff's bound of the gamma
// law), whichever is less.
func far(offsets []offset) float64 {
	m, sum, least := float64(len(offsets)), 0.0, 1.0
	for i := range offsets {
		p := max(privacy.Beyond(offsets[i].by, offsets[i].sums), 1e-300)
		sum -= elementary.Log(p)
		least = min(least, p)
	}
	x := max(1, sum/max(1, m))
	return min(1, 2*min(m*least, elementary.Exp(-m*(x-1-elementary.Log(x)))))
}

// near bounds the chance that noise is as small as it is here. It looks at the last sum alone:
// whatever the others are, they do not make it likelier that all are near 0, since its law is
// symmetric and falls to either side (Anderson 1955). So offsets need not be independent. That m
// chances have a mean of x has probability (m·x)^m/m! at most (Edgington 1972), which is below
// (e·x)^m/√(2πm).
func near(offsets []offset) float64 {
	m, sum := float64(len(offsets)), 0.0
	if m == 0 {
		return 1
	}
	for o := range results.Each(offsets) {
		sum += privacy.Inside(o.by, o.sums[len(o.sums)-1])
	}
	return min(1, elementary.Exp(m*(1+elementary.Log(sum/m)))/math.Sqrt(2*math.Pi*m))
}

// summed is the law of noise in a sum of so many of a marginal's counts.
func (c *Certificate) summed(m *algorithms.Marginal, counts int) privacy.Summed {
	law, _, _ := c.law(m) // which is checked
	return privacy.Summed{VectorLaw: law, Draws: counts, Weight: 1}
}

// residuals compares noisy counts with the original's: of each marginal its cells and their sum,
// and all cells of the release.
func (c *Certificate) residuals(original *datasets.Table,
	marginals []algorithms.Marginal) (doubts []doubt) {
	var all []offset
	compare := func(which string, own []offset) {
		doubts = append(doubts, doubt{which + " is too far from the original", far(own)},
			doubt{which + " is too near to the original", near(own)})
	}
	for i := range marginals {
		m, first, sum := &marginals[i], len(all), 0.0
		for cell, count := range tally(m, original, nil) {
			by := m.Counts[cell] - count
			sum += by
			all = append(all, offset{by, []privacy.Summed{c.summed(m, 1)}})
		}
		compare(fmt.Sprintf("marginal %d", i+1), all[first:])
		doubts = append(doubts, doubt{fmt.Sprintf("marginal %d has %v records, the original %d",
			i+1, sum+float64(original.Len()), original.Len()),
			privacy.Beyond(sum, []privacy.Summed{c.summed(m, len(m.Counts))})})
	}
	compare("all counts together", all)
	return doubts
}

// agreement compares each marginal with the earlier one that says the same with least noise, of
// each attribute's values and of all records. How little noise there is, is judged by one such
// comparison of each: the others have parts of the same noise in them.
func (c *Certificate) agreement(schema *datasets.Schema,
	marginals []algorithms.Marginal) (doubts []doubt) {
	var all []offset
	for i := range marginals {
		m, most := &marginals[i], []offset(nil)
		for d := -1; d < len(m.Attributes); d++ {
			attribute, name := -1, "all records"
			if d >= 0 {
				attribute = m.Attributes[d]
				name = schema.Attributes[attribute].Name
			}
			if other, at := c.least(marginals[:i], attribute); other >= 0 {
				offsets := c.shared(schema, m, d, &marginals[other], at)
				// Earlier noise may have had a say in which attributes are measured again.
				doubts = append(doubts, doubt{fmt.Sprintf("marginals %d and %d disagree on %s",
					other+1, i+1, name), far(offsets) * float64(len(schema.Attributes))})
				if len(offsets) > len(most) {
					most = offsets
				}
			}
		}
		all = append(all, most...)
	}
	return append(doubts, doubt{"marginals agree too well with each other", near(all)})
}

// shared are the differences between two marginals' counts of an attribute, whose places there are
// d and e, or of all records for -1. o is the earlier one: values may have been merged since then,
// so that one of m is some of o.
func (c *Certificate) shared(schema *datasets.Schema, m *algorithms.Marginal, d int,
	o *algorithms.Marginal, e int) (offsets []offset) {
	own, others := totals(m, m.Counts, d), totals(o, o.Counts, e)
	of, draws := make([]int, len(others)), make([]int, len(own))
	if d >= 0 {
		mine := codes(m.Values[d], schema.Attributes[m.Attributes[d]].Cells())
		for w, spans := range o.Values[e] {
			of[w] = mine[spans[0].Low]
		}
	}
	for w, v := range of {
		own[v] -= others[w]
		draws[v] += len(o.Counts) / len(others)
	}
	for v, by := range own {
		offsets = append(offsets, offset{by, []privacy.Summed{c.summed(o, draws[v]),
			c.summed(m, len(m.Counts)/len(own))}})
	}
	return offsets
}

// drawn compares records with the marginals that they were made from.
//
// Their number is the mean of what the marginals add up to, each weighted by the inverse of its
// variance (pgm.Total). Where other counts had a part in it, which are not published, it is off by
// less than the noise of that mean, σ: sums of such noise are beyond z·(σ + 1) with a chance below
// exp(1 - z).
//
// A fit begins with every value as likely as any, and comes nearer to the counts, by squares over
// variances. Drawn from the model, n records of weight w are off by √Σ(n·w/variance), over the
// attributes, times 1 + z with a chance below exp(-z²/2) (McDiarmid 1989). Counts that are not
// published, and labels drawn anew, may take records away from the marginals: twice the distance
// at which the fit began is left for them.
func (c *Certificate) drawn(released *datasets.Table, weights []float64,
	marginals []algorithms.Marginal) []doubt {
	records, mean, precision := 0.0, 0.0, 0.0
	for row := range released.Len() {
		records += weightOf(weights, row)
	}
	for i := range marginals {
		weight := 1 / c.variance(&marginals[i], -1)
		mean += float64(weight * totals(&marginals[i], marginals[i].Counts, -1)[0])
		precision += weight
	}
	mean = max(1, mean/precision) // no model has fewer
	z := max(1, (math.Abs(records-mean)-0.5)/(1+1/math.Sqrt(precision)))
	if records == 0 { // nor has a release
		z = math.Inf(1)
	}
	doubts := []doubt{{fmt.Sprintf("the marginals have %.0f records, %s %v", mean, RecordsFile,
		records), elementary.Exp(1 - z)}}
	apart, began, drawing := 0.0, 0.0, 0.0
	for a := range released.Schema().Attributes {
		i, d := c.least(marginals, a)
		if i < 0 || records == 0 {
			continue
		}
		m, variance := &marginals[i], c.variance(&marginals[i], d)
		has := totals(m, tally(m, released, weights), d)
		for v, count := range totals(m, m.Counts, d) {
			off, even := has[v]-count, records/float64(len(has))-count
			apart += off * off / variance
			began += even * even / variance
		}
		drawing += records / float64(released.Len()) * records / variance
	}
	if drawing > 0 {
		z = max(0, (math.Sqrt(apart)-2*math.Sqrt(began))/math.Sqrt(drawing)-1)
		doubts = append(doubts, doubt{RecordsFile + " is farther from them than records drawn " +
			"without a fit", elementary.Exp(-z * z / 2)})
	}
	return doubts
}

// variance is that of an attribute's counts, as c.deviation, or the least that fits work with.
func (c *Certificate) variance(m *algorithms.Marginal, d int) float64 {
	deviation := c.deviation(m, d)
	return max(1e-6, float64(deviation*deviation))
}
