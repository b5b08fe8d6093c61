package privacy

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"ppdp/numeric/random"
)

// binned is how often each of some outcomes was drawn, with their probabilities by the charge that
// the ledger shows.
type binned struct {
	name          string
	observed, law []float64
}

// rounds is how many outcomes of each kind are drawn.
const rounds = 20000

// publishedLaws draw from every mechanism that a Publication has.
var publishedLaws = map[string]func(b *Budget, s *random.Stream) []binned{
	"geometric": func(b *Budget, s *random.Stream) []binned {
		g := b.Geometric("x", s, Exact(2))
		return noisyIntegers(b, func(p *Path, v []float64) error { return g.AddAll(p, 1, v) })
	},
	"discrete laplace": func(b *Budget, s *random.Stream) []binned {
		l := b.DiscreteLaplace("x", s, Exact(1))
		return noisyIntegers(b, func(p *Path, v []float64) error { return l.AddAll(p, 0.7, v) })
	},
	"discrete gaussian": func(b *Budget, s *random.Stream) []binned {
		g := b.DiscreteGaussian("x", s, Exact(2))
		return noisyIntegers(b, func(p *Path, v []float64) error { return g.AddAll(p, 0.5, v) })
	},
	"choice": func(b *Budget, s *random.Stream) []binned {
		e := b.Exponential("x", s, Exact(1.5))
		return choices(b, nil, func(p *Path, epsilon float64, scores []float64) (int, error) {
			return e.Choose(p, epsilon, scores, nil)
		})
	},
	"weighted choice": func(b *Budget, s *random.Stream) []binned {
		e, weights := b.Exponential("x", s, Exact(1.5)), []float64{5, 1, 0, 9, 2, 3}
		return choices(b, weights, func(p *Path, epsilon float64, scores []float64) (int, error) {
			return e.Choose(p, epsilon, scores, weights)
		})
	},
	"bounded choice": func(b *Budget, s *random.Stream) []binned {
		e := b.Exponential("x", s, Exact(1.5))
		return choices(b, nil, func(p *Path, epsilon float64, scores []float64) (int, error) {
			return e.ChooseBounded(p, epsilon, len(scores), 0, 4,
				func(i int) float64 { return scores[i] })
		})
	},
	"choice of elements": func(b *Budget, s *random.Stream) []binned {
		e := b.Exponential("x", s, Exact(1.5))
		weights := []float64{1, 1, 1, 1, 1, 1}
		return choices(b, weights, func(p *Path, epsilon float64, scores []float64) (int, error) {
			element, err := e.ChooseElement(p, epsilon, scores, weights, singles(scores))
			return int(element), err
		})
	},
	"permute and flip": func(b *Budget, s *random.Stream) []binned {
		f := b.PermuteAndFlip("x", s, Exact(1.5))
		return choices(b, nil, f.Choose)
	},
	"sparse table": sparseCounts,
}

// singles are groups of one element each.
type singles []float64

func (s singles) Draw(i int) uint64  { return uint64(i) }
func (s singles) First(i int) uint64 { return uint64(i) }
func (s singles) Find(element uint64) (int, float64, float64) {
	return int(element), 1, s[element]
}

// noisyIntegers perturbs counts of 0 and others by one call each.
func noisyIntegers(b *Budget, add func(*Path, []float64) error) (all []binned) {
	root := b.Root()
	for _, value := range []float64{0, 7, -3} {
		values, path := slices.Repeat([]float64{value}, rounds), root.Fork()
		if err := add(&path, values); err != nil {
			panic(err)
		}
		row, reach, amount := b.Ledger()[0], 3, charged(b)
		weight := func(y float64) float64 {
			if row.Mechanism == "discrete gaussian" { // σ² = Δ²/(2ρ)
				return math.Exp(-y * y * amount / (row.Claimed * row.Claimed))
			}
			return math.Exp(-math.Abs(y) * amount / row.Claimed)
		}
		found := binned{fmt.Sprint("noise on ", value), make([]float64, 2*reach+3),
			make([]float64, 2*reach+3)}
		total := 0.
		for y := -400; y <= 400; y++ {
			bin := min(max(y+reach+1, 0), 2*reach+2)
			found.law[bin] += weight(float64(y))
			total += weight(float64(y))
		}
		for i := range found.law {
			found.law[i] /= total
		}
		for _, v := range values {
			found.observed[min(max(int(v-value)+reach+1, 0), 2*reach+2)]++
		}
		all = append(all, found)
	}
	return all
}

// charged is what a mechanism was called with, by its cost: rho for Gaussian noise, else epsilon.
func charged(b *Budget) float64 {
	row := b.Ledger()[0]
	switch {
	case b.Unit() == Epsilon || row.Mechanism == "discrete gaussian":
		return row.Cost
	case row.Mechanism == "exponential": // costs ε²/8
		return math.Sqrt(8 * row.Cost)
	}
	return math.Sqrt(2 * row.Cost)
}

