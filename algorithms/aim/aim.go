// Package aim publishes records from marginals that are chosen one after the other for what they
// would teach (R. McKenna, B. Mullins, D. Sheldon and G. Miklau, AIM: an adaptive and iterative
// mechanism for differentially private synthetic data, VLDB 2022).
//
// A workload W of sets of attributes says which marginals matter. Candidates are its downward
// closure W₊, all subsets of its sets. As in the paper the model is initialized by all one-way
// marginals, and each round (search.round) takes these steps:
//
//   - Filter: of the candidates only those are open that keep the model within a share of its
//     largest size, JT-SIZE ≤ MAX-SIZE·ρ_used/ρ (search.filter).
//   - Select: the exponential mechanism chooses the worst-approximated candidate r by the scores
//     w_r·(|M_r(D) - M_r(p̂)|₁ - bias·n_r): how far the model's marginal of n_r cells is from the
//     table's in L1, less the error that noise would leave, times the weight w_r = Σ_{s∈W} |r∩s|
//     (search.worstApproximated).
//   - Measure the chosen marginal, and fit Private-PGM's model to all measurements (package pgm).
//   - Anneal: where the measurement has moved the model by less than its noise, later rounds cost
//     four times as much, or twice as much in pure epsilon.
//
// The last round spends what remains.
//
// Privacy. Neighbours differ by one record more or less, which moves a cell of a marginal by 1 and
// a distance by at most 1, up or down, so that scores divided by the largest weight have
// sensitivity 1 and the exponential mechanism keeps its factor 2. Costs, candidates and the number
// of rounds depend on earlier answers only. The budget is a filter: the sum of all costs is the
// whole of it and no more, in zCDP and in pure epsilon alike.
//
// A baseline of our own goes on from here: "aim-logistic" (Logistic, in logistic.go and
// regression.go).
//
// Deviations:
//   - The paper accounts in zCDP by ε = ρ + 2√(ρ ln(1/δ)); here the tight conversion is used.
//   - The paper has no pure epsilon. There a round's noise grows with the number of rounds planned,
//     not with its square root, so that fewer are planned: 4 for each attribute in place of 16.
//   - max_model is 1 megabyte; the paper's 80 give slightly better marginals in far more time.
//   - Fits end early by a certificate (package pgm). A fit between rounds takes half of the
//     iterations, the last one twice as many. Iterations smooth the model: they are part of what a
//     setting means.
//   - Numeric attributes are cut into bins, private ones by one-way marginals at three times the
//     cost.
//   - Sets with an attribute of one value are no candidates: they repeat smaller ones.
//   - All one-way marginals are measured, also those of attributes that the workload leaves out, so
//     that their values are published as they occur.
package aim

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/margins"
	"ppdp/algorithms/kernel/pgm"
	"ppdp/privacy"
)

// Algorithm is the baseline "aim".
var Algorithm = algorithms.Add(algorithms.Info{
	Name: "aim", Title: "AIM: marginals chosen adaptively for a workload",
	Source:   "McKenna, Mullins, Sheldon & Miklau 2022, Algorithm 4",
	Input:    algorithms.TableInput,
	Produces: []algorithms.Product{algorithms.RecordsProduct},
	Variants: margins.Guarantees("One-way marginals, then rounds of choosing and measuring" +
		" a marginal."),
	Columns:  true,
	Revision: 6,
}, defaults, publish)

// Params are the settings of a release.
type Params struct {
	margins.Params `yaml:",inline"`
	Workload       string  `yaml:"workload" doc:"the marginals that matter; one listed twice counts twice" values:"all-2 or all-3 (all sets of two or three attributes), class-2 or class-3 (all sets of one or two attributes with the class), or a list of sets such as \"age,sex; work,class\""`
	MaxModel       float64 `yaml:"max_model" doc:"the largest size of the tables of the model, in megabytes of 8-byte cells" above:"0" max:"32"`
}

