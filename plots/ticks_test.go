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

func TestTicksByHand(t *testing.T) {
	for _, test := range []struct {
		ticker plot.Ticker
		lo, hi float64
		want   string
	}{
		{linearTicks{6}, 0, 5, "0 1 2 3 4 5"},
		{linearTicks{6}, -0.01, 0.61, "0.0 0.1 0.2 0.3 0.4 0.5 0.6"},
		{linearTicks{6}, 0.76, 0.9, "0.775 0.800 0.825 0.850 0.875 0.900"},
		{linearTicks{6}, -1, 1, "−1.0 −0.5 0.0 0.5 1.0"},
		{linearTicks{6}, 0, 5e6, "0 1e6 2e6 3e6 4e6 5e6"},
		{logTicks{6}, 0.01, 10, "0.01 0.1 1 10"},
		{logTicks{6}, 1, 20, "1 2 5 10 20"},
		{logTicks{6}, 2.5, 6, "3 4 5 6"},
		{logTicks{6}, 100, 1e7, "1e2 1e3 1e4 1e5 1e6 1e7"},
		{logTicks{6}, 1e-5, 1e-3, "1e−5 1e−4 1e−3"},
	} {
		if diff := cmp.Diff(test.want, labelled(test.ticker.Ticks(test.lo, test.hi))); diff != "" {
			t.Errorf("%T from %v to %v: %s", test.ticker, test.lo, test.hi, diff)
		}
	}
}

// Whatever the range: at least two labels, none twice, ascending, within the range, and each label
// says its tick's value.
func TestTicksOfAnyRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := math.Pow(10, rapid.Float64Range(-6, 7).Draw(t, "exponent"))
		hi := lo * (1 + math.Pow(10, rapid.Float64Range(-3, 4).Draw(t, "width")))
		ticker := rapid.SampledFrom([]plot.Ticker{linearTicks{6}, logTicks{6}, linearTicks{7}}).Draw(t, "ticker")
		last, count := math.Inf(-1), 0
		seen := make(map[string]bool)
		for _, tick := range ticker.Ticks(lo, hi) {
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
			if said := readLabel(t, tick.Label); math.Abs(said-tick.Value) > 1e-9*math.Abs(hi) {
				t.Fatalf("label %q stands at %v", tick.Label, tick.Value)
			}
		}
		if count < 2 || count > 12 {
			t.Fatalf("%d labels in %v..%v", count, lo, hi)
		}
	})
}

// TestLabelsHaveGlyphs: the fonts' empty character stands for what they lack, and in small type looks like nothing at all.
func TestLabelsHaveGlyphs(t *testing.T) {
	fonts := font.NewCache(liberation.Collection())
	face := fonts.Lookup(font.Font{Typeface: "Liberation", Variant: "Sans"}, 10)
	var buffer sfnt.Buffer
	check := func(text string) {
		for _, r := range text {
			if glyph, err := face.Face.GlyphIndex(&buffer, r); err != nil || glyph == 0 {
				t.Errorf("%q: no glyph for %q", text, r)
			}
		}
	}
	for exponent := -12; exponent <= 12; exponent++ {
		for digit := 1; digit <= 9; digit++ {
			check(logLabel(digit, exponent, true))
		}
		check(number(-1.5*math.Pow10(exponent), 1, math.Pow10(exponent)))
	}
	for _, name := range []string{"epsilon", "w1", "w2", "ks", "k"} {
		check(axisLabel(name, ""))
	}
}

func readLabel(t *rapid.T, label string) float64 {
	plain := strings.ReplaceAll(label, "−", "-")
	v, err := strconv.ParseFloat(plain, 64)
	if err != nil {
		t.Fatalf("label %q: %v", label, err)
	}
	return v
}
