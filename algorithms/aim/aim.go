// Package aim publishes records from marginals that are chosen one after the other for what they
// would teach (R. McKenna, B. Mullins, D. Sheldon and G. Miklau, AIM: an adaptive and iterative
// mechanism for differentially private synthetic data, VLDB 2022).
//
// A workload of sets of attributes says which marginals matter. Candidates are all subsets of its
// sets. First all one-way marginals are measured; then, round by round, a candidate is chosen by
// the exponential mechanism and measured, and Private-PGM fits a model to all measurements. A
// candidate's score is how far the model's marginal is from the table's in L1, less the error that
// noise would leave, times how much of the workload it touches. Where a measurement has moved the
// model by less than its noise, later rounds cost four times as much (twice as much in pure
// epsilon). The last round spends what remains.
//
// Privacy. Neighbours differ by one record more or less, which moves a cell of a marginal by 1 and
// a distance by at most 1, up or down, so that scores divided by the largest weight have
// sensitivity 1 and the exponential mechanism keeps its factor 2. Costs, candidates and the number
// of rounds depend on earlier answers only. The budget is a filter: the sum of all costs is the
// whole of it and no more, in zCDP and in pure epsilon alike.
//
// "aim-labels" is ours, for prediction under pure epsilon. A release of it has labels from a
// logistic regression, on records whose other attributes AIM or its one-way marginals model.
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
// Privacy of aim-labels. Neighbours differ by one record more or less. Steps 1 and 3 are as above.
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
//
// "aim-logistic" is ours too, for prediction and marginals at once, in either unit of the budget.
// The marginals of each attribute with the class take the place of those of one attribute, for more
// of the budget; AIM's rounds follow. Records of the model get labels drawn from the logistic
// regression that has these marginals with the class. It depends on the table through measurements
// alone, and costs nothing more.
//
// Deviations:
//   - The paper accounts in zCDP by ε = ρ + 2√(ρ ln(1/δ)); here the tight conversion is used.
//   - The paper has no pure epsilon. There a round's noise grows with the number of rounds planned,
//     not with its square root, so that fewer are planned: 4 for each attribute in place of 16.
//   - max_model is 1 megabyte; the paper's 80 give slightly better marginals in far more time.
//   - Fits end early by a certificate (package pgm). Iterations smooth the model: they are part of
//     what a setting means. A fit between rounds takes half of them, the last one twice as many.
//   - Numeric attributes are cut into bins, private ones by one-way marginals at three times the
//     cost; rare values may be merged after these.
//   - Sets with an attribute of one value are no candidates: they repeat smaller ones.
//   - All one-way marginals are measured, also those of attributes that the workload leaves out, so
//     that their values are published as they occur.
package aim

import (
	"context"
	"fmt"
	"math"
	"slices"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/margins"
	"ppdp/algorithms/kernel/pgm"
	"ppdp/privacy"
)

func init() { algorithms.Register(Algorithm{}) }

// Algorithm is the baseline "aim".
type Algorithm struct{}

func (Algorithm) Info() algorithms.Info {
	return algorithms.Info{
		Name: "aim", Title: "AIM: marginals chosen adaptively for a workload",
		Source:   "McKenna, Mullins, Sheldon & Miklau 2022, Algorithm 4",
		Input:    algorithms.TableInput,
		Produces: []algorithms.Product{algorithms.RecordsProduct},
		Variants: margins.Guarantees("One-way marginals, then rounds of choosing and measuring" +
			" a marginal."),
		Revision: 4,
	}
}

// Params are the settings of a release.
type Params struct {
	margins.Params `yaml:",inline"`
	Workload       string `yaml:"workload" doc:"the marginals that matter; one listed twice counts twice" values:"all-2 or all-3 (all pairs or triples), class-2 or class-3 (all sets of one or two attributes with the class), or a list of sets such as \"age,sex; work,class\""`
	Rounds         int    `yaml:"rounds" doc:"how many rounds are planned for each attribute; 0 is 16, or 4 in pure epsilon" min:"0" max:"1000"`
	// Alpha is the paper's α.
	Alpha    float64       `yaml:"alpha" doc:"the share of a round that measures; the rest chooses" above:"0" below:"1"`
	MaxModel float64       `yaml:"max_model" doc:"the largest size of the tables of the model, in megabytes of 8-byte cells" above:"0" max:"32"`
	Merge    margins.Merge `yaml:"merge" doc:"which rare values are made one after the one-way marginals; none as in the paper"`
}

// Params returns the defaults: the paper's workload of all triples is replaced by all pairs.
func (Algorithm) Params() algorithms.Params {
	return &Params{Params: margins.DefaultParams(), Workload: AllPairs, Alpha: 0.9, MaxModel: 1,
		Merge: margins.NoMerge}
}

func (p *Params) Validate() error {
	return checkWorkload(p.Workload)
}

// threshold is how many standard deviations of its noise a frequent value's count is above 0, where
// rare values are merged.
const threshold = 3

// between is the share of the iterations that a fit between rounds takes: it starts from the last
// one and serves the next choice alone.
const between = 0.5

// search is a release under way.
type search struct {
	*margins.Data
	ctx        context.Context
	in         *algorithms.Input
	params     *Params
	candidates []candidate
	choice     *privacy.Exponential
	noise      privacy.VectorNoise
	model      *pgm.Model
	// what all rounds and the one-way marginals cost, and what is left when they are done
	total, reserve float64
	// what a round costs at present
	measuring, choosing float64
	cached              int // cells of exact marginals kept
}

