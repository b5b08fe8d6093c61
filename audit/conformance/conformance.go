// Package conformance is the suite that every baseline has to pass, whatever paper it comes from:
// reproducible and noisy where it should be, within its budget, independent of everything that is
// not public, able to deal with tiny inputs, extreme epsilons and cancelled contexts, and with the
// products that it promises. A test in algorithms/all runs it on everything registered; Check does
// the same for an external program, outside of a test.
//
// It leaves out whether an algorithm computes what its paper says (the baseline's own tests) and
// whether a sensitivity is right (that takes a proof).
package conformance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"ppdp/algorithms"
	"ppdp/audit"
	"ppdp/datasets"
	"ppdp/numeric/random"
	"ppdp/privacy"
)

// Run checks an algorithm under every variant it has, with each of the settings given, which are
// only read; and so again as releases are handed out, where they can be. The checks are parallel
// subtests.
func Run(t *testing.T, a algorithms.Algorithm, settings ...algorithms.Params) {
	t.Helper()
	t.Run("info", func(t *testing.T) { report(t, checkInfo(a)) })
	t.Run("params", func(t *testing.T) {
		t.Parallel()
		report(t, checkParams(a))
	})
	for i, params := range settings {
		for _, guarantee := range a.Info().Variants {
			if checker, ok := params.(algorithms.VariantChecker); ok &&
				checker.CheckVariant(guarantee.Variant) != nil {
				continue
			}
			if guarantor, ok := params.(algorithms.Guarantor); ok {
				guarantee = guarantor.Guarantee(guarantee.Variant)
			}
			for way, name := range []string{"%s/%d", "%s, publication/%d", "%s/%d/delta",
				"%s, publication/%d/delta"} {
				s := newSubject(a, guarantee, params)
				s.Delta, s.Publication = []float64{0, someDelta}[way/2], way%2 == 1
				s.transcripts = []int{2, 1, 1, 1}[way] // the calls are the same in all ways
				// The unit is the same to all settings: the last stands for them.
				if s.Delta > 0 && (!guarantee.Approximate || i < len(settings)-1) ||
					s.Publication && !s.publishable() {
					continue
				}
				for _, c := range checks {
					t.Run(fmt.Sprintf(name+"/%s", guarantee.Variant, i, c.name),
						func(t *testing.T) {
							t.Parallel()
							report(t, c.run(s))
						})
				}
			}
		}
	}
}

// Check makes the checks of Run with the default parameters, one after the other, outside of a
// test. It calls each for every check with what it demands, in words, and the result.
func Check(a algorithms.Algorithm, each func(demand string, err error)) {
	each("the descriptor is complete", checkInfo(a))
	each("the defaults are valid", checkParams(a))
	for _, guarantee := range a.Info().Variants {
		for _, c := range checks {
			if c.demand != "" && (c.name != "replay" || guarantee.Status == algorithms.Replayed) {
				each(string(guarantee.Variant)+": "+c.demand,
					c.run(newSubject(a, guarantee, a.Params())))
			}
		}
	}
}

// Released is a release in which CheckRelease finds nothing wrong; any other ends the test.
func Released(t interface {
	Helper()
	Fatal(args ...any)
}, a algorithms.Algorithm, in algorithms.Input) *algorithms.Release {
	t.Helper()
	info, own := a.Info(), in
	own.Rows = slices.Clone(in.Rows)
	guarantee, err := algorithms.GuaranteeOf(a, in.Variant, in.Params)
	var release *algorithms.Release
	if err == nil {
		release, err = a.Release(context.Background(), own)
	}
	if err == nil {
		err = CheckRelease(&info, guarantee, in, release)
	}
	if err != nil {
		t.Fatal(err)
	}
	return release
}

