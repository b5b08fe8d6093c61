// Package verify judges generalised tables: is a release k-anonymous, for which k, does every
// record lie where the release says, and what became of suppressed rows. It is written against the
// definition of k-anonymity alone. It trusts nothing that a release says of itself, shares no code
// with the algorithms or with the metrics, and compares records one by one where those count and
// descend trees.
//
// It leaves out how useful a release is, and privacy beyond k-anonymity. Releases under
// differential privacy do not say which row is where and cannot be judged here.
package verify

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"ppdp/algorithms"
	"ppdp/datasets"
)

// Suppression says what became of the rows that a release suppresses.
type Suppression string

const (
	// NoSuppression: every row is in a region.
	NoSuppression Suppression = "none"
	// LeftOut rows are in no region and in no count. They do not touch k.
	LeftOut Suppression = "left out"
	// AsClass rows are published with every quasi-identifier generalised to its whole domain,
	// beside regions that are not: one more equivalence class, which has to have k records as any
	// other. Relaxed partitions, whose regions overlap, may hold such a class without having
	// suppressed anything.
	AsClass Suppression = "as a class"
	// Counted rows are listed as suppressed and are in a region's counts all the same. Such a
	// release is wrong, and its classes look larger than they are.
	Counted Suppression = "counted"
)

// Report is what was found out about a release.
type Report struct {
	// Rows went into the release; Suppressed of them were suppressed, in the way that Suppression
	// says.
	Rows, Suppressed int
	Suppression      Suppression
	// Classes is the number of equivalence classes: sets of released records whose published ranges
	// are all alike.
	Classes int
	// K is the size of the smallest class: the largest k for which the release is k-anonymous. 0
	// when no record is released.
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

// Regions judges a release of the given rows of a table. The error is for releases that cannot be
// judged: rows are not assigned to regions, or slices do not fit together.
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
	v.statistics()
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
	place    [][]uint32 // of each code on each dimension
	left     []bool     // suppressed, by position
	report   Report
	reported map[string]int
}

// problem notes a contradiction, the first few of each kind.
func (v *verifier) problem(kind, format string, args ...any) {
	if v.reported[kind]++; v.reported[kind] <= most {
		v.report.Problems = append(v.report.Problems, fmt.Errorf(format, args...))
	}
}

func (v *verifier) name(dim int) string {
	return v.table.Schema().Attributes[v.released.Attributes[dim]].Name
}

// places finds where each code lies along each dimension. Along an axis that is the place of its
// leaf in a depth-first walk of the taxonomy, which the axis itself is checked against.
func (v *verifier) places() {
	v.place = make([][]uint32, v.dims)
	for d, attribute := range v.released.Attributes {
		a := &v.table.Schema().Attributes[attribute]
		place := make([]uint32, a.Cells())
		for code := range place {
			place[code] = uint32(code)
		}
		if v.released.Axes != nil && v.released.Axes[d] != nil {
			for rank, leaf := range v.released.Axes[d].Taxonomy.Leaves() {
				if code := slices.Index(a.Values, leaf); code >= 0 {
					place[code] = uint32(rank)
				} else {
					v.problem("axis", "%s: the taxonomy's leaf %q is no value", a.Name, leaf)
				}
			}
			if !slices.Equal(place, v.released.Axes[d].Rank) {
				v.problem("axis", "%s: ranks %v, its taxonomy says %v",
					a.Name, v.released.Axes[d].Rank, place)
			}
		}
		v.place[d] = place
	}
}

// suppression reads which positions are suppressed.
func (v *verifier) suppression() {
	v.left = make([]bool, len(v.rows))
	v.report.Suppression = NoSuppression
	for _, at := range v.released.Suppressed {
		switch {
		case at < 0 || int(at) >= len(v.rows):
			v.problem("suppressed", "position %d of %d is suppressed", at, len(v.rows))
			continue
		case v.left[at]:
			v.problem("suppressed", "position %d is suppressed twice", at)
			continue
		}
		v.left[at] = true
		v.report.Suppressed++
		v.report.Suppression = LeftOut
	}
}

