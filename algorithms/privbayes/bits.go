package privbayes

import "slices"

// bitSearch grows a network over bits in which every node has as many parents as there are nodes
// before it, at most degree (GreedyBayes, Algorithm 2 of the paper).
type bitSearch struct {
	*chooser
	tables *bitTables
	degree int // at least 1

	inside []int // nodes of the network, ascending
	added  []bool
	// Candidates: a child, and where in sets its parents begin. A pair's score never changes, so
	// those of earlier rounds stay until their child is taken.
	scores   []float64
	children []int
	parents  []int
	sets     []int
	size     int // parents of each candidate
}

// network returns the pairs in order, starting from a node.
func (s *bitSearch) network(first int) ([]pair, error) {
	d := s.tables.counts.d
	s.added = make([]bool, d)
	pairs := []pair{{child: first}}
	for newest := first; ; {
		s.added[newest] = true
		at, _ := slices.BinarySearch(s.inside, newest)
		s.inside = slices.Insert(s.inside, at, newest)
		if len(pairs) == d {
			return pairs, nil
		}
		if err := s.update(newest); err != nil {
			return nil, err
		}
		i, err := s.choose(s.scores)
		if err != nil {
			return nil, err
		}
		newest = s.children[i]
		next := pair{child: newest}
		for _, node := range s.sets[s.parents[i] : s.parents[i]+s.size] {
			next.parents = append(next.parents, parent{node: node})
		}
		pairs = append(pairs, next)
	}
}

// update brings the candidates up to date with the newest node.
func (s *bitSearch) update(newest int) error {
	if len(s.inside) <= s.degree { // everything inside is a parent: new candidates altogether
		s.scores, s.children, s.parents, s.sets = s.scores[:0], s.children[:0], s.parents[:0],
			s.sets[:0]
		s.size = len(s.inside)
		s.propose(s.inside)
		return nil
	}
	kept := 0
	for i, child := range s.children {
		if child != newest {
			s.scores[kept], s.children[kept], s.parents[kept] = s.scores[i], child, s.parents[i]
			kept++
		}
	}
	s.scores, s.children, s.parents = s.scores[:kept], s.children[:kept], s.parents[:kept]
	// The new sets are those with the newest node in them.
	others := slices.DeleteFunc(slices.Clone(s.inside),
		func(node int) bool { return node == newest })
	picked := make([]int, s.degree-1)
	for i := range picked {
		picked[i] = i
	}
	set := make([]int, 0, s.degree)
	for round := 0; ; round++ {
		if round&1023 == 1023 {
			if err := s.ctx.Err(); err != nil {
				return err
			}
		}
		set = set[:0]
		placed := false
		for _, p := range picked {
			if !placed && others[p] > newest {
				set, placed = append(set, newest), true
			}
			set = append(set, others[p])
		}
		if !placed {
			set = append(set, newest)
		}
		s.propose(set)
		if !nextCombination(picked, len(others)) {
			return nil
		}
	}
}

// nextCombination advances ascending indices below n to the next choice and reports whether there
// is one.
func nextCombination(picked []int, n int) bool {
	for i := len(picked) - 1; i >= 0; i-- {
		if picked[i] < n-len(picked)+i {
			picked[i]++
			for j := i + 1; j < len(picked); j++ {
				picked[j] = picked[j-1] + 1
			}
			return true
		}
	}
	return false
}

// propose scores every node outside the network with a set of parents, given in ascending order.
func (s *bitSearch) propose(set []int) {
	start := len(s.sets)
	s.sets = append(s.sets, set...)
	s.tables.condition(set)
	for child, inside := range s.added {
		if inside {
			continue
		}
		s.scores = append(s.scores, s.scorer.of(s.tables.split(child), 2))
		s.children = append(s.children, child)
		s.parents = append(s.parents, start)
	}
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
