package privacy

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"ppdp/internal/must"
	"ppdp/numeric/random"

	"gonum.org/v1/gonum/stat/distuv"
)

// falseAlarm is the probability with which each statistical test of this package would fail a
// right program over the choice of its seed; the seeds are fixed, so a test that passes once
// always passes. What a publication draws has no seed.
const falseAlarm = 1e-6

// plenty is a budget no test exhausts.
const plenty = 1e12

// farFrom says how far a sample is from its distribution function, "" where that is within the
// bound of Dvoretzky, Kiefer and Wolfowitz (with Massart's constant) at falseAlarm:
// P(D > d) <= 2·exp(-2nd²).
func farFrom(sample []float64, cdf func(float64) float64) string {
	slices.Sort(sample)
	n := float64(len(sample))
	distance := 0.0
	for i, x := range sample {
		f := cdf(x)
		distance = max(distance, f-float64(i)/n, float64(i+1)/n-f)
	}
	if bound := math.Sqrt(math.Log(2/falseAlarm) / (2 * n)); distance > bound {
		return fmt.Sprintf("distance %v from the law, at most %v expected of %v draws", distance,
			bound, n)
	}
	return ""
}

// unlikely says what is wrong with counts of outcomes of the given probabilities, "" where nothing
// is: one is impossible, or chi-square is above its quantile for falseAlarm. Every expected count
// should be 0 or at least 20 or so.
func unlikely(observed, law []float64) string {
	n, statistic, possible := 0.0, 0.0, -1.0
	for _, count := range observed {
		n += count
	}
	for i, p := range law {
		if p > 0 {
			statistic += (observed[i] - n*p) * (observed[i] - n*p) / (n * p)
			possible++
		} else if observed[i] > 0 {
			return fmt.Sprintf("%d is impossible", i)
		}
	}
	if possible == 0 {
		return ""
	}
	if most := (distuv.ChiSquared{K: possible}).Quantile(1 - falseAlarm); statistic > most {
		return fmt.Sprintf("chi-square %v above %v\nobserved %v\nlaw %v", statistic, most, observed,
			law)
	}
	return ""
}

// normalised is a law given up to a factor.
func normalised(weights []float64) []float64 {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	for i := range weights {
		weights[i] /= sum
	}
	return weights
}

// drawers are the budgets that draws are tested with. A publication's have no seed: what looks
// wrong is drawn once more, which is a false alarm of falseAlarm².
var drawers = []struct {
	name  string
	exact bool
	open  func() (*Budget, *random.Stream)
}{
	{"experiment", false, func() (*Budget, *random.Stream) {
		return NewApproximate(1e9, 0.5), random.NewKey(2).Stream()
	}},
	{"seeded publication", true, func() (*Budget, *random.Stream) {
		return NewSeededPublication(1e9, 0.5), random.NewKey(93).Stream()
	}},
	{"publication", true, func() (*Budget, *random.Stream) {
		p := NewPublication(1e9, 0.5)
		return p.Budget, p.Noise.Open("x")
	}},
}

// everyDrawer runs a check, which says what is wrong, with every budget, or those that draw as an
// experiment alone.
func everyDrawer(t *testing.T, name string, exact bool,
	check func(b *Budget, s *random.Stream) string) {
	t.Helper()
	for _, d := range drawers {
		if d.exact && !exact {
			continue
		}
		wrong := check(d.open())
		if wrong != "" && d.name == "publication" {
			wrong = check(d.open())
		}
		must.Be(t, wrong, "", name, d.name)
	}
}

