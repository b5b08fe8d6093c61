package algorithms

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"

	"ppdp/datasets"
)

// CheckRelease reports what is wrong with the form of a release of the input: products promised
// but missing, records in another schema than the input's, values outside their domains, counts
// that are negative or infinite, boxes, trees, assignments and degrees that do not fit. It reads
// everything once; records that are not drawn yet are checked when they are drawn. Where there are
// more than sampledRegions regions, which can cost more to read than to make, it checks that many,
// evenly spread; Regions.Validate checks all. It does not judge how good the release is.
func CheckRelease(info *Info, in Input, r *Release) error {
	var errs []error
	for _, p := range []struct {
		product Product
		present bool
	}{
		{RecordsProduct, r.Table != nil || r.Lazy != nil},
		{RegionsProduct, r.Regions != nil},
		{MembershipProduct, r.Regions != nil && r.Regions.Assignment != nil},
		{DegreesProduct, r.Degrees != nil},
	} {
		if info.Can(p.product) != p.present {
			errs = append(errs, fmt.Errorf("product %s: released %t, must be %t", p.product,
				p.present, !p.present))
		}
	}
	if r.Table != nil {
		errs = append(errs, checkTable(in.Table.Schema(), r.Table))
		if r.Weights != nil && len(r.Weights) != r.Table.Len() {
			errs = append(errs, fmt.Errorf("%d weights for %d records", len(r.Weights),
				r.Table.Len()))
		}
		errs = append(errs, checkCounts("weight", r.Weights))
	}
	if r.Lazy != nil {
		r.Lazy.check(in.Table.Schema())
	}
	if r.Regions != nil {
		errs = append(errs, r.Regions.validate(in.Table.Schema(), len(in.Rows), sampledRegions))
	}
	if r.Degrees != nil {
		errs = append(errs, checkDegrees(in.Graph, r.Degrees))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("%s broke its contract: %w", info.Name, err)
	}
	return nil
}

// sampledRegions is how many regions CheckRelease checks, at most and about.
const sampledRegions = 1024

// check makes Draw check the records that it returns.
func (l *LazyRecords) check(schema *datasets.Schema) {
	draw := l.Draw
	l.Draw = func(ctx context.Context) (*datasets.Table, error) {
		table, err := draw(ctx)
		if err == nil {
			err = checkTable(schema, table)
		}
		return table, err
	}
}

func checkTable(schema *datasets.Schema, table *datasets.Table) error {
	// A column is known by its position: another schema would give it another meaning.
	if own := table.Schema(); own != schema && !reflect.DeepEqual(own, schema) {
		return fmt.Errorf("the records have another schema than the input: attributes %q in "+
			"place of %q, or other domains", own.Names(), schema.Names())
	}
	return table.Validate()
}

func checkCounts(what string, counts []float64) error {
	for i, n := range counts {
		if !(n >= 0) || math.IsInf(n, 1) {
			return fmt.Errorf("%s %d is %v, must be finite and at least 0", what, i, n)
		}
	}
	return nil
}

// Validate reports what is wrong with the form of regions that stand for a number of rows of a
// table with the schema: slices whose lengths do not agree, intervals that are empty or leave the
// domain, counts that are negative or infinite, a tree with a cut missing or met twice, rows in no
// region.
func (r *Regions) Validate(schema *datasets.Schema, rows int) error {
	return r.validate(schema, rows, math.MaxInt)
}

// validate is Validate of about sample regions and as many cuts, evenly spread.
func (r *Regions) validate(schema *datasets.Schema, rows, sample int) error {
	n, d := r.Len(), len(r.Attributes)
	for _, attribute := range r.Attributes {
		if attribute < 0 || attribute >= len(schema.Attributes) {
			return fmt.Errorf("a dimension is attribute %d of %d", attribute,
				len(schema.Attributes))
		}
	}
	switch {
	case r.Classes != schema.Classes():
		return fmt.Errorf("regions of %d classes, the table has %d", r.Classes, schema.Classes())
	case r.Sides == nil && len(r.Low) != n*d, len(r.Sides)%max(1, d) != 0,
		len(r.High) != len(r.Low), len(r.Counts) != n*r.Classes:
		return fmt.Errorf("%d regions of %d dimensions: %d lower ends, %d upper ends, "+
			"%d shared sides, %d counts",
			n, d, len(r.Low), len(r.High), len(r.Sides), len(r.Counts))
	case r.Axes == nil && r.Nodes != nil, r.Axes != nil &&
		(len(r.Axes) != d || len(r.Nodes) != len(r.Low)):
		return fmt.Errorf("%d regions of %d dimensions: %d axes, %d taxonomy nodes",
			n, d, len(r.Axes), len(r.Nodes))
	case r.TightLow != nil && (len(r.TightLow) != n*d || len(r.TightHigh) != n*d):
		return fmt.Errorf("%d regions of %d dimensions: %d lower, %d upper ends of tight ranges",
			n, d, len(r.TightLow), len(r.TightHigh))
	case r.Means != nil && len(r.Means) != n*d:
		return fmt.Errorf("%d regions of %d dimensions with %d means", n, d, len(r.Means))
	}
	for region := 0; region < n; region += 1 + (n-1)/sample {
		for dim := range d {
			if err := r.checkSide(schema, region, dim); err != nil {
				return err
			}
		}
		if err := checkCounts("count", r.Count(region)); err != nil {
			return fmt.Errorf("region %d: %w", region, err)
		}
	}
	return errors.Join(r.checkTree(sample), r.checkAssignment(rows))
}

