package conformance

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/internal/must"
	"ppdp/metrics/verify"
)

// CheckRelease draws the records of a release and reports what is wrong with its form: all that
// algorithms.CheckRelease finds, and boxes that do not fit the tree or the rows. It does not judge
// how good the release is.
func CheckRelease(info *algorithms.Info, guarantee algorithms.Guarantee, in algorithms.Input,
	r *algorithms.Release) error {
	if _, _, err := r.Records(context.Background()); err != nil {
		return fmt.Errorf("records: %w", err)
	}
	err := algorithms.CheckRelease(info, in, r)
	if r.Regions == nil {
		return err
	}
	if broken := r.Regions.Validate(in.Table.Schema(), len(in.Rows)); broken != nil {
		return errors.Join(err, broken) // nothing below can be computed on broken boxes
	}
	errs := []error{err, checkTree(in.Table.Schema(), r.Regions),
		checkRows(guarantee, in, r.Regions)}
	if guarantee.Model == algorithms.DifferentialPrivacy {
		errs = append(errs, checkReach(in.Table.Schema(), r.Regions))
	}
	return errors.Join(errs...)
}

// Hash identifies a release with everything recorded about it: what it publishes, its warnings and
// its structure.
func Hash(r *algorithms.Release) string {
	published := must.Get(r.Fingerprint(context.Background())) // else CheckRelease was not called
	return fmt.Sprintf("%s %q %+v", published, r.Warnings, r.Structure)
}

// checkTree: the tree leads to every region and the regions tile the domain.
func checkTree(schema *datasets.Schema, q *algorithms.Regions) error {
	if q.Tree == nil {
		return nil
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
	const rounding = 1e-9 // of sums of up to a few thousand cells
	if math.Abs(volume-domain) > rounding*domain {
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

// checkRows: every input row lies in a region. Where rows are assigned to regions, they lie in the
// assigned ones and the counts are those of the rows.
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
	if !slices.IsSorted(q.Suppressed) {
		return errors.New("positions of suppressed rows, must ascend")
	}
	report, err := verify.Regions(in.Table, in.Rows, q)
	if err != nil {
		return err
	}
	return report.Err()
}
