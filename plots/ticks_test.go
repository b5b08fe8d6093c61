package plots

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/plot"
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
		{linearTicks{6}, 0, 5e6, "0 1·10⁶ 2·10⁶ 3·10⁶ 4·10⁶ 5·10⁶"},
		{logTicks{6}, 0.01, 10, "0.01 0.1 1 10"},
		{logTicks{6}, 1, 20, "1 2 5 10 20"},
		{logTicks{6}, 2.5, 6, "3 4 5 6"},
		{logTicks{6}, 100, 1e7, "10² 10³ 10⁴ 10⁵ 10⁶ 10⁷"},
		{logTicks{6}, 1e-5, 1e-3, "10⁻⁵ 10⁻⁴ 10⁻³"},
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

func readLabel(t *rapid.T, label string) float64 {
	plain := strings.NewReplacer("·10", "e", "−", "-", "⁻", "-", "⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4",
		"⁵", "5", "⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9").Replace(label)
	if strings.HasPrefix(plain, "10") && plain != label {
		plain = "1e" + plain[2:]
	}
	v, err := strconv.ParseFloat(plain, 64)
	if err != nil {
		t.Fatalf("label %q: %v", label, err)
	}
	return v
}
