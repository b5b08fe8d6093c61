package conformance

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"

	"ppdp/algorithms"
	"ppdp/datasets"
)

// CheckRelease draws the records of a release and reports what is wrong with its form: products
// promised but missing, codes outside their domains, counts that are no counts, boxes that do not
// fit the tree or the rows. It does not judge how good the release is.
func CheckRelease(info *algorithms.Info, guarantee algorithms.Guarantee, in algorithms.Input,
	r *algorithms.Release) error {
	var errs []error
	if _, _, err := r.Records(context.Background()); err != nil {
		return fmt.Errorf("records: %w", err)
	}
	for _, p := range []struct {
		product algorithms.Product
		present bool
	}{
		{algorithms.RecordsProduct, r.Table != nil},
		{algorithms.RegionsProduct, r.Regions != nil},
		{algorithms.MembershipProduct, r.Regions != nil && r.Regions.Assignment != nil},
		{algorithms.DegreesProduct, r.Degrees != nil},
	} {
		if info.Can(p.product) != p.present {
			errs = append(errs, fmt.Errorf("product %s: released %t, must be %t", p.product,
				p.present, !p.present))
		}
	}
	if r.Table != nil {
		errs = append(errs, checkTable(in.Table.Schema(), r))
	}
	if r.Regions != nil {
		if err := checkBoxes(in.Table.Schema(), r.Regions); err != nil {
			errs = append(errs, err) // nothing below can be computed on broken boxes
		} else {
			errs = append(errs, checkTree(in.Table.Schema(), r.Regions))
			errs = append(errs, checkRows(guarantee, in, r.Regions))
			if guarantee.Model == algorithms.DifferentialPrivacy {
				errs = append(errs, checkReach(in.Table.Schema(), r.Regions))
			}
		}
	}
	if r.Degrees != nil {
		errs = append(errs, checkDegrees(in.Graph, r.Degrees))
	}
	return errors.Join(errs...)
}

func checkTable(schema *datasets.Schema, r *algorithms.Release) error {
	if !reflect.DeepEqual(r.Table.Schema(), schema) {
		return errors.New("the records have another schema than the input")
	}
	for i := range schema.Attributes {
		a, column := &schema.Attributes[i], r.Table.Column(i)
		if r.Table.Len() > 0 && a.Continuous != (column.Exact != nil) {
			return fmt.Errorf("%s: exact values %t, must be %t", a.Name, !a.Continuous,
				a.Continuous)
		}
		for row := range int32(r.Table.Len()) {
			if code := column.At(row); code >= uint32(a.Cells()) {
				return fmt.Errorf("%s: row %d has code %d of %d", a.Name, row, code, a.Cells())
			}
			if column.Exact != nil {
				exact := column.Exact[row]
				if code, err := a.NumberCode(exact); err != nil || code != column.At(row) {
					return fmt.Errorf("%s: row %d has %v in cell %d", a.Name, row, exact,
						column.At(row))
				}
			}
		}
	}
	if r.Weights != nil && len(r.Weights) != r.Table.Len() {
		return fmt.Errorf("%d weights for %d records", len(r.Weights), r.Table.Len())
	}
	return checkCounts("weight", r.Weights)
}

func checkCounts(what string, counts []float64) error {
	for i, n := range counts {
		if !(n >= 0) || math.IsInf(n, 1) {
			return fmt.Errorf("%s %d is %v, must be finite and at least 0", what, i, n)
		}
	}
	return nil
}

func checkBoxes(schema *datasets.Schema, q *algorithms.Regions) error {
	n, d := q.Len(), len(q.Attributes)
	switch {
	case q.Classes != schema.Classes():
		return fmt.Errorf("regions of %d classes, the table has %d", q.Classes, schema.Classes())
	case len(q.Low) != n*d || len(q.High) != n*d || len(q.Counts) != n*q.Classes:
		return fmt.Errorf("%d regions of %d dimensions: %d lower ends, %d upper ends, %d counts",
			n, d, len(q.Low), len(q.High), len(q.Counts))
	case q.Axes == nil && q.Nodes != nil, q.Axes != nil &&
		(len(q.Axes) != d || len(q.Nodes) != n*d):
		return fmt.Errorf("%d regions of %d dimensions: %d axes, %d taxonomy nodes",
			n, d, len(q.Axes), len(q.Nodes))
	case q.TightLow != nil && (len(q.TightLow) != n*d || len(q.TightHigh) != n*d):
		return fmt.Errorf("%d regions of %d dimensions: %d lower, %d upper ends of tight ranges",
			n, d, len(q.TightLow), len(q.TightHigh))
	case q.Means != nil && len(q.Means) != n*d:
		return fmt.Errorf("%d regions of %d dimensions with %d means", n, d, len(q.Means))
	}
	for i := range n * d {
		a := &schema.Attributes[q.Attributes[i%d]]
		low, high := q.Low[i], q.High[i]
		if low >= high || high > uint32(a.Cells()) {
			return fmt.Errorf("%s: region %d is [%d, %d) of %d", a.Name, i/d, low, high, a.Cells())
		}
		if q.Axes != nil {
			if err := checkNode(q.Axes[i%d], q.Nodes[i], low, high); err != nil {
				return fmt.Errorf("%s: region %d: %w", a.Name, i/d, err)
			}
		}
		if q.TightLow != nil && (q.TightLow[i] < low || q.TightLow[i] >= q.TightHigh[i] ||
			q.TightHigh[i] > high) {
			return fmt.Errorf("%s: region %d has its data in [%d, %d), outside its box [%d, %d)",
				a.Name, i/d, q.TightLow[i], q.TightHigh[i], low, high)
		}
		if q.Means != nil && (a.Kind == datasets.Numeric) == math.IsNaN(q.Means[i]) {
			return fmt.Errorf("%s: region %d has mean %v", a.Name, i/d, q.Means[i])
		}
	}
	return checkCounts("count", q.Counts)
}