// noises are the mechanisms of noise with their laws, by sensitivity and amount (epsilon, of
// Gaussian noise rho): the logarithm of the density up to a constant and, unless the noise is of
// integers, the distribution function.
var noises = []struct {
	name  string
	exact bool // also in publications
	add   adder
	cdf   func(x, sensitivity, amount float64) float64
	log   func(x, sensitivity, amount float64) float64
}{
	{laplace, false, adding((*Budget).Laplace), laplaceCDF, laplaceLog},
	{gaussian, false, adding((*Budget).Gaussian), func(x, sensitivity, rho float64) float64 {
		return distuv.Normal{Sigma: sensitivity / math.Sqrt(2*rho)}.CDF(x)
	}, gaussianLog},
	{cauchy, false, func(b *Budget, s *random.Stream, bound, epsilon float64,
		values []float64) (err error) {
		noise, root := b.Cauchy("x", s, true), b.Root()
		for i := range values {
			path := root.Fork()
			if values[i], err = noise.Add(&path, epsilon, bound, values[i]); err != nil {
				return err
			}
		}
		return nil
	}, func(x, bound, epsilon float64) float64 {
		return 0.5 + math.Atan(x/(6*bound/epsilon))/math.Pi
	}, func(x, bound, epsilon float64) float64 {
		return -math.Log1p(math.Pow(x/(6*bound/epsilon), 2))
	}},
	{geometric, true, adding((*Budget).Geometric), nil, laplaceLog},
	{discreteLaplaceKind, true, adding((*Budget).DiscreteLaplace), nil, laplaceLog},
	{discreteGaussianKind, true, adding((*Budget).DiscreteGaussian), nil, gaussianLog},
}

// adder adds noise to values, on one path of a budget.
type adder func(b *Budget, s *random.Stream, sensitivity, amount float64, values []float64) error

// declarer is a method of a budget by which noise is declared.
type declarer func(b *Budget, purpose string, s *random.Stream, of Sensitivity) *Noise

func adding(declare declarer) adder {
	return func(b *Budget, s *random.Stream, sensitivity, amount float64, values []float64) error {
		path := b.Root()
		return declare(b, "x", s, Exact(sensitivity)).AddAll(&path, amount, values)
	}
}

func laplaceCDF(x, sensitivity, epsilon float64) float64 {
	return distuv.Laplace{Scale: sensitivity / epsilon}.CDF(x)
}

func laplaceLog(x, sensitivity, epsilon float64) float64 {
	return -math.Abs(x) * epsilon / sensitivity
}

// gaussianLog is -x²/(2σ²) with σ² = Δ²/(2ρ).
func gaussianLog(x, sensitivity, rho float64) float64 {
	return -x * x * rho / (sensitivity * sensitivity)
}

// TestNoiseLaws: what every mechanism adds has its law, whatever the value, and what the ledger
// shows is its sensitivity.
func TestNoiseLaws(t *testing.T) { testNoise(t, func(string) bool { return true }) }

func testNoise(t *testing.T, of func(kind string) bool) {
	t.Helper()
	for _, m := range noises {
		if !of(m.name) {
			continue
		}
		for _, c := range []struct{ sensitivity, amount, value float64 }{{1, 1, 0}, {2, 0.1, 1000},
			{0.5, 1, -3}, {3, 0.02, 7}} {
			name := fmt.Sprintf("%s at %+v", m.name, c)
			everyDrawer(t, name, m.exact, func(b *Budget, s *random.Stream) string {
				sample := slices.Repeat([]float64{c.value}, 50000)
				must.Do(t, m.add(b, s, c.sensitivity, c.amount, sample))
				for i := range sample {
					sample[i] -= c.value
				}
				if row := b.Ledger()[0]; row.Mechanism != m.name || row.Claimed != c.sensitivity {
					return fmt.Sprintf("ledger %+v", row)
				}
				if m.cdf != nil {
					cdf := func(x float64) float64 { return m.cdf(x, c.sensitivity, c.amount) }
					if m.name == cauchy { // which has no mean
						return farFrom(sample, cdf)
					}
					return farFrom(sample, cdf) + farFromSize(sample, cdf)
				}
				return farFromIntegers(sample, func(y float64) float64 {
					return math.Exp(m.log(y, c.sensitivity, c.amount))
				})
			})
		}
	}
}

