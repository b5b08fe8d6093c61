package partition

import (
	"errors"
	"math"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/numeric/elementary"
	"ppdp/numeric/random"
	"ppdp/privacy"
)

// CutRule says how a numeric interval's cut point is drawn (Al-Hussaeni et al. 2018, section 4.3).
type CutRule uint8

const (
	// EveryCut is the exponential mechanism over all cuts between neighbouring cells. Cuts between
	// the same two data values divide the rows alike, so intervals between values, weighted by
	// their numbers of cuts (equation 12), are a fast way to run it; where the score changes within
	// an interval (CertaintyPenalty) the weights are exact sums of a geometric series.
	EveryCut CutRule = iota
	// Midpoints lets the middle of each interval between data values stand for it, as score and as
	// cut: what the paper says of the certainty penalty. The values can be read off the cuts
	// (errata D2).
	Midpoints
	// Program is what the released program does: the first interval scores 0, the one above the
	// largest value is missing, a single record is cut off in the exact middle (errata D8). Under
	// CertaintyPenalty, midpoints as above.
	Program
)

// Frequencies are the rows of a numeric interval by value.
type Frequencies struct {
	// Low and High are the interval [Low, High), at least two cells wide.
	Low, High uint32
	// Root is the number of cells of the attribute's whole domain: what penalties are shares of.
	Root uint32
	// Values are the distinct codes present, ascending, all inside the interval.
	Values []uint32
	// Counts[i·Classes+y] are the rows of class y at Values[i].
	Counts []int32
}

// CutPoints draws cut points. It owns scratch memory: one release, one CutPoints.
type CutPoints struct {
	Scorer Scorer
	Rule   CutRule
	Choice *privacy.Exponential // declared with the scorer's sensitivity
	Draws  *random.Stream       // places within an interval; may be Choice's stream

	first   []uint32  // the first cut of each interval,
	number  []uint32  // how many cuts it holds,
	falls   []float64 // by what factor's logarithm the weight changes from one cut to the next, and
	scores  []float64 // the score of the best one
	weights []float64
	perFall float64 // what a fall by 1 is as a difference of scores
	sides   []int32 // class counts below and above the cut
	penalty [2]float64
}

// Choose charges epsilon to the path and returns a cut point strictly inside the interval: values
// below it go to one side, others to the other.
func (c *CutPoints) Choose(path *privacy.Path, epsilon float64,
	f *Frequencies) (at uint32, err error) {
	c.intervals(f, epsilon)
	c.perFall = 2 * c.Choice.Sensitivity().Claimed / epsilon
	element, err := c.Choice.ChooseElement(path, epsilon, c.scores, c.weights, (*cutGroups)(c))
	return uint32(element), err
}

// cutGroups are the intervals as groups of cuts.
type cutGroups CutPoints

// Draw draws a cut of interval i.
func (c *cutGroups) Draw(i int) uint64 {
	n := c.number[i]
	if n == 1 {
		return uint64(c.first[i])
	}
	fall := c.falls[i]
	if fall == 0 {
		return uint64(c.first[i] + c.Draws.Uint32N(n))
	}
	// The best cut is at one end and each further one is exp(-|fall|) times as likely as the one
	// before: a geometric law, cut off at n, by the inverse of its distribution function.
	slope := -math.Abs(fall)
	reach := elementary.Log1p(c.Draws.Open01() * elementary.Expm1(float64(slope*float64(n))))
	step := uint32(math.Min(math.Max(0, reach/slope), float64(n-1)))
	if fall > 0 {
		step = n - 1 - step
	}
	return uint64(c.first[i] + step)
}

// First is the best cut of interval i.
func (c *cutGroups) First(i int) uint64 {
	if c.falls[i] > 0 {
		return uint64(c.first[i] + c.number[i] - 1)
	}
	return uint64(c.first[i])
}

// Find returns the interval of a cut, the cut's share of its weight, and its score.
func (c *cutGroups) Find(cut uint64) (i int, share, score float64) {
	for i, first := range c.first {
		n := c.number[i]
		if cut < uint64(first) || cut >= uint64(first+n) {
			continue
		}
		if fall := math.Abs(c.falls[i]); fall > 0 {
			steps := math.Abs(float64(cut) - float64(c.First(i)))
			return i, elementary.Exp(float64(-fall*steps)) / c.weights[i],
				c.scores[i] - float64(fall*steps*c.perFall)
		}
		return i, 1 / float64(n), c.scores[i]
	}
	return -1, 0, 0
}

// intervals lists the candidates: intervals of cuts, their best scores and their weights.
func (c *CutPoints) intervals(f *Frequencies, epsilon float64) {
	c.first, c.number, c.falls = c.first[:0], c.number[:0], c.falls[:0]
	c.scores, c.weights = c.scores[:0], c.weights[:0]
	classes := c.Scorer.Classes
	if len(c.sides) < 2*classes {
		c.sides = make([]int32, 2*classes)
	}
	below, above := c.sides[:classes], c.sides[classes:2*classes]
	clear(c.sides)
	rows := 0
	for i := 0; i < len(f.Counts); i += classes {
		for y, n := range f.Counts[i : i+classes] {
			above[y] += n
			rows += int(n)
		}
	}
	if c.Rule == Program && rows <= 1 {
		c.add(f.Low+(f.High-f.Low)/2, 1, 0, 0, 1)
		return
	}
	from := f.Low
	for i := range f.Values {
		c.interval(f, epsilon, i == 0, from, f.Values[i], below, above)
		from = f.Values[i]
		for y, n := range f.Counts[i*classes : (i+1)*classes] {
			below[y] += n
			above[y] -= n
		}
	}
	if c.Rule != Program {
		c.interval(f, epsilon, len(f.Values) == 0, from, f.High, below, above)
	}
	if len(c.scores) == 0 { // all records at the lower end, the program has nothing to choose from
		c.add(f.Low+(f.High-f.Low)/2, 1, 0, 0, 1)
	}
}

