package conformance

import (
	"fmt"
	"math"

	"ppdp/algorithms"
)

// checkTruth: with hardly any noise the counts of regions are those of the rows in them, rounded.
// Where all of a region's records get one label the counts of its classes add up to that.
func checkTruth(s subject) error {
	if !s.private() || s.guarantee.Status == algorithms.Declared {
		return nil
	}
	release, _, in, err := s.release(try{epsilon: 1e9})
	if err != nil || release.Regions == nil {
		return err
	}
	r, class := release.Regions, in.Table.Schema().Class()
	truth, codes := make([]float64, len(r.Counts)), make([]uint32, len(r.Attributes))
	for _, row := range in.Rows {
		for i, a := range r.Attributes {
			codes[i] = in.Table.Column(a).At(row)
		}
		at := r.Locate(codes) * r.Classes
		if r.Classes > 1 {
			at += int(in.Table.Column(class).At(row))
		}
		truth[at]++
	}
	for region := range r.Len() {
		got, want := r.Count(region), truth[region*r.Classes:(region+1)*r.Classes]
		sum, rows, most, off := 0.0, 0.0, 0.0, 0.0
		for i, n := range got {
			sum, rows = sum+n, rows+want[i]
			most, off = max(most, n), max(off, math.Abs(n-want[i]))
		}
		if math.Abs(sum-rows) > float64(r.Classes) || off > 1 && most < sum {
			return fmt.Errorf("region %d: counts %v, of rows %v", region, got, want)
		}
	}
	return nil
}