// farFromSize compares the mean size of draws with that of a symmetric law, 2∫(1-F(x))dx from 0 on,
// within five standard errors: 2 % of 50,000 draws of Laplace noise, where farFrom lets 5 % pass.
func farFromSize(sample []float64, cdf func(float64) float64) string {
	n, size, square, sum := float64(len(sample)), 0.0, 0.0, 0.0
	step := 1.0
	for ; cdf(step) > 0.51; step /= 2 {
	}
	for ; cdf(step) < 0.505; step *= 2 {
	}
	for x := step / 2; cdf(x) < 1-1e-12; x += step {
		size += 2 * (1 - cdf(x)) * step
		square += 4 * x * (1 - cdf(x)) * step
	}
	for _, x := range sample {
		sum += math.Abs(x) / n
	}
	if math.Abs(sum-size) > 5*math.Sqrt((square-size*size)/n) {
		return fmt.Sprintf("mean size %v, want %v", sum, size)
	}
	return ""
}

// farFromIntegers compares draws with a symmetric law on the integers, given up to a factor:
// outcome by outcome, with tails put together where fewer than twenty are expected of the next, and
// then by their mean size and mean square, within six standard errors (false alarm 2e-9).
func farFromIntegers(sample []float64, weight func(y float64) float64) string {
	n, total, size, square, fourth := float64(len(sample)), 0.0, 0.0, 0.0, 0.0
	for x := -20000.0; x <= 20000; x++ {
		w := weight(x)
		total += w
		size += w * math.Abs(x)
		square += w * x * x
		fourth += w * x * x * x * x
	}
	size, square, fourth = size/total, square/total, fourth/total
	reach := 0
	for n*weight(float64(reach+1))/total > 20 {
		reach++
	}
	law, observed := make([]float64, 2*reach+1), make([]float64, 2*reach+1)
	for x := -20000; x <= 20000; x++ {
		law[min(max(x+reach, 0), 2*reach)] += weight(float64(x)) / total
	}
	sum, squares := 0.0, 0.0
	for _, y := range sample {
		if y != math.Trunc(y) {
			return fmt.Sprintf("%v is no integer", y)
		}
		observed[min(max(int(y)+reach, 0), 2*reach)]++
		sum += math.Abs(y) / n
		squares += y * y / n
	}
	if math.Abs(sum-size) > 6*math.Sqrt((square-size*size)/n) ||
		math.Abs(squares-square) > 6*math.Sqrt((fourth-square*square)/n) {
		return fmt.Sprintf("mean size %v and square %v, want %v and %v", sum, squares, size, square)
	}
	return unlikely(observed, law)
}

// ways are those to make a choice; none takes no weights.
var ways = []struct {
	name     string
	weighted bool
	choose   func(e *Exponential, p *Path, c choiceCase) (int, error)
}{
	{"choice", true, func(e *Exponential, p *Path, c choiceCase) (int, error) {
		return e.Choose(p, c.epsilon, c.scores, c.weights)
	}},
	{"bounded choice", false, func(e *Exponential, p *Path, c choiceCase) (int, error) {
		low, high := slices.Min(c.scores), slices.Max(c.scores)
		return e.ChooseBounded(p, c.epsilon, len(c.scores), low, high+(high-low)/16,
			func(i int) float64 { return c.scores[i] })
	}},
	{"choice of elements", true, func(e *Exponential, p *Path, c choiceCase) (int, error) {
		element, err := e.ChooseElement(p, c.epsilon, c.scores, c.weights, singles(c.scores))
		return int(element), err
	}},
}

// singles are groups of one element each.
type singles []float64

func (s singles) Draw(i int) uint64  { return uint64(i) }
func (s singles) First(i int) uint64 { return uint64(i) }
func (s singles) Find(element uint64) (int, float64, float64) {
	return int(element), 1, s[element]
}

// choiceCase is what is chosen from, in units of the sensitivity where that is 1.
type choiceCase struct {
	epsilon, sensitivity float64
	scores, weights      []float64
}

// law is exp(εq/2Δ) times the weights.
func (c choiceCase) law() (law []float64) {
	best := slices.Max(c.scores)
	for i, score := range c.scores {
		law = append(law, math.Exp((score-best)*c.epsilon/(2*c.sensitivity)))
		if c.weights != nil {
			law[i] *= c.weights[i]
		}
	}
	return normalised(law)
}

