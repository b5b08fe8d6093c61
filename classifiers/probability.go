package classifiers

import (
	"math"

	"ppdp/datasets"
	"ppdp/numeric/elementary"
)

// ProbabilityModel is a model that says how sure it is.
type ProbabilityModel interface {
	Model
	// Probabilities writes the probability of each class for each row to dst, which has room for
	// len(rows)·classes numbers, row by row. Those of a row are from 0 to 1 and add up to 1; a
	// class that the model has not seen has 0. Predict gives a class of the largest probability, up
	// to rounding. What Predict says of tables holds here too.
	Probabilities(dst []float64, table *datasets.Table, rows []int32)
}

// SureModel is a model whose classes and probabilities are the same work.
type SureModel interface {
	ProbabilityModel
	// Sure writes what Predict and Probabilities do; nil for what is not asked for.
	Sure(classes []uint32, probabilities []float64, table *datasets.Table, rows []int32)
}

// Scored is a model that scores the classes that occur.
type Scored struct {
	// Each calls use with the position of each row and its scores, which it may change: those of
	// FromScores.
	Each      func(table *datasets.Table, rows []int32, use func(i int, scores []float64))
	Occurring []uint32 // classes, ascending
	Classes   int      // of the schema
}

// Predict writes the class of the largest probability, the first of equals.
func (m *Scored) Predict(dst []uint32, table *datasets.Table, rows []int32) {
	m.Sure(dst, nil, table, rows)
}

// Probabilities writes the probability of each class of the schema, row by row.
func (m *Scored) Probabilities(dst []float64, table *datasets.Table, rows []int32) {
	m.Sure(nil, dst, table, rows)
}

// Sure does what both do.
func (m *Scored) Sure(classes []uint32, probabilities []float64, table *datasets.Table,
	rows []int32) {
	if probabilities != nil {
		clear(probabilities[:len(rows)*m.Classes])
	}
	m.Each(table, rows, func(i int, scores []float64) {
		if classes != nil {
			classes[i] = Likeliest(m.Occurring, scores)
		}
		if probabilities != nil {
			FromScores(probabilities[i*m.Classes:(i+1)*m.Classes], m.Occurring, scores)
		}
	})
}

// ScoreModel is a model that ranks records without knowing probabilities.
type ScoreModel interface {
	Model
	// Scores writes a number for each row and class to dst, as Probabilities does: the larger it
	// is, the likelier the class. The numbers of two classes mean nothing beside each other.
	Scores(dst []float64, table *datasets.Table, rows []int32)
}

// Leaves are what the leaves of a tree say.
type Leaves struct {
	classes int
	class   []uint32
	shares  []float64 // of the classes, leaf by leaf
}

// Add notes a leaf where the classes of the training records have the given weights, and returns
// its number. Without any weight it is of class 0.
func (l *Leaves) Add(weights []float64) int32 {
	l.classes = len(weights)
	sum, best := 0.0, Majority(weights)
	for _, w := range weights {
		sum += w
	}
	for class, w := range weights {
		share := 0.0
		switch {
		case sum > 0:
			share = w / sum
		case class == best:
			share = 1
		}
		l.shares = append(l.shares, share)
	}
	l.class = append(l.class, uint32(best))
	return int32(len(l.class) - 1)
}

// Class is the most frequent class of a leaf, the first of equals.
func (l *Leaves) Class(leaf int32) uint32 { return l.class[leaf] }

// Shares are those of the classes in a leaf.
func (l *Leaves) Shares(leaf int32) []float64 {
	return l.shares[int(leaf)*l.classes : (int(leaf)+1)*l.classes]
}

// Block is how many rows are scored together, so that their scores stay in the first-level cache.
const Block = 512

// InBlocks scores rows a block at a time: score writes width numbers for each row of a block, and
// then use is called with the position of each row and its numbers, which it may change.
func InBlocks(rows []int32, width int, score func(scores []float64, part []int32),
	use func(i int, scores []float64)) {
	scores := make([]float64, min(Block, len(rows))*width)
	for from := 0; from < len(rows); from += Block {
		part := rows[from:min(from+Block, len(rows))]
		score(scores[:len(part)*width], part)
		for i := range part {
			use(from+i, scores[i*width:(i+1)*width])
		}
	}
}

// Logistic is 1/(1+e^-x).
func Logistic(x float64) float64 { return 1 / (1 + elementary.Exp(-x)) }

// Softmax turns logarithms of weights into shares of their sum, in place, and returns the logarithm
// of the sum.
func Softmax(scores []float64) (logSum float64) {
	most, sum := math.Inf(-1), 0.0
	for _, s := range scores {
		most = max(most, s)
	}
	for k, s := range scores {
		scores[k] = elementary.Exp(s - most)
		sum += scores[k]
	}
	for k := range scores {
		scores[k] /= sum
	}
	return most + elementary.Log(sum)
}

// Occurring lists the classes of weight above 0, ascending, or class 0 if no class has weight.
// machines is how many binary models tell them apart: none for one class, one for two classes, and
// one for each class where there are more.
func Occurring[W int64 | float64](weights []W) (classes []uint32, machines int) {
	for class, w := range weights {
		if w > 0 {
			classes = append(classes, uint32(class))
		}
	}
	switch machines = len(classes); machines {
	case 0:
		return []uint32{0}, 0
	case 1, 2:
		machines--
	}
	return classes, machines
}

// Likeliest is the occurring class with the largest score, the first of equals. Scores are as in
// FromScores.
func Likeliest(occurring []uint32, scores []float64) uint32 {
	if len(scores) == 1 && len(occurring) == 2 && scores[0] > 0 {
		return occurring[1]
	}
	return occurring[Majority(scores)]
}

// FromScores writes the probabilities of the classes that occur to their places in dst, whose other
// numbers must be 0. A single score for two classes compares the second with the first; more scores
// are logarithms of weights. One class needs no score. FromScores may change the scores.
func FromScores(dst []float64, occurring []uint32, scores []float64) {
	switch {
	case len(occurring) == 1:
		dst[occurring[0]] = 1
	case len(scores) == 1:
		p := Logistic(scores[0])
		dst[occurring[0]], dst[occurring[1]] = 1-p, p
	default:
		Softmax(scores)
		for k, p := range scores {
			dst[occurring[k]] = p
		}
	}
}
