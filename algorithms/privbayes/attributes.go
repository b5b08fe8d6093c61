package privbayes

import (
	"fmt"
	"slices"

	"ppdp/algorithms"
)

const (
	// maxMarginal caps the cells of one marginal over attributes, whatever theta allows.
	maxMarginal = 1 << 22
	// maxSets caps the parent sets that are visited for one size of a node in one step.
	maxSets = 1 << 22
)

// attributeSearch proposes AP pairs over attributes: parents are the maximal sets whose marginal
// with the child is theta-useful (section 5 of the paper).
type attributeSearch struct {
	search
	columns [][]uint32 // values of each node, a row each
	levels  []levels
	degree  int
	useful  float64 // largest number of cells of a marginal

	pairs []apPair
	known map[pairKey]float64 // scores do not change from step to step

	config []uint32 // configuration of the parents, for each row
	cells  []int32
}

// pairKey names an AP pair: the child and, one after the other, parents as node·256+level+1.
type pairKey [maxDegree + 1]uint64

func keyOf(child int, parents []parent) pairKey {
	key := pairKey{uint64(child)}
	for i, p := range parents {
		key[i+1] = uint64(p.node)<<8 + uint64(p.level) + 1
	}
	return key
}

// overAttributes is the space of the attributes. epsilon is what marginals may cost.
func (f *fit) overAttributes(epsilon float64) (*space, error) {
	schema, d := f.in.Table.Schema(), len(f.domains)
	s := &attributeSearch{search: f.search(d), columns: make([][]uint32, d),
		levels: make([]levels, d), degree: f.params.Degree, known: make(map[pairKey]float64),
		config: make([]uint32, len(f.in.Rows)),
		useful: min(maxMarginal, usefulCells(d, f.records, epsilon, f.marginalSensitivity(),
			f.params.Theta))}
	for i, domain := range f.domains {
		a := &schema.Attributes[i]
		if domain.Size > maxMarginal {
			return nil, fmt.Errorf("privbayes: %w: %s has %d values, must have at most %d or "+
				"encoding binary", algorithms.ErrTooLarge, a.Name, domain.Size, maxMarginal)
		}
		s.levels[i] = newLevels(a, domain)
		s.columns[i] = make([]uint32, len(f.in.Rows))
		domain.valuesOf(s.columns[i], f.in.Table.Column(i), f.in.Rows)
	}
	return &space{candidates: s, levels: s.levels,
		related: s.degree > 0 && parentsPossible(s.levels, s.useful)}, nil
}

func (s *attributeSearch) grow(newest int) ([]float64, error) {
	s.add(newest)
	s.pairs = s.pairs[:0]
	var scores []float64
	done := make(map[int]bool) // sizes of children
	for node := range s.levels {
		size := s.levels[node].size[0]
		if s.added[node] || done[size] {
			continue
		}
		done[size] = true
		sets, err := s.maximalSets(s.useful / float64(size))
		if err != nil {
			return nil, err
		}
		for _, set := range sets {
			if err := s.ctx.Err(); err != nil {
				return nil, err
			}
			scores = s.propose(scores, set, size)
		}
	}
	return scores, nil
}

// propose adds the scores of every node of a size outside the network with a set of parents.
func (s *attributeSearch) propose(scores []float64, set []parent, size int) []float64 {
	ready := false
	for child := range s.levels {
		if s.added[child] || s.levels[child].size[0] != size {
			continue
		}
		key := keyOf(child, set)
		score, ok := s.known[key]
		if !ok {
			if !ready {
				s.condition(set)
				ready = true
			}
			score = s.scorer.of(s.split(set, child), size)
			s.known[key] = score
		}
		scores, s.pairs = append(scores, score), append(s.pairs, apPair{child, set})
	}
	return scores
}

func (s *attributeSearch) pair(i int) apPair { return s.pairs[i] }

func (s *attributeSearch) joint(p apPair) []int32 {
	s.condition(p.parents)
	return s.split(p.parents, p.child)
}

// maximalSets lists the sets of parents inside the network whose configurations number at most
// limit and to which nothing can be added, nor any member made less general. The empty set is the
// one of a limit that allows nothing.
func (s *attributeSearch) maximalSets(limit float64) ([][]parent, error) {
	var sets [][]parent
	set := make([]parent, 0, s.degree)
	visited := 0
	maximal := func(product float64) bool {
		at := 0
		for _, node := range s.inside {
			sizes := s.levels[node].size
			if at < len(set) && set[at].node == node {
				if level := set[at].level; level > 0 &&
					product/float64(sizes[level])*float64(sizes[level-1]) <= limit {
					return false
				}
				at++
				continue
			}
			if coarsest := sizes[len(sizes)-1]; len(set) < s.degree && coarsest >= 2 &&
				product*float64(coarsest) <= limit {
				return false
			}
		}
		return true
	}
	var extend func(i int, product float64) error
	extend = func(i int, product float64) error {
		if visited++; visited > maxSets {
			return fmt.Errorf("%w: more than %d sets of parents, lower degree or raise theta",
				algorithms.ErrTooLarge, maxSets)
		}
		if visited&0xffff == 0 {
			if err := s.ctx.Err(); err != nil {
				return err
			}
		}
		if i == len(s.inside) || len(set) == s.degree {
			if maximal(product) {
				sets = append(sets, slices.Clone(set))
			}
			return nil
		}
		if err := extend(i+1, product); err != nil {
			return err
		}
		for level, size := range s.levels[s.inside[i]].size {
			if with := product * float64(size); size >= 2 && with <= limit {
				set = append(set, parent{s.inside[i], level})
				if err := extend(i+1, with); err != nil {
					return err
				}
				set = set[:len(set)-1]
			}
		}
		return nil
	}
	return sets, extend(0, 1)
}

// condition numbers the configuration of the parents of every row, the first parent's value
// changing fastest.
func (s *attributeSearch) condition(set []parent) {
	clear(s.config)
	stride := uint32(1)
	for _, p := range set {
		of := s.levels[p.node].of[p.level]
		column := s.columns[p.node][:len(s.config)]
		for r := range s.config {
			s.config[r] += stride * of[column[r]]
		}
		stride *= uint32(s.levels[p.node].size[p.level])
	}
}

// split counts the configurations with each value of the child; valid until the next call.
func (s *attributeSearch) split(set []parent, child int) []int32 {
	size := s.levels[child].size[0]
	total := size
	for _, p := range set {
		total *= s.levels[p.node].size[p.level]
	}
	if cap(s.cells) < total {
		s.cells = make([]int32, total)
	}
	cells := s.cells[:total]
	clear(cells)
	column := s.columns[child][:len(s.config)]
	for r, config := range s.config {
		cells[int(config)*size+int(column[r])]++
	}
	return cells
}

// parentsPossible reports whether any node may have any parent.
func parentsPossible(all []levels, useful float64) bool {
	for x := range all {
		for p := range all {
			sizes := all[p].size
			if coarsest := sizes[len(sizes)-1]; x != p && coarsest >= 2 &&
				float64(all[x].size[0])*float64(coarsest) <= useful {
				return true
			}
		}
	}
	return false
}
