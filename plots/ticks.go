package plots

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// linearTicks are those of a linear axis from lo to hi with about the wanted number of labels:
// multiples of 1, 2, 2.5 or 5 times a power of ten, as many as come closest to the wanted number
// without exceeding it by more than one. All labels are divided by a power of ten, which is in the
// axis' own label, where they would be long.
func linearTicks(lo, hi float64, wanted int) (ticks []plot.Tick, power int) {
	step, decimals := linearStep(lo, hi, wanted)
	power = int(math.Floor(math.Log10(math.Max(math.Abs(lo), math.Abs(hi)))))
	if plainLow <= power && power <= plainHigh {
		power = 0
	}
	first, last := math.Ceil(lo/step-tickSlack), math.Floor(hi/step+tickSlack)
	for i := first; i <= last; i++ {
		value := i * step
		label := number(value/math.Pow10(power), decimals+power)
		ticks = append(ticks, plot.Tick{Value: value, Label: label})
	}
	return ticks, power
}

// tickSlack lets a tick that rounding puts a hair outside the range still count, as a share of the
// step.
const tickSlack = 1e-9

// linearStep returns the distance between ticks and the decimals their labels need, fewer than 0
// where they end in zeros.
func linearStep(lo, hi float64, wanted int) (step float64, decimals int) {
	best := math.Inf(1)
	exponent := int(math.Floor(math.Log10((hi - lo) / float64(wanted))))
	for e := exponent - 1; e <= exponent+1; e++ {
		for _, m := range []struct {
			mantissa float64
			digits   int // beyond the power of ten's own
		}{{1, 0}, {2, 0}, {2.5, 1}, {5, 0}} {
			s := m.mantissa * math.Pow10(e)
			n := math.Floor(hi/s+tickSlack) - math.Ceil(lo/s-tickSlack) + 1
			distance := math.Abs(n - float64(wanted))
			if n > float64(wanted)+1 {
				continue
			}
			if distance < best {
				best, step, decimals = distance, s, m.digits-e
			}
		}
	}
	return step, decimals
}

// logTicks are those of a logarithmic axis. They label decades, and within less than two of them
// also 2 and 5, then every digit. Unlabelled ticks mark the other digits. The result is nil where
// the range is too narrow for three labels: the axis then has linear ticks.
func logTicks(lo, hi float64, wanted int) []plot.Tick {
	if !(lo > 0) || !(hi > lo) {
		return nil
	}
	for _, digits := range [][]int{{1}, {1, 2, 5}, {1, 2, 3, 4, 5, 6, 7, 8, 9}} {
		if ticks, labels := decades(lo, hi, wanted, digits); labels >= 3 {
			return ticks
		}
	}
	return nil
}

