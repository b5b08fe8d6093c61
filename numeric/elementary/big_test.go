package elementary

import (
	"math"
	"math/big"
	"sync"
)

// precision is the bits of the arithmetic that the functions are compared with: the results are
// good to 2⁻¹⁴⁰ or so, against 2⁻⁵³ of a double.
const precision = 160

func fresh() *big.Float               { return new(big.Float).SetPrec(precision) }
func number(x float64) *big.Float     { return wide(x, precision) }
func plus(x, y *big.Float) *big.Float { return fresh().Add(x, y) }
func sub(x, y *big.Float) *big.Float  { return fresh().Sub(x, y) }
func mul(x, y *big.Float) *big.Float  { return fresh().Mul(x, y) }
func quo(x, y *big.Float) *big.Float  { return fresh().Quo(x, y) }

// wide is a number of so many bits.
func wide(x float64, bits uint) *big.Float { return new(big.Float).SetPrec(bits).SetFloat64(x) }

func float(x *big.Float) float64 {
	f, _ := x.Float64()
	return f
}

// small reports whether x is too small to change sum.
func small(x, sum *big.Float) bool {
	return x.Sign() == 0 || sum.Sign() != 0 && x.MantExp(nil) < sum.MantExp(nil)-precision-2
}

// inverseTangents sums 1/n ∓ 1/(3n³) + ..., which is atan(1/n), or its hyperbolic relative.
func inverseTangents(n float64, hyperbolic bool, bits uint) *big.Float {
	power, sum := wide(1, bits), wide(0, bits)
	power.Quo(power, wide(n, bits))
	for k := 1.0; power.MantExp(nil) > -int(bits); k += 2 {
		term := wide(0, bits).Quo(power, wide(k, bits))
		if int(k)%4 == 3 && !hyperbolic {
			term.Neg(term)
		}
		sum.Add(sum, term)
		power.Quo(power, wide(n*n, bits))
	}
	return sum
}

// bigLn2 is 18 artanh(1/26) - 2 artanh(1/4801) + 8 artanh(1/8749).
var bigLn2 = sync.OnceValue(func() *big.Float {
	sum := mul(number(18), inverseTangents(26, true, precision))
	sum = sub(sum, mul(number(2), inverseTangents(4801, true, precision)))
	return plus(sum, mul(number(8), inverseTangents(8749, true, precision)))
})

var bigPi = sync.OnceValue(func() *big.Float { return pi(precision) })

// pi is 16 arctan(1/5) - 4 arctan(1/239) (Machin 1706).
func pi(bits uint) *big.Float {
	sum := wide(16, bits)
	sum.Mul(sum, inverseTangents(5, false, bits))
	rest := wide(4, bits)
	return sum.Sub(sum, rest.Mul(rest, inverseTangents(239, false, bits)))
}

// bigExpm1 is e^x - 1 by its series for the 2^8th part of what is left of x without multiples of
// ln 2; e^x - 1 of twice a number is (e^x - 1)² + 2(e^x - 1). Close to 0 no multiple is taken away.
func bigExpm1(x *big.Float) *big.Float {
	if math.Abs(float(x)) < 0.3 {
		return seriesExpm1(x)
	}
	return sub(bigExp(x), number(1))
}

func bigExp(x *big.Float) *big.Float {
	k := math.Round(float(quo(x, bigLn2())))
	power := plus(seriesExpm1(sub(x, mul(number(k), bigLn2()))), number(1))
	return power.SetMantExp(power, int(k))
}

func seriesExpm1(x *big.Float) *big.Float {
	const halvings = 8
	r := fresh().SetMantExp(x, -halvings)
	term, sum := r, r
	for n := 2.0; !small(term, sum); n++ {
		term = quo(mul(term, r), number(n))
		sum = plus(sum, term)
	}
	for range halvings {
		sum = plus(mul(sum, sum), mul(number(2), sum))
	}
	return sum
}

