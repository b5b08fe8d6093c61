package privacy

import "ppdp/elementary"

// MostTruePositives is the largest true-positive rate that a guarantee of (epsilon, delta), of
// neighbours that differ in one record added or removed, leaves to an attack on a record's
// membership that has the given false-positive rate: e^ε·FPR + δ or, where that is less,
// 1 - e^-ε·(1 - δ - FPR). (Kairouz, Oh & Viswanath 2015, theorem 2.1.) It holds for the rates of a
// population; the rates of a sample may be above by chance.
func MostTruePositives(epsilon, delta, falsePositives float64) float64 {
	most := float64(elementary.Exp(epsilon)*falsePositives) + delta
	other := 1 - float64(elementary.Exp(-epsilon)*(1-delta-falsePositives))
	return max(0, min(1, most, other))
}
