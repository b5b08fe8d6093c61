package aim

import (
	"context"
	"slices"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/margins"
	"ppdp/datasets"
	"ppdp/privacy"
)

func init() { algorithms.Register(Labelled{}) }

var _ algorithms.Fitter = Labelled{}

// Labelled is the baseline "aim-labels", for prediction under pure epsilon. Its records have labels
// from a logistic regression; their other attributes are modelled by AIM or one-way marginals.
//
//  1. The class is counted with noise.
//  2. A first set of at most three attributes is chosen by the exponential mechanism over all of
//     them, by how many records the best rule on their values labels rightly. One choice over whole
//     sets sees what attributes say together, and that one repeats another. Where it needs only a
//     part of the budget, a regression on the set and further choices follow, of attributes that
//     it leaves most unexplained. These have to outweigh the noise that they bring.
//  3. The chosen attributes' marginals are measured as AIM does, the others' at a tenth of that.
//  4. A regression on indicators of the chosen attributes' values, by objective perturbation with
//     Laplace noise, labels the records. Labels are the most probable class and not drawn.
//
// A record has as many indicators as attributes are chosen, k. Scaled by 1/k they have the L1 norm
// 1, whatever the number of values, so that Laplace noise on each coefficient does not grow with
// it; noise against the L2 norm would, by its square root.
//
// The regression's loss asks that the score of a record's class leads by 2. For labels only the
// sign of a score matters, and records at even odds decide about it. In a plain logistic regression
// these move the gradient by 1/2, and those that are labelled wrongly by up to 1, which is what
// noise is scaled to. With the lead both move it by about 1.
//
// Privacy. Neighbours differ by one record more or less. Steps 1 and 3 are as AIM's.
// The score of a set in step 2 rises by 0 or 1 with a record more; less half the number of records,
// which is the same for all sets, it moves by 1/2 (chooseFirst). Unexplained class counts move by
// at most 1 (unexplained). The regression's loss has a gradient and second derivatives that move by
// no more than is declared (gradientSensitivity, shapeOf), and privacy.Objective proves that its
// minimum, which no program finds exactly, is private under these. The lead is a constant added to
// scores before probabilities are taken: a record's gradient is still (p-y)⊗x for probabilities p,
// and its second derivatives (diag(p)-ppᵀ)⊗xxᵀ, and the bounds hold for every p. All steps draw on
// one path of the budget, and what each does depends on the table through earlier answers alone.
// Labels are computed from the regression, the class counts and drawn records, which is
// post-processing. The regression's coefficients are in floating point; they are not published.
type Labelled struct{}

func (Labelled) Info() algorithms.Info {
	return algorithms.Info{
		Name: "aim-labels", Title: "AIM's records with labels from a private regression",
		Source:   "ppdp; on McKenna et al. 2022 and Chaudhuri, Monteleoni & Sarwate 2011",
		Input:    algorithms.TableInput,
		Produces: []algorithms.Product{algorithms.RecordsProduct},
		Variants: []algorithms.Guarantee{algorithms.RecordPrivacy(algorithms.Strict, "A set of"+
			" attributes, their marginals in integer noise drawn exactly, then a regression by"+
			" objective perturbation. Public domains, a noisy number of records.")},
		Revision: 5,
	}
}

// LabelParams are the settings of a release.
type LabelParams struct {
	margins.Params `yaml:",inline"`
	MaxModel       float64 `yaml:"max_model" doc:"the largest size of the tables of the model, in megabytes of 8-byte cells" above:"0" max:"32"`
}

// Params returns the defaults, for prediction: only wide attributes have private bins, which leave
// less for the labels.
func (Labelled) Params() algorithms.Params {
	p := &LabelParams{Params: margins.DefaultParams(), MaxModel: 1}
	p.Cut, p.Copies = margins.Wide, 10
	return p
}

// FitSchema asks for one copy of the records, so that they need no weights.
func (a Labelled) FitSchema(*datasets.Schema, int) algorithms.Params {
	p := a.Params().(*LabelParams)
	p.SingleCopy()
	return p
}

const (
	// countShare is the share of epsilon for how many records there are of each class.
	countShare = 0.02
	// cutShare is the share of epsilon for private bins.
	cutShare = 0.1
	// fittingShare is the share of epsilon for the last regression.
	fittingShare = 0.5
	// choosingShare is the largest share of epsilon for the choice of attributes. What is not
	// needed goes to the marginals.
	choosingShare = 0.25
	// otherShare is the share of the marginals' budget for attributes that labels do not depend on.
	otherShare = 0.1
	// determinant is the share of a regression's epsilon for what a record does to the second
	// derivatives. A value that no record speaks for then adds noise of a standard deviation of
	// about 4√2·share to scores, half of what they should lead by.
	determinant = 1. / 6
	// perCoefficient is how many records times epsilon a regression has for each coefficient of a
	// set it is started on.
	perCoefficient = 10
	// enough is how much epsilon times records the choice of a first set needs: a set that is right
	// for 1/200 of the records more is then e¹⁰ times as probable.
	enough = 800
)

// labeller learns labels from a growing set of attributes.
type labeller struct {
	*margins.Data
	ctx         context.Context
	in          *algorithms.Input
	params      *LabelParams
	labels      []uint32
	usable      []int      // attributes that labels may depend on
	values      [][]uint32 // of usable attributes, by row
	classes     []float64  // noisy counts, at least 0
	frequent    int        // the most frequent class
	records     float64    // the noisy number of records, at least 1
	chosen      []int
	offsets     []int // of the chosen attributes' values in a class's part of θ
	width       int   // of that part
	theta       []float64
	regressions *privacy.Objective
	noise       privacy.VectorNoise
	total       float64 // what the budget has for all but private bins
}

