package plots

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// linearTicks labels round numbers: multiples of 1, 2, 2.5 or 5 times a power of ten, as many as come
// closest to the wanted number without exceeding it by more than one.
type linearTicks struct{ wanted int }

var _ plot.Ticker = linearTicks{}

func (t linearTicks) Ticks(lo, hi float64) []plot.Tick {
	step, decimals := t.step(lo, hi)
	first, last := math.Ceil(lo/step-tickSlack), math.Floor(hi/step+tickSlack)
	var ticks []plot.Tick
	for i := first; i <= last; i++ {
		value := i * step
		ticks = append(ticks, plot.Tick{Value: value, Label: number(value, decimals, math.Max(math.Abs(lo), math.Abs(hi)))})
	}
	return ticks
}

// tickSlack lets a tick that rounding puts a hair outside the range still count, as a share of the step.
const tickSlack = 1e-9

// step returns the distance between ticks and the decimals their labels need, fewer than 0 where they
// end in zeros.
func (t linearTicks) step(lo, hi float64) (step float64, decimals int) {
	best := math.Inf(1)
	exponent := int(math.Floor(math.Log10((hi - lo) / float64(t.wanted))))
	for e := exponent - 1; e <= exponent+1; e++ {
		for _, m := range []struct {
			mantissa float64
			digits   int // beyond the power of ten's own
		}{{1, 0}, {2, 0}, {2.5, 1}, {5, 0}} {
			s := m.mantissa * math.Pow10(e)
			n := math.Floor(hi/s+tickSlack) - math.Ceil(lo/s-tickSlack) + 1
			distance := math.Abs(n - float64(t.wanted))
			if n > float64(t.wanted)+1 {
				continue
			}
			if distance < best {
				best, step, decimals = distance, s, m.digits-e
			}
		}
	}
	return step, decimals
}

// logTicks labels decades, and within less than two of them also 2 and 5, then every digit, then round
// numbers: there are always at least two labels. Unlabelled ticks mark the other digits.
type logTicks struct{ wanted int }

var _ plot.Ticker = logTicks{}

func (t logTicks) Ticks(lo, hi float64) []plot.Tick {
	if !(lo > 0) || !(hi > lo) {
		return nil
	}
	for _, digits := range [][]int{{1}, {1, 2, 5}, {1, 2, 3, 4, 5, 6, 7, 8, 9}} {
		if ticks, labels := t.decades(lo, hi, digits); labels >= 3 {
			return ticks
		}
	}
	return linearTicks(t).Ticks(lo, hi)
}

// decades ticks every digit of every decade and labels some.
func (t logTicks) decades(lo, hi float64, labelled []int) (ticks []plot.Tick, labels int) {
	first, last := int(math.Floor(math.Log10(lo))), int(math.Ceil(math.Log10(hi)))
	// Over many decades only every second, third, ... one is labelled.
	every := 1 + (last-first)/(t.wanted+1)
	// One way of writing for the whole axis.
	powers := lo < math.Pow10(plainLow) || hi >= math.Pow10(plainHigh+1)
	for e := first; e <= last; e++ {
		for digit := 1; digit <= 9; digit++ {
			value := float64(digit) * math.Pow10(e)
			if value < lo*(1-tickSlack) || value > hi*(1+tickSlack) {
				continue
			}
			tick := plot.Tick{Value: value}
			for _, d := range labelled {
				if d == digit && (digit != 1 || e%every == 0) {
					tick.Label = logLabel(digit, e, powers)
					labels++
				}
			}
			ticks = append(ticks, tick)
		}
	}
	return ticks, labels
}

const (
	plainLow  = -3 // smallest and largest power of ten written as a plain number
	plainHigh = 4
)

func logLabel(digit, exponent int, powers bool) string {
	if !powers {
		return strconv.FormatFloat(float64(digit)*math.Pow10(exponent), 'f', max(0, -exponent), 64)
	}
	return scientific(strconv.Itoa(digit), exponent)
}

// number labels a linear axis whose largest magnitude is top.
func number(value float64, decimals int, top float64) string {
	exponent := int(math.Floor(math.Log10(top)))
	if exponent > plainHigh || exponent < plainLow {
		if value == 0 {
			return "0"
		}
		digits := max(0, decimals+exponent)
		return scientific(strconv.FormatFloat(value/math.Pow10(exponent), 'f', digits, 64), exponent)
	}
	decimals = max(0, decimals)
	text := strconv.FormatFloat(value, 'f', decimals, 64)
	if strings.Trim(text, "-0.") == "" {
		return strconv.FormatFloat(0, 'f', decimals, 64) // never −0
	}
	return strings.Replace(text, "-", "−", 1)
}

// scientific writes a number with its power of ten on the line: the fonts at hand have no raised minus, nought or nine.
func scientific(mantissa string, exponent int) string {
	return strings.ReplaceAll(mantissa+"e"+strconv.Itoa(exponent), "-", "−")
}
