package metrics

import (
	"context"
	"encoding/binary"
	"fmt"

	"ppdp/algorithms"
	"ppdp/datasets"
)

// Counts says which sizes of regions a metric takes.
type Counts string

const (
	// PublishedCounts are the release's own, noisy under differential privacy.
	PublishedCounts Counts = "published"
	// TrueCounts are the numbers of training rows that fall into the regions.
	TrueCounts Counts = "true"
)

func (Counts) Enum() []string { return algorithms.Words(PublishedCounts, TrueCounts) }

// Ranges says which intervals of a region a metric takes.
type Ranges string

const (
	// Box is the region itself, which reaches to the next cuts; all boxes cover the domain.
	Box Ranges = "box"
	// Tight is the range of the region's own records where the release publishes it, else the box.
	Tight Ranges = "tight"
)

func (Ranges) Enum() []string { return algorithms.Words(Box, Tight) }

// of returns regions of these intervals.
func (r Ranges) of(regions *algorithms.Regions) *algorithms.Regions {
	if r == Tight && regions.TightLow != nil {
		return &algorithms.Regions{Attributes: regions.Attributes, Low: regions.TightLow,
			High: regions.TightHigh}
	}
	return regions
}

// regionSizes returns the number of records in each region: the sum over its classes.
func regionSizes(ctx context.Context, c Case, counts Counts) ([]float64, error) {
	if counts == TrueCounts {
		return trueCounts(ctx, c, 1)
	}
	return publishedSizes(c.Release.Regions), nil
}

// trueCounts are the training rows in each region by class, region-major; of one class, all rows
// together. Suppressed rows are in no region.
func trueCounts(ctx context.Context, c Case, classes int) ([]float64, error) {
	counts := make([]float64, c.Release.Regions.Len()*classes)
	located, err := locate(ctx, c.Release.Regions, c.Table, c.Train)
	if err != nil {
		return nil, err
	}
	label := uint32(0)
	for i, row := range c.Train {
		if classes > 1 {
			label = c.Table.Column(c.Table.Schema().Class()).At(row)
		}
		if region := int(located[i]); region >= 0 {
			counts[region*classes+int(label)]++
		}
	}
	return counts, nil
}

// publishedSizes is the sum of the published counts of each region over its classes.
func publishedSizes(regions *algorithms.Regions) []float64 {
	sizes := make([]float64, regions.Len())
	for region := range sizes {
		for _, n := range regions.Count(region) {
			sizes[region] += n
		}
	}
	return sizes
}

// equivalenceClasses merges the sizes of regions that publish the same ranges: in the release their
// records are alike (errata M3). The classes come in the order of their first regions.
func equivalenceClasses(regions *algorithms.Regions, sizes []float64) []float64 {
	if regions.Tree != nil {
		return sizes // regions of a tree of cuts are disjoint, and so are the ranges inside them
	}
	dims := len(regions.Attributes)
	ranges := Tight.of(regions)
	class := make(map[string]int, len(sizes))
	key := make([]byte, 0, 8*dims)
	merged := sizes[:0:0]
	for region, size := range sizes {
		key = key[:0]
		for d := range dims {
			low, high := ranges.Interval(region, d)
			key = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(key, low), high)
		}
		at, known := class[string(key)]
		if !known {
			at = len(merged)
			class[string(key)] = at
			merged = append(merged, 0)
		}
		merged[at] += size
	}
	return merged
}

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
		region := 0
		if regions.Tree != nil || regions.Len() == 1 {
			region = regions.Locate(codes)
		} else {
			for region < regions.Len() && !regions.Contains(region, codes) {
				region++
			}
		}
		if region == regions.Len() {
			return nil, fmt.Errorf("row %d lies in no region", row)
		}
		located[i] = int32(region)
	}
	return located, nil
}