// defaults are the paper's, but that its workload of all triples is replaced by all pairs.
func defaults() *Params {
	return &Params{Params: *margins.DefaultParams(), Workload: AllPairs, MaxModel: 1}
}

func (p *Params) Validate() error { return checkWorkload(p.Workload) }

// alpha is the paper's α: the share of a round that measures; the rest chooses.
const alpha = float64(0.9)

// between is the share of the iterations that a fit between rounds takes: it starts from the last
// one and serves the next choice alone.
const between = 0.5

// publish measures, chooses and measures until the budget is spent, and draws.
func publish(ctx context.Context, in algorithms.Input,
	params *Params) (*algorithms.Release, error) {
	s, err := open(ctx, &in, params)
	if err != nil {
		return nil, err
	}
	sets := s.OneWay()
	cost := min(s.measuring, alpha*s.Each(s.total, sets))
	return s.release("one-way marginals", cost, sets, nil)
}

// release measures the first marginals, at the same cost each, goes through the rounds and draws.
func (s *search) release(first string, cost float64, sets [][]int,
	label func(columns [][]uint32) error) (*algorithms.Release, error) {
	if err := s.MeasureAll(s.Noise(first), cost, sets); err != nil {
		return nil, err
	}
	if err := s.run(); err != nil {
		return nil, err
	}
	return s.Publish(s.model, label)
}

// search is a release under way.
type search struct {
	*margins.Data
	ctx      context.Context
	in       *algorithms.Input
	params   *Params
	workload [][]int
	// W₊
	candidates []candidate
	choice     *privacy.Exponential
	noise      *privacy.Noise
	model      *pgm.Model
	total      float64 // what all rounds and the first marginals cost
	// what a round costs at present
	measuring, choosing float64
	annealing           float64      // how many times as much half the noise costs
	cached              atomic.Int64 // cells of exact marginals kept
	growth              *pgm.Growth
	grown               int // how many of the measured marginals it has
}

// open starts a search.
func open(ctx context.Context, in *algorithms.Input, params *Params) (*search, error) {
	wanted, err := workload(in.Table.Schema(), params.Workload)
	if err != nil {
		return nil, fmt.Errorf("aim: workload: %w", err)
	}
	d, err := margins.Open(ctx, in, &params.Params)
	if err != nil {
		return nil, err
	}
	s := &search{Data: d, ctx: ctx, in: in, params: params, workload: wanted,
		total: in.Budget.Total()}
	perAttribute := 4 // rounds that are planned
	s.annealing = 2
	if in.Budget.Unit() == privacy.Rho {
		perAttribute, s.annealing = 16, 4
	}
	s.share(s.total / float64(perAttribute*len(d.Sizes)))
	return s, nil
}

// share divides what a round costs into the parts that measure and choose.
func (s *search) share(round float64) {
	s.measuring, s.choosing = alpha*round, (1-alpha)*round
}