// membership holds every record against its region and the counts against the records.
func (v *verifier) membership() {
	r := v.released
	class := v.table.Schema().Class()
	counts := make([]float64, len(r.Counts))
	for at, row := range v.rows {
		region := int(r.Assignment[at])
		if v.left[at] {
			if region != -1 {
				v.problem("suppressed in a region", "row %d is suppressed and in region %d",
					row, region)
				v.report.Suppression = Counted
			}
			continue
		}
		if region < 0 || region >= r.Len() {
			v.problem("no region", "row %d is in region %d of %d", row, region, r.Len())
			continue
		}
		for d, attribute := range r.Attributes {
			code := v.table.Column(attribute).At(row)
			place, i := v.place[d][code], region*v.dims+d
			a := &v.table.Schema().Attributes[attribute]
			if low, high := r.Interval(region, d); place < low || place >= high {
				v.problem("outside", "row %d: %s %s lies outside its region %d, [%d, %d)",
					row, v.name(d), a.Text(code), region, low, high)
			} else if r.TightLow != nil && (place < r.TightLow[i] || place >= r.TightHigh[i]) {
				v.problem("outside", "row %d: %s %s lies outside the range of region %d, [%d, %d)",
					row, v.name(d), a.Text(code), region, r.TightLow[i], r.TightHigh[i])
			}
		}
		label := 0
		if class >= 0 {
			label = int(v.table.Column(class).At(row))
		}
		counts[region*r.Classes+label]++
	}
	claimed, released := 0.0, 0.0
	for i, n := range counts {
		claimed += r.Counts[i]
		released += n
		if r.Counts[i] != n {
			v.problem("counts", "region %d counts %v records of class %d, it has %v",
				i/r.Classes, r.Counts[i], i%r.Classes, n)
		}
	}
	if v.report.Suppressed > 0 && claimed > released {
		v.report.Suppression = Counted
	}
}

// classes gathers records whose published values are alike. The published values are spelled out,
// so that two regions that say the same are one class, as they are to a reader of the table.
func (v *verifier) classes() {
	r := v.released
	sizes := make(map[string]int)
	var order []string
	texts := make([]string, r.Len())
	whole := make([]bool, r.Len())
	wholes, regions := 0, 0
	var b strings.Builder
	for at := range v.rows {
		region := int(r.Assignment[at])
		if v.left[at] || region < 0 || region >= r.Len() {
			continue
		}
		if texts[region] == "" {
			b.Reset()
			whole[region] = v.dims > 0
			for d := range v.dims {
				low, high := r.Interval(region, d)
				if r.TightLow != nil {
					i := region*v.dims + d
					low, high = r.TightLow[i], r.TightHigh[i]
				}
				b.WriteString(strconv.FormatUint(uint64(low), 10) + "-" +
					strconv.FormatUint(uint64(high), 10) + ",")
				whole[region] = whole[region] && low == 0 && int(high) == len(v.place[d])
			}
			texts[region] = b.String() + "."
			regions++
			if whole[region] {
				wholes++
			}
		}
		if sizes[texts[region]] == 0 {
			order = append(order, texts[region])
		}
		sizes[texts[region]]++
		if whole[region] && v.report.Suppression == NoSuppression {
			v.report.Suppressed++
		}
	}
	if v.report.Suppression == NoSuppression {
		if wholes > 0 && regions > wholes {
			v.report.Suppression = AsClass
		} else {
			v.report.Suppressed = 0 // one class of everything is a release, not suppression
		}
	}
	v.report.Classes = len(order)
	for i, text := range order {
		if n := sizes[text]; i == 0 || n < v.report.K {
			v.report.K = n
		}
	}
}

func (v *verifier) statistics() {
	r := v.released
	if r.Means == nil {
		return
	}
	sums, sizes := make([]float64, len(r.Means)), make([]float64, r.Len())
	for at, row := range v.rows {
		region := int(r.Assignment[at])
		if v.left[at] || region < 0 || region >= r.Len() {
			continue
		}
		sizes[region]++
		for d, attribute := range r.Attributes {
			if v.table.Schema().Attributes[attribute].Kind == datasets.Numeric {
				sums[region*v.dims+d] += v.table.Number(row, attribute)
			}
		}
	}
	for i, claimed := range r.Means {
		region, a := i/v.dims, &v.table.Schema().Attributes[r.Attributes[i%v.dims]]
		if a.Kind != datasets.Numeric || sizes[region] == 0 {
			continue
		}
		is := sums[i] / sizes[region]
		if !(math.Abs(claimed-is) <= relative*(math.Abs(is)+math.Abs(a.High-a.Low))) {
			v.problem("means", "region %d: mean %s %v, the records' is %v",
				region, a.Name, claimed, is)
		}
	}
}
