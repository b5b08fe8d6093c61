package privacy

import (
	"fmt"
	"math"
)

// declared is the kind of mechanism that only a program outside knows of.
const declared = "declared"

// Declare charges the path with a cost, in the budget's unit, that a program outside says it has
// spent on a purpose. Nothing is drawn here and no loss is proven: it counts as infinite.
func (b *Budget) Declare(path *Path, purpose string, cost float64) error {
	if len(b.mechanisms) == maxMechanisms {
		return fmt.Errorf("privacy: %s: more than %d mechanisms in one release", purpose,
			maxMechanisms)
	}
	if b.exact {
		return b.refuse(fmt.Errorf("%w: %s is only declared", ErrInexact, purpose))
	}
	m := &mechanism{purpose: purpose, kind: declared, budget: b, slot: len(b.mechanisms),
		sensitivity: Sensitivity{Claimed: 1, Proven: math.Inf(1)}, lossPerCost: math.Inf(1)}
	b.mechanisms = append(b.mechanisms, m)
	return path.charge(m, cost, 0)
}