// Release chooses attributes, measures marginals, fits the regression and draws labelled records.
func (a Labelled) Release(ctx context.Context, in algorithms.Input) (*algorithms.Release, error) {
	params, err := algorithms.CheckInput[*LabelParams](ctx, a, in)
	if err != nil {
		return nil, err
	}
	l, err := newLabeller(ctx, &in, params)
	if err != nil {
		return nil, err
	}
	d := l.Data
	if len(l.usable) == 0 || d.Sizes[d.Class] < 2 {
		return l.unlabelled()
	}
	if err := l.count(); err != nil {
		return nil, err
	}
	if err := l.choose(); err != nil {
		return nil, err
	}
	fitting := float64(fittingShare * l.total)
	s, err := l.marginals(fitting)
	if err != nil {
		return nil, err
	}
	if l.theta, err = l.fit(fitting); err != nil {
		return nil, err
	}
	return d.Publish(s.model, l.relabel)
}

func newLabeller(ctx context.Context, in *algorithms.Input, p *LabelParams) (*labeller, error) {
	d, err := margins.Open(ctx, in, &p.Params)
	if err != nil {
		return nil, err
	}
	l := &labeller{Data: d, ctx: ctx, in: in, params: p, noise: d.Noise("one-way marginals")}
	cut, err := d.CutAll(float64(cutShare * in.Budget.Total()))
	if err != nil {
		return nil, err
	}
	l.total, l.values = in.Budget.Total()-cut, make([][]uint32, len(d.Sizes))
	for a := range d.Sizes {
		if d.Class >= 0 && a != d.Class && d.Sizes[a] <= maxTable/d.Sizes[d.Class] {
			l.usable = append(l.usable, a)
			l.values[a] = d.Values(a)
		}
	}
	return l, nil
}

// unlabelled measures every attribute, where there is nothing to predict or to predict it from.
func (l *labeller) unlabelled() (*algorithms.Release, error) {
	cost := l.total / float64(len(l.Sizes))
	for _, set := range l.OneWay() {
		if err := l.Measure(l.noise, cost, set); err != nil {
			return nil, err
		}
	}
	model, err := l.Fit(2, nil)
	if err != nil {
		return nil, err
	}
	return l.Publish(model, nil)
}

// count measures the class and declares the regressions of it.
func (l *labeller) count() error {
	if err := l.Measure(l.noise, countShare*l.total, []int{l.Class}); err != nil {
		return err
	}
	l.labels = l.Values(l.Class)
	for _, n := range l.Measured[len(l.Measured)-1].Counts {
		l.classes = append(l.classes, max(0, n))
		l.records += max(0, n)
	}
	l.records = max(1, l.records)
	l.regressions = l.in.Budget.Objective("regressions", l.in.Noise.Open("regressions"),
		privacy.Exact(gradientSensitivity(len(l.classes))))
	for y, n := range l.classes {
		if n > l.classes[l.frequent] {
			l.frequent = y
		}
	}
	return nil
}

// use adds an attribute to those that labels depend on.
func (l *labeller) use(a int) {
	l.chosen = append(l.chosen, a)
	l.offsets = append(l.offsets, l.width)
	l.width += l.Sizes[a]
}

// marginals runs AIM over the pairs of the attributes chosen, after the one-way marginals of all
// others. It leaves so much of the budget.
func (l *labeller) marginals(reserve float64) (*search, error) {
	var modelled []int
	var others [][]int
	for a := range l.Sizes {
		switch {
		case slices.Contains(l.chosen, a):
			modelled = append(modelled, a)
		case a != l.Class:
			others = append(others, []int{a})
		}
	}
	for _, set := range others {
		left := l.Path.Remaining() - reserve
		if err := l.Measure(l.noise, otherShare*left/float64(len(others)), set); err != nil {
			return nil, err
		}
	}
	p := l.params
	s := &search{Data: l.Data, ctx: l.ctx, in: l.in, reserve: reserve,
		params: &Params{Params: p.Params, MaxModel: p.MaxModel},
		total:  l.Path.Remaining() - reserve}
	s.share(s.total / float64(len(modelled))) // a round for each
	for i, a := range modelled {
		if err := l.Measure(l.noise, s.measuring, []int{a}); err != nil {
			return nil, err
		}
		s.workload = append(s.workload, []int{a})
		for _, b := range modelled[:i] {
			s.workload = append(s.workload, []int{b, a})
		}
	}
	return s, s.run()
}

// fit fits a regression on the attributes chosen.
func (l *labeller) fit(epsilon float64) ([]float64, error) {
	shape := shapeOf(len(l.chosen), l.width, len(l.classes), determinant*epsilon)
	r := l.regression()
	r.strength = shape.Strength
	return l.regressions.Minimise(&l.Path, epsilon, shape, r)
}

// regression is a regression on the attributes chosen, without its strength.
func (l *labeller) regression() *regression {
	r := newRegression(l.ctx, l.labels, len(l.classes), l.width)
	r.lead = lead
	for i, a := range l.chosen {
		r.feature(i, len(l.chosen), l.offsets[i], l.values[a])
	}
	return r
}

// relabel gives drawn records the labels of the regression.
func (l *labeller) relabel(columns [][]uint32) error {
	to, others := columns[l.Class], len(l.classes)-1
	scores := make([]float64, len(to)*others)
	for k := range others {
		for i, a := range l.chosen {
			part := l.theta[k*l.width+l.offsets[i]:]
			for row, v := range columns[a] {
				scores[row*others+k] += part[v]
			}
		}
	}
	for row := range to {
		best := 0.0
		to[row] = 0
		for k, x := range scores[row*others : (row+1)*others] {
			if x > best {
				best, to[row] = x, uint32(k+1)
			}
		}
	}
	return nil
}