// choices chooses from the same scores again and again.
func choices(b *Budget, weights []float64,
	choose func(p *Path, epsilon float64, scores []float64) (int, error)) []binned {
	scores := []float64{0, 1, 4, 2.5, 2.5, 3}
	found := binned{"candidates", make([]float64, len(scores)), make([]float64, len(scores))}
	root := b.Root()
	for range rounds {
		path := root.Fork()
		found.observed[must(choose(&path, 1.25, scores))]++
	}
	row, epsilon := b.Ledger()[0], charged(b)
	if row.Mechanism == "permute and flip" {
		found.law = flips(scores, epsilon/(2*row.Claimed))
		return []binned{found}
	}
	total := 0.
	for i, score := range scores {
		found.law[i] = math.Exp(score * epsilon / (2 * row.Claimed))
		if weights != nil {
			found.law[i] *= weights[i]
		}
		total += found.law[i]
	}
	for i := range found.law {
		found.law[i] /= total
	}
	return []binned{found}
}

// sparseCounts are those of empty cells, of the empty count of an occupied cell, and of others.
func sparseCounts(b *Budget, s *random.Stream) (all []binned) {
	const cells, width, most = 6, 2, 3
	exact := [cells][width]float64{2: {3, 0}, 5: {0, 1}}
	g, root := b.Geometric("x", s, Exact(1)), b.Root()
	observed := map[string][]float64{}
	kind := func(cell, y int) string {
		if exact[cell] == [width]float64{} {
			return fmt.Sprint("empty cell, count ", y)
		}
		return fmt.Sprint("occupied cell, count of ", exact[cell][y])
	}
	for range rounds / 40 {
		path := root.Fork()
		sparse := must(g.Sparse(&path, 0.8, SparseTable{Cells: cells, Width: width,
			Occupied: []uint64{2, 5}, Counts: []float64{3, 0, 0, 1}}))
		var noisy [cells][width]float64
		for counts := make([]float64, width); ; {
			cell, ok := sparse.Next(counts)
			if !ok {
				break
			}
			copy(noisy[cell][:], counts)
		}
		for cell := range cells {
			for y := range width {
				name := kind(cell, y)
				if observed[name] == nil {
					observed[name] = make([]float64, most+1)
				}
				observed[name][min(most, int(noisy[cell][y]))]++
			}
		}
	}
	rate := charged(b) / b.Ledger()[0].Claimed
	for cell := range cells {
		for y := range width {
			name := kind(cell, y)
			if observed[name] == nil {
				continue
			}
			law, total := make([]float64, most+1), 0.
			for noise := -200; noise <= 200; noise++ {
				p := math.Exp(-math.Abs(float64(noise)) * rate)
				law[min(most, max(0, int(exact[cell][y])+noise))] += p
				total += p
			}
			for i := range law {
				law[i] /= total
			}
			all = append(all, binned{name, observed[name], law})
			delete(observed, name)
		}
	}
	return all
}

// TestPublishedLaws: every draw through a publication has the law that its ledger shows. A
// rehearsal has a seed; a publication has none, so that what looks wrong is drawn once more
// (false alarm 1e-12 for each of its laws).
func TestPublishedLaws(t *testing.T) {
	for name, draw := range publishedLaws {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, delta := range []float64{0, 1e-9} {
				if delta == 0 && name == "discrete gaussian" { // which pure epsilon cannot pay for
					continue
				}
				for _, found := range draw(NewRehearsal(100, delta), random.NewKey(93).Stream()) {
					if unlikely(found) {
						t.Errorf("rehearsal, delta %v, %s: drawn %v, law %v", delta, found.name,
							found.observed, found.law)
					}
				}
				published := func() (wrong map[string]binned) {
					p := NewPublication(100, delta)
					wrong = make(map[string]binned)
					for _, found := range draw(p.Budget(), p.Noise().Open("x")) {
						if unlikely(found) {
							wrong[found.name] = found
						}
					}
					return wrong
				}
				once := published()
				if len(once) == 0 {
					continue
				}
				for name, found := range published() {
					if _, twice := once[name]; twice {
						t.Errorf("publication, delta %v, %s: drawn %v, law %v", delta, name,
							found.observed, found.law)
					}
				}
			}
		})
	}
}

// unlikely reports whether draws are farther from their law than falseAlarm allows, or impossible.
func unlikely(b binned) bool {
	n, statistic, possible := 0., 0., -1.
	for _, count := range b.observed {
		n += count
	}
	for i, p := range b.law {
		if p > 0 {
			statistic += (b.observed[i] - n*p) * (b.observed[i] - n*p) / (n * p)
			possible++
		} else if b.observed[i] > 0 {
			return true
		}
	}
	return statistic > (distuv.ChiSquared{K: possible}).Quantile(1-falseAlarm)
}
