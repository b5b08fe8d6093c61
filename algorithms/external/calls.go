package external

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"ppdp/internal/process"
	"ppdp/numeric/random"
	"ppdp/privacy"
)

// call is a line by which a program asks for noise on values, or for a choice by scores, in the
// midst of a request.
type call struct {
	Call        string  `json:"call"`
	Purpose     string  `json:"purpose"`
	Values      numbers `json:"values"`
	Scores      numbers `json:"scores"`
	Sensitivity float64 `json:"sensitivity"` // of the whole vector, for the unit of the relation
	Amount      float64 `json:"amount"`      // in the budget's unit
	Branch      numbers `json:"branch"`      // of the tree of disjoint parts of the data
}

// reply is the line that answers a call.
type reply struct {
	Values numbers `json:"values,omitzero"` // of none, an empty list
	Choice *int    `json:"choice,omitempty"`
	Error  string  `json:"error,omitempty"`
}

// mostValues and mostCalls bound what a call and a request may ask for, mostLine the bytes of a
// call.
const mostValues, mostCalls, mostLine = 1 << 22, 1 << 20, 1 << 27

// largest is the largest size of a number, which all noise leaves finite.
const largest = 1e300

// numbers are finite ones. Their errors do not say what they are: they are private.
type numbers []float64

// UnmarshalJSON reads a list. Unlike package json it takes null for no number.
func (n *numbers) UnmarshalJSON(text []byte) error {
	text = bytes.TrimSpace(text)
	if len(text) < 2 || text[0] != '[' {
		return errors.New("values, scores and branch must be lists of numbers")
	}
	*n = numbers{}
	if text = bytes.TrimSpace(text[1 : len(text)-1]); len(text) == 0 {
		return nil
	}
	count := bytes.Count(text, []byte(",")) + 1
	if count > mostValues {
		return fmt.Errorf("%d numbers, must be at most %d", count, mostValues)
	}
	*n = make(numbers, 0, count)
	for part := range bytes.SplitSeq(text, []byte(",")) {
		value, err := strconv.ParseFloat(string(bytes.TrimSpace(part)), 64)
		if err != nil || math.Abs(value) > largest {
			return fmt.Errorf("number %d of %d is not a finite number of at most %v", len(*n)+1,
				count, largest)
		}
		*n = append(*n, value)
	}
	return nil
}

// calls are the calls of one request: ppdp draws, and charges the request's budget. After the first
// error there are no more.
type calls struct {
	budget     *privacy.Budget
	noise      *random.Streams
	mechanisms map[string]*privacy.Outside // by call and purpose
	all        part
	made       int
	refused    error
}

func newCalls(budget *privacy.Budget, key random.Key) *calls {
	return &calls{budget: budget, noise: random.NewStreams(key),
		mechanisms: make(map[string]*privacy.Outside), all: part{path: budget.Root()}}
}

// part is a node of the tree of disjoint parts of the data, with what its records have paid.
type part struct {
	path  privacy.Path
	parts map[int]*part
}

// at finds or makes the part of a branch. From then on it has paid what the dearest of its own
// parts has, and they what it has: a record is charged at least what its data were used for.
func (p *part) at(branch numbers) *part {
	for _, number := range branch {
		i := int(number)
		if p.parts == nil {
			p.parts = make(map[int]*part)
		}
		if p.parts[i] == nil {
			p.parts[i] = &part{path: p.path.Fork()}
		}
		p = p.parts[i]
	}
	p.path, p.parts = p.dearest(), nil
	return p
}

// dearest is the path of the node below p, or p, that has paid most, the first of equals.
func (p *part) dearest() privacy.Path {
	most := p.path
	for _, i := range slices.Sorted(maps.Keys(p.parts)) {
		if path := p.parts[i].dearest(); path.Spent() > most.Spent() {
			most = path
		}
	}
	return most
}

// answer makes the reply to a call. err is what is wrong with its text. The error returned is for a
// program that goes on after a refusal.
func (c *calls) answer(asked *call, err error) ([]byte, error) {
	if c.refused != nil {
		return nil, errors.New("it goes on asking for noise after a refusal")
	}
	said := reply{}
	if err == nil {
		said, err = c.draw(asked)
	}
	if err != nil {
		c.refused = fmt.Errorf("call %d: %w", c.made, err)
		said = reply{Error: process.Printable(c.refused.Error())}
	}
	c.made++
	return mustJSON(said), nil
}

// draw charges for a call, draws, and answers it.
func (c *calls) draw(asked *call) (reply, error) {
	m, err := c.mechanism(asked)
	if err != nil {
		return reply{}, err
	}
	texts := make([]string, len(asked.Branch))
	for i, number := range asked.Branch {
		if number != math.Trunc(number) || math.Abs(number) > 1<<52 {
			return reply{}, errors.New("branch: must be a list of whole numbers")
		}
		texts[i] = strconv.FormatFloat(number, 'f', 0, 64)
	}
	given, other, key := asked.Values, asked.Scores, "values"
	if m.Chooses {
		given, other, key = other, given, "scores"
	}
	switch {
	case given == nil || other != nil:
		return reply{}, fmt.Errorf("%s is for %s and nothing else, must have them", asked.Call,
			key)
	case c.made == mostCalls:
		return reply{}, fmt.Errorf("more calls than %d", mostCalls)
	case len(texts) > 1<<10:
		return reply{}, fmt.Errorf("branch: %d deep, must be at most %d", len(texts), 1<<10)
	}
	for i, value := range given {
		if m.Whole && (value != math.Trunc(value) || math.Abs(value) > 1<<52) {
			return reply{}, fmt.Errorf("value %d: %s is for whole numbers up to 2^52", i+1,
				asked.Call)
		}
	}
	branch, path := strings.Join(texts, ","), &c.all.at(asked.Branch).path
	if m.Chooses {
		choice, err := m.Choose(path, branch, asked.Amount, given)
		return reply{Choice: &choice}, err
	}
	err = m.Add(path, branch, asked.Amount, given)
	return reply{Values: given}, err
}

// mechanism returns a call's mechanism, which is declared at the first call for its purpose.
func (c *calls) mechanism(asked *call) (*privacy.Outside, error) {
	key := asked.Call + " for " + asked.Purpose
	if m := c.mechanisms[key]; m != nil {
		if was := m.Sensitivity().Claimed; was != asked.Sensitivity {
			return nil, fmt.Errorf("sensitivity: %v, must be the same for one purpose, was %v",
				asked.Sensitivity, was)
		}
		return m, nil
	}
	purpose, err := purposeOf(asked.Purpose)
	if err != nil {
		return nil, err
	}
	m, err := c.budget.Outside(asked.Call, purpose, c.noise.Open(key), asked.Sensitivity)
	if err == nil {
		c.mechanisms[key] = m
	}
	return m, err
}

// purposeOf is a text for the ledger.
func purposeOf(text string) (string, error) {
	purpose := strings.TrimSpace(process.Printable(text))
	if len(purpose) > 80 || purpose == "" {
		return "", fmt.Errorf("purpose: %.90q, must be 1 to 80 letters", purpose)
	}
	return purpose, nil
}
