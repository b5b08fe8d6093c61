package metrics

import (
	"context"
	"fmt"

	"ppdp/algorithms"
	"ppdp/datasets"
)

// pollEvery is how many rows are handled between checks of the context.
const pollEvery = 4096

// locate returns the region of each training row: the release's own assignment where it has one,
// else that of the row's point.
func locate(ctx context.Context, regions *algorithms.Regions, table *datasets.Table,
	rows []int32) ([]int32, error) {
	if regions.Assignment != nil {
		if len(regions.Assignment) != len(rows) {
			return nil, fmt.Errorf("%d rows assigned to regions, must be %d",
				len(regions.Assignment), len(rows))
		}
		return regions.Assignment, nil
	}
	return locatePoints(ctx, regions, table, rows)
}

// locatePoints returns the region of each row's point: by descent of the release's tree, else the
// first box that holds it. A row outside every box is an error, because regions have to cover the
// domain.
func locatePoints(ctx context.Context, regions *algorithms.Regions, table *datasets.Table,
	rows []int32) ([]int32, error) {
	located := make([]int32, len(rows))
	codes := make([]uint32, len(regions.Attributes))
	for i, row := range rows {
		if i%pollEvery == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		for d, attribute := range regions.Attributes {
			codes[d] = table.Column(attribute).At(row)
		}
		region := -1
		if regions.Tree != nil || regions.Len() == 1 {
			region = regions.Locate(codes)
		} else {
			region = scan(regions, codes)
		}
		if region < 0 {
			return nil, fmt.Errorf("row %d lies in no region", row)
		}
		located[i] = int32(region)
	}
	return located, nil
}

// scan returns the first region whose box holds the point, or -1.
func scan(regions *algorithms.Regions, codes []uint32) int {
	for r := range regions.Len() {
		if regions.Contains(r, codes) {
			return r
		}
	}
	return -1
}
