package graph

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"ppdp/numeric/elementary"
)

// Table1Terms is the number of terms of the zeta normaliser with which PowerLawExponent gives all
// four exponents of Qardaji & Li 2012, Table 1, to two decimals. The paper does not say how it
// estimated them; this one constant was fitted to the four.
const Table1Terms = 10_000

// exponentLimit bounds the exponents searched: beyond it the likelihood is flat.
const exponentLimit = 60

// PowerLawExponent is the maximum-likelihood exponent α of P(d) ∝ d^-α over d = 1, 2, ..., terms,
// or over all whole numbers from 1 when terms is 0 (the zeta distribution; Clauset, Shalizi &
// Newman 2009, section 3.1). Degrees of 0 are left out. Degrees above terms, no degrees, and
// degrees with no finite estimate (all are 1, or all are terms) are errors.
func PowerLawExponent(degrees []int32, terms int) (float64, error) {
	if terms < 0 || terms == 1 {
		return 0, fmt.Errorf("%d terms, must be 0 (all) or at least 2", terms)
	}
	sum, n := 0.0, 0
	for _, d := range degrees {
		if terms > 0 && int(d) > terms {
			return 0, fmt.Errorf("a degree of %d, must be at most the %d terms", d, terms)
		}
		if d > 0 {
			sum += elementary.Log(float64(d))
			n++
		}
	}
	if n == 0 {
		return 0, errors.New("no degree above 0")
	}
	meanLog := sum / float64(n)
	// The expected logarithm under the model falls as α grows: its root is the maximum of the
	// likelihood.
	expected, low := zetaMeanLog, 1.0
	if terms > 0 {
		expected, low = truncatedMeanLog(terms), -exponentLimit
	}
	high := float64(exponentLimit)
	if meanLog <= expected(high) || terms > 0 && meanLog >= expected(low) {
		return 0, fmt.Errorf("the mean logarithm of the degrees is %v, for which no finite "+
			"exponent is most likely", meanLog)
	}
	for {
		middle := low + float64((high-low)/2)
		if middle == low || middle == high || high-low < 1e-12 {
			return middle, nil
		}
		if expected(middle) > meanLog {
			low = middle
		} else {
			high = middle
		}
	}
}

// truncatedMeanLog returns the function α → Σ ln d·d^-α / Σ d^-α, sums over d = 1 to terms.
func truncatedMeanLog(terms int) func(alpha float64) float64 {
	logs := make([]float64, terms)
	for i := range logs {
		logs[i] = elementary.Log(float64(i + 1))
	}
	return func(alpha float64) float64 {
		// The largest weight is at one end; measured from there no term overflows.
		shift := 0.0
		if alpha < 0 {
			shift = logs[terms-1]
		}
		mass, moment := 0.0, 0.0
		for _, l := range logs {
			w := elementary.Exp(float64(-alpha * (l - shift)))
			mass += w
			moment += float64(w * l)
		}
		return moment / mass
	}
}

// zetaMeanLog is -ζ'(α)/ζ(α) for α > 1. Both are summed directly up to a term from which on the
// Euler-Maclaurin formula with two corrections is exact to rounding: its next term is of order
// N^(-α-3).
func zetaMeanLog(alpha float64) float64 {
	if alpha <= 1 {
		return math.Inf(1)
	}
	const n = 1000
	sum, zeta := 0.0, 1.0
	for d := 2; d < n; d++ {
		l := elementary.Log(float64(d))
		power := elementary.Exp(float64(-alpha * l))
		zeta += power
		sum += float64(l * power)
	}
	l, a := elementary.Log(n), alpha-1
	power := elementary.Exp(float64(-alpha * l)) // n^-α
	sum += float64(n * power * (l/a + 1/float64(a*a)))
	sum += float64(power * l / 2)
	sum += float64(power / n * (float64(alpha*l) - 1) / 12)
	zeta += float64(n*power/a) + float64(power/2) + float64(alpha*power/(12*n))
	return sum / zeta
}

// Statistics describe a degree sequence as Table 1 of Qardaji & Li 2012 does.
type Statistics struct {
	Nodes     int
	Edges     int
	Alpha     float64 // PowerLawExponent with Table1Terms
	MaxDegree int
}

