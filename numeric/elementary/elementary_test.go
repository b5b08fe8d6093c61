package elementary

import (
	"flag"
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"
)

var arguments = flag.Int("arguments", 5_000, "arguments of each function compared")

// function is one of the package's, with an independent value of 160 bits, the bound that its
// comment states, and arguments: where it is used, everywhere, and where it is hard.
type function struct {
	name   string
	own    func(x float64) float64
	gauge  func(x float64) *big.Float
	bound  float64 // units in the last place
	draw   []func(r *splitMix) float64
	rising bool
}

var functions = []function{
	{"Exp", Exp, func(x float64) *big.Float { return bigExp(number(x)) }, 0.51,
		[]func(*splitMix) float64{within(-1, 1), within(-745.13, 709.78), within(-40, 0),
			within(-745.13, -708), magnitudes(-60, 9)}, true},
	{"Expm1", Expm1, func(x float64) *big.Float { return bigExpm1(number(x)) }, 0.52,
		[]func(*splitMix) float64{within(-1, 1), within(-40, 709.78), within(-0.01, 0.01),
			magnitudes(-1000, 9)}, true},
	{"Log", Log, func(x float64) *big.Float { return bigLog(number(x)) }, 0.51,
		[]func(*splitMix) float64{within(0, 1), within(0.9, 1.1), within(0, 1e6),
			positive(-1074, 1023)}, true},
	{"Log1p", Log1p,
		func(x float64) *big.Float { return bigLog(plus(number(1), number(x))) }, 0.51,
		[]func(*splitMix) float64{within(-1, 1), within(-0.01, 0.01), within(-1, 1e6),
			positive(-60, 1023), within(-1, -0.999)}, true},
	{"Log2", Log2, func(x float64) *big.Float { return quo(bigLog(number(x)), bigLn2()) }, 0.51,
		[]func(*splitMix) float64{within(0, 1), within(0.9, 1.1), within(0, 1e6),
			positive(-1074, 1023)}, true},
	{"TanPi", TanPi, func(x float64) *big.Float { return bigTan(mul(bigPi(), number(x))) }, 0.52,
		[]func(*splitMix) float64{within(-0.5, 0.5), within(-0.01, 0.01), within(0.49, 0.5),
			magnitudes(-1000, -1)}, true},
	{"Erfc", Erfc, bigErfc, 3.3,
		[]func(*splitMix) float64{within(0, 27.2), within(0, 1), within(0, 6), within(-5, 0),
			magnitudes(-60, 4)}, false},
}

// splitMix is a generator of 64 bits (Steele, Lea & Flood 2014). Package random has a better one,
// but stands on this package.
type splitMix uint64

func (s *splitMix) next() uint64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (s *splitMix) Float64() float64 { return float64(s.next()>>11) / (1 << 53) }
func (s *splitMix) IntN(n int) int   { return int(s.next() % uint64(n)) }

func within(low, high float64) func(*splitMix) float64 {
	return func(r *splitMix) float64 { return low + (high-low)*r.Float64() }
}

// positive draws numbers of all sizes from 2^low to 2^high, and magnitudes either sign of them.
func positive(low, high int) func(*splitMix) float64 {
	return func(r *splitMix) float64 {
		return math.Ldexp(1+r.Float64(), low+r.IntN(high-low))
	}
}

func magnitudes(low, high int) func(*splitMix) float64 {
	draw := positive(low, high)
	return func(r *splitMix) float64 { return draw(r) * float64(1-2*r.IntN(2)) }
}

// TestErrors measures the error of each function.
func TestErrors(t *testing.T) {
	for _, f := range functions {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			r := new(splitMix(1))
			worst, at := 0.0, 0.0
			for i := range *arguments {
				x := f.draw[i%len(f.draw)](r)
				if err := ulps(f.own(x), f.gauge(x)); !(err <= worst) {
					worst, at = err, x
				}
			}
			t.Logf("%s: %d arguments, largest error %.4f units in the last place at %v", f.name,
				*arguments, worst, at)
			if !(worst < f.bound) {
				t.Errorf("%s(%v) = %v, want %v: %v units in the last place off, the bound is %v",
					f.name, at, f.own(at), f.gauge(at), worst, f.bound)
			}
		})
	}
}

