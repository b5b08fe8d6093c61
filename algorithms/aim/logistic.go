package aim

import (
	"context"
	"math"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/margins"
	"ppdp/datasets"
)

// Logistic is the baseline "aim-logistic", for prediction and marginals at once, in either unit of
// the budget. The marginals of each attribute with the class take the place of those of one
// attribute, for more of the budget; AIM's rounds follow. Records of the model get labels drawn
// from the logistic regression that has these marginals with the class. It depends on the table
// through measurements alone, and costs nothing more.
var Logistic = algorithms.Add(algorithms.Info{
	Name:     "aim-logistic",
	Title:    "AIM's records with labels drawn from a logistic regression of its marginals",
	Source:   "ppdp; on McKenna et al. 2022",
	Input:    algorithms.TableInput,
	Produces: []algorithms.Product{algorithms.RecordsProduct},
	Variants: margins.Guarantees("Marginals of each attribute and the class, then rounds of" +
		" choosing and measuring a marginal. Labels follow from what was measured."),
	Columns:  true,
	Revision: 5,
}, logisticDefaults, publishLogistic)

// share is what the marginals with the class get of the budget. They say what labels are drawn
// from, and where little can be known they are known first: of the shares tried at three budgets
// (docs/tried.md) the best were near 1/4 at an epsilon of 10, 1/2 at 1 and 3/4 at 0.1. Rounds
// keep a hundredth, however small epsilon is: it must not underflow to 0.
func share(epsilon float64) float64 { return min(0.99, 1/(1+math.Sqrt(epsilon))) }

// logisticDefaults have private bins of wide attributes alone: these leave less for the class.
func logisticDefaults() *Params {
	p := defaults()
	p.Cut, p.Copies = margins.Wide, 10
	return p
}

// publishLogistic measures the class with each attribute, goes on as AIM does, and labels what it
// draws.
func publishLogistic(ctx context.Context, in algorithms.Input,
	params *Params) (*algorithms.Release, error) {
	s, err := open(ctx, &in, params)
	if err != nil {
		return nil, err
	}
	sets := s.WithClass()
	cost := s.Each(share(in.Budget.Epsilon())*s.total, sets)
	return s.release("marginals with the class", cost, sets, s.drawLabels)
}

// drawLabels gives records of the model labels drawn from a logistic regression on the indicators
// of all other attributes' values.
//
// Of all regressions it is the one whose labels have the model's marginals of each attribute and
// the class on these records: the maximum of the likelihood depends on the labels by these alone.
// It thereby needs no more of the table than was measured. The model itself has such labels, but
// they follow the noise in each count. Here a quadratic penalty holds them back: what a normal
// prior of standard deviation 1 asks for, of coefficients known from counts of that noise. Where
// values have an order, most of it holds neighbours together instead.
func (s *search) drawLabels(columns [][]uint32) error {
	if s.Class < 0 || s.Sizes[s.Class] < 2 || len(s.Sizes) == 1 {
		return nil // nothing to predict, or nothing to predict it from
	}
	var features, offsets []int
	width := 0
	for a, size := range s.Sizes {
		if a != s.Class {
			features, offsets = append(features, a), append(offsets, width)
			width += size
		}
	}
	labels, classes := columns[s.Class], s.Sizes[s.Class]
	r := &regression{ctx: s.ctx, values: make([]int32, len(labels)*len(features)),
		records: min(len(labels), modelRows), features: len(features), width: width,
		classes: classes, scores: make([]float64, classes-1)}
	for i, a := range features {
		for row, v := range columns[a] {
			r.values[row*r.features+i] = int32(offsets[i]) + int32(v)
		}
		if s.ordered(a) {
			r.ordered = append(r.ordered, [2]int{offsets[i], offsets[i] + s.Sizes[a]})
		}
	}
	rows, m := float64(r.records), float64(len(features))
	b := make([]float64, (classes-1)*width)
	for i, a := range features {
		counts := make([]float64, s.Sizes[a])
		for _, v := range columns[a][:r.records] {
			counts[v]++
		}
		for v, shares := range s.sharesOfClasses(a) {
			for k, share := range shares[1:] {
				b[k*width+offsets[i]+v] = -float64(counts[v]*share) / m
			}
		}
	}
	r.strength = float64(s.classNoise()*rows) / float64(max(1, s.model.Total)*m*m)
	theta, err := r.minimise(b, rows*1e-6)
	if err != nil {
		return err
	}
	stream := s.in.Noise.Open("labels")
	z := make([]float64, classes-1)
	for row := range labels {
		r.score(row, theta, z)
		softmax(z)
		u := stream.Open01()
		labels[row] = 0
		for k, p := range z {
			if u -= p; u < 0 {
				labels[row] = uint32(k + 1)
				break
			}
		}
	}
	return nil
}

// modelRows bounds the records that a regression is fitted to.
const modelRows = 1 << 17

// ordered reports whether the order of an attribute's values has a meaning: missing ones come last.
func (s *search) ordered(a int) bool {
	attribute := &s.in.Table.Schema().Attributes[a]
	return (attribute.Kind == datasets.Numeric || attribute.Ordered) && attribute.Missing == nil
}

// sharesOfClasses are those of the classes among the model's records of each value of an attribute.
func (s *search) sharesOfClasses(a int) [][]float64 {
	joint, classes := s.model.Marginal([]int{min(a, s.Class), max(a, s.Class)}), s.Sizes[s.Class]
	shares := make([][]float64, s.Sizes[a])
	for v := range shares {
		shares[v] = make([]float64, classes)
		sum := 0.0
		for k := range classes {
			if a < s.Class {
				shares[v][k] = joint[v*classes+k]
			} else {
				shares[v][k] = joint[k*s.Sizes[a]+v]
			}
			sum += shares[v][k]
		}
		for k := range classes {
			if sum > 0 {
				shares[v][k] /= sum
			}
		}
	}
	return shares
}

// classNoise is the standard deviation of the noise that a coefficient of the regression is known
// by: of a value's count in one class less its expectation given the value's count in all, which at
// even odds is 1/√2 of a cell's. It is the mean over the first marginals with the class.
func (s *search) classNoise() float64 {
	sum, n := 0.0, 0.0
	for _, m := range s.Measured {
		if len(m.Attributes) == 2 && n < float64(len(s.Sizes)-1) {
			sum += math.Sqrt(m.Variances[0] / 2)
			n++
		}
	}
	return sum / n
}