// Release measures, chooses and measures until the budget is spent, and draws.
func (a Algorithm) Release(ctx context.Context, in algorithms.Input) (*algorithms.Release, error) {
	params, err := algorithms.CheckInput[*Params](ctx, a, in)
	if err != nil {
		return nil, err
	}
	s, wanted, err := open(ctx, &in, params)
	if err != nil {
		return nil, err
	}
	sets := s.OneWay()
	cost := min(s.measuring, params.Alpha*s.Each(s.total, sets))
	if err := s.MeasureAll(s.Noise("one-way marginals"), cost, sets); err != nil {
		return nil, err
	}
	s.Merge(params.Merge, threshold, s.Class)
	if err := s.run(wanted); err != nil {
		return nil, err
	}
	return s.Publish(s.model)
}

// open starts a search for a workload, whose sets it returns.
func open(ctx context.Context, in *algorithms.Input, params *Params) (*search, [][]int, error) {
	wanted, err := workload(in.Table.Schema(), params.Workload)
	if err != nil {
		return nil, nil, fmt.Errorf("aim: workload: %w", err)
	}
	d, err := margins.Open(ctx, in, &params.Params)
	if err != nil {
		return nil, nil, err
	}
	s := &search{Data: d, ctx: ctx, in: in, params: params, total: in.Budget.Total()}
	s.plan(len(d.Sizes))
	return s, wanted, nil
}

// run chooses and measures marginals of a workload, after the first ones.
func (s *search) run(sets [][]int) (err error) {
	if s.model, err = s.Fit(between, nil); err != nil {
		return err
	}
	// with an attribute of one value, a marginal says nothing more than without it
	s.candidates = slices.DeleteFunc(candidatesOf(sets), func(c candidate) bool {
		return len(c.set) > 1 && slices.ContainsFunc(c.set, func(a int) bool {
			return s.Sizes[a] == 1
		})
	})
	s.choice = s.in.Budget.Exponential("choice of marginals",
		s.in.Noise.Open("choice of marginals"), privacy.Exact(1))
	s.noise = s.Noise("chosen marginals")
	for last := false; !last; {
		if last, err = s.round(); err != nil {
			return err
		}
	}
	s.model, err = s.Fit(2, s.model)
	return err
}

// plan divides the search's budget among its rounds, whose number is in proportion to that of the
// attributes.
func (s *search) plan(attributes int) {
	perAttribute := s.params.Rounds
	if perAttribute == 0 {
		if perAttribute = 4; s.in.Budget.Unit() == privacy.Rho {
			perAttribute = 16
		}
	}
	round := s.total / float64(perAttribute*attributes)
	s.measuring = s.params.Alpha * round
	s.choosing = (1 - s.params.Alpha) * round
}

// round chooses a marginal, measures it and fits the model. last says that nothing is left.
func (s *search) round() (last bool, err error) {
	left := s.Path.Remaining() - s.reserve
	if left <= 2*(s.measuring+s.choosing) {
		last = true
		s.measuring, s.choosing = s.params.Alpha*left, (1-s.params.Alpha)*left
	}
	used := (s.total - left + s.measuring + s.choosing) / s.total
	bias := s.noise.MeanSize(s.measuring)
	open, scores, err := s.score(used*s.params.MaxModel*1e6/8, bias)
	if err != nil {
		return false, err
	}
	i, err := s.choice.Choose(&s.Path, s.in.Budget.ChoiceEpsilon(s.choosing), scores, nil)
	if err != nil {
		return false, err
	}
	c := open[i]
	if err := s.Measure(s.noise, s.measuring, c.set); err != nil {
		return false, err
	}
	before := s.model.Marginal(c.set)
	if s.model, err = s.Fit(between, s.model); err != nil {
		return false, err
	}
	if margins.Distance(before, s.model.Marginal(c.set)) <= bias*s.Cells(c.set) {
		grow := 2.0
		if s.in.Budget.Unit() == privacy.Rho {
			grow = 4
		}
		s.measuring *= grow
		s.choosing *= grow
	}
	return last, nil
}

// score lists the candidates that leave the model within the given number of cells, with their
// scores in units of the largest weight among them.
func (s *search) score(cells, bias float64) (open []*candidate, scores []float64, err error) {
	var measured [][]int
	for _, m := range s.Measured {
		measured = append(measured, m.Attributes)
	}
	heaviest := 0.0
	for i := range s.candidates {
		c := &s.candidates[i]
		if s.model.Covers(c.set) || s.Cells(c.set) <= cells &&
			pgm.Size(s.Sizes, append(slices.Clip(measured), c.set)) <= cells {
			open = append(open, c)
			heaviest = math.Max(heaviest, c.weight)
		}
	}
	for _, c := range open {
		exact, err := s.exact(c)
		if err != nil {
			return nil, nil, err
		}
		distance := margins.Distance(exact, s.model.Marginal(c.set))
		scores = append(scores, c.weight/heaviest*(distance-float64(bias*s.Cells(c.set))))
	}
	return open, scores, nil
}

// maxCached bounds the cells of exact marginals that are kept from round to round.
const maxCached = 1 << 20

// exact is the table's marginal of a candidate.
func (s *search) exact(c *candidate) ([]float64, error) {
	if c.exact != nil {
		return c.exact, nil
	}
	counts, err := s.Exact(c.set)
	if err == nil && s.cached+len(counts) <= maxCached {
		c.exact = counts
		s.cached += len(counts)
	}
	return counts, err
}