// bigLog is ln x by Newton's method, cubic here: y + 2(x-e^y)/(x+e^y).
func bigLog(x *big.Float) *big.Float {
	mantissa := fresh()
	exponent := x.MantExp(mantissa)
	k := number(float64(exponent))
	if f := float(x); f > 0.5 && f < 2 {
		mantissa, k = x, fresh()
	}
	y := number(math.Log(float(mantissa)))
	for range 2 {
		less := bigExpm1(y)
		gap := sub(sub(mantissa, number(1)), less)
		y = plus(y, quo(mul(number(2), gap), plus(mantissa, plus(less, number(1)))))
	}
	return plus(y, mul(k, bigLn2()))
}

// bigTan is the quotient of the series of sine and cosine of a 16th of x, doubled back.
func bigTan(x *big.Float) *big.Float {
	const halvings = 4
	r := fresh().SetMantExp(x, -halvings)
	square := mul(r, r)
	sine, cosine, term := r, number(1), fresh().Set(r)
	for n := 2.0; !small(term, sine); n += 2 {
		term = quo(mul(term, square), number(n*(n+1)))
		term.Neg(term)
		sine = plus(sine, term)
	}
	term = number(1)
	for n := 1.0; !small(term, cosine); n += 2 {
		term = quo(mul(term, square), number(n*(n+1)))
		term.Neg(term)
		cosine = plus(cosine, term)
	}
	tangent := quo(sine, cosine)
	for range halvings { // tan 2a = 2 tan a/(1 - tan² a)
		tangent = quo(mul(number(2), tangent), sub(number(1), mul(tangent, tangent)))
	}
	return tangent
}

// bigErf is the series of the error function, with bits of precision as its terms need.
func bigErf(x float64, bits uint) *big.Float {
	square := wide(x, bits)
	square.Mul(square, square)
	term, sum := wide(x, bits), wide(x, bits)
	for n := 1.0; term.Sign() != 0 && term.MantExp(nil) > -int(bits); n++ {
		term.Mul(term, square)
		term.Quo(term, wide(-n, bits))
		sum.Add(sum, wide(0, bits).Quo(term, wide(2*n+1, bits)))
	}
	return sum.Mul(sum, twoOverRootPi(bits))
}

// twoOverRootPi is 2/√π.
func twoOverRootPi(bits uint) *big.Float {
	root := pi(bits)
	return wide(0, bits).Quo(wide(2, bits), root.Sqrt(root))
}

// bigErfc is 1 less the error function up to 6, and its continued fraction beyond:
// e^(-x²)/√π / (x + ½/(x + 1/(x + 1½/(x + ...)))).
func bigErfc(x float64) *big.Float {
	if x < 6 {
		bits := uint(precision + 2*x*x*math.Log2E + 64)
		return fresh().Sub(wide(1, bits), bigErf(x, bits))
	}
	fraction := number(x)
	for n := 120.0; n >= 1; n-- {
		fraction = plus(number(x), quo(number(n/2), fraction))
	}
	power := bigExp(mul(number(-x), number(x)))
	return quo(mul(power, twoOverRootPi(precision)), mul(number(2), fraction))
}

// erfcTaylor are the coefficients of e^(x²)·Erfc(x) around a point. By its differential equation
// g′ = 2xg - 2/√π each follows from the two before: (n+1)a(n+1) = 2c·a(n) + 2a(n-1).
func erfcTaylor(point float64, terms int) []*big.Float {
	bits := uint(3*precision + 4*point*point*math.Log2E)
	square := wide(point, bits)
	square.Mul(square, square)
	// e^(x²) by its series
	power, term := wide(1, bits), wide(1, bits)
	for n := 1.0; term.MantExp(nil) > -int(bits); n++ {
		term.Mul(term, square)
		term.Quo(term, wide(n, bits))
		power.Add(power, term)
	}
	rest := wide(1, bits)
	a := []*big.Float{power.Mul(power, rest.Sub(rest, bigErf(point, bits)))}
	next := wide(0, bits).Mul(wide(2*point, bits), a[0])
	a = append(a, next.Sub(next, twoOverRootPi(bits)))
	for n := 1; len(a) < terms; n++ {
		next := wide(0, bits).Mul(wide(2*point, bits), a[n])
		next.Add(next, wide(0, bits).Mul(wide(2, bits), a[n-1]))
		a = append(a, next.Quo(next, wide(float64(n+1), bits)))
	}
	return a
}
