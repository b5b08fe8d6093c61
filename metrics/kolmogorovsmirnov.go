package metrics

import "math"

// KolmogorovSmirnov is max |F(v) − G(v)| over the union of both samples' values, F and G being
// their distribution functions; between 0 and 1. It is NaN when a sample has no mass, and takes
// O(len(x)+len(y)).
func KolmogorovSmirnov(x, y Sample) float64 {
	xMass, yMass := x.Mass(), y.Mass()
	if !(xMass > 0 && yMass > 0) {
		return math.NaN()
	}
	i, j := 0, 0
	xSum, ySum, most := 0.0, 0.0, 0.0
	for i < len(x.Values) && j < len(y.Values) {
		// Both functions step at v before they are compared: a value both samples hold is no
		// difference.
		v := min(x.Values[i], y.Values[j])
		for i < len(x.Values) && x.Values[i] == v {
			xSum += x.weight(i)
			i++
		}
		for j < len(y.Values) && y.Values[j] == v {
			ySum += y.weight(j)
			j++
		}
		most = max(most, math.Abs(float64(xSum*yMass)-float64(ySum*xMass)))
	}
	// Where one sample has ended its function is 1 and the other's only comes nearer.
	return min(1, most/xMass/yMass)
}