// DegreeSequence returns an ascending degree sequence with the statistics: exactly these nodes,
// edges and maximum degree, and an exponent that differs from Alpha only by rounding to whole
// degrees. Number of edges and exponent fix the mean of d and of ln d; the sequence holds the
// quantiles of the distribution of largest entropy on 1 to MaxDegree with these two means, P(d) ∝
// d^-a·e^(-bd), a power law with an exponential cut-off.
func (s Statistics) DegreeSequence() ([]int32, error) {
	mass, err := s.fit()
	if err != nil {
		return nil, err
	}
	sequence := make([]int32, s.Nodes)
	d, below := 0, mass[0] // mass[d] is of degree d+1
	sum := int64(0)
	for i := range sequence {
		for level := (float64(i) + 0.5) / float64(s.Nodes); d < s.MaxDegree-1 && below < level; {
			d++
			below += mass[d]
		}
		sequence[i] = int32(d + 1)
		sum += int64(d + 1)
	}
	sum += int64(s.MaxDegree) - int64(sequence[s.Nodes-1])
	sequence[s.Nodes-1] = int32(s.MaxDegree)
	// Rounding leaves the sum a little off; the difference is spread over the nodes in steps of
	// one.
	stuck := false // every node that the last stride met was at a bound: meet them all
	for difference := 2*int64(s.Edges) - sum; difference != 0; {
		step, before := int32(1), difference
		if difference < 0 {
			step = -1
		}
		stride := max(1, int64(s.Nodes)/(int64(step)*difference))
		if stuck {
			stride = 1
		}
		for i := stride / 2; i < int64(s.Nodes-1) && difference != 0; i += stride {
			if moved := sequence[i] + step; moved >= 1 && int(moved) <= s.MaxDegree {
				sequence[i] = moved
				difference -= int64(step)
			}
		}
		stuck = before == difference
	}
	slices.Sort(sequence)
	return sequence, nil
}

// fit returns the probabilities of degrees 1 to MaxDegree. The two parameters minimise the convex
// dual ln Z(a, b) + a·E[ln d] + b·E[d] by Newton's method, whose full steps suffice for Table 1.
func (s Statistics) fit() ([]float64, error) {
	wantLog := truncatedMeanLog(Table1Terms)(s.Alpha)
	want := 2 * float64(s.Edges) / float64(s.Nodes)
	mass := make([]float64, s.MaxDegree)
	logs := make([]float64, s.MaxDegree)
	for i := range logs {
		logs[i] = elementary.Log(float64(i + 1))
	}
	top := float64(s.MaxDegree)
	// Degrees are measured in units of the largest, which keeps the two parameters of one order.
	law := func(a, b float64) {
		largest := math.Inf(-1)
		for i := range mass {
			mass[i] = float64(-a*logs[i]) - float64(b*float64(i+1)/top)
			largest = max(largest, mass[i])
		}
		total := 0.0
		for i := range mass {
			mass[i] = elementary.Exp(mass[i] - largest)
			total += mass[i]
		}
		for i := range mass {
			mass[i] /= total
		}
	}
	const (
		rounds    = 200
		tolerance = 1e-10 // of both means; far below what rounding to whole degrees costs
	)
	a, b := 1.0, 0.0
	for range rounds {
		law(a, b)
		m1, m2, v11, v12, v22 := 0.0, 0.0, 0.0, 0.0, 0.0
		for i, p := range mass {
			m1 += float64(p * logs[i])
			m2 += float64(p * float64(i+1) / top)
		}
		for i, p := range mass {
			x, y := logs[i]-m1, float64(i+1)/top-m2
			v11 += float64(p * x * x)
			v12 += float64(p * x * y)
			v22 += float64(p * y * y)
		}
		g1, g2 := wantLog-m1, want/top-m2
		if math.Abs(g1) < tolerance && math.Abs(g2) < tolerance {
			return mass, nil
		}
		determinant := float64(v11*v22) - float64(v12*v12)
		a -= (float64(v22*g1) - float64(v12*g2)) / determinant
		b -= (float64(v11*g2) - float64(v12*g1)) / determinant
	}
	return nil, fmt.Errorf("no degree distribution on 1 to %d has a mean of %.4g and a mean "+
		"logarithm of %.4g (alpha: %v)", s.MaxDegree, want, wantLog, s.Alpha)
}