// checkSide reports what is wrong with one side of one region, which has to lie in its domain.
func (r *Regions) checkSide(schema *datasets.Schema, region, dim int) error {
	a := &schema.Attributes[r.Attributes[dim]]
	i, side := region*len(r.Attributes)+dim, r.Side(region, dim)
	if side >= len(r.Low) {
		return fmt.Errorf("%s: region %d has side %d of %d", a.Name, region, side, len(r.Low))
	}
	low, high := r.Low[side], r.High[side]
	if low >= high || high > uint32(a.Cells()) {
		return fmt.Errorf("%s: region %d is [%d, %d) of %d", a.Name, region, low, high, a.Cells())
	}
	if r.Axes != nil {
		if err := checkNode(r.Axes[dim], r.Nodes[side], low, high); err != nil {
			return fmt.Errorf("%s: region %d: %w", a.Name, region, err)
		}
	}
	if r.TightLow != nil && (r.TightLow[i] < low || r.TightLow[i] >= r.TightHigh[i] ||
		r.TightHigh[i] > high) {
		return fmt.Errorf("%s: region %d has its data in [%d, %d), outside its box [%d, %d)",
			a.Name, region, r.TightLow[i], r.TightHigh[i], low, high)
	}
	if missing := a.MissingCode(); r.Means != nil && high <= missing &&
		(a.Kind == datasets.Numeric) == math.IsNaN(r.Means[i]) {
		return fmt.Errorf("%s: region %d has mean %v", a.Name, region, r.Means[i])
	}
	return nil
}

// checkNode reports an interval of ranks that is not that of its taxonomy node.
func checkNode(axis *datasets.Axis, node int32, low, high uint32) error {
	switch {
	case axis == nil && node == -1:
		return nil
	case axis == nil || node < 0 || int(node) >= len(axis.Low):
		return fmt.Errorf("taxonomy node %d, with an axis %t", node, axis != nil)
	case axis.Low[node] != low || axis.High[node] != high:
		return fmt.Errorf("ranks [%d, %d), node %d has [%d, %d)",
			low, high, node, axis.Low[node], axis.High[node])
	}
	return nil
}

// checkTree reports cuts that lead to something other than cuts and regions. In a tree of at most
// sample regions it also checks that every cut but the root, and every region, is a child once, so
// that every descent ends.
func (r *Regions) checkTree(sample int) error {
	if r.Tree == nil {
		return nil
	}
	cuts, n := len(r.Tree), r.Len()
	if cuts != n-1 {
		return fmt.Errorf("a tree of %d cuts for %d regions", cuts, n)
	}
	var isChild []bool // cuts, then regions
	if n <= sample {
		isChild = make([]bool, cuts+n)
	}
	for i := 0; i < cuts; i += 1 + (n-1)/sample {
		cut := &r.Tree[i]
		for _, child := range [2]int32{cut.Left, cut.Right} {
			at := int(child)
			if at < 0 {
				at = cuts + int(^child)
			}
			if cut.Dim < 0 || cut.Dim >= len(r.Attributes) || at == 0 || at >= cuts+n ||
				isChild != nil && isChild[at] {
				return fmt.Errorf("cut %d on dimension %d of %d leads to %d: not a tree", i,
					cut.Dim, len(r.Attributes), child)
			}
			if isChild != nil {
				isChild[at] = true
			}
		}
	}
	return nil
}

// checkAssignment reports rows that are assigned to regions that do not exist, and suppressed
// positions that are not those of rows or do not ascend.
func (r *Regions) checkAssignment(rows int) error {
	if r.Assignment != nil && len(r.Assignment) != rows {
		return fmt.Errorf("%d of %d rows are assigned to regions", len(r.Assignment), rows)
	}
	n := int32(r.Len())
	for i, region := range r.Assignment {
		if region < -1 || region >= n {
			return fmt.Errorf("row %d is assigned to region %d of %d", i, region, n)
		}
	}
	for i, at := range r.Suppressed {
		if at < 0 || int(at) >= rows || i > 0 && at <= r.Suppressed[i-1] {
			return fmt.Errorf("suppressed position %d of %d, must ascend", at, rows)
		}
	}
	return nil
}

// checkDegrees reports degrees that are not sorted or not as many as the graph's nodes, whose
// number is public everywhere.
func checkDegrees(graph *datasets.Graph, degrees []int32) error {
	if len(degrees) != graph.Nodes() {
		return fmt.Errorf("%d degrees for %d nodes", len(degrees), graph.Nodes())
	}
	if len(degrees) > 0 && degrees[0] < 0 || !slices.IsSorted(degrees) {
		return fmt.Errorf("the degrees do not ascend from 0 or more: the first is %d", degrees[0])
	}
	return nil
}
