package elementary

import (
	"flag"
	"fmt"
	"go/format"
	"math"
	"math/big"
	"os"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mathext"

	"ppdp/internal/must"
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

// TestAtLeast compares with gonum's incomplete beta function, for whole and for half hits.
func TestAtLeast(t *testing.T) {
	for _, a := range []float64{0.5, 1, 3.5, 40, 1000.5, 3e5} {
		for _, b := range []float64{1, 2.5, 70, 5000, 1e6} {
			for _, deviations := range []float64{-3, -1, 0, 1, 3} {
				mean := a / (a + b)
				p := mean + deviations*math.Sqrt(mean*(1-mean)/(a+b))
				if p <= 0 || p >= 1 {
					continue
				}
				got, want := AtLeast(a, a+b-1, p), mathext.RegIncBeta(a, b, p)
				if math.Abs(got-want) > 1e-8 {
					t.Errorf("I(%v; %v, %v) = %v, want %v", p, a, b, got, want)
				}
			}
		}
	}
}

// TestLowestProbability: R's binom.test(7, 20) prints 0.1539092 and 0.5921885; hits only have the
// power 1/n of the tail, and none at all 0.
func TestLowestProbability(t *testing.T) {
	near := func(what string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 1e-7*want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	near("7 of 20", LowestProbability(7, 20, 0.025), 0.15390920)
	near("13 misses of 20", 1-LowestProbability(13, 20, 0.025), 0.59218853)
	for _, tail := range []float64{0.2, 0.025, 1e-4, 1e-9} {
		for _, n := range []float64{1, 10, 2000, 1e6} {
			near("hits only", LowestProbability(n, n, tail), math.Pow(tail, 1/n))
			if got := LowestProbability(0, n, tail); got != 0 {
				t.Errorf("no hits of %v: %v", n, got)
			}
		}
	}
}

var update = flag.Bool("update", false, "write the tables anew")

// TestTables computes the constants and tables in 160 bits and more and compares
// the files.
func TestTables(t *testing.T) {
	constants := must.Get(format.Source([]byte(constantsText())))
	for name, want := range map[string]string{
		"constants.go": string(constants), "tables.txt": tableText()} {
		if *update {
			must.Do(t, os.WriteFile(name, []byte(want), 0o644))
		}
		got := must.Get(os.ReadFile(name))
		if string(got) != want {
			t.Errorf("%s differs from what its definitions give; go test -run Tables -update", name)
		}
	}
}

func expStep() *big.Float { return quo(bigLn2(), number(expSteps)) }

func perLn2Exact() *big.Float { return quo(number(1), bigLn2()) }

func constantsText() string {
	stepHigh, stepLow := split(expStep(), -43)
	ln2High, ln2Low := split(bigLn2(), -42)
	per := perLn2Exact()
	return "// Code generated by go test -run Tables -update; DO NOT EDIT.\n\n" +
		"package elementary\n\nconst (\n" +
		constant("perStep", "256/ln2", float(quo(number(1), expStep()))) +
		constant("stepHigh", "ln2/256 to 2⁻⁴³", stepHigh) +
		constant("stepLow", "the rest of it", stepLow) + "\n" +
		constant("ln2High", "ln2 to 2⁻⁴²", ln2High) +
		constant("ln2Low", "the rest of it", ln2Low) +
		constant("perLn2", "1/ln2", float(per)) +
		constant("perLn2High", "its head", head(float(per))) +
		constant("perLn2Low", "the rest of it", float(sub(per, number(head(float(per)))))) + "\n" +
		constant("piHigh", "the head of π", head(float(bigPi()))) +
		constant("piLow", "the rest of it", float(sub(bigPi(), number(head(float(bigPi())))))) +
		")\n"
}

// tableText is the file of tables.
func tableText() string {
	step, perLn2 := expStep(), perLn2Exact()
	return rows("exp: 2^(i/256) and the rest of it", len(expTable), func(i int) []float64 {
		return double(bigExp(mul(step, number(float64(i)))))
	}) + rows("log: for a point c in each piece: 1/c in 16 bits, ln c to 2⁻⁴² and the rest of it, "+
		"the logarithm to base 2 in the same parts", len(logTable), func(i int) []float64 {
		middle := math.Float64frombits(logStart + uint64(i)<<44 + 1<<43)
		inverse := math.Round(0x1p16/middle) * 0x1p-16
		ln := bigLog(quo(number(1), number(inverse)))
		high, low := split(ln, -42)
		high2, low2 := split(mul(ln, perLn2), -42)
		return []float64{inverse, high, low, high2, low2}
	}) + rows("tan: tan(πi/256) and the rest of it", len(tanTable), func(i int) []float64 {
		return double(bigTan(mul(bigPi(), quo(number(float64(i)), number(tanSteps)))))
	}) + rows("erfc: points and the Taylor coefficients of e^(x²)·Erfc(x) around them",
		len(erfcTable), func(i int) []float64 {
			row := []float64{(erfcStart(i) + erfcStart(i+1)) / 2}
			for _, a := range erfcTaylor(row[0], erfcTerms) {
				row = append(row, float(a))
			}
			return row
		})
}

// erfcStart is where the numbers begin that belong to a row of erfcTable.
func erfcStart(row int) float64 {
	return math.Float64frombits(uint64(row+1023*erfcSteps)<<(mantissaBits-4)) - 1
}

func constant(name, comment string, value float64) string {
	return fmt.Sprintf("%s = %s // %s\n", name, hex(value), comment)
}

// rows are a table: a line that says what it holds, and one for each row.
func rows(comment string, n int, row func(i int) []float64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", comment)
	for i := range n {
		for j, x := range row(i) {
			if j > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(hex(x))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func hex(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 10 {
		return fmt.Sprint(x)
	}
	return fmt.Sprintf("%x", x)
}

// split rounds a number to a multiple of 2^exponent; low is the rest.
func split(x *big.Float, exponent int) (high, low float64) {
	scaled := new(big.Float).SetMantExp(x, -exponent)
	f, _ := scaled.Float64()
	high = math.Ldexp(math.Round(f), exponent)
	return high, float(sub(x, number(high)))
}

// double is a number as the sum of two.
func double(x *big.Float) []float64 {
	high := float(x)
	return []float64{high, float(sub(x, number(high)))}
}