// run goes through the rounds, after the first marginals.
func (s *search) run() (err error) {
	if s.model, err = s.Fit(between, nil); err != nil {
		return err
	}
	// with an attribute of one value, a marginal says nothing more than without it
	s.candidates = slices.DeleteFunc(downwardClosure(s.workload), func(c candidate) bool {
		return len(c.set) > 1 && slices.ContainsFunc(c.set, func(a int) bool {
			return s.Sizes[a] == 1
		})
	})
	sets := make([][]int, len(s.candidates))
	for i, c := range s.candidates {
		sets[i] = c.set
	}
	s.growth = pgm.NewGrowth(s.Sizes, sets)
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

// round chooses a marginal, measures it and fits the model. last says that nothing is left.
func (s *search) round() (last bool, err error) {
	left := s.Path.Remaining()
	if left <= 2*(s.measuring+s.choosing) {
		last = true
		s.share(left)
	}
	used := (s.total - left + s.measuring + s.choosing) / s.total
	bias := s.noise.MeanSize(s.measuring)
	c, err := s.worstApproximated(s.filter(used*s.params.MaxModel*1e6/8), bias)
	if err != nil {
		return false, err
	}
	if err := s.Measure(s.noise, s.measuring, c.set); err != nil {
		return false, err
	}
	before := s.model.Marginal(c.set)
	if s.model, err = s.Fit(between, s.model); err != nil {
		return false, err
	}
	if margins.Distance(before, s.model.Marginal(c.set)) <= bias*s.Cells(c.set) {
		s.measuring *= s.annealing
		s.choosing *= s.annealing
	}
	return last, nil
}

// filter lists the candidates that leave the model within a number of cells (JT-SIZE).
func (s *search) filter(cells float64) (open []*candidate) {
	for ; s.grown < len(s.Measured); s.grown++ {
		s.growth.Add(s.Measured[s.grown].Attributes)
	}
	for i := range s.candidates {
		c := &s.candidates[i]
		if s.model.Covers(c.set) || s.Cells(c.set) <= cells && s.growth.Fits(i, cells) {
			open = append(open, c)
		}
	}
	return open
}

// worstApproximated chooses an open candidate by its score, in units of the largest weight.
func (s *search) worstApproximated(open []*candidate, bias float64) (*candidate, error) {
	heaviest := 0.0
	for _, c := range open {
		heaviest = math.Max(heaviest, c.weight)
	}
	distances, err := s.distances(open)
	if err != nil {
		return nil, err
	}
	scores := make([]float64, len(open))
	for i, c := range open {
		scores[i] = c.weight / heaviest * (distances[i] - float64(bias*s.Cells(c.set)))
	}
	i, err := s.choice.Choose(&s.Path, s.in.Budget.ChoiceEpsilon(s.choosing), scores, nil)
	if err != nil {
		return nil, err
	}
	return open[i], nil
}

// distances are how far the model's marginals are from the table's. A pair that no clique covers
// comes from a walk from its attribute of fewer values, which takes less time.
func (s *search) distances(open []*candidate) ([]float64, error) {
	from := make([][]int, len(s.Sizes)) // candidates by that attribute
	for i, c := range open {
		a := slices.MinFunc(c.set, func(a, b int) int { return s.Sizes[a] - s.Sizes[b] })
		from[a] = append(from[a], i)
	}
	distances, walks := make([]float64, len(open)), s.model.Walks()
	var workers errgroup.Group
	workers.SetLimit(runtime.GOMAXPROCS(0))
	for a, numbers := range from {
		workers.Go(func() error { return s.distancesFrom(a, open, numbers, walks, distances) })
	}
	return distances, workers.Wait()
}

// distancesFrom computes the distances of some of the candidates, by number, in which a pair that
// no clique covers has attribute a.
func (s *search) distancesFrom(a int, open []*candidate, numbers []int, walks *pgm.Walks,
	distances []float64) error {
	var others []int
	for _, i := range numbers {
		if c := open[i]; len(c.set) == 2 && !s.model.Covers(c.set) {
			others = append(others, c.set[0]+c.set[1]-a)
		}
	}
	tables := walks.From(a, others)
	for _, i := range numbers {
		c := open[i]
		exact, err := s.exact(c)
		if err != nil {
			return err
		}
		var model []float64
		if len(c.set) == 2 {
			model = tables[c.set[0]+c.set[1]-a]
		}
		if model == nil {
			model = s.model.Marginal(c.set)
		}
		distances[i] = margins.Distance(exact, model)
	}
	return nil
}

// maxCached bounds the cells of exact marginals that are kept from round to round.
const maxCached = 1 << 20

// exact is the table's marginal of a candidate.
func (s *search) exact(c *candidate) ([]float64, error) {
	if c.exact != nil {
		return c.exact, nil
	}
	counts, err := s.Exact(c.set)
	if cells := int64(len(counts)); err == nil && s.cached.Add(cells) <= maxCached {
		c.exact = counts
	} else {
		s.cached.Add(-cells)
	}
	return counts, err
}
