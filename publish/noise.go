package publish

import (
	"fmt"
	"math"
	"strconv"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/elementary"
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
		problems = append(problems, unless(d.chance >= least, "%s: %s: by the certificate's noise "+
			"this has a chance below %.1g", MarginalsFile, d.what, least))
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
// chances have a mean of x has probability (m·x)^m/m! at most (Edgington 1972), below (e·x)^m.
func near(offsets []offset) float64 {
	m, sum := float64(len(offsets)), 0.0
	if m == 0 {
		return 1
	}
	for i := range offsets {
		o := &offsets[i]
		sum += privacy.Inside(o.by, o.sums[len(o.sums)-1])
	}
	return min(1, elementary.Exp(m*(1+elementary.Log(sum/m))))
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
// d and e: of the finest groups of values that both count, of everything for -1. o is the earlier.
func (c *Certificate) shared(schema *datasets.Schema, m *algorithms.Marginal, d int,
	o *algorithms.Marginal, e int) (offsets []offset) {
	own, others := totals(m, m.Counts, d), totals(o, o.Counts, e)
	group, of := make([]int, len(own)), make([]int, len(others)) // of the values
	if d >= 0 {
		for v := range group {
			group[v] = v
		}
		cells := schema.Attributes[m.Attributes[d]].Cells()
		theirs, seen := codes(o.Values[e], cells), make([]bool, len(others))
		for code, v := range codes(m.Values[d], cells) {
			w := theirs[code]
			if !seen[w] {
				of[w], seen[w] = group[v], true
			}
			from, to := group[v], of[w]
			for _, groups := range [][]int{group, of} {
				for x := range groups {
					if groups[x] == from {
						groups[x] = to
					}
				}
			}
		}
	}
	for g := range own {
		sum, draws := 0.0, [2]int{}
		for side, counts := range [][]float64{others, own} {
			for x, is := range [][]int{of, group}[side] {
				if is == g {
					sum += float64(float64(2*side-1) * counts[x])
					draws[side]++
				}
			}
		}
		if draws[1] > 0 {
			offsets = append(offsets, offset{sum, []privacy.Summed{
				c.summed(o, draws[0]*len(o.Counts)/len(others)),
				c.summed(m, draws[1]*len(m.Counts)/len(own))}})
		}
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
	const leastError = 1e-3 // as in fits
	records, mean, precision := float64(released.Len()), 0.0, 0.0
	if weights != nil {
		records = 0
		for _, w := range weights {
			records += w
		}
	}
	for i := range marginals {
		deviation := max(leastError, c.deviation(&marginals[i], -1))
		mean += totals(&marginals[i], marginals[i].Counts, -1)[0] / deviation / deviation
		precision += 1 / deviation / deviation
	}
	mean = max(1, mean/precision) // no model has fewer
	// Some methods draw copies of each record, with or without a weight that makes up for them.
	scale := 1.0
	if n, err := strconv.ParseFloat(c.Algorithm.Params["copies"], 64); err == nil && n > 1 &&
		math.Abs(records/n-mean) < math.Abs(records-mean) {
		scale, records = n, records/n
	}
	z := max(1, (math.Abs(records-mean)-0.5)/(1+1/math.Sqrt(precision)))
	doubts := []doubt{{fmt.Sprintf("the marginals have %.0f records, %s %v", mean, RecordsFile,
		records), elementary.Exp(1 - z)}}
	if records == 0 {
		doubts[0].chance = 0
		return doubts
	}
	apart, began, drawing := 0.0, 0.0, 0.0
	for a := range released.Schema().Attributes {
		i, d := c.least(marginals, a)
		if i < 0 {
			continue
		}
		m := &marginals[i]
		deviation := max(leastError, c.deviation(m, d))
		has := totals(m, tally(m, released, weights), d)
		for v, count := range totals(m, m.Counts, d) {
			off, even := (has[v]/scale-count)/deviation, (records/float64(len(has))-count)/deviation
			apart += float64(off * off)
			began += float64(even * even)
		}
		drawing += records / float64(released.Len()) * records / deviation / deviation
	}
	if drawing > 0 {
		z = max(0, (math.Sqrt(apart)-2*math.Sqrt(began))/math.Sqrt(drawing)-1)
		doubts = append(doubts, doubt{RecordsFile + " is farther from them than records drawn " +
			"without a fit", elementary.Exp(-z * z / 2)})
	}
	return doubts
}
