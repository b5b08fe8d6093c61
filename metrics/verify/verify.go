// Package verify checks generalised tables. Given a table, the rows that were released and the
// regions of the release, it answers: what is the largest k for which the release is k-anonymous,
// does every record lie where the release says, and are counts and means those of the records?
//
// It is written against the definition of k-anonymity alone. It relies on nothing that a release
// says of itself, shares no code with the algorithms or with the metrics, and compares records one
// by one where those count and descend trees.
//
// It leaves out how useful a release is, and privacy beyond k-anonymity. Releases under
// differential privacy do not say which row is where: they cannot be checked here.
package verify

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"ppdp/algorithms"
	"ppdp/datasets"
)

// Report is what was found out about a release.
type Report struct {
	// Rows is how many rows went into the release, Suppressed how many of them it says it left out.
	// A suppressed row is in no region and in no count, and does not count for K. Rows that are
	// published with their whole domains in place of values are a class like any other.
	Rows, Suppressed int
	// Classes is the number of equivalence classes: sets of released records whose published ranges
	// are all alike.
	Classes int
	// K is the size of the smallest class: the largest k for which the release is k-anonymous. It
	// counts persons where the schema limits their records. 0 when no record is released.
	K int
	// Problems are contradictions between the release and the table, at most a few of a kind.
	// A release with problems is not what it says, whatever its K.
	Problems []error
}

// Err joins the problems.
func (r *Report) Err() error { return errors.Join(r.Problems...) }

// most is how many problems of a kind are reported.
const most = 5

// relative is the error that a mean may carry: its sum was rounded once a record, 10⁷ times at
// most.
const relative = 1e-9

// Regions checks a release of the given rows of a table. The error is for releases that cannot be
// checked: rows are not assigned to regions, or slices do not fit together.
func Regions(table *datasets.Table, rows []int32, released *algorithms.Regions) (*Report, error) {
	if err := fits(table, rows, released); err != nil {
		return nil, err
	}
	v := &verifier{table: table, rows: rows, released: released, dims: len(released.Attributes),
		reported: make(map[string]int)}
	v.report.Rows = len(rows)
	v.places()
	v.suppression()
	v.membership()
	v.classes()
	return &v.report, nil
}

// fits checks what would make the checks themselves fail.
func fits(table *datasets.Table, rows []int32, r *algorithms.Regions) error {
	n, d := r.Len(), len(r.Attributes)
	switch {
	case r.Assignment == nil && len(rows) > 0:
		return errors.New("verify: the release does not assign rows to regions")
	case len(r.Assignment) != len(rows):
		return fmt.Errorf("verify: %d rows are assigned to regions, must be %d",
			len(r.Assignment), len(rows))
	case r.Classes < 1 || r.Classes != table.Schema().Classes():
		return fmt.Errorf("verify: %d classes, must be the %d of the table",
			r.Classes, table.Schema().Classes())
	case r.Sides == nil && len(r.Low) != n*d, len(r.Sides)%max(1, d) != 0,
		len(r.High) != len(r.Low), len(r.Counts) != n*r.Classes:
		return fmt.Errorf("verify: %d regions of %d dimensions with %d and %d ends and %d counts",
			n, d, len(r.Low), len(r.High), len(r.Counts))
	case len(r.TightLow) != len(r.TightHigh) || r.TightLow != nil && len(r.TightLow) != n*d:
		return fmt.Errorf("verify: %d and %d ends of tight ranges, must be %d",
			len(r.TightLow), len(r.TightHigh), n*d)
	case r.Means != nil && len(r.Means) != n*d:
		return fmt.Errorf("verify: %d means, must be %d", len(r.Means), n*d)
	case r.Axes != nil && len(r.Axes) != d:
		return fmt.Errorf("verify: %d axes of %d dimensions", len(r.Axes), d)
	}
	for _, side := range r.Sides {
		if int(side) >= len(r.Low) {
			return fmt.Errorf("verify: side %d of %d", side, len(r.Low))
		}
	}
	for _, attribute := range r.Attributes {
		if attribute < 0 || attribute >= len(table.Schema().Attributes) {
			return fmt.Errorf("verify: a dimension is attribute %d of %d",
				attribute, len(table.Schema().Attributes))
		}
	}
	return nil
}

type verifier struct {
	table    *datasets.Table
	rows     []int32
	released *algorithms.Regions
	dims     int
	place    [][]uint32 // of each code on each dimension, nil without an axis
	left     []bool     // suppressed, by position
	region   []int      // by position; -1 for those suppressed and those in no region
	report   Report
	reported map[string]int
}

// problem notes a contradiction, the first few of each kind.
func (v *verifier) problem(kind, format string, args ...any) {
	if v.reported[kind]++; v.reported[kind] <= most {
		v.report.Problems = append(v.report.Problems, fmt.Errorf(format, args...))
	}
}