func report(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

// checks are the demands on releases. Each is a function that returns an error or nil, so that the
// suite itself can be tested on algorithms that are wrong on purpose. One without words is not made
// by Check; a replay is where ppdp draws.
var checks = []struct {
	name, demand string
	run          func(subject) error
}{
	{"shape", "a release has the products and the schema that it should", checkShape},
	{"reproducible", "the same seed gives the same release", checkReproducible},
	{"noisy", "another seed gives another release", checkNoisy},
	{"budget", "something is spent, and no more than the budget", checkBudget},
	{"input untouched", "the data are left as they were", checkInputUntouched},
	{"rare value", "one record changes nothing that is public", checkRareValue},
	{"size", "the number of records is not published where it is private", checkSize},
	{"small tables", "tables of no record, of one and of equal ones give a release",
		checkSmallTables},
	{"odd inputs", "unusual schemas give a release or an error, and never a wrong release",
		checkOddInputs},
	{"extreme epsilon", "the smallest and the largest epsilon give a release", checkExtremeEpsilon},
	{"truth", "", checkTruth},
	{"parallel", "releases at the same time do not disturb each other", checkParallel},
	{"cancelled", "a release that is cancelled ends", checkCancelled},
	{"replay", "a replay of its calls on neighbours and far pairs finds nothing", checkReplay},
}

// subject is an algorithm under one variant and one setting of its parameters, with its guarantee
// and the number of transcripts that are replayed for each pair, direction and epsilon.
type subject struct {
	audit.Subject
	guarantee   algorithms.Guarantee
	transcripts int
}

func newSubject(a algorithms.Algorithm, g algorithms.Guarantee, p algorithms.Params) subject {
	return subject{audit.Subject{Algorithm: a, Variant: g.Variant, Params: p}, g, 5}
}

// publishable reports whether a release can be handed out: it holds, and its draws are exact.
func (s subject) publishable() bool {
	info := s.Algorithm.Info()
	if !s.private() || s.guarantee.Status != algorithms.Holds ||
		!info.Can(algorithms.RecordsProduct) {
		return false
	}
	_, budget, _, _ := s.release(try{})
	return !errors.Is(budget.Refused(), privacy.ErrInexact)
}

// someDelta is the delta of budgets that have one.
const someDelta = 1e-9

func (s subject) private() bool { return s.guarantee.Model == algorithms.DifferentialPrivacy }

// try is what one release is made from, as far as checks vary it.
type try struct {
	ctx     context.Context // nil for the background
	table   *datasets.Table // nil for the usual one
	graph   *datasets.Graph // nil for the usual one
	rows    []int32         // nil for the usual ones, shuffled and fewer than the table has
	epsilon float64         // 0 for 1
	seed    uint64
}

// release makes a release. A panic is an error here.
func (s subject) release(how try) (release *algorithms.Release, budget *privacy.Budget,
	in algorithms.Input, err error) {
	if how.ctx == nil {
		how.ctx = context.Background()
	}
	if s.Epsilon = cmp.Or(how.epsilon, 1); !s.private() {
		s.Epsilon = 0
	}
	data := audit.Data{Graph: how.graph}
	switch {
	case !s.onGraphs():
		if data = (audit.Data{Table: how.table, Rows: how.rows}); data.Table == nil {
			data.Table = Table(400)
		}
		if data.Rows == nil {
			data.Rows = someRows(data.Table)
		}
	case data.Graph == nil:
		data.Graph = Graph(60)
	}
	budget = s.Budget(&data)
	release, err = s.Release(how.ctx, &data, budget, random.NewKey(how.seed))
	if err == nil && release == nil {
		err = errors.New("neither a release nor an error")
	}
	return release, budget, algorithms.Input{Table: data.Table, Graph: data.Graph,
		Rows: data.Rows, Params: s.Params, Variant: s.Variant}, err
}

func (s subject) onGraphs() bool { return s.Algorithm.Info().Input == algorithms.GraphInput }

// checked makes a release and checks its shape.
func (s subject) checked(how try) (*algorithms.Release, *privacy.Budget, error) {
	release, budget, in, err := s.release(how)
	if err != nil {
		return nil, nil, err
	}
	info := s.Algorithm.Info()
	return release, budget, CheckRelease(&info, s.guarantee, in, release)
}

// hash makes a release, checks its shape and returns its Hash.
func (s subject) hash(how try) (string, error) {
	release, _, err := s.checked(how)
	if err != nil {
		return "", err
	}
	return Hash(release), nil
}

func checkShape(s subject) error {
	_, _, err := s.checked(try{})
	return err
}

func checkReproducible(s subject) error {
	for seed := uint64(0); seed < 3; seed++ {
		first, err := s.hash(try{seed: seed})
		again, againErr := s.hash(try{seed: seed})
		if err := errors.Join(err, againErr); err != nil {
			return err
		}
		if first != again {
			return fmt.Errorf("two releases from seed %d differ", seed)
		}
	}
	return nil
}

// checkNoisy: a release under differential privacy whose bytes do not depend on the seed has no
// noise. Some equal releases are possible, eight are not.
func checkNoisy(s subject) error {
	if !s.private() {
		return nil
	}
	first := ""
	for seed := range uint64(8) {
		hash, err := s.hash(try{seed: seed})
		if first = cmp.Or(first, hash); err != nil || hash != first {
			return err
		}
	}
	return errors.New("releases from eight seeds are the same: the output ignores its noise")
}

func checkBudget(s subject) error {
	for _, epsilon := range []float64{0.1, 1, 10} {
		_, budget, err := s.checked(try{epsilon: epsilon})
		if err != nil {
			return err
		}
		claimed, proven := budget.Spent()
		switch {
		case !s.private():
			if len(budget.Ledger()) > 0 {
				return fmt.Errorf("mechanisms are declared under the model %q", s.guarantee.Model)
			}
			return nil
		case !(claimed > 0):
			return errors.New("nothing was charged: the release cannot be private")
		case s.guarantee.Status == algorithms.Holds &&
			privacy.Bound(proven).Exceeds(budget.Total()):
			return fmt.Errorf("status holds, but a path loses %v of %v by proven sensitivities",
				proven, budget.Total())
		}
	}
	return nil
}

func checkInputUntouched(s subject) error {
	table, graph, same := Table(400), Graph(60), Graph(60)
	before := table.Checksum()
	_, _, err := s.checked(try{table: table, graph: graph})
	switch {
	case err != nil:
		return err
	case table.Checksum() != before:
		return errors.New("the table was changed")
	case graph.Sum() != same.Sum() || !slices.Equal(graph.DegreeSequence(), same.DegreeSequence()):
		return errors.New("the graph was changed")
	}
	return nil
}

// checkRareValue removes the one row that holds a value: everything public about the release must
// stay as it was (errata R4).
func checkRareValue(s subject) error {
	if s.onGraphs() {
		return nil
	}
	table := Table(400)
	with := someRows(table)
	without := slices.DeleteFunc(slices.Clone(with), func(row int32) bool {
		return table.Column(rareAttribute).At(row) == rareCode
	})
	if len(without) != len(with)-1 {
		return fmt.Errorf("the suite's table has %d rare values, must be 1", len(with)-len(without))
	}
	r, _, err := s.checked(try{table: table, rows: with})
	if err != nil {
		return err
	}
	q, _, err := s.checked(try{table: table, rows: without})
	if err != nil {
		return err
	}
	switch {
	case (r.Regions == nil) != (q.Regions == nil) || (r.Table == nil) != (q.Table == nil):
		return errors.New("one row changed which products are released")
	case r.Regions != nil && (r.Regions.Classes != q.Regions.Classes ||
		!slices.Equal(r.Regions.Attributes, q.Regions.Attributes)):
		return errors.New("one row changed the regions' attributes or classes")
	}
	return nil
}

// checkSize: where neighbours differ in the number of records, that number is private and must not
// be published whatever the noise (errata R3). One of twelve sizes may be right by chance, but not
// all of them.
func checkSize(s subject) error {
	if !s.private() || !s.guarantee.Status.Stands() ||
		!strings.Contains(s.guarantee.Relation, algorithms.AddOrRemoveRecord) {
		return nil
	}
	table := Table(400)
	exact, sizes := 0, 0
	for _, n := range []int{100, 101, 399} {
		for seed := range uint64(4) {
			how := try{table: table, rows: table.AllRows()[:n], epsilon: 0.1, seed: seed}
			release, _, err := s.checked(how)
			if err != nil {
				return err
			}
			if records, ok := release.RecordCount(); ok {
				sizes++
				if records == float64(n) {
					exact++
				}
			}
		}
	}
	if sizes > 0 && exact == sizes {
		return errors.New("the number of records is published, whatever the seed")
	}
	return nil
}

// checkSmallTables: only algorithms that need k rows may refuse a table for being small. Under
// differential privacy the refusal itself would reveal the size.
func checkSmallTables(s subject) error {
	for _, small := range smallInputs(s.onGraphs()) {
		_, _, err := s.checked(small.try)
		if err != nil && (s.guarantee.Model != algorithms.KAnonymity ||
			!errors.Is(err, algorithms.ErrTooFew)) {
			return fmt.Errorf("%s: %w", small.name, err)
		}
	}
	return nil
}

// checkOddInputs: schemas and graphs at the ends of what is allowed give a release, or an error
// where a table lacks what the parameters ask for.
func checkOddInputs(s subject) error {
	info := s.Algorithm.Info()
	for _, odd := range oddInputs(s.onGraphs()) {
		release, _, in, err := s.release(odd.try)
		if err == nil {
			err = CheckRelease(&info, s.guarantee, in, release)
		} else if !s.onGraphs() && !isPanic(err) {
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", odd.name, err)
		}
	}
	return nil
}

func isPanic(err error) bool { return strings.HasPrefix(err.Error(), "panic: ") }

func checkExtremeEpsilon(s subject) error {
	if !s.private() {
		return nil
	}
	for _, epsilon := range []float64{1e-320, 1e-300, 1e-6, 1e-3, 1e3, 1e9, 1e300} {
		// Hardly any budget may make a partition outgrow its cap, or noise all numbers; that is a
		// clear end, not a failure.
		if _, _, err := s.checked(try{epsilon: epsilon}); err != nil &&
			!errors.Is(err, algorithms.ErrTooLarge) && !errors.Is(err, privacy.ErrTooSmall) {
			return fmt.Errorf("epsilon %v: %w", epsilon, err)
		}
	}
	return nil
}

// checkParallel makes releases at the same time from one shared input; run under the race
// detector it also finds shared state.
func checkParallel(s subject) error {
	const n = 4
	table, graph := Table(400), Graph(60)
	var together [n]string
	var errs [n]error
	var wait sync.WaitGroup
	for i := range n {
		wait.Go(func() {
			together[i], errs[i] = s.hash(try{table: table, graph: graph, seed: uint64(i)})
		})
	}
	wait.Wait()
	if err := errors.Join(errs[:]...); err != nil {
		return err
	}
	for i := range n {
		alone, err := s.hash(try{table: table, graph: graph, seed: uint64(i)})
		if err != nil {
			return err
		}
		if alone != together[i] {
			return fmt.Errorf("release %d differs when others are made beside it", i)
		}
	}
	return nil
}

// busyNodes is the size of a partition whose making has to check its context more than once.
const busyNodes = 2000

func checkCancelled(s subject) error {
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, _, err := s.release(try{ctx: cancelled}); !errors.Is(err, context.Canceled) {
		return fmt.Errorf("a cancelled context gives %v, must give its error", err)
	}
	large := Table(20_000)
	watch := newFuse(math.MaxInt64)
	release, _, _, err := s.release(try{ctx: watch, table: large})
	if err != nil {
		return err
	}
	if release.Lazy != nil {
		for range 2 { // the error stays
			if _, _, err := release.Records(cancelled); !errors.Is(err, context.Canceled) {
				return fmt.Errorf("records drawn after cancelling: %v, must be its error", err)
			}
		}
	}
	polls := math.MaxInt64 - watch.left.Load()
	if release.Structure.Nodes > busyNodes && polls < 2 {
		return fmt.Errorf("%d nodes, and the context is checked %d times", release.Structure.Nodes,
			polls)
	}
	for _, after := range []int64{1, polls / 2, polls - 1} {
		if after < 0 || after >= polls {
			continue
		}
		fuse := newFuse(after)
		_, _, _, err := s.release(try{ctx: fuse, table: large})
		if !errors.Is(err, context.Canceled) {
			return fmt.Errorf("cancelled at check %d of %d: %v, must be its error", after+1,
				polls, err)
		}
	}
	return nil
}

// errataID is how entries of docs/errata.yaml are named.
var errataID = regexp.MustCompile(`^[RGMDX][0-9]+[a-z]?$`)

func checkInfo(a algorithms.Algorithm) error {
	info := a.Info()
	var errs []error
	bad := func(wrong bool, format string, args ...any) {
		if wrong {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	bad(info.Name == "" || info.Title == "" || info.Source == "",
		"empty name %q, title %q or source %q", info.Name, info.Title, info.Source)
	bad(info.Input != algorithms.TableInput && info.Input != algorithms.GraphInput,
		"input %q, must be table or graph", info.Input)
	bad(len(info.Produces) == 0, "no products")
	bad(info.Revision < 1, "revision %d, must be at least 1", info.Revision)
	bad(len(info.Variants) == 0, "no variants")
	seen := make(map[algorithms.Variant]bool)
	for _, g := range info.Variants {
		bad(seen[g.Variant], "duplicate variant %q", g.Variant)
		seen[g.Variant] = true
		bad(!slices.Contains([]algorithms.Variant{algorithms.Published, algorithms.Strict,
			algorithms.RefCode}, g.Variant),
			"variant %q, must be published, strict or refcode", g.Variant)
		private := g.Model == algorithms.DifferentialPrivacy
		protects := private || g.Model == algorithms.KAnonymity
		bad(!protects && g.Model != algorithms.NoPrivacy, "%s: model %q", g.Variant, g.Model)
		bad(protects && g.Unit == "", "%s: no unit of protection", g.Variant)
		bad(private && info.Can(algorithms.MembershipProduct),
			"%s: publishes membership under differential privacy", g.Variant)
		bad(g.Relation == "", "%s: no neighbour relation", g.Variant)
		refuted := g.Status == algorithms.Short || g.Status == algorithms.Broken
		bad(!refuted && !g.Status.Stands(), "%s: status %q, must be holds, short or broken",
			g.Variant, g.Status)
		bad(refuted && len(g.Errata) == 0,
			"%s: is %s without an entry of the errata that says why", g.Variant, g.Status)
		for _, id := range g.Errata {
			bad(!errataID.MatchString(id), "%s: errata entry %q is not named like R1", g.Variant,
				id)
		}
		bad(g.Note == "", "%s: no note for people", g.Variant)
	}
	return errors.Join(errs...)
}
