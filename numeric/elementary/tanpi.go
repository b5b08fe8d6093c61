package elementary

import "math"

// tanSteps is how many steps of the table make a half turn.
const tanSteps = 256

// TanPi is the tangent of x half turns, tan(πx), for |x| of at most ½, with an error below 0.52
// units in the last place: ±Inf at the ends, and NaN beyond them.
func TanPi(x float64) float64 {
	turn := math.Abs(x)
	switch {
	case !(turn <= 0.5):
		return math.NaN()
	case turn == 0.5:
		return math.Copysign(math.Inf(1), x)
	case turn == 0:
		return x // with its sign
	case turn < 0x1p-400: // products of parts would be subnormal; down here it is a line
		return math.Ldexp(TanPi(x*0x1p370), -370)
	}
	inverse := turn > 0.25
	if inverse {
		turn = 0.5 - turn // exact
	}
	n := int(float64(turn*tanSteps) + 0.5)
	f := turn - float64(float64(n)/tanSteps) // exact
	// π·f in two parts
	start := head(f)
	b, tail := add(float64(start*piHigh), float64((f-start)*piHigh)+float64(f*piLow))
	square := float64(b * b)
	tail += float64(b * square * ((1.0/3 + float64(square*(2.0/15))) +
		float64(square*square*(17.0/315+float64(square*(62.0/2835))))))
	// tan(a+b) is (T+t)/(1-T·t) with the tangents T and t of a and b.
	entry := &tanTable[n]
	top, low := add(entry[0], b)
	top, low = add(top, low+(tail+entry[1]))
	bottom, lost := add(1, -float64(entry[0]*(b+tail)))
	if inverse {
		top, low, bottom, lost = bottom, lost, top, low
	}
	// What the quotient leaves of top, its leading products without loss, is divided again.
	reciprocal := 1 / bottom
	guess := float64(top * reciprocal)
	g, h := head(guess), head(bottom)
	miss := (top - float64(g*h)) - float64(g*(bottom-h)) - float64((guess-g)*bottom)
	miss += low - float64(guess*lost)
	return math.Copysign(guess+float64(miss*reciprocal), x)
}
