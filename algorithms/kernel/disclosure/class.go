package disclosure

import (
	"slices"
	"sort"

	"ppdp/numeric/elementary"
)

// Class is the values of a class of records, or of a table: how often each occurs. Values are
// numbered from 0, in their order where they have one.
type Class struct {
	Size   int
	counts []int
	found  []int // the values that occur
}

// NewClass is an empty class of that many values.
func NewClass(values int) *Class { return &Class{counts: make([]int, values)} }

// Add adds n records of a value, n ≥ 1.
func (c *Class) Add(value uint32, n int) {
	if c.counts[value] == 0 {
		c.found = append(c.found, int(value))
	}
	c.counts[value] += n
	c.Size += n
}

// Clear empties the class.
func (c *Class) Clear() {
	for _, value := range c.found {
		c.counts[value] = 0
	}
	c.found, c.Size = c.found[:0], 0
}

// Distinct is the number of different values: the l of distinct l-diversity.
func (c *Class) Distinct() int { return len(c.found) }

// descending puts the commonest values first.
func (c *Class) descending() []int {
	slices.SortFunc(c.found, func(a, b int) int { return c.counts[b] - c.counts[a] })
	return c.found
}

// Entropy is exp(-Σ p ln p), the l of entropy l-diversity: so many values, were all equally
// frequent.
func (c *Class) Entropy() float64 {
	sum := 0.0
	for _, value := range c.descending() {
		share := float64(c.counts[value]) / float64(c.Size)
		sum -= float64(share * elementary.Log(share))
	}
	return elementary.Exp(max(sum, 0))
}

// Recursive is the largest l of recursive (c, l)-diversity, r₁ < c(r_l + ... + r_m), where r are
// the values' counts from the largest to the smallest; 0 where not even l = 1 holds.
func (c *Class) Recursive(constant float64) int {
	tail, found := c.Size, c.descending()
	for l, value := range found {
		if !(float64(c.counts[found[0]]) < float64(constant*float64(tail))) {
			return l
		}
		tail -= c.counts[value]
	}
	return len(found)
}

// Whole is the distribution over a table that those of its classes are compared with. The
// distances are earth mover's distances from 0 to 1 (Li, Li & Venkatasubramanian, section 5).
type Whole struct {
	all    *Class
	levels [][]uint32 // groups of the values, from the values themselves up
	groups [][]int    // records of each group
	counts []int      // scratch, zero
	upTo   []int      // records at the values up to each that occurs
	sums   []float64  // of upTo over those before each
	places []int      // of the values among those that occur
}

// NewWhole prepares distances to a table. levels are the values' groups on the levels of a
// hierarchy above the values and below the top, for Hierarchical.
func NewWhole(all *Class, levels [][]uint32) *Whole {
	w := &Whole{all: all, levels: levels, places: make([]int, len(all.counts)), sums: []float64{0}}
	for _, groups := range levels {
		sums := make([]int, slices.Max(groups)+1)
		for _, value := range all.found {
			sums[groups[value]] += all.counts[value]
		}
		w.groups = append(w.groups, sums)
		w.counts = make([]int, max(len(sums), len(w.counts)))
	}
	total := 0
	for value, n := range all.counts { // values of no record have no place
		w.places[value] = len(w.upTo)
		if n > 0 {
			total += n
			w.upTo = append(w.upTo, total)
			w.sums = append(w.sums, w.sums[len(w.sums)-1]+float64(total))
		}
	}
	return w
}

// Equal is the distance where all values are equally far apart: Σ |pᵢ - qᵢ| / 2.
func (w *Whole) Equal(c *Class) float64 {
	return w.share(w.moved(c.found, c.counts, w.all.counts, c.Size), c, 1)
}

// moved is Σ |pᵢ - qᵢ| in whole numbers, so that no order of the values matters: of the values
// found, and of the others, which the class has none of.
func (w *Whole) moved(found, counts, all []int, size int) int64 {
	sum, covered := int64(0), 0
	for _, value := range found {
		d := int64(counts[value])*int64(w.all.Size) - int64(all[value])*int64(size)
		sum += max(d, -d)
		covered += all[value]
	}
	return sum + int64(w.all.Size-covered)*int64(size)
}

// share is what was moved as a share of all, on average over levels.
func (w *Whole) share(moved int64, c *Class, levels int) float64 {
	return float64(moved) / (2 * float64(levels) * float64(c.Size) * float64(w.all.Size))
}

// Hierarchical is the distance where two values are as far apart as the lowest level is high that
// joins them, as a share of the height H. As the levels nest, it is the mean of the equal distances
// between groups over the H levels below the top: what the groups of a level have too much goes
// through the level above, 1/2H up and 1/2H down.
func (w *Whole) Hierarchical(c *Class) float64 {
	moved := w.moved(c.found, c.counts, w.all.counts, c.Size)
	var found []int
	for level, groups := range w.levels {
		found = found[:0]
		for _, value := range c.found {
			group := int(groups[value])
			if w.counts[group] == 0 {
				found = append(found, group)
			}
			w.counts[group] += c.counts[value]
		}
		moved += w.moved(found, w.counts, w.groups[level], c.Size)
		for _, group := range found {
			w.counts[group] = 0
		}
	}
	return w.share(moved, c, len(w.levels)+1)
}

// Ordered is the distance where two values are as far apart as their places in the order of those
// that occur: Σᵢ |Σ_{j≤i} (pⱼ - qⱼ)| / (m - 1). Between two values found in the class the sum of p
// stays as it is and that of q grows, so that their difference changes its sign once: no walk over
// all m values is needed for every class. Sums are of whole numbers, so that a distance that is t
// is not above it by rounding.
func (w *Whole) Ordered(c *Class) float64 {
	m := len(w.upTo)
	if m < 2 {
		return 0
	}
	sum, so, found := 0.0, 0.0, c.found
	slices.Sort(found)
	size, all := float64(c.Size), float64(w.all.Size)
	for i := -1; i < len(found); i++ {
		from, to := 0, m
		if i >= 0 {
			so += float64(c.counts[found[i]])
			from = w.places[found[i]]
		}
		if i+1 < len(found) {
			to = w.places[found[i+1]]
		}
		level := float64(so * all)
		turn := from + sort.Search(to-from, func(j int) bool {
			return float64(float64(w.upTo[from+j])*size) > level
		})
		sum += float64(level*float64(turn-from)) - float64(size*(w.sums[turn]-w.sums[from]))
		sum += float64(size*(w.sums[to]-w.sums[turn])) - float64(level*float64(to-turn))
	}
	return sum / (float64(size*all) * float64(m-1))
}
