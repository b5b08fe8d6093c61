package blackbox

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"ppdp/internal/results"
	"ppdp/numeric/elementary"
	"ppdp/numeric/random"
	"ppdp/privacy"
)

// family is a family of trade-off curves. They are symmetric and concave, and with a larger
// parameter they allow more.
type family struct {
	most  func(parameter, fpr float64) float64 // true positives
	least func(tpr, fpr float64) float64       // parameter that allows the rates
}

// families are μ-GDP, by mu, and (ε, δ)-DP of one δ.
func families(delta float64) [2]family {
	return [2]family{{
		most: func(mu, fpr float64) float64 { return normal(quantile(fpr) + mu) },
		least: func(tpr, fpr float64) float64 {
			return quantile(tpr) - quantile(fpr)
		},
	}, {
		most: func(epsilon, fpr float64) float64 {
			return privacy.MostTruePositives(epsilon, delta, fpr)
		},
		least: func(tpr, fpr float64) float64 {
			log := func(p, q float64) float64 {
				if p <= 0 {
					return math.Inf(-1)
				}
				return elementary.Log(p / max(q, math.SmallestNonzeroFloat64))
			}
			return max(log(tpr-delta, fpr), log(1-delta-fpr, 1-tpr))
		},
	}}
}

func normal(x float64) float64 { return elementary.Erfc(-x/math.Sqrt2) / 2 }

func quantile(p float64) float64 {
	if p > 0.5 {
		return elementary.NormalUpper(1 - p)
	}
	return -elementary.NormalUpper(p)
}

// pValue is that of the claim that rates are within a curve, refuted by high and low hits in n
// releases each. At a point of the curve P[X ≥ high] and P[Y ≤ low] are independent p-values, and
// so is k - k·ln k of their product k (Fisher 1932); inside the curve it is larger. The worst point
// is found by thirds: both tails are log-concave in their probabilities, and the curve is concave,
// so that k is log-concave in the FPR.
func (f family) pValue(parameter float64, high, low, n int) float64 {
	product := func(q float64) (k, above float64) {
		above = atLeast(high, n, f.most(parameter, q))
		return float64(above * atLeast(n-low, n, 1-q)), above
	}
	left, right, worst := 0.0, 1.0, 0.0
	for range 60 {
		third := (right - left) / 3
		k, above := product(left + third)
		l, _ := product(right - third)
		if k < l || above == 0 {
			left += third
		} else {
			right -= third
		}
		worst = max(worst, k, l)
	}
	if worst == 0 {
		return 0
	}
	return min(1, worst-float64(worst*elementary.Log(worst)))
}

// bound is the largest parameter that is refuted at a level, or known where that is larger.
func (f family) bound(high, low, n int, level, known float64) float64 {
	over := min(f.least(float64(high)/float64(n), float64(low)/float64(n)), 64)
	if known >= over || f.pValue(known, high, low, n) > level {
		return known
	}
	for over-known > 1e-6 {
		if middle := (known + over) / 2; f.pValue(middle, high, low, n) > level {
			over = middle
		} else {
			known = middle
		}
	}
	return known
}

// term is the part of a score that a feature has, for each of its bins.
type term struct {
	*binnedFeature
	part [maxBins]float64
}

// score is a sum of terms, larger on T than on T′.
type score []term

func (s score) of(values []featureValue) (sum float64) {
	for i := range s {
		sum += s[i].part[s[i].bin(s[i].valueIn(values))]
	}
	return sum
}

// maxTerms is how many terms a score has at most.
const maxTerms = 32

// learn finds a score by least squares, one feature after the other (Bühlmann & Yu 2003): the
// residuals of the sides, 1 and -1, are fitted by the ranks of the feature that explains them best,
// until none explains more than the best of so many features without a relation would. Ranks are
// linear in Gaussian noise where it is likely, and bounded as the loss of Laplace noise is.
func (t *training) learn() (terms score, scores []float64) {
	n := float64(len(t.sides))
	residuals, scores := make([]float64, len(t.sides)), make([]float64, len(t.sides))
	for i, side := range t.sides {
		residuals[i] = 1 - 2*float64(side)
	}
	for range maxTerms {
		var best term
		least, squares := elementary.NormalUpper(0.5/float64(1+len(t.columns))), 0.0
		for _, r := range residuals {
			squares += float64(r * r)
		}
		for _, c := range t.columns {
			var count, sum, rank [maxBins]float64
			for release, bin := range c.bins {
				count[bin]++
				sum[bin] += residuals[release]
			}
			below, variance, product := 0.0, 0.0, 0.0
			for bin := range rank {
				rank[bin] = (below+float64(count[bin]/2))/n - 0.5
				below += count[bin]
				variance += float64(count[bin] * rank[bin] * rank[bin])
				product += float64(sum[bin] * rank[bin])
			}
			z := math.Abs(product) / math.Sqrt(variance*squares/n)
			if !(z > least) {
				continue
			}
			best, least = term{binnedFeature: c}, z
			for bin := range rank {
				best.part[bin] = float64(rank[bin] * product / variance)
			}
		}
		if best.binnedFeature == nil {
			break
		}
		terms = append(terms, best)
		for i, bin := range best.bins {
			residuals[i] -= best.part[bin]
			scores[i] += best.part[bin]
		}
	}
	return terms, scores
}

