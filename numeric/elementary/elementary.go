// Package elementary holds the elementary functions that give the same numbers on every processor.
// Those of package math have assembly for some processors, which chooses instructions as the
// program runs, so their last bits depend on the machine. Here is plain Go: every product that is
// added to something is rounded first, so that no compiler fuses the two.
//
// Whatever reaches a record is computed with these. Square roots, rounding to whole numbers,
// Frexp and Ldexp are exact or correctly rounded in package math, and stay there.
//
// Each function looks up its value at a nearby point, to 100 bits, and adds a short series for the
// difference. The error bounds, in units of the last place of the result, are the largest that
// analysis of the roundings allows, rounded up; tests measure them against 160-bit arithmetic.
package elementary

import "math"

// Revision goes up by one whenever a change makes some result differ. What was computed with
// another is not reused, and need not be equal.
const Revision = 1

const (
	mantissaBits = 52
	exponentMask = 0x7ff << mantissaBits
)

// head is the number without its last 27 bits: the product of two heads is exact.
func head(x float64) float64 { return math.Float64frombits(math.Float64bits(x) &^ (1<<27 - 1)) }
