package privbayes

import (
	"fmt"
	"slices"

	"ppdp/algorithms"
)

const (
	// maxMarginal caps the cells of one marginal over attributes, whatever theta allows.
	maxMarginal = 1 << 22
	// maxSets caps the parent sets that are visited for one size of a node in one round.
	maxSets = 1 << 22
)

// domainSearch grows a network over attributes: parents are the maximal sets whose marginal with
// the child is theta-useful (section 5 of the paper).
type domainSearch struct {
	*chooser
	columns [][]uint32 // values of each node, a row each
	levels  []levels
	degree  int
	useful  float64 // largest number of cells of a marginal

	inside []int // nodes of the network, ascending
	added  []bool
	known  map[pairKey]float64 // scores do not change from round to round

	config []uint32 // configuration of the parents, for each row
	cells  []int32
}

// pairKey names a pair: the child and, one after the other, parents as node·256+level+1.
type pairKey [maxDegree + 1]uint64

func keyOf(child int, parents []parent) pairKey {
	key := pairKey{uint64(child)}
	for i, p := range parents {
		key[i+1] = uint64(p.node)<<8 + uint64(p.level) + 1
	}
	return key
}

// network returns the pairs in order, starting from a node.
func (s *domainSearch) network(first int) ([]pair, error) {
	d := len(s.levels)
	s.added, s.known = make([]bool, d), make(map[pairKey]float64)
	pairs := []pair{{child: first}}
	var scores []float64
	var candidates []pair
	for newest := first; ; {
		s.added[newest] = true
		at, _ := slices.BinarySearch(s.inside, newest)
		s.inside = slices.Insert(s.inside, at, newest)
		if len(pairs) == d {
			return pairs, nil
		}
		scores, candidates = scores[:0], candidates[:0]
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
					scores, candidates = append(scores, score), append(candidates, pair{child, set})
				}
			}
		}
		i, err := s.choose(scores)
		if err != nil {
			return nil, err
		}
		newest = candidates[i].child
		pairs = append(pairs, candidates[i])
	}
}

// maximalSets lists the sets of parents inside the network whose configurations number at most
// limit and to which nothing can be added, nor any member made less general. The empty set is the
// one of a limit that allows nothing.
func (s *domainSearch) maximalSets(limit float64) ([][]parent, error) {
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
func (s *domainSearch) condition(set []parent) {
	if s.config == nil {
		s.config = make([]uint32, len(s.columns[0]))
	}
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
func (s *domainSearch) split(set []parent, child int) []int32 {
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