// interval adds the cuts in (from, to], those below the interval's end.
func (c *CutPoints) interval(f *Frequencies, epsilon float64, first bool, from, to uint32, below,
	above []int32) {
	last := min(to, f.High-1)
	if last <= from {
		return
	}
	ncp := c.Scorer.Utility == CertaintyPenalty
	switch {
	case c.Rule == EveryCut && !ncp:
		c.add(from+1, last-from, 0, c.Scorer.Score(c.sides, nil), float64(last-from))
	case c.Rule == EveryCut:
		// Per cell that the cut moves up, the lower side's rows gain one cell of width and the
		// upper side's rows lose one.
		change := float64(total(above)-total(below)) / float64(f.Root)
		best := from + 1
		if change > 0 {
			best = last
		}
		fall := float64(change*epsilon) / (2 * c.Scorer.Sensitivity())
		n := float64(last - from)
		weight := n
		if fall != 0 {
			slope := -math.Abs(fall)
			weight = elementary.Expm1(float64(slope*n)) / elementary.Expm1(slope)
		}
		c.add(from+1, last-from, fall, c.at(f, best), weight)
	case c.Rule == Midpoints || ncp:
		middle := from + (to-from+1)/2
		if middle > last {
			return
		}
		score := c.at(f, middle)
		if c.Rule == Program && first {
			score = 0
		}
		c.add(middle, 1, 0, score, float64(to-from))
	default: // the program, cuts from one value to the next, both included where they are inside
		score := 0.0
		if !first {
			score = c.Scorer.Score(c.sides, nil)
		}
		lowest := max(from, f.Low+1)
		c.add(lowest, last-lowest+1, 0, score, float64(to-from))
	}
}

// at scores the cut at a point: the scratch sides hold the rows below and above it.
func (c *CutPoints) at(f *Frequencies, point uint32) float64 {
	c.penalty[0] = float64(point-f.Low) / float64(f.Root)
	c.penalty[1] = float64(f.High-point) / float64(f.Root)
	return c.Scorer.Score(c.sides[:2*c.Scorer.Classes], c.penalty[:])
}

func (c *CutPoints) add(first, number uint32, fall, score, weight float64) {
	c.first = append(c.first, first)
	c.number = append(c.number, number)
	c.falls = append(c.falls, fall)
	c.scores = append(c.scores, score)
	c.weights = append(c.weights, weight)
}

// What follows is common to the algorithms that specialise from the top down by draws of the
// exponential mechanism: DiffGen for all records at once, DiffMulti region by region.

// CutRuleOf is how cut points are drawn under a variant.
func CutRuleOf(variant algorithms.Variant, utility Utility) CutRule {
	switch {
	case variant == algorithms.RefCode:
		return Program
	case variant == algorithms.Published && utility == CertaintyPenalty:
		return Midpoints
	default:
		return EveryCut
	}
}

// Qualify enters into a guarantee what the rule does to it.
func (r CutRule) Qualify(g *algorithms.Guarantee) {
	switch r {
	case Midpoints:
		g.Break("Cut points are middles between data values.", "D2")
	case Program:
		g.Break("Cut points above the largest value are impossible.", "D8")
	}
}

// Qualify enters into a guarantee what the scale of the scores does to it.
func (u Utility) Qualify(g *algorithms.Guarantee) {
	if u == Discernibility {
		g.Errata = append(g.Errata, "D3")
		g.Note += " The scale of dm contains the number of records, which holds by a proof of its" +
			" own."
	}
}

// CheckSchema reports a utility that a table cannot be scored by. Its error names the yaml key.
func (u Utility) CheckSchema(schema *datasets.Schema) error {
	if u == InformationGain && schema.Classes() < 2 {
		return errors.New("utility: infogain needs a class of at least two values")
	}
	return nil
}

// NewCutPoints opens the stream "cut points" and enters the mechanism of that name into the ledger,
// at the sensitivity of the scores where the rule is private.
func NewCutPoints(in algorithms.Input, scorer Scorer, scores privacy.Sensitivity) *CutPoints {
	rule := CutRuleOf(in.Variant, scorer.Utility)
	if rule != EveryCut {
		scores.Proven = math.Inf(1) // errata D2, D8 and X1
	}
	if rule == EveryCut && scorer.Utility == CertaintyPenalty {
		in.Budget.Inexact("utility ncp weighs cut points by sums that are no whole numbers")
	}
	if scorer.Utility == Discernibility {
		in.Budget.Inexact("utility dm divides scores by the number of records, which is private: " +
			"one record can move the rounding of every region's scores at once")
	}
	draws := in.Noise.Open("cut points")
	choice := in.Budget.Exponential("cut points", draws, scores)
	return &CutPoints{Scorer: scorer, Rule: rule, Choice: choice, Draws: draws}
}
