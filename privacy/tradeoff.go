package privacy

import "ppdp/numeric/elementary"

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

// MostArea is the area under the curve of MostTruePositives over all false-positive rates: the most
// that such a guarantee leaves to the area under an attack's ROC curve. The curve rises from (0, δ)
// by e^ε to where both rates make equally many errors, then by e^-ε to (1 - δ, 1).
func MostArea(epsilon, delta float64) float64 {
	corner := (1 - delta) / (1 + elementary.Exp(epsilon))
	rising := float64(corner * (delta + 1 - corner) / 2)
	return rising + float64((1-delta-corner)*(2-corner)/2) + delta
}
