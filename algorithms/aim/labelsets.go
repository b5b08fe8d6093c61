package aim

import (
	"math"
	"slices"

	"ppdp/privacy"
)

const (
	// maxSets and maxSet bound the sets of attributes that are compared, and how many each has.
	maxSets, maxFirst = 1500, 3
	// maxTable bounds the cells of a set's table, its classes included: labels do not depend on an
	// attribute with more.
	maxTable = 1 << 20
	// margin is by how many records another class must lead in a cell to be predicted there.
	margin = 5
)

// choose chooses a first set of attributes and then, if the budget allows, further ones.
func (l *labeller) choose() error {
	choosing := float64(choosingShare * l.total)
	first := min(choosing, enough/l.records)
	err := l.chooseFirst(first)
	// less than the first choice had is too little for a regression and more choices
	if err != nil || len(l.chosen) == 0 || choosing < 2*first {
		return err
	}
	return l.chooseMore(min(choosing-first, float64(2*first)))
}

// firstSets are the sets that a regression may start with, and their scores.
type firstSets struct {
	*labeller
	set    []int
	sets   [][]int
	scores []float64
	size   int // of the largest sets
	keys   [maxFirst + 1][]int32
	table  []float64 // zeros between sets
}

// chooseFirst chooses a set by how many records are labelled rightly by the best rule of the form:
// the most frequent class, but in cells where another leads by the margin, with as many records as
// the margin for every such cell taken away. A record more adds 0 or 1 to that. Less half the
// number of records, which is the same for all sets and so changes no probability, that is a
// sensitivity of 1/2.
func (l *labeller) chooseFirst(epsilon float64) error {
	s := &firstSets{labeller: l}
	total, sets := 0.0, 1.0
	for a := float64(len(l.usable)); s.size < maxFirst; s.size++ {
		sets = float64(sets * (a - float64(s.size)) / float64(s.size+1))
		if total += sets; total > maxSets && s.size > 0 || sets == 0 {
			break
		}
	}
	for depth := range s.size + 1 {
		s.keys[depth] = make([]int32, len(l.labels))
	}
	if err := s.extend(0, len(l.classes), 0); err != nil {
		return err
	}
	purpose := "choice of a first set"
	choice := l.in.Budget.Exponential(purpose, l.in.Noise.Open(purpose), privacy.Exact(0.5))
	i, err := choice.Choose(&l.Path, epsilon, s.scores, nil)
	if err != nil {
		return err
	}
	for _, a := range s.sets[i] {
		l.use(a)
	}
	return nil
}

// extend scores all sets of the present one and attributes from the given one on.
func (s *firstSets) extend(from, cells, width int) error {
	depth := len(s.set)
	if depth == s.size {
		return s.ctx.Err()
	}
	classes := int32(len(s.classes))
	for at := from; at < len(s.usable); at++ {
		a := s.usable[at]
		wide := float64(width+s.Sizes[a])*perCoefficient >
			fittingShare*s.total*s.records
		if s.Sizes[a] > maxTable/cells || depth > 0 && wide {
			continue
		}
		s.set = append(s.set, a)
		if need := cells * s.Sizes[a]; need > len(s.table) {
			s.table = make([]float64, need)
		}
		before, key := s.keys[depth], s.keys[depth+1]
		for row, v := range s.values[a] {
			key[row] = before[row]*int32(s.Sizes[a]) + int32(v)
			s.table[key[row]*classes+int32(s.labels[row])]++
		}
		score := -float64(len(s.labels)) / 2
		for _, k := range key {
			cell := s.table[k*classes : (k+1)*classes]
			best := cell[s.frequent]
			for _, n := range cell {
				best = max(best, n-margin)
			}
			score += best
			clear(cell)
		}
		s.sets = append(s.sets, slices.Clone(s.set))
		s.scores = append(s.scores, score)
		if err := s.extend(at+1, cells*s.Sizes[a], width+s.Sizes[a]); err != nil {
			return err
		}
		s.set = s.set[:depth]
	}
	return nil
}

// chooseMore fits a regression on the attributes chosen for a third of the budget and adds others
// by what it leaves unexplained of them, one by one, until the choice is to stop.
func (l *labeller) chooseMore(budget float64) error {
	var err error
	if l.theta, err = l.fit(budget / 3); err != nil {
		return err
	}
	unexplained := l.unexplained()
	budget -= budget / 3
	purpose := "choice of further attributes"
	choice := l.in.Budget.Exponential(purpose, l.in.Noise.Open(purpose), privacy.Exact(1))
	for {
		scores, weights := []float64{0}, []float64{0}
		var candidates []int
		for _, a := range l.usable {
			if !slices.Contains(l.chosen, a) {
				candidates = append(candidates, a)
				scores = append(scores, unexplained[a]-l.price(a))
				weights = append(weights, 1)
				weights[0]++
			}
		}
		if len(candidates) == 0 {
			return nil
		}
		i, err := choice.Choose(&l.Path, budget/4, scores, weights)
		if err != nil || i == 0 {
			return err
		}
		l.use(candidates[i-1])
		budget = float64(budget * 0.75)
	}
}

// unexplained is, for each attribute, half of what the regression's probabilities, the lead
// counted, are off from the records' classes, in L1 over its marginal with the class. A record
// more or less moves it by at most half of Σ_y |[y is its class] - p_y|, which is 1 - p of its
// class.
func (l *labeller) unexplained() []float64 {
	k, r := len(l.classes), l.regression()
	off := make([]float64, len(l.labels)*k)
	for row, y := range l.labels {
		own := off[row*k : (row+1)*k]
		r.score(row, l.theta, own[1:])
		r.lower(own[1:], y)
		softmax(own[1:])
		own[0] = 1
		for _, p := range own[1:] {
			own[0] -= p
		}
		own[y]--
	}
	scores := make([]float64, len(l.Sizes))
	for _, a := range l.usable {
		table := make([]float64, l.Sizes[a]*k)
		for row, v := range l.values[a] {
			for y, x := range off[row*k : (row+1)*k] {
				table[int(v)*k+y] += x
			}
		}
		for _, x := range table {
			scores[a] += float64(math.Abs(x) / 2)
		}
	}
	return scores
}

// price is the mean size, in the unit of unexplained, of the noise that one attribute more brings
// into the last regression: its own, and what it adds to that of the others.
func (l *labeller) price(a int) float64 {
	mean := gradientSensitivity(len(l.classes)) / (fittingShare * l.total)
	return float64(float64(l.width+l.Sizes[a]*(len(l.chosen)+1)) * mean)
}
