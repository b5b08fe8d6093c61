package audit

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"testing"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/internal/results"
	"ppdp/privacy"
)

// counts is a sound release of the audits' table: noisy class counts, a choice of the larger class,
// and as many records as the counts say, in order of class. A fault changes it.
type counts struct{ fault string }

func (counts) Info() algorithms.Info {
	return algorithms.Info{Name: "counts", Variants: []algorithms.Guarantee{
		algorithms.RecordPrivacy(algorithms.Strict, "A toy.")}}
}

func (counts) Params() algorithms.Params { return &algorithms.NoParams{} }

func (a counts) Release(_ context.Context, in algorithms.Input) (*algorithms.Release, error) {
	epsilon, n := in.Budget.Epsilon(), len(in.Rows)
	at := in.Table.Schema().Class()
	exact := make([]float64, in.Table.Schema().Attributes[at].Cells())
	first := 0 // class of the first record
	for i, row := range in.Rows {
		class := int(in.Table.Column(at).At(row))
		exact[class]++
		if i == 0 {
			first = class
		}
	}
	is := func(fault string) bool { return a.fault == fault }
	switch {
	case is("counts in eight bits"):
		for y := range exact {
			exact[y] = float64(uint8(int(exact[y])))
		}
	case is("counts kept from an earlier release"):
		kept, _ := earlier.LoadOrStore(len(exact), exact)
		exact = slices.Clone(kept.([]float64))
	}
	sensitivity := 1.0
	switch {
	case is("noise scaled down by n"):
		sensitivity = 1 / float64(n+1)
	case is("half the sensitivity"):
		sensitivity = 0.5
	case is("a person charged for one record"):
		sensitivity = 1 / float64(max(1, in.Table.Schema().Contributions))
	}
	if is("an error that one record triggers") && n >= 12 {
		return nil, errors.New("too many records")
	}
	stream := in.Noise.Open("counts")
	noise := in.Budget.Geometric("counts", stream, privacy.Exact(sensitivity))
	proven := privacy.Exact(1)
	if is("a sensitivity that is not the one charged") {
		proven.Proven = 1.5
	}
	choice := in.Budget.Exponential("class", in.Noise.Open("class"), proven)
	if is("one stream for two purposes") {
		choice = in.Budget.Exponential("class", stream, privacy.Exact(1))
	}
	path := in.Budget.Root()
	noisy := slices.Clone(exact)
	var err error
	switch {
	case is("cells of zero without noise"):
		for y := range noisy {
			if cell := path.Fork(); noisy[y] > 0 {
				noisy[y], err = noise.Add(&cell, epsilon/2, exact[y])
			}
		}
	case is("budget spent twice on one path"):
		for y := range noisy { // both forks see all records
			cell := path.Fork()
			noisy[y], err = noise.Add(&cell, epsilon/2, exact[0]+exact[1])
		}
	case is("noise on one class only"):
		noisy[0], err = noise.Add(&path, epsilon/2, exact[0])
	case is("the same noise reused"):
		noisy[0], err = noise.Add(&path, epsilon/2, exact[0])
		noisy[1] = exact[1] + noisy[0] - exact[0]
	case is("noise on two classes"):
		err = noise.AddAll(&path, epsilon/2, noisy[:2])
	case is("rounds by the exact number"):
		for range 1 + n/1000 {
			err = noise.AddAll(&path, epsilon/2/float64(1+n/1000), noisy)
		}
	case is("an early stop on an exact count") && n < 12:
		noisy = slices.Repeat([]float64{1}, len(exact))
	default:
		err = noise.AddAll(&path, epsilon/2, noisy)
	}
	if err != nil {
		return nil, err
	}
	scores := slices.Clone(exact)
	if is("a choice scored on the neighbour's sensitivity") {
		choice = in.Budget.Exponential("class of its own", in.Noise.Open("own"),
			privacy.Exact(1/(1+exact[1])))
	}
	rest := path
	rest = path.Fork()
	label, err := choice.Choose(&rest, epsilon/2, scores, nil)
	if err != nil {
		return nil, err
	}
	if is("a label chosen from exact counts") && exact[0] > exact[1] {
		label = 0
	}
	b := datasets.NewBuilder(in.Table.Schema(), 0)
	publish := func(age uint32, class, times int) {
		for range times {
			row := b.AddRow()
			b.Set(row, 0, age)
			b.Set(row, at, uint32(class))
		}
	}
	age := uint32(0)
	if is("a bound read off the data") {
		for _, row := range in.Rows {
			age = max(age, in.Table.Column(0).At(row))
		}
	}
	if !is("records in the order of the input") {
		first = 0
	}
	for i := range exact {
		y := (first + i) % len(exact)
		publish(age, y, int(min(50, max(0, noisy[y]))))
	}
	publish(age, label, 1)
	if is("exact N in an output") {
		publish(age, 0, n%2)
	}
	release := &algorithms.Release{Table: b.Table()}
	if p, ok := in.Params.(*thinned); ok && p.most > 0 && is("the exact number in weights") {
		release.Weights = slices.Repeat([]float64{float64(n)}, release.Table.Len())
	}
	if is("exact counts beside the records") {
		release.Marginals = []algorithms.Marginal{{Attributes: []int{at}, Counts: exact}}
	}
	return release, nil
}

