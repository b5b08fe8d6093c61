package plots

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
)

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

// ticks returns an axis' ticks, about as many of them labelled as wanted, and the power of ten that
// the labels leave to the axis' own.
func (s span) ticks(wanted int) (ticks []plot.Tick, power int) {
	if s.log {
		if ticks = logTicks(s.min, s.max, wanted); ticks != nil {
			return ticks, 0
		}
	}
	return linearTicks(s.min, s.max, wanted), linearPower(s.min, s.max)
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
