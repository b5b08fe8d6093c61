package privacy

import (
	"fmt"
	"math"
	"strings"

	"ppdp/numeric/random"
)

// Outside is a mechanism that a program outside of ppdp calls: the draws, the charges and the
// transcript are as always, but its sensitivity is the word of the program, which replays test.
// Unlike an algorithm's own mechanisms it is given whatever the program says, so that all mistakes
// are errors.
type Outside struct {
	*mechanism
	// Chooses says that it chooses by scores; else it adds noise to values. Whole says that these
	// must be integers.
	Chooses, Whole bool

	add    func(path *Path, amount float64, values []float64) error
	choose func(path *Path, amount float64, scores []float64) (int, error)
}

// adding is a mechanism for programs outside that adds noise.
func adding[M interface {
	AddAll(path *Path, amount float64, values []float64) error
	base() *mechanism
}](declare func(*Budget, string, *random.Stream, Sensitivity) M, whole bool,
) func(*Budget, string, *random.Stream, Sensitivity) *Outside {
	return func(b *Budget, purpose string, r *random.Stream, s Sensitivity) *Outside {
		m := declare(b, purpose, r, s)
		return &Outside{mechanism: m.base(), Whole: whole, add: m.AddAll}
	}
}

func (m *mechanism) base() *mechanism { return m }

// offers are the mechanisms for programs outside by the names that these call them.
var offers = []struct {
	name    string
	declare func(*Budget, string, *random.Stream, Sensitivity) *Outside
}{
	{"laplace", adding((*Budget).Laplace, false)},
	{"geometric", adding((*Budget).Geometric, true)},
	{"gaussian", adding((*Budget).Gaussian, false)},
	{"discrete-gaussian", adding((*Budget).DiscreteGaussian, true)},
	{"choose", func(b *Budget, purpose string, r *random.Stream, s Sensitivity) *Outside {
		m := b.Exponential(purpose, r, s)
		return &Outside{mechanism: m.mechanism, Chooses: true,
			choose: func(path *Path, epsilon float64, scores []float64) (int, error) {
				return m.Choose(path, epsilon, scores, nil)
			}}
	}},
}

// Outside declares the mechanism of a name for a program. The error lists the names that there are.
func (b *Budget) Outside(name, purpose string, stream *random.Stream,
	sensitivity float64) (*Outside, error) {
	at, names := -1, make([]string, len(offers))
	for i := range offers {
		if names[i] = offers[i].name; names[i] == name {
			at = i
		}
	}
	switch {
	case at < 0:
		return nil, fmt.Errorf("call: %.40q, must be one of %s", name, strings.Join(names, ", "))
	case b.exact:
		return nil, b.refuse(fmt.Errorf("%w: %s: what a program makes of the answers is its own, "+
			"and its sensitivities are not proven", ErrInexact, purpose))
	case !(sensitivity > 0) || math.IsInf(sensitivity, 1):
		return nil, fmt.Errorf("sensitivity: %v, must be above 0 and finite", sensitivity)
	case len(b.mechanisms) == maxMechanisms:
		return nil, fmt.Errorf("purpose: %q is one too many, must be at most %d: the same for the "+
			"same kind of call", purpose, maxMechanisms)
	}
	m := offers[at].declare(b, purpose, stream, Exact(sensitivity))
	m.outside = true
	return m, nil
}

// Add charges a cost in the budget's unit to the path of a branch and adds noise to values, in
// place.
func (o *Outside) Add(path *Path, branch string, cost float64, values []float64) error {
	o.branch = branch
	return o.add(path, o.amount(cost), values)
}

// Choose charges a cost in the budget's unit to the path of a branch and returns the number of a
// score.
func (o *Outside) Choose(path *Path, branch string, cost float64, scores []float64) (int, error) {
	o.branch = branch
	return o.choose(path, o.amount(cost), scores)
}

// Undo returns a function that takes back all that happens to the budget from now on, its charges,
// mechanisms and recorded calls, for a release that begins once more: nobody has seen answers. It
// is called before there are any.
func (b *Budget) Undo() func() {
	before := *b
	var calls []*call
	var replay Replay
	if w := b.watch; w != nil {
		calls = w.transcript.calls
		if w.replay != nil {
			replay = *w.replay
		}
	}
	return func() {
		*b = before
		if w := b.watch; w != nil {
			w.transcript.calls = calls
			if w.replay != nil {
				*w.replay = replay
			}
		}
	}
}
