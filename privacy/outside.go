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

	noise  *Noise
	choice *Exponential
}

// offers are the mechanisms for programs outside by the names that these call them. That without
// noise chooses.
var offers = []struct {
	name  string
	whole bool
	noise func(*Budget, string, *random.Stream, Sensitivity) *Noise
}{
	{"laplace", false, (*Budget).Laplace}, {"geometric", true, (*Budget).Geometric},
	{"gaussian", false, (*Budget).Gaussian},
	{"discrete-gaussian", true, (*Budget).DiscreteGaussian}, {"choose", false, nil},
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
	o, s := &Outside{Whole: offers[at].whole, Chooses: offers[at].noise == nil}, Exact(sensitivity)
	if o.Chooses {
		o.choice = b.Exponential(purpose, stream, s)
		o.mechanism = o.choice.mechanism
	} else {
		o.noise = offers[at].noise(b, purpose, stream, s)
		o.mechanism = o.noise.mechanism
	}
	o.outside = true
	return o, nil
}

// Add charges a cost in the budget's unit to the path of a branch and adds noise to values, in
// place.
func (o *Outside) Add(path *Path, branch string, cost float64, values []float64) error {
	o.branch = branch
	return o.noise.AddAll(path, o.amount(cost), values)
}

// Choose charges a cost in the budget's unit to the path of a branch and returns the number of a
// score.
func (o *Outside) Choose(path *Path, branch string, cost float64, scores []float64) (int, error) {
	o.branch = branch
	return o.choice.Choose(path, o.amount(cost), scores, nil)
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
