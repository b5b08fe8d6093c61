package claims

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"ppdp/internal/strictyaml"
)

// Parse reads a ledger. Everything wrong is reported at once, each with file:line.
func Parse(file string, data []byte) (*Ledger, error) {
	r := strictyaml.NewReader(file)
	root := r.Document(data)
	ledger := &Ledger{}
	r.Decode(root, ledger)
	if root != nil && r.Problems() == 0 {
		ledger.validate(r, root)
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	return ledger, nil
}

// The types below note where they stand, for problems that only records can show.

// UnmarshalStrict decodes a claim and notes its place.
func (c *Claim) UnmarshalStrict(r *strictyaml.Reader, n *strictyaml.Node) {
	type plain Claim
	r.Decode(n, (*plain)(c))
	c.at = Position{r.File, n.Line}
}

// UnmarshalStrict decodes a reading and notes its place.
func (c *Reading) UnmarshalStrict(r *strictyaml.Reader, n *strictyaml.Node) {
	type plain Reading
	r.Decode(n, (*plain)(c))
	c.at = Position{r.File, n.Line}
}

// UnmarshalStrict decodes a check, notes its place and checks what needs no other part of the ledger.
func (c *Check) UnmarshalStrict(r *strictyaml.Reader, n *strictyaml.Node) {
	type plain Check
	before := r.Problems()
	r.Decode(n, (*plain)(c))
	c.at = Position{r.File, n.Line}
	if r.Problems() > before {
		return
	}
	if c.Experiment == "" {
		r.Problemf(n, "no experiment, must name one")
	}
	predicates := 0
	if c.Order != nil {
		predicates++
		if c.Order.Is != "below" && c.Order.Is != "above" {
			r.Problemf(n, "order: is: %q, must be below or above", c.Order.Is)
		}
		if c.Order.Margin < 0 {
			r.Problemf(n, "order: margin: %v, must be 0 or more", c.Order.Margin)
		}
	}
	if c.Range != nil {
		predicates++
		checkBounds(r, n, "range", c.Range.Min, c.Range.Max)
	}
	if c.Near != nil {
		predicates++
		if c.Near.Tolerance < 0 {
			r.Problemf(n, "near: tolerance: %v, must be 0 or more", c.Near.Tolerance)
		}
	}
	if c.Monotone != nil {
		predicates++
		if c.Monotone.Is != "increasing" && c.Monotone.Is != "decreasing" {
			r.Problemf(n, "monotone: is: %q, must be increasing or decreasing", c.Monotone.Is)
		}
		if c.Monotone.Along == "" {
			r.Problemf(n, "monotone: no along, must name a fact such as epsilon")
		}
		if c.Monotone.Rho < 0 || c.Monotone.Rho >= 1 {
			r.Problemf(n, "monotone: rho: %v, must be from 0 to below 1", c.Monotone.Rho)
		}
	}
	if c.Growth != nil {
		predicates++
		if c.Growth.Along == "" {
			r.Problemf(n, "growth: no along, must name a fact such as n")
		}
		if orders := c.Growth.Order.Enum(); !slices.Contains(orders, string(c.Growth.Order)) {
			r.Problemf(n, "growth: order: %q, must be one of %s", string(c.Growth.Order), strings.Join(orders, ", "))
		}
		checkBounds(r, n, "growth", c.Growth.Min, c.Growth.Max)
	}
	if predicates != 1 {
		r.Problemf(n, "%d predicates, must be exactly one of order, range, near, monotone, growth", predicates)
	}
}

// checkBounds reports a predicate that binds nothing or nothing can meet.
func checkBounds(r *strictyaml.Reader, n *strictyaml.Node, predicate string, lo, hi *float64) {
	switch {
	case lo == nil && hi == nil:
		r.Problemf(n, "%s: neither min nor max, must have one", predicate)
	case lo != nil && hi != nil && *lo > *hi:
		r.Problemf(n, "%s: min %v is above max %v", predicate, *lo, *hi)
	}
}

// UnmarshalStrict decodes a side and notes its place.
func (s *Side) UnmarshalStrict(r *strictyaml.Reader, n *strictyaml.Node) {
	type plain Side
	r.Decode(n, (*plain)(s))
	s.at = Position{r.File, n.Line}
	if s.Stat != "" && s.Stat != "mean" && s.Stat != "se" {
		r.Problemf(n, "stat: %q, must be mean or se", s.Stat)
	}
}

// testName is "folder/package.TestName", with a subtest or not.
var testName = regexp.MustCompile(`^[a-z0-9/]+\.(Test|Fuzz|Example)[A-Za-z0-9_]*$`)

func (l *Ledger) validate(r *strictyaml.Reader, root *strictyaml.Node) {
	if l.Paper == "" || l.Citation == "" {
		r.Problemf(root, "paper and citation must be given")
	}
	if len(l.Claims) == 0 {
		r.Problemf(root, "no claims")
	}
	seen := make(map[string]Position)
	for i := range l.Claims {
		c := &l.Claims[i]
		n := &strictyaml.Node{Line: c.at.Line} // places problems at the claim's first line
		problem := func(format string, args ...any) { r.Problemf(n, c.ID+": "+format, args...) }
		if c.ID == "" || c.Statement == "" || len(c.Source) == 0 {
			problem("id, statement and source must be given")
		}
		if first, taken := seen[c.ID]; taken {
			problem("stands twice, first at %s", first)
		}
		seen[c.ID] = c.at
		judged := len(c.Checks) > 0 || len(c.Tests) > 0
		switch {
		case judged == (c.NotCovered != ""):
			problem("must have checks or tests, or else a reason under not-covered")
		case judged:
			expected(problem, c.Expect, c.Why)
			if c.Strict != "" && (len(c.Checks) > 0 || !slices.Contains(c.Strict.Enum(), string(c.Strict))) {
				problem("strict: %q, must be a verdict, of a claim without checks", string(c.Strict))
			}
		case c.Expect != "" || c.Why != "" || len(c.Readings) > 0:
			problem("is not covered, must not have expect, why or readings")
		}
		for _, test := range c.Tests {
			if !testName.MatchString(test) {
				problem("tests: %q, must be a folder and a test of this module such as algorithms/rps.TestName", test)
			}
		}
		for j := range c.Readings {
			reading := &c.Readings[j]
			if reading.Name == "" || len(c.Checks) == 0 {
				problem("a reading must have a name, and the claim checks")
			}
			expected(func(format string, args ...any) { problem("reading "+reading.Name+": "+format, args...) }, reading.Expect, reading.Why)
		}
	}
}

// expected checks that an expectation is a verdict and explained where it has to be.
func expected(problem func(string, ...any), v Verdict, why string) {
	switch {
	case !slices.Contains(v.Enum(), string(v)):
		problem("expect: %q, must be one of %s", string(v), strings.Join(v.Enum(), ", "))
	case v != Holds && why == "":
		problem("expect: %s, must be explained in a line under why", v)
	}
}

// bounds are the values a predicate accepts. Open bounds exclude the end itself.
type bounds struct {
	lo, hi float64 // -Inf and +Inf bind nothing
	open   bool
}

// bounds returns what the check's statistic must lie in.
func (c *Check) bounds() bounds {
	inf := math.Inf(1)
	switch {
	case c.Order != nil && c.Order.Is == "below":
		return bounds{-inf, -c.Order.Margin, true}
	case c.Order != nil:
		return bounds{c.Order.Margin, inf, true}
	case c.Range != nil:
		return closed(c.Range.Min, c.Range.Max)
	case c.Growth != nil:
		return closed(c.Growth.Min, c.Growth.Max)
	case c.Near != nil:
		return bounds{c.Near.Value - c.Near.Tolerance, c.Near.Value + c.Near.Tolerance, false}
	case c.Monotone.Is == "increasing":
		return bounds{c.Monotone.Rho, inf, true}
	default:
		return bounds{-inf, -c.Monotone.Rho, true}
	}
}

// closed are bounds that include their ends.
func closed(lo, hi *float64) bounds {
	b := bounds{math.Inf(-1), math.Inf(1), false}
	if lo != nil {
		b.lo = *lo
	}
	if hi != nil {
		b.hi = *hi
	}
	return b
}

// sides lists every side of a check, with those inside others.
func (c *Check) sides() []*Side {
	switch {
	case c.Order != nil:
		return append(c.Order.Left.all(), c.Order.Right.all()...)
	case c.Range != nil:
		return c.Range.Of.all()
	case c.Near != nil:
		return c.Near.Of.all()
	case c.Monotone != nil:
		return c.Monotone.Of.all()
	case c.Growth != nil:
		return c.Growth.Of.all()
	}
	return nil
}

// all lists a side and those inside it.
func (s *Side) all() []*Side {
	if s == nil {
		return nil
	}
	return append(append([]*Side{s}, s.Minus.all()...), s.Per.all()...)
}

// with returns the check with a reading's sides in place of its own.
func (c *Check) with(reading *Reading) *Check {
	changed := *c
	minus := func(of *Side) {
		if reading.Minus != nil && of.Minus != nil {
			of.Minus = reading.Minus
		}
	}
	switch {
	case c.Order != nil:
		order := *c.Order
		if reading.Left != nil {
			order.Left = *reading.Left
		}
		if reading.Right != nil {
			order.Right = *reading.Right
		}
		changed.Order = &order
	case c.Range != nil:
		within := *c.Range
		minus(&within.Of)
		changed.Range = &within
	case c.Near != nil:
		near := *c.Near
		minus(&near.Of)
		changed.Near = &near
	case c.Monotone != nil:
		monotone := *c.Monotone
		minus(&monotone.Of)
		changed.Monotone = &monotone
	case c.Growth != nil:
		growth := *c.Growth
		minus(&growth.Of)
		changed.Growth = &growth
	}
	return &changed
}
