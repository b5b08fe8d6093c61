package csvtable

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"ppdp/datasets"
)

// Group is a generalised value: the codes it stands for, as intervals that ascend and do not meet.
type Group []datasets.Span

// Holds reports whether a value may be generalised to the group.
func (g Group) Holds(code uint32) bool {
	return slices.ContainsFunc(g, func(s datasets.Span) bool {
		return code >= s.Low && code < s.High
	})
}

// Size is how many codes the group holds.
func (g Group) Size() (n int) {
	for _, s := range g {
		n += int(s.High - s.Low)
	}
	return n
}

// At is the i-th of the group's codes.
func (g Group) At(i int) uint32 {
	for _, s := range g {
		if n := int(s.High - s.Low); i < n {
			return s.Low + uint32(i)
		} else {
			i -= n
		}
	}
	panic("beyond the group")
}

// groupOf is the group of the codes that a function holds of.
func groupOf(cells int, holds func(code uint32) bool) (g Group) {
	for code := range uint32(cells) {
		last := len(g) - 1
		switch {
		case !holds(code):
		case last >= 0 && g[last].High == code:
			g[last].High++
		default:
			g = append(g, datasets.Span{Low: code, High: code + 1})
		}
	}
	return g
}

// ParseGroup reads a generalised value: what GroupText writes, or the name of a node of the
// taxonomy. A text may be a value and a broader term of the same name: it then stands for both.
func ParseGroup(a *datasets.Attribute, text string) (g Group, err error) {
	if code, err := a.TextCode(text); err == nil {
		g = Group{{Low: code, High: code + 1}}
	} else if numbers, ok := withMissing(a, text); ok {
		if g, err = ParseGroup(a, numbers); err != nil {
			return nil, err
		}
		if missing := a.MissingCode(); g[0].High == missing {
			g[0].High++
		} else {
			g = append(g, datasets.Span{Low: missing, High: missing + 1})
		}
	} else if a.Kind == datasets.Numeric {
		span, err := parseInterval(a, text)
		if err != nil {
			return nil, err
		}
		g = Group{span}
	} else if span, ok := parseList(a.Values, text); ok {
		g = Group{span}
	}
	if axis := a.Axis(); axis != nil {
		for node := range axis.Taxonomy.Nodes {
			n := &axis.Taxonomy.Nodes[node]
			if n.Name == text && len(n.Children) > 0 {
				narrow := g
				g = groupOf(a.Cells(), func(code uint32) bool {
					rank := axis.Rank[code]
					return narrow.Holds(code) || rank >= axis.Low[node] && rank < axis.High[node]
				})
			}
		}
	}
	if g == nil {
		return nil, fmt.Errorf("%s: %q is neither a value, a list of neighbouring values nor a "+
			"term of the taxonomy", a.Name, text)
	}
	return g, nil
}

// withMissing cuts "[20, 30) or ?" before what stands for a missing number.
func withMissing(a *datasets.Attribute, text string) (numbers string, ok bool) {
	if a.Kind != datasets.Numeric || a.Missing == nil {
		return "", false
	}
	return strings.CutSuffix(text, orMissing+*a.Missing)
}

// parseInterval reads "[20, 30)".
func parseInterval(a *datasets.Attribute, text string) (span datasets.Span, err error) {
	inner, opened := strings.CutPrefix(text, "[")
	inner, closed := strings.CutSuffix(inner, ")")
	from, to, both := strings.Cut(inner, ", ")
	low, isLow := a.ParseNumber(from)
	high, isHigh := a.ParseNumber(to)
	if !opened || !closed || !both || !isLow || !isHigh || !(low < high) {
		return span, fmt.Errorf("%s: %q is neither a number nor an interval [low, high)", a.Name,
			text)
	}
	edge := func(x float64) (uint32, error) {
		code, err := a.NumberCode(x)
		if at := (x - a.Low) / a.Step; err == nil && math.Abs(at-math.Round(at)) < 1e-6 {
			code = uint32(math.Round(at)) // of 0.3 in steps of 0.1, which is 2.9999999999999996
		}
		return code, err
	}
	if span.Low, err = edge(low); err != nil {
		return span, err
	}
	if span.High = uint32(a.Numbers()); high != a.High {
		span.High, err = edge(high)
	}
	if err == nil && span.Low >= span.High {
		err = fmt.Errorf("%s: %q is less than a cell of the attribute's domain", a.Name, text)
	}
	return span, err
}