// point is an event of a trade-off curve: a score of at least a threshold, or a rule. Its hits are
// in the order of the likelier side and the other.
type point struct {
	threshold float64
	promises  [2]float64 // by family, of the training releases
	high, low int
	of        int
}

// slicesOfCurve is into how many parts of as many training releases a curve is cut. Each has the
// threshold that promises most of a family.
const slicesOfCurve = 8

// count enters the hits in the test, by side.
func (p *point) count(hits [2]int, likelier, of int) {
	p.high, p.low, p.of = hits[likelier], hits[1-likelier], of
}

// promises are the parameters that hits in training will show, by family.
func (s *search) promises(high, low int) (least [2]float64) {
	const z = 1.5 // deviations at either end, as Fisher's test has at 5 %
	for i, f := range families(s.delta) {
		least[i] = f.least(s.wilson(high, -z), s.wilson(low, z))
	}
	return least
}

// points are the thresholds that the training releases choose from their scores, for all families.
func (s *search) points(t *training, scores []float64) (chosen []point) {
	order := results.Order(len(scores),
		func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	var best [slicesOfCurve][2]point // by family
	var hits [2]int
	for i, release := range order {
		hits[t.sides[release]]++
		if i+1 == len(order) || scores[order[i+1]] == scores[release] {
			continue
		}
		p := point{threshold: scores[release], promises: s.promises(hits[0], hits[1])}
		for f, promise := range p.promises {
			if b := &best[i*slicesOfCurve/len(order)][f]; promise > b.promises[f] {
				*b = p
			}
		}
	}
	for _, slice := range best {
		for f, p := range slice {
			if p.promises[f] > 0 && !slices.Contains(chosen, p) {
				chosen = append(chosen, p)
			}
		}
	}
	return chosen
}

// ranked are the points that a family tests, the most promising first.
func ranked(points []point, family int) []point {
	order := slices.Clone(points)
	slices.SortStableFunc(order, func(a, b point) int {
		return cmp.Compare(b.promises[family], a.promises[family])
	})
	return order[:min(len(order), 2*slicesOfCurve)]
}

// judgeCurve computes the bounds that the trade-off curve of a score shows: the rates at which "the
// score is at least t" takes a release of T (TPR) and of T′ (FPR) for one of T, for all t.
//
// A mechanism is μ-GDP if Φ⁻¹(TPR) - Φ⁻¹(FPR) ≤ μ for every event (Dong, Roth & Su 2022), and
// (ε, δ)-DP if privacy.MostTruePositives allows the rates. Nasr et al. (2023) audit by such
// families. The score and the thresholds are learned on the releases that train; the test releases
// give the rates. Training also shares out the level: by the weighted correction of Bonferroni the
// threshold or rule that promises most has half of it, the next a quarter, and so on over all
// pairs. So the whole curve is tested, nearly at the power of its best point.
//
// Mu is wrong with probability Level at most. Epsilon and the tests' bounds share Level by halves,
// so that they accuse at Level together. Allowed is the μ of the claim. Pure epsilon implies that
// of randomised response: no other pair of rates that it allows has a larger one. Beside a delta it
// is the μ = √2ρ of the Gaussian mechanism of the claim's zCDP ρ, which a sound mechanism of
// another law may exceed.
func (f *Finding) judgeCurve(points []point) {
	allowed := 2 * quantile(1-1/(1+elementary.Exp(f.Epsilon)))
	if f.Delta > 0 && f.Epsilon > 0 {
		allowed = math.Sqrt(2 * privacy.RhoOf(f.Epsilon, f.Delta))
	}
	f.Curve = &results.TradeOff{Allowed: allowed}
	for i, family := range families(f.Delta) {
		bound, level := &f.Curve.Mu, 2*f.Level
		if i == 1 {
			bound, level = &f.Curve.Epsilon, f.Level
		}
		for _, p := range ranked(points, i) {
			level /= 2
			*bound = family.bound(p.high, p.low, p.of, level, *bound)
		}
	}
}

// powerDraws is how many tests are simulated for a power, whose standard error is 0.035 at most.
const powerDraws = 200

// curvePower is the share of simulated tests that refute the claimed epsilon, of releases that hit
// the most promising point as often as they do. One point is all that is simulated: the others, and
// the rules, only add to the power.
func (f *Finding) curvePower(points []point, stream *random.Stream) float64 {
	order := ranked(points, 1)
	if len(order) == 0 {
		return 0
	}
	first, refuted := order[0], 0
	hits := func(x int) (k int) {
		for range first.of {
			if stream.Uint32N(uint32(first.of)) < uint32(x) {
				k++
			}
		}
		return k
	}
	claimed := families(f.Delta)[1]
	for range powerDraws {
		p := claimed.pValue(f.Epsilon, hits(first.high), hits(first.low), first.of)
		if p <= f.Level/2 {
			refuted++
		}
	}
	return float64(refuted) / powerDraws
}

// curveText is the curve in a sentence or two.
func curveText(c *results.TradeOff) string {
	text := fmt.Sprintf(" The trade-off curve shows a mu of at least %s, %s is allowed, and an "+
		"epsilon of at least %s.", number(c.Mu), number(c.Allowed), number(c.Epsilon))
	if c.HalfNoisePower == nil {
		return text
	}
	return text + fmt.Sprintf(" With half the noise this audit would detect the violation with "+
		"%.0f %% power.", 100**c.HalfNoisePower)
}
