package privacy

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// Entry is one row of the ledger: all calls of one mechanism in one release. Costs are in the
// budget's unit, and as sensitivities of all records that are protected together (Budget.Group).
// Records of experiments hold entries as JSON, so its keys must not change.
type Entry struct {
	Purpose string `json:"purpose"` // what the queries were for: "cuts", "stop tests"
	// Mechanism is "laplace", "geometric", "cauchy", "exponential", "permute and flip",
	// "gaussian", "discrete laplace", "discrete gaussian" or "declared".
	Mechanism string `json:"mechanism"`
	// Claimed and Proven are sensitivities, in L2 for Gaussian noise.
	Claimed float64 `json:"claimed"`
	Proven  Bound   `json:"proven"`
	Calls   int64   `json:"calls"`
	// Cost is this mechanism's part of the most expensive path by claimed sensitivities; of equally
	// expensive ones, of the path of most calls. (Its key is older than budgets counted in rho.)
	Cost float64 `json:"epsilon"`
	// Loss is its part of the most expensive path by proven sensitivities.
	Loss Bound `json:"loss"`
	// Composition is "parallel" where calls beside the worst path rode on disjoint data, else
	// "sequential".
	Composition string `json:"composition"`
}

// Chooses reports whether the mechanism chooses by scores, which a Publication rounds.
func (e Entry) Chooses() bool { return e.Mechanism == exponential }

// Ledger lists the declared mechanisms in the order of their declaration.
func (b *Budget) Ledger() []Entry {
	entries := make([]Entry, len(b.mechanisms))
	for i, m := range b.mechanisms {
		composition := "sequential"
		if m.calls > int64(b.worst.calls[i]) {
			composition = "parallel"
		}
		entries[i] = Entry{
			Purpose: m.purpose, Mechanism: m.kind,
			Claimed: m.sensitivity.Claimed * b.group,
			Proven:  Bound(m.sensitivity.proven() * b.group), Calls: m.calls,
			Cost: b.worst.by[i] * b.Times(), Composition: composition,
		}
		if by := b.worstLoss.by[i]; by > 0 { // 0 times an infinite loss is no loss
			entries[i].Loss = Bound(by * m.lossPerCost * b.Times())
		}
	}
	return entries
}

// Bound is a number of 0 or more, +Inf where no finite bound is known. JSON has no infinity: it is
// written as the text "Inf".
type Bound float64

// infinite is how an infinite Bound is written.
const infinite = "Inf"

// Finite reports whether a finite bound is known.
func (b Bound) Finite() bool { return !math.IsInf(float64(b), 1) }

func (b Bound) String() string {
	if !b.Finite() {
		return infinite
	}
	return strconv.FormatFloat(float64(b), 'g', -1, 64)
}

// Exceeds reports whether the bound is above a total by more than the rounding of a path's sum.
// This is the one place that decides what overspends a budget.
func (b Bound) Exceeds(total float64) bool { return float64(b) > total*(1+slack) }

// MarshalJSON writes a number, or "Inf".
func (b Bound) MarshalJSON() ([]byte, error) {
	if !b.Finite() {
		return []byte(`"` + infinite + `"`), nil
	}
	return json.Marshal(float64(b))
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (b *Bound) UnmarshalJSON(text []byte) error {
	if string(text) == `"`+infinite+`"` {
		*b = Bound(math.Inf(1))
		return nil
	}
	if err := json.Unmarshal(text, (*float64)(b)); err != nil {
		return fmt.Errorf("%s, must be a number or %q", text, infinite)
	}
	return nil
}