// decades ticks every digit of every decade and labels some.
func decades(lo, hi float64, wanted int, labelled []int) (ticks []plot.Tick, labels int) {
	first, last := int(math.Floor(math.Log10(lo))), int(math.Ceil(math.Log10(hi)))
	// Over many decades only every second, third, ... one is labelled.
	every := 1 + (last-first)/(wanted+1)
	// One way of writing for the whole axis.
	powers := lo < math.Pow10(plainLow) || hi >= math.Pow10(plainHigh+1)
	for e := first; e <= last; e++ {
		for digit := 1; digit <= 9; digit++ {
			value := float64(digit) * math.Pow10(e)
			if value < lo*(1-tickSlack) || value > hi*(1+tickSlack) {
				continue
			}
			tick := plot.Tick{Value: value}
			if slices.Contains(labelled, digit) && (digit != 1 || e%every == 0) {
				tick.Label = logLabel(digit, e, powers)
				labels++
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
	return scientific(digit, exponent)
}

// number is a tick's label on a linear axis; power is divided out already.
func number(value float64, decimals int) string {
	decimals = max(0, decimals)
	text := strconv.FormatFloat(value, 'f', decimals, 64)
	if strings.Trim(text, "-0.") == "" {
		return strconv.FormatFloat(0, 'f', decimals, 64) // never −0
	}
	return strings.Replace(text, "-", "−", 1)
}

// scientific writes a digit with its power of ten: the fonts have no superscript minus, zero or
// nine.
func scientific(digit, exponent int) string {
	return strings.Replace(fmt.Sprintf("%de%d", digit, exponent), "-", "−", 1)
}

// span is an axis' range, in the units of what it shows. A log axis has no place for 0 and below.
type span struct {
	min, max float64
	log      bool
}

func emptySpan(log bool) span { return span{math.Inf(1), math.Inf(-1), log} }

// add widens the range to the values that have a place on the axis.
func (s *span) add(values ...float64) {
	for _, v := range values {
		if !math.IsNaN(v) && !math.IsInf(v, 0) && !s.unplaceable(v) {
			s.min, s.max = math.Min(s.min, v), math.Max(s.max, v)
		}
	}
}

func (s span) empty() bool { return s.min > s.max }

// contains is false for NaN.
func (s span) contains(v float64) bool { return v >= s.min && v <= s.max }

// unplaceable reports whether a log axis has no place for the value, whatever its limits.
func (s span) unplaceable(v float64) bool { return s.log && v <= 0 }

// position is a value's place along the axis, 0 to 1 within its range.
func (s span) position(v float64) float64 {
	if s.log {
		return math.Log(v/s.min) / math.Log(s.max/s.min)
	}
	return (v - s.min) / (s.max - s.min)
}

// padded widens the range by a share on each side, so that no marker lies on the frame.
func (s span) padded(share float64) span {
	if s.log {
		if s.min == s.max {
			return span{s.min / 2, s.max * 2, true}
		}
		factor := math.Pow(s.max/s.min, share)
		return span{s.min / factor, s.max * factor, true}
	}
	room := float64((s.max - s.min) * share)
	if s.min == s.max {
		room = math.Max(math.Abs(s.min)*0.1, 1e-3)
	}
	return span{s.min - room, s.max + room, false}
}

// limited replaces the range by fixed limits, where there are any.
func (s span) limited(limits []float64) span {
	if limits != nil {
		s.min, s.max = limits[0], limits[1]
	}
	return s
}

// ticks returns an axis' ticks at their positions on it, 0 to 1, about as many of them labelled as
// wanted, and the power of ten that the labels leave to the axis' own.
func (s span) ticks(wanted int) (ticks []plot.Tick, power int) {
	if s.log {
		ticks = logTicks(s.min, s.max, wanted)
	}
	if ticks == nil {
		ticks, power = linearTicks(s.min, s.max, wanted)
	}
	for i := range ticks {
		ticks[i].Value = s.position(ticks[i].Value)
	}
	return ticks, power
}

// leastFilled is the least part of a common axis that each figure's own range must fill.
const leastFilled = 0.5

// heights is equal for charts whose heights may be compared, as far as their ranges allow.
func (c *chart) heights() string {
	if c.isMap || c.figure.YLim != nil {
		return "only " + c.figure.Name
	}
	return c.figure.Y + " " + c.figure.YScale + " " + c.figure.Axis
}

// shareRange gives charts one range of y, so that heights can be compared between them. A chart
// that would fill too little of it shares with others like it, or with none.
func shareRange(charts []*chart) {
	for len(charts) > 0 {
		rest, n, all := []*chart(nil), -1, charts[0].y
		for n != len(charts) { // the range of those left may be smaller
			n = len(charts)
			if n == 0 {
				return
			}
			all = charts[0].y
			for _, c := range charts {
				all.add(c.y.min, c.y.max)
			}
			charts = slices.DeleteFunc(slices.Clone(charts), func(c *chart) bool {
				few := all.position(c.y.max)-all.position(c.y.min) < leastFilled
				if few {
					rest = append(rest, c)
				}
				return few
			})
		}
		for _, c := range charts {
			c.y = all
		}
		charts = rest
	}
}