// TestChoiceLaws: every choice has its law, for scores near each other and far apart, far from 0
// and impossible ones.
func TestChoiceLaws(t *testing.T) {
	none := math.Inf(-1)
	for i, c := range []choiceCase{
		{1.25, 1.5, []float64{0, 1, 4, 2.5, 2.5, 3}, nil},
		{1.25, 1.5, []float64{0, 1, 4, 2.5, 2.5, 3}, []float64{5, 1, 0, 9, 2, 3}},
		{1, 0.5, []float64{3, 3.5, 3}, nil},
		{2, 1, []float64{1e9, 1e9 + 1}, nil},
		{1e-3, 1, []float64{5, 400, 1000}, nil},
		{30, 1, []float64{0, 0.1, 0.2}, []float64{1 << 40, 1 << 41, 1 << 40}},
		{2, 1, []float64{1, none, 2, 4}, []float64{7, 3, 2, 0}},
		{1, 1, []float64{1, none, 2}, nil},
		{1e3, 1, []float64{0, -1e9, 0}, nil},
		{1e-300, 1, []float64{0, 1e9, 1e6}, nil},
		{1, 1, []float64{-1e300}, nil},
	} {
		for _, way := range ways {
			if c.weights != nil && !way.weighted ||
				way.name == "bounded choice" && slices.Contains(c.scores, none) {
				continue
			}
			law := c.law()
			everyDrawer(t, fmt.Sprintf("%s, case %d", way.name, i), true,
				func(b *Budget, s *random.Stream) string {
					root, e := b.Root(), b.Exponential("x", s, Exact(c.sensitivity))
					observed := make([]float64, len(c.scores))
					for range 20000 {
						path := root.Fork()
						observed[must.Get(way.choose(e, &path, c))]++
					}
					return unlikely(observed, law)
				})
		}
	}
}

// TestSparseCounts: every count of a sparse table, of empty cells and others, has the law of a
// count with noise of its own, rounded and raised to 0, and cells ascend.
func TestSparseCounts(t *testing.T) {
	const cells, width, most, rate = 6, 2, 3, 0.8
	exact := [cells * width]float64{2 * width: 3, 5*width + 1: 1}
	ratio := math.Exp(-rate)
	for kind, of := range map[string]struct { // order-free: each is checked
		declare declarer
		below   func(x float64) float64 // P(noise < x), x half a number
	}{
		laplace: {(*Budget).Laplace, func(x float64) float64 { return laplaceCDF(x, 1, rate) }},
		geometric: {(*Budget).Geometric, func(x float64) float64 {
			tail := math.Pow(ratio, math.Abs(x)+0.5) / (1 + ratio)
			if x < 0 {
				return tail
			}
			return 1 - tail
		}},
	} {
		check := func(b *Budget, s *random.Stream) string {
			g, root := of.declare(b, "x", s, Exact(1)), b.Root()
			var observed [cells * width][]float64
			for i := range observed {
				observed[i] = make([]float64, most+1)
			}
			runs := 20000
			if b.exact { // which takes longer
				runs = 2000
			}
			for range runs {
				path := root.Fork()
				sparse := must.Get(g.Sparse(&path, rate, SparseTable{Cells: cells, Width: width,
					Occupied: []uint64{2, 5}, Counts: []float64{3, 0, 0, 1}}))
				var noisy [cells * width]float64
				counts := make([]float64, width)
				for last := -1; ; {
					cell, ok := sparse.Next(counts)
					if !ok {
						break
					}
					if int(cell) <= last || slices.Max(counts) < 1 {
						return fmt.Sprintf("cell %d with %v after %d", cell, counts, last)
					}
					last = int(cell)
					copy(noisy[last*width:], counts)
				}
				for i, count := range noisy {
					observed[i][min(most, int(count))]++
				}
			}
			var wrong []string
			for i, count := range exact {
				law := make([]float64, most+1)
				for k := range law {
					law[k] = of.below(float64(k)+0.5-count) - of.below(float64(k)-0.5-count)
				}
				law[0] = of.below(0.5 - count)
				law[most] = 1 - of.below(most-0.5-count)
				if w := unlikely(observed[i], law); w != "" {
					wrong = append(wrong, fmt.Sprintf("count %d: %s", i, w))
				}
			}
			return strings.Join(wrong, "; ")
		}
		everyDrawer(t, kind+", sparse", kind == geometric, check)
	}
}
