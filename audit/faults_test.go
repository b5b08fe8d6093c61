package audit

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"ppdp/algorithms"
	"ppdp/audit/blackbox"
	"ppdp/datasets"
	"ppdp/internal/must"
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
	switch {
	case is("an error that one record triggers") && n >= 12:
		return nil, errors.New("too many records")
	case is("a panic that one record triggers") && n >= 12:
		panic("too many records")
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
	if is("a choice scored on the neighbour's sensitivity") {
		choice = in.Budget.Exponential("class of its own", in.Noise.Open("own"),
			privacy.Exact(1/(1+exact[1])))
	}
	rest := path.Fork()
	label, err := choice.Choose(&rest, epsilon/2, exact, nil)
	if err != nil {
		return nil, err
	}
	if is("a label chosen from exact counts") && exact[0] > exact[1] {
		label = 0
	}
	b := datasets.NewBuilder(in.Table.Schema(), 0)
	publish := func(age uint32, class, times int) {
		for range times {
			row := b.AddRow(age)
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

// faults are what is planted, with the kind of failure that replays find and whether releases alone
// are to refute epsilon 1. With one stream for two purposes the class depends on the first bits of
// one count only, to which both are blind: package random tests that.
var faults = []struct {
	name     string
	replay   string // "" where replays find nothing
	blackBox bool
}{
	{"", "", false},
	{"noise scaled down by n", Calls, true},
	{"cells of zero without noise", Calls, true},
	{"a bound read off the data", Output, true},
	{"budget spent twice on one path", Loss, false}, // of half the budget
	{"one stream for two purposes", "", false},
	{"exact N in an output", Output, true},
	{"exact counts beside the records", Output, false}, // which are all that a black box sees
	{"an early stop on an exact count", Calls, true},
	{"half the sensitivity", Sensitivity, false}, // of a release of half the budget
	{"noise on one class only", Output, true},
	{"the same noise reused", Output, true},
	{"a label chosen from exact counts", Output, true},
	{"an error that one record triggers", Failing, true},
	{"a panic that one record triggers", Failing, true},
	{"records in the order of the input", Output, true},
	{"a choice scored on the neighbour's sensitivity", Sensitivity, false},
	// seen by inputs that are large, or have more classes
	{"counts in eight bits", Sensitivity, false},
	{"noise on two classes", Output, false},
	// seen between unrelated inputs
	{"rounds by the exact number", Calls, false},
	{"counts kept from an earlier release", State, false},
	{"the exact number in weights", Output, false},
	// seen by the ledger
	{"a sensitivity that is not the one charged", Accounting, false},
}

// smallPairs are those of which the black box makes releases here.
var smallPairs = []string{"alone in the highest corner, record 16 of 16",
	"alone in its class, record 20 of 20", "two records, record 1 of 2",
	"two records, record 2 of 2", "equal records, record 1 of 12"}

// TestPlantedFaults: the replay sees each fault, by the part that is for it, so does the black box
// where the fault shows in releases of small inputs, and both see none in the release without one.
func TestPlantedFaults(t *testing.T) {
	for _, fault := range faults {
		c := must.Get(NewCase(toy(counts{fault.name})))
		v := must.Get(c.Audit(t.Context(), Options{Transcripts: 8, Seed: 1}))
		if fault.replay == "" && len(v.Failures) > 0 ||
			fault.replay != "" && !slices.ContainsFunc(v.Failures, ofKind(fault.replay)) {
			t.Errorf("%q: found %v, want %s", fault.name, v.Failures, fault.replay)
		}
		if fault.replay != "" && !fault.blackBox {
			continue // the black box is to find nothing here, which would prove nothing
		}
		c.Pairs = slices.DeleteFunc(c.Pairs, func(p Pair) bool {
			return !slices.Contains(smallPairs, p.Name)
		})
		v = must.Get(c.Audit(t.Context(), Options{Transcripts: 1, Seed: 1,
			BlackBox: blackbox.Options{Releases: 1000}}))
		must.Be(t, v.BlackBox.Accused, fault.blackBox, fault.name, v.BlackBox.Text)
	}
}

// toy is an algorithm of this package at epsilon 1.
func toy(a algorithms.Algorithm) Subject {
	return Subject{Algorithm: a, Variant: algorithms.Strict, Params: &thinned{}, Epsilon: 1}
}

func ofKind(kind string) func(Failure) bool {
	return func(f Failure) bool { return f.Kind == kind }
}

// TestReplayIsReproducible: the result is the same at any number of workers.
func TestReplayIsReproducible(t *testing.T) {
	pairs := must.Get(Pairs(counts{}.Info().Variants[0]))
	var first results.Audit
	for i, jobs := range []int{1, 4} {
		v := must.Get(Replay(t.Context(), toy(counts{"half the sensitivity"}), pairs,
			Options{Transcripts: 5, Seed: 1, Jobs: jobs}))
		if i == 0 {
			first = v
		} else if v.Seen != first.Seen || len(v.Failures) != len(first.Failures) ||
			v.Failures[0].Text != first.Failures[0].Text {
			t.Errorf("with %d workers %+v, with one %+v", jobs, v, first)
		}
	}
}

// failing fails for inputs below a number of records, and counts how often it is asked.
type failing struct {
	counts
	below int
	asked *atomic.Int32
}

func (f failing) Release(ctx context.Context, in algorithms.Input) (*algorithms.Release, error) {
	if f.asked.Add(1); len(in.Rows) < f.below {
		return nil, errors.New("the domain is too large")
	}
	return f.counts.Release(ctx, in)
}

// TestNothingReleased: a subject that never releases anything has not passed, which is found out
// soon; one that releases large inputs only is audited on these.
func TestNothingReleased(t *testing.T) {
	asked := new(atomic.Int32)
	c := must.Get(NewCase(toy(failing{asked: asked, below: math.MaxInt})))
	found, err := c.Audit(t.Context(), Options{Transcripts: 2})
	if want := "audit: no release could be made: the domain is too large"; err != nil ||
		found.Error != want || found.Passed() || found.Algorithm == "" {
		t.Errorf("found %+v (%v), want the error %q", found, err, want)
	}
	if n := asked.Load(); n > 8 {
		t.Errorf("asked %d times", n)
	}
	c = must.Get(NewCase(toy(failing{asked: asked, below: 100})))
	found, err = c.Audit(t.Context(), Options{Transcripts: 2})
	if err != nil || found.Error != "" || found.Transcripts == found.Failed {
		t.Errorf("found %+v (%v), want what is audited of large inputs", found, err)
	}
}
