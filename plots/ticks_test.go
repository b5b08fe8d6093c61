package plots

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"pgregory.net/rapid"

	"ppdp/internal/results"
)

func labelled(ticks []plot.Tick) string {
	var names []string
	for _, tick := range ticks {
		if !tick.IsMinor() {
			names = append(names, tick.Label)
		}
	}
	return strings.Join(names, " ")
}

// onLine writes raised text as "^".
func onLine(label string) string {
	return strings.NewReplacer(superscriptStart, "^", superscriptEnd, "").Replace(label)
}

func TestTicksByHand(t *testing.T) {
	for _, test := range []struct {
		axis span
		want string
	}{
		{span{0, 5, false}, "0 1 2 3 4 5"},
		{span{-0.01, 0.61, false}, "0.0 0.1 0.2 0.3 0.4 0.5 0.6"},
		{span{0.76, 0.9, false}, "0.775 0.800 0.825 0.850 0.875 0.900"},
		{span{-1, 1, false}, "−1.0 −0.5 0.0 0.5 1.0"},
		{span{0, 5e6, false}, "0 1 2 3 4 5"},
		{span{0, 1.2e5, false}, "0.0 0.2 0.4 0.6 0.8 1.0 1.2"},
		{span{0, 5e-5, false}, "0 1 2 3 4 5"},
		{span{0.01, 10, true}, "0.01 0.1 1 10"},
		{span{1, 20, true}, "1 2 5 10 20"},
		{span{2.5, 6, true}, "3 4 5 6"},
		{span{100, 1e7, true}, "10^2 10^3 10^4 10^5 10^6 10^7"},
		{span{1e6, 9e6, true}, "10^6 2×10^6 5×10^6"},
		{span{1e-5, 1e-3, true}, "10^−5 10^−4 10^−3"},
	} {
		ticks, _ := test.axis.ticks(6)
		if diff := cmp.Diff(test.want, onLine(labelled(ticks))); diff != "" {
			t.Errorf("%+v: %s", test.axis, diff)
		}
	}
}

// Whatever the range: at least two labels, none twice, ascending, within the range, and each label
// has its tick's value.
func TestTicksOfAnyRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := math.Pow(10, rapid.Float64Range(-6, 7).Draw(t, "exponent"))
		hi := lo * (1 + math.Pow(10, rapid.Float64Range(-3, 4).Draw(t, "width")))
		axis := span{lo, hi, rapid.Bool().Draw(t, "log")}
		ticks, power := axis.ticks(rapid.IntRange(6, 7).Draw(t, "wanted"))
		last, count := math.Inf(-1), 0
		seen := make(map[string]bool)
		for _, tick := range ticks {
			if tick.Value <= last || tick.Value < lo*(1-1e-6) || tick.Value > hi*(1+1e-6) {
				t.Fatalf("tick %v after %v in %v..%v", tick.Value, last, lo, hi)
			}
			last = tick.Value
			if tick.IsMinor() {
				continue
			}
			count++
			if seen[tick.Label] {
				t.Fatalf("label %q twice in %v..%v", tick.Label, lo, hi)
			}
			seen[tick.Label] = true
			read := readLabel(t, tick.Label) * math.Pow10(power) // which is in the axis' label
			if math.Abs(read-tick.Value) > 1e-9*math.Abs(hi) {
				t.Fatalf("label %q is at %v", tick.Label, tick.Value)
			}
		}
		if count < 2 || count > 12 {
			t.Fatalf("%d labels in %v..%v", count, lo, hi)
		}
	})
}

// TestLabelsHaveGlyphs: the fonts draw an empty box for characters they lack, which in small type
// looks like nothing at all.
func TestLabelsHaveGlyphs(t *testing.T) {
	fonts := font.NewCache(liberation.Collection())
	face := fonts.Lookup(font.Font{Typeface: "Liberation", Variant: "Sans"}, 10)
	var buffer sfnt.Buffer
	check := func(text string) {
		for _, r := range strings.NewReplacer(superscriptStart, "", superscriptEnd,
			"").Replace(text) {
			if glyph, err := face.Face.GlyphIndex(&buffer, r); err != nil || glyph == 0 {
				t.Errorf("%q: no glyph for %q", text, r)
			}
		}
	}
	for exponent := -12; exponent <= 12; exponent++ {
		for digit := 1; digit <= 9; digit++ {
			check(logLabel(digit, exponent, true))
		}
		check(span{min: 0, max: math.Pow10(exponent)}.labelled("k", xTicks))
	}
	check(parameterLabel(epsilonName, "") + ", δ = 1e-09")
	for _, m := range results.DerivedMeasures {
		check(measureLabel(m))
	}
}

// readLabel reads "2.5", "10^−3" and "2×10^5".
func readLabel(t *rapid.T, label string) float64 {
	plain := strings.ReplaceAll(onLine(label), "−", "-")
	mantissa, power, scientific := strings.Cut(plain, "×")
	if strings.HasPrefix(plain, "10^") {
		mantissa, power, scientific = "1", plain, true
	}
	if scientific {
		plain = mantissa + "e" + strings.TrimPrefix(power, "10^")
	}
	v, err := strconv.ParseFloat(plain, 64)
	if err != nil {
		t.Fatalf("label %q: %v", label, err)
	}
	return v
}

func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
