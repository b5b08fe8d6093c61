package risk

import (
	"math"
	"slices"
	"sort"

	"ppdp/elementary"
)

// Disclosure is what the classes of a table say about one sensitive attribute: the worst over all
// classes.
type Disclosure struct {
	Attribute string `json:"attribute"`
	Values    int    `json:"values"` // different ones in the table
	// Homogeneous counts the records of classes with a single value: a person known to be in one
	// has no secret left.
	Homogeneous int `json:"homogeneous_records"`
	// Distinct is the l of distinct l-diversity: the fewest values in a class.
	Distinct int `json:"distinct_l"`
	// Entropy is the l of entropy l-diversity: exp of the smallest entropy.
	Entropy float64 `json:"entropy_l"`
	// Recursive is the largest l for which recursive (C, l)-diversity holds: in each class the most
	// frequent value has fewer than C times the records of the l-th most frequent and all rarer
	// ones together. 0 when not even l = 1 does.
	Recursive int     `json:"recursive_l"`
	C         float64 `json:"recursive_c"`
	// Equal and Ordered are the t of t-closeness: the largest earth mover's distance between the
	// distribution in a class and in the table, where all values are equally far apart, or as far
	// as their places in the order of those that occur. Ordered is nil for values without an order.
	Equal   float64  `json:"equal_t"`
	Ordered *float64 `json:"ordered_t,omitempty"`
}

// disclose measures one attribute. rows are the records class by class.
func disclose(c *Column, g *grouping, rows []int32, constant float64) Disclosure {
	place := func(row int32) uint32 { return c.Codes[row] }
	values := len(c.Texts)
	if c.Rank != nil {
		place = func(row int32) uint32 { return c.Rank[c.Codes[row]] }
		values = int(slices.Max(c.Rank)) + 1
	}
	all := make([]int, values)
	for _, row := range rows {
		all[place(row)]++
	}
	w := &whole{all: all, records: len(rows)}
	if c.Rank != nil {
		w.order()
	}
	d := Disclosure{Attribute: c.Name, Distinct: values, Entropy: math.Inf(1), Recursive: values,
		C: constant}
	for _, n := range all {
		if n > 0 {
			d.Values++
		}
	}
	counts := make([]int, values)
	var found []int
	at, farthest := 0, 0.0
	for _, size := range g.sizes {
		found = found[:0]
		for _, row := range rows[at : at+size] {
			p := int(place(row))
			if counts[p] == 0 {
				found = append(found, p)
			}
			counts[p]++
		}
		at += size
		if len(found) == 1 {
			d.Homogeneous += size
		}
		d.Distinct = min(d.Distinct, len(found))
		d.Equal = max(d.Equal, w.equal(found, counts, size))
		if c.Rank != nil {
			slices.Sort(found)
			farthest = max(farthest, w.ordered(found, counts, size))
		}
		slices.SortFunc(found, func(a, b int) int { return counts[b] - counts[a] })
		d.Entropy = min(d.Entropy, entropy(found, counts, size))
		d.Recursive = min(d.Recursive, recursive(found, counts, size, constant))
		for _, p := range found {
			counts[p] = 0
		}
	}
	d.Entropy = elementary.Exp(d.Entropy)
	if c.Rank != nil {
		d.Ordered = &farthest
	}
	return d
}

// entropy is -Σ p log p in nats over the values found in a class.
func entropy(found, counts []int, size int) float64 {
	sum := 0.0
	for _, p := range found {
		share := float64(counts[p]) / float64(size)
		sum -= float64(share * elementary.Log(share))
	}
	return max(sum, 0)
}

// recursive is the largest l with r₁ < c(r_l + ... + r_m), where found lists the values of a class
// from the most to the least frequent.
func recursive(found, counts []int, size int, c float64) int {
	tail := size
	for l, p := range found {
		if !(float64(counts[found[0]]) < float64(c*float64(tail))) {
			return l
		}
		tail -= counts[p]
	}
	return len(found)
}

// whole is the distribution over the table that classes are compared with.
type whole struct {
	all     []int // by place
	records int
	upTo    []int     // records at the places up to each
	sums    []float64 // of upTo over the places before each
	places  []int     // of the values that occur, counted from 0
}

// equal is half the sum of |pᵢ - qᵢ|: that of the values found, and 1 less their share q for the
// others, whose p is 0.
func (w *whole) equal(found, counts []int, size int) float64 {
	sum, covered := 0.0, 0
	for _, p := range found {
		sum += math.Abs(float64(counts[p])/float64(size) - float64(w.all[p])/float64(w.records))
		covered += w.all[p]
	}
	return (sum + float64(w.records-covered)/float64(w.records)) / 2
}

// order prepares ordered distances: places of values that occur only among suppressed records do
// not count.
func (w *whole) order() {
	w.places = make([]int, len(w.all))
	w.upTo, w.sums = nil, []float64{0}
	total := 0
	for p, n := range w.all {
		w.places[p] = len(w.upTo)
		if n > 0 {
			total += n
			w.upTo = append(w.upTo, total)
			w.sums = append(w.sums, w.sums[len(w.sums)-1]+float64(total))
		}
	}
}

// ordered is Σᵢ |Σ_{j≤i} (pⱼ - qⱼ)| / (m - 1). Between two values found in the class the sum of p
// stays as it is and that of q grows, so that their difference changes its sign once: no walk over
// all m values is needed for every class.
func (w *whole) ordered(found, counts []int, size int) float64 {
	m := len(w.upTo)
	if m < 2 {
		return 0
	}
	sum, so := 0.0, 0.0
	for i := -1; i < len(found); i++ {
		from, to := 0, m
		if i >= 0 {
			so += float64(counts[found[i]])
			from = w.places[found[i]]
		}
		if i+1 < len(found) {
			to = w.places[found[i+1]]
		}
		level := so / float64(size) * float64(w.records) // in records of the table
		turn := from + sort.Search(to-from, func(j int) bool {
			return float64(w.upTo[from+j]) > level
		})
		sum += float64(level*float64(turn-from)) - (w.sums[turn] - w.sums[from])
		sum += w.sums[to] - w.sums[turn] - float64(level*float64(to-turn))
	}
	return sum / float64(w.records) / float64(m-1)
}