// places finds where each code lies along each axis: at the place of its leaf in a depth-first walk
// of the taxonomy, which the axis itself is checked against. Without an axis a code is its place.
func (v *verifier) places() {
	v.place = make([][]uint32, v.dims)
	for d, axis := range v.released.Axes {
		if axis == nil {
			continue
		}
		a := &v.table.Schema().Attributes[v.released.Attributes[d]]
		place := make([]uint32, a.Cells())
		for code := range place {
			place[code] = uint32(code)
		}
		for rank, leaf := range axis.Taxonomy.Leaves() {
			if code := slices.Index(a.Values, leaf); code >= 0 {
				place[code] = uint32(rank)
			} else {
				v.problem("axis", "%s: the taxonomy's leaf %q is no value", a.Name, leaf)
			}
		}
		if !slices.Equal(place, axis.Rank) {
			v.problem("axis", "%s: ranks %v, its taxonomy says %v", a.Name, axis.Rank, place)
		}
		v.place[d] = place
	}
}

// suppression reads which positions are suppressed.
func (v *verifier) suppression() {
	v.left = make([]bool, len(v.rows))
	for _, at := range v.released.Suppressed {
		switch {
		case at < 0 || int(at) >= len(v.rows):
			v.problem("suppressed", "position %d of %d is suppressed", at, len(v.rows))
		case v.left[at]:
			v.problem("suppressed", "position %d is suppressed twice", at)
		default:
			v.left[at] = true
			v.report.Suppressed++
		}
	}
}

// membership compares every record with its region, and the counts and the means of numeric
// attributes with those of the records.
func (v *verifier) membership() {
	r := v.released
	class := v.table.Schema().Class()
	counts := make([]float64, len(r.Counts))
	sums, sizes := make([]float64, len(r.Means)), make([]float64, len(r.Means))
	v.region = make([]int, len(v.rows))
	for at, row := range v.rows {
		region := int(r.Assignment[at])
		v.region[at] = -1
		if v.left[at] {
			if region != -1 {
				v.problem("suppressed in a region", "row %d is suppressed and in region %d",
					row, region)
			}
			continue
		}
		if region < 0 || region >= r.Len() {
			v.problem("no region", "row %d is in region %d of %d", row, region, r.Len())
			continue
		}
		v.region[at] = region
		for d, attribute := range r.Attributes {
			code := v.table.Column(attribute).At(row)
			place, i := code, region*v.dims+d
			if v.place[d] != nil {
				place = v.place[d][code]
			}
			a := &v.table.Schema().Attributes[attribute]
			if low, high := r.Interval(region, d); place < low || place >= high {
				v.problem("outside", "row %d: %s %s lies outside its region %d, [%d, %d)",
					row, a.Name, a.Named(code), region, low, high)
			} else if r.TightLow != nil && (place < r.TightLow[i] || place >= r.TightHigh[i]) {
				v.problem("outside", "row %d: %s %s lies outside the range of region %d, [%d, %d)",
					row, a.Name, a.Named(code), region, r.TightLow[i], r.TightHigh[i])
			}
			if r.Means != nil && a.Kind == datasets.Numeric {
				if number := v.table.Number(row, attribute); number == number { // not missing
					sums[i] += number
					sizes[i]++
				}
			}
		}
		label := 0
		if class >= 0 {
			label = int(v.table.Column(class).At(row))
		}
		counts[region*r.Classes+label]++
	}
	for i, n := range counts {
		if r.Counts[i] != n {
			v.problem("counts", "region %d counts %v records of class %d, it has %v",
				i/r.Classes, r.Counts[i], i%r.Classes, n)
		}
	}
	for i, claimed := range r.Means {
		a, is := &v.table.Schema().Attributes[r.Attributes[i%v.dims]], sums[i]/sizes[i]
		if sizes[i] > 0 &&
			!(math.Abs(claimed-is) <= relative*(math.Abs(is)+math.Abs(a.High-a.Low))) {
			v.problem("means", "region %d: mean %s %v, the records' is %v",
				i/v.dims, a.Name, claimed, is)
		}
	}
}

// classes gathers records whose published values are alike. The published values are spelled out,
// so that two regions that say the same are one class, as they are to a reader of the table.
func (v *verifier) classes() {
	r := v.released
	sizes, met := make(map[string]int), make(map[string]bool)
	texts := make([]string, r.Len())
	for at, region := range v.region {
		if region < 0 {
			continue
		}
		if texts[region] == "" {
			var b strings.Builder
			for d := range v.dims {
				low, high := r.Interval(region, d)
				if r.TightLow != nil {
					i := region*v.dims + d
					low, high = r.TightLow[i], r.TightHigh[i]
				}
				fmt.Fprintf(&b, "%d-%d,", low, high)
			}
			texts[region] = b.String() + "."
		}
		class := texts[region]
		if v.table.Schema().Contributions > 1 { // a person counts once
			key := fmt.Sprint(class, v.table.Person(v.rows[at]))
			if met[key] {
				continue
			}
			met[key] = true
		}
		sizes[class]++
	}
	v.report.Classes = len(sizes)
	for _, n := range sizes { // order-free: the least of all
		if v.report.K == 0 || n < v.report.K {
			v.report.K = n
		}
	}
}