// thinned are settings that limit the number of records.
type thinned struct{ most int }

var _ limited = (*thinned)(nil)

func (p *thinned) LimitRows(most int) { p.most = most }

// earlier are the counts of the first release with as many classes.
var earlier sync.Map

// faults are what is planted, with the part of the replay that sees it first; "" where the replay
// is blind: with a stream of two purposes the class depends on the first bits of one count only.
var faults = map[string]string{
	"noise scaled down by n":                         Calls,
	"cells of zero without noise":                    Calls,
	"a bound read off the data":                      Output,
	"budget spent twice on one path":                 Loss,
	"one stream for two purposes":                    "",
	"exact N in an output":                           Output,
	"exact counts beside the records":                Output,
	"an early stop on an exact count":                Calls,
	"half the sensitivity":                           Sensitivity,
	"noise on one class only":                        Output,
	"the same noise reused":                          Output,
	"a label chosen from exact counts":               Output,
	"an error that one record triggers":              Failing,
	"records in the order of the input":              Output,
	"a choice scored on the neighbour's sensitivity": Sensitivity,
	// seen by inputs that are large, or have more classes
	"counts in eight bits": Sensitivity,
	"noise on two classes": Output,
	// seen between inputs that are no neighbours
	"rounds by the exact number":          Calls,
	"counts kept from an earlier release": State,
	"the exact number in weights":         Output,
	// seen by the ledger
	"a sensitivity that is not the one charged": Accounting,
}

// TestPlantedFaults: the replay sees each fault, by the part that is for it, and none in the
// release without one.
func TestPlantedFaults(t *testing.T) {
	faults := maps.Clone(faults)
	faults[""] = ""
	for fault, kind := range faults { // order-free: each is checked
		c := must(NewCase(Subject{counts{fault}, algorithms.Strict, &thinned{}, 1, 0, false, 0}))
		v := must(c.Audit(t.Context(), Options{Transcripts: 50, Seed: 1}))
		var kinds []string
		for _, f := range v.Failures {
			kinds = append(kinds, f.Kind)
		}
		if kind == "" && len(kinds) > 0 {
			t.Errorf("%q: found %v", fault, v.Failures)
		} else if kind != "" && !slices.Contains(kinds, kind) {
			t.Errorf("%q: found %v, want %s", fault, kinds, kind)
		}
	}
}

// TestReplayIsReproducible: the result is the same at any number of workers.
func TestReplayIsReproducible(t *testing.T) {
	pairs := must(Pairs(counts{}.Info().Variants[0]))
	var first results.Audit
	for i, jobs := range []int{1, 4} {
		v := must(Replay(t.Context(), Subject{counts{"half the sensitivity"}, algorithms.Strict,
			&algorithms.NoParams{}, 1, 0, false, 0}, pairs,
			Options{Transcripts: 5, Seed: 1, Jobs: jobs}))
		if i == 0 {
			first = v
		} else if v.Seen != first.Seen || len(v.Failures) != len(first.Failures) ||
			v.Failures[0].Text != first.Failures[0].Text {
			t.Errorf("with %d workers %+v, with one %+v", jobs, v, first)
		}
	}
}

// failing releases nothing, whatever it is given.
type failing struct{ counts }

func (failing) Release(context.Context, algorithms.Input) (*algorithms.Release, error) {
	return nil, errors.New("the domain is too large")
}

// TestNothingReleased: a subject that never releases anything has not passed.
func TestNothingReleased(t *testing.T) {
	c := must(NewCase(Subject{Algorithm: failing{}, Variant: algorithms.Strict,
		Params: &algorithms.NoParams{}, Epsilon: 1}))
	found, err := c.Audit(t.Context(), Options{Transcripts: 2})
	if want := "audit: no release could be made: the domain is too large"; err != nil ||
		found.Error != want || found.Passed() || found.Algorithm == "" {
		t.Errorf("found %+v (%v), want the error %q", found, err, want)
	}
}
