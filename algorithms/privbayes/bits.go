package privbayes

import (
	"fmt"
	"slices"

	"ppdp/algorithms/kernel/margins"
)

// bitSearch proposes AP pairs over bits: every node has as many parents as there are nodes before
// it, at most degree (section 4 of the paper).
type bitSearch struct {
	search
	*bitTables
	degree int // at least 1

	// A pair's score never changes, so those of earlier steps stay until their child is taken.
	scores []float64
	open   []bitPair
	sets   []int
	size   int // parents of each candidate
}

// bitPair is a child, and where in sets its parents begin.
type bitPair struct{ child, parents int }

// overBits is the space of the bits of all attributes. epsilon is what marginals may cost.
func (f *fit) overBits(epsilon float64) (*space, error) {
	columns := bitColumns(f.in.Table, f.in.Rows, f.domains)
	d := len(columns)
	k := usefulDegree(d, f.params.Degree, f.records, epsilon, f.marginalSensitivity(),
		f.params.Theta)
	counts, err := countSubsets(f.ctx, columns, len(f.in.Rows), k+1)
	if err != nil {
		return nil, fmt.Errorf("privbayes: %w", err)
	}
	over := &space{related: k > 0, derived: k, levels: make([]levels, d),
		candidates: &bitSearch{search: f.search(d), bitTables: newBitTables(counts), degree: k}}
	for i := range over.levels {
		over.levels[i] = levels{of: [][]uint32{{0, 1}}, size: []int{2}}
	}
	return over, nil
}

func (s *bitSearch) grow(newest int) ([]float64, error) {
	s.add(newest)
	if len(s.inside) <= s.degree { // everything inside is a parent: new candidates altogether
		s.scores, s.open, s.sets = s.scores[:0], s.open[:0], s.sets[:0]
		s.size = len(s.inside)
		s.propose(s.inside)
		return s.scores, s.ctx.Err()
	}
	kept := 0
	for i, p := range s.open {
		if p.child != newest {
			s.scores[kept], s.open[kept] = s.scores[i], p
			kept++
		}
	}
	s.scores, s.open = s.scores[:kept], s.open[:kept]
	// The new sets are those with the newest node in them.
	at, _ := slices.BinarySearch(s.inside, newest)
	others := slices.Delete(slices.Clone(s.inside), at, at+1)
	for set := range margins.Subsets(others, s.degree-1) {
		if err := s.ctx.Err(); err != nil {
			return nil, err
		}
		at, _ := slices.BinarySearch(set, newest)
		s.propose(slices.Insert(set, at, newest))
	}
	return s.scores, nil
}

// propose scores every node outside the network with a set of parents, given in ascending order.
func (s *bitSearch) propose(set []int) {
	start := len(s.sets)
	s.sets = append(s.sets, set...)
	s.condition(set)
	for child, inside := range s.added {
		if !inside {
			s.scores = append(s.scores, s.scorer.of(s.split(child), 2))
			s.open = append(s.open, bitPair{child, start})
		}
	}
}

func (s *bitSearch) pair(i int) apPair {
	p := apPair{child: s.open[i].child}
	for _, node := range s.sets[s.open[i].parents:][:s.size] {
		p.parents = append(p.parents, parent{node: node})
	}
	return p
}

func (s *bitSearch) joint(p apPair) []int32 {
	set := make([]int, len(p.parents))
	for i, of := range p.parents {
		set[i] = of.node
	}
	s.condition(set)
	return s.split(p.child)
}

// bitTables makes contingency tables from the counts of subsets, in its own memory.
type bitTables struct {
	counts *subsets
	set    []int   // the parents
	shared []int32 // records with exactly a configuration of the parents
	yes    []int32 // those whose child is 1
	cells  []int32
	chosen []int
}

func newBitTables(counts *subsets) *bitTables {
	most := 1 << (counts.most - 1)
	return &bitTables{counts: counts, shared: make([]int32, most), yes: make([]int32, most),
		cells: make([]int32, 2*most)}
}

// condition sets the parents, in ascending order.
func (t *bitTables) condition(set []int) {
	t.set = append(t.set[:0], set...)
	t.shared = t.shared[:1<<len(set)]
	for mask := range t.shared {
		t.shared[mask] = t.counts.count(t.pick(mask, -1))
	}
	exclude(t.shared)
}

// split returns the table of the parents and a child, valid until the next call: the number of
// records with child x is at 2p+x, and bit j of p is the j-th parent's value.
func (t *bitTables) split(child int) []int32 {
	yes, cells := t.yes[:len(t.shared)], t.cells[:2*len(t.shared)]
	for mask := range yes {
		yes[mask] = t.counts.count(t.pick(mask, child))
	}
	exclude(yes)
	for p, y := range yes {
		cells[2*p], cells[2*p+1] = t.shared[p]-y, y
	}
	return cells
}

// pick lists the parents that a mask names, with another node in its place unless that is -1.
func (t *bitTables) pick(mask, with int) []int {
	chosen := t.chosen[:0]
	for j, node := range t.set {
		if with >= 0 && with < node {
			chosen, with = append(chosen, with), -1
		}
		if mask>>j&1 == 1 {
			chosen = append(chosen, node)
		}
	}
	if with >= 0 {
		chosen = append(chosen, with)
	}
	t.chosen = chosen
	return chosen
}