// ulps is the distance of a double from the truth, in units in the last place of the truth.
func ulps(got float64, want *big.Float) float64 {
	if math.IsNaN(got) || math.IsInf(got, 0) {
		if f := float(want); f == got {
			return 0
		}
		return math.Inf(1)
	}
	exponent := max(want.MantExp(nil)-53, -1074)
	gap := sub(number(got), want)
	return math.Abs(float(gap.SetMantExp(gap, -exponent)))
}

// TestMonotone compares neighbouring doubles.
func TestMonotone(t *testing.T) {
	for _, f := range functions {
		if !f.rising {
			continue
		}
		r := new(splitMix(2))
		for i := range 10 * *arguments {
			x := f.draw[i%len(f.draw)](r)
			next := math.Nextafter(x, math.Inf(1))
			if a, b := f.own(x), f.own(next); a > b {
				t.Errorf("%s(%v) = %v, but %v at the next number", f.name, x, a, b)
			}
		}
	}
}

func TestSpecialValues(t *testing.T) {
	inf, nan, minusZero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	type value struct{ x, want float64 }
	for name, values := range map[string][]value{
		"Exp": {{0, 1}, {minusZero, 1}, {1, math.E}, {0x1p-1074, 1}, {inf, inf}, {-inf, 0},
			{nan, nan}, {709.782712893384, 0x1.fffffffffff2ap1023}, {709.7827128933841, inf},
			{710, inf}, {1e300, inf}, {-745.1332191019411, 0x1p-1074}, {-745.1332191019412, 0},
			{-1e300, 0}},
		"Expm1": {{0, 0}, {minusZero, minusZero}, {0x1p-1074, 0x1p-1074}, {-50, -1}, {inf, inf},
			{-inf, -1}, {nan, nan}, {710, inf}},
		"Log": {{1, 0}, {0, -inf}, {minusZero, -inf}, {inf, inf}, {-1, nan}, {-inf, nan},
			{nan, nan}},
		"Log1p": {{0, 0}, {minusZero, minusZero}, {0x1p-1074, 0x1p-1074}, {-1, -inf}, {-2, nan},
			{inf, inf}, {-inf, nan}, {nan, nan}, {math.MaxFloat64, Log(math.MaxFloat64)}},
		"Log2": {{1, 0}, {0x1p-1074, -1074}, {0x1p1023, 1023}, {0x1p-3, -3}, {0, -inf}, {inf, inf},
			{-1, nan}, {nan, nan}},
		"TanPi": {{0, 0}, {minusZero, minusZero}, {0.25, 1}, {-0.25, -1}, {0.5, inf}, {-0.5, -inf},
			{0.6, nan}, {inf, nan}, {nan, nan}},
		"Erfc": {{0, 1}, {28, 0}, {inf, 0}, {-inf, 2}, {nan, nan}},
	} {
		at := slices.IndexFunc(functions, func(f function) bool { return f.name == name })
		for _, v := range values {
			got := functions[at].own(v.x)
			if math.Float64bits(got) != math.Float64bits(v.want) &&
				!(math.IsNaN(got) && math.IsNaN(v.want)) {
				t.Errorf("%s(%v) = %v, want %v", name, v.x, got, v.want)
			}
		}
	}
}

// TestNormalUpper asks for points of the usual tables, which have these digits.
func TestNormalUpper(t *testing.T) {
	for _, c := range []struct {
		probability float64
		want        string
	}{
		{0.5, "0.000000000"}, {0.25, "0.674489750"}, {0.05, "1.644853627"},
		{0.025, "1.959963985"}, {0.001, "3.090232306"}, {1e-9, "5.997807015"},
	} {
		if got := fmt.Sprintf("%.9f", NormalUpper(c.probability)); got != c.want {
			t.Errorf("NormalUpper(%v) = %s, want %s", c.probability, got, c.want)
		}
	}
}