// checkNode: the interval of ranks is that of the taxonomy node.
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

// checkTree: the tree leads to every region and the regions tile the domain.
func checkTree(schema *datasets.Schema, q *algorithms.Regions) error {
	if q.Tree == nil {
		return nil
	}
	if len(q.Tree) != q.Len()-1 {
		return fmt.Errorf("a tree of %d cuts for %d regions", len(q.Tree), q.Len())
	}
	volume, domain := 0.0, 1.0
	for _, attribute := range q.Attributes {
		domain *= float64(schema.Attributes[attribute].Cells())
	}
	for region := range q.Len() {
		low, high := q.Box(region)
		first, last := make([]uint32, len(low)), make([]uint32, len(high))
		cells := 1.0
		for d := range high {
			first[d], last[d] = low[d], high[d]-1
			if q.Axes != nil && q.Axes[d] != nil {
				first[d], last[d] = q.Axes[d].Code[first[d]], q.Axes[d].Code[last[d]]
			}
			cells *= float64(high[d] - low[d])
		}
		volume += cells
		if q.Locate(first) != region || q.Locate(last) != region {
			return fmt.Errorf("the tree does not lead to region %d", region)
		}
	}
	if math.Abs(volume-domain) > slack*domain {
		return fmt.Errorf("the regions hold %v cells of a domain of %v", volume, domain)
	}
	return nil
}

// checkReach: the boxes reach from end to end of the public domain. Boxes that end where the data
// end were read off the data (errata R4).
func checkReach(schema *datasets.Schema, q *algorithms.Regions) error {
	for d, attribute := range q.Attributes {
		a := &schema.Attributes[attribute]
		lowest, highest := uint32(math.MaxUint32), uint32(0)
		for region := range q.Len() {
			low, high := q.Box(region)
			lowest, highest = min(lowest, low[d]), max(highest, high[d])
		}
		if lowest != 0 || highest != uint32(a.Cells()) {
			return fmt.Errorf("%s: the regions cover [%d, %d) of %d", a.Name, lowest, highest,
				a.Cells())
		}
	}
	return nil
}

// checkRows: every input row has a region, the assigned one if rows are assigned, and without
// noise the counts are those of the rows.
func checkRows(guarantee algorithms.Guarantee, in algorithms.Input, q *algorithms.Regions) error {
	codes := make([]uint32, len(q.Attributes))
	if q.Assignment == nil {
		if q.Suppressed != nil {
			return errors.New("rows are suppressed, but none assigned to regions")
		}
		for _, row := range in.Rows {
			for d, attribute := range q.Attributes {
				codes[d] = in.Table.Column(attribute).At(row)
			}
			found := q.Tree != nil && q.Contains(q.Locate(codes), codes)
			for region := 0; q.Tree == nil && !found && region < q.Len(); region++ {
				found = q.Contains(region, codes)
			}
			if !found {
				return fmt.Errorf("no region holds row %d", row)
			}
		}
		return nil
	}
	if guarantee.Model == algorithms.DifferentialPrivacy {
		return errors.New("rows are assigned to regions under differential privacy")
	}
	if len(q.Assignment) != len(in.Rows) {
		return fmt.Errorf("%d of %d rows are assigned to regions", len(q.Assignment), len(in.Rows))
	}
	suppressed := make(map[int]bool, len(q.Suppressed))
	for i, at := range q.Suppressed {
		if at < 0 || int(at) >= len(in.Rows) || i > 0 && at <= q.Suppressed[i-1] {
			return fmt.Errorf("suppressed position %d of %d, must ascend", at, len(in.Rows))
		}
		suppressed[int(at)] = true
	}
	counts := make([]float64, len(q.Counts))
	class := in.Table.Schema().Class()
	for i, row := range in.Rows {
		region := int(q.Assignment[i])
		if suppressed[i] != (region == -1) {
			return fmt.Errorf("row %d: suppressed %t, region %d", row, suppressed[i], region)
		}
		if suppressed[i] {
			continue
		}
		if region < 0 || region >= q.Len() {
			return fmt.Errorf("row %d is assigned to region %d of %d", row, region, q.Len())
		}
		for d, attribute := range q.Attributes {
			codes[d] = in.Table.Column(attribute).At(row)
		}
		tight := q.TightLow == nil || inside(q.TightLow, q.TightHigh, region, codes)
		if !q.Contains(region, codes) || !tight {
			return fmt.Errorf("row %d lies outside its region %d", row, region)
		}
		label := uint32(0)
		if class >= 0 {
			label = in.Table.Column(class).At(row)
		}
		counts[region*q.Classes+int(label)]++
	}
	if !slices.Equal(counts, q.Counts) {
		return errors.New("the counts are not those of the assigned rows")
	}
	return nil
}

// inside reports whether a region's interval on every dimension holds the code.
func inside(low, high []uint32, region int, codes []uint32) bool {
	for d, code := range codes {
		if i := region*len(codes) + d; code < low[i] || code >= high[i] {
			return false
		}
	}
	return true
}

// checkDegrees: the number of nodes is public everywhere, and as many degrees are published.
func checkDegrees(graph *datasets.Graph, degrees []int32) error {
	if len(degrees) != graph.Nodes() {
		return fmt.Errorf("%d degrees for %d nodes", len(degrees), graph.Nodes())
	}
	if !slices.IsSorted(degrees) {
		return errors.New("the degrees do not ascend")
	}
	if len(degrees) > 0 && degrees[0] < 0 {
		return fmt.Errorf("a degree of %d", degrees[0])
	}
	return nil
}
