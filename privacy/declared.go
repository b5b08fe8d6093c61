package privacy

import (
	"fmt"
	"math"
)

// declared is the kind of what a program outside says that it has spent.
const declared = "declared"

// Declare books, on the path, a cost in the budget's unit that somebody else says to have spent on
// a purpose. Nothing is drawn, and no loss is proven: it counts as infinite.
func (b *Budget) Declare(path *Path, purpose string, cost float64) error {
	if len(b.mechanisms) == maxMechanisms {
		return fmt.Errorf("privacy: %s: more than %d mechanisms in one release", purpose,
			maxMechanisms)
	}
	if b.exact {
		return b.refuse(fmt.Errorf("%w: %s is only declared", ErrInexact, purpose))
	}
	m := &mechanism{purpose: purpose, kind: declared, unit: b.unit, slot: len(b.mechanisms),
		sensitivity: Sensitivity{Claimed: 1, Proven: math.Inf(1)}, lossPerCost: math.Inf(1)}
	b.mechanisms = append(b.mechanisms, m)
	return path.charge(m, cost, 0)
}