// parseList reads "{admin, services}", values that follow each other in the schema.
func parseList(values []string, text string) (span datasets.Span, ok bool) {
	for low := range values {
		rest, begins := strings.CutPrefix(text, "{"+values[low])
		for high := low + 1; begins; high++ {
			if rest == "}" {
				return datasets.Span{Low: uint32(low), High: uint32(high)}, true
			}
			if high == len(values) {
				break
			}
			rest, begins = strings.CutPrefix(rest, ", "+values[high])
		}
	}
	return span, false
}

const (
	numberPattern = `([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)`
	spacePattern  = `\s*`
)

var (
	rangePattern = regexp.MustCompile(`^([\[\]()]?)` + spacePattern + numberPattern + spacePattern +
		`(?:,|;|-|–|\.\.|\bto\b)` + spacePattern + numberPattern + spacePattern + `([\[\]()]?)$`)
	belowPattern = regexp.MustCompile(`^(<=|≤|<)` + spacePattern + numberPattern + `$`)
	abovePattern = regexp.MustCompile(`^(>=|≥|>)` + spacePattern + numberPattern + `$`)
	morePattern  = regexp.MustCompile(`^` + numberPattern + spacePattern + `\+$`)
)

// ParsePublished reads a value of a table that any program may have published: what ParseGroup
// reads, with white space around it, numbers with a decimal comma, "*" for any value, sets of
// values such as "{a, c}", and ranges in the usual spellings, which may reach beyond the domain:
// "[20, 30)", "[20-30[", "(20, 30]", "20-29", "<20", "≥ 60", "60+". Without brackets both ends
// belong to a range.
func ParsePublished(a *datasets.Attribute, text string) (Group, error) {
	g, err := ParseGroup(a, text)
	if err == nil {
		return g, nil
	}
	if text = strings.TrimSpace(text); text == "*" {
		return Group{{Low: 0, High: uint32(a.Cells())}}, nil
	}
	if again, err := ParseGroup(a, text); err == nil {
		return again, nil
	}
	if a.Kind == datasets.Categorical {
		if g = parseSet(a.Values, text); g != nil {
			return g, nil
		}
		return nil, err
	}
	if number, ok := decimal(text, true); ok && a.Clock == "" {
		if code, err := a.NumberCode(number); err == nil {
			return Group{{Low: code, High: code + 1}}, nil
		}
		return nil, err
	}
	span, ok := parseRange(a, text)
	if !ok {
		return nil, err
	}
	return Group{span}, nil
}

// parseSet reads "{a, c}", values in any order; nil for anything else.
func parseSet(values []string, text string) Group {
	inner, opened := strings.CutPrefix(text, "{")
	inner, closed := strings.CutSuffix(inner, "}")
	if !opened || !closed {
		return nil
	}
	held := make(map[uint32]bool)
	for word := range strings.SplitSeq(inner, ",") {
		code := slices.Index(values, strings.TrimSpace(word))
		if code < 0 {
			return nil
		}
		held[uint32(code)] = true
	}
	return groupOf(len(values), func(code uint32) bool { return held[code] })
}

// parseRange reads a range of numbers as far as it lies within the domain.
func parseRange(a *datasets.Attribute, text string) (span datasets.Span, ok bool) {
	from, to := math.Inf(-1), math.Inf(1)
	without, upTo := false, true // the lower end, and with the upper one
	number := func(text string) float64 {
		x, known := datasets.Decimal(text)
		ok = ok && known
		return x
	}
	ok = a.Clock == ""
	if m := rangePattern.FindStringSubmatch(text); m != nil {
		from, to = number(m[2]), number(m[3])
		without = m[1] == "(" || m[1] == "]"
		upTo = m[4] == "" || m[4] == "]"
		ok = ok && (m[1] == "") == (m[4] == "")
	} else if m := belowPattern.FindStringSubmatch(text); m != nil {
		to, upTo = number(m[2]), m[1] != "<"
	} else if m := abovePattern.FindStringSubmatch(text); m != nil {
		from, without = number(m[2]), m[1] == ">"
	} else if m := morePattern.FindStringSubmatch(text); m != nil {
		from = number(m[1])
	} else {
		return span, false
	}
	if !ok || from > to {
		return span, false
	}
	// The first cell from a number on or, without the number's own, the first one above it.
	cell := func(x float64, above bool) uint32 {
		at := (x - a.Low) / a.Step
		if near := math.Round(at); math.Abs(at-near) < 1e-6 {
			at = near
			if above && !a.Continuous {
				at++
			}
		}
		if a.Continuous && !above { // the cell that holds it
			at = math.Floor(at)
		}
		return uint32(math.Ceil(max(0, min(at, float64(a.Numbers())))))
	}
	span.Low, span.High = cell(from, without && !a.Continuous), cell(to, upTo || a.Continuous)
	return span, span.Low < span.High
}
