package partition

import (
	"context"
	"fmt"
	"math"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/numeric/random"
)

// AddRecords publishes records of a release's regions, drawn when they are first needed:
// sizes[r·Classes+y] of class y from region r (synthesize), at most d.MaxRows of them altogether.
// Beyond that every size is thinned by the same factor, which all the records get as their weight,
// and the release a warning that says so. It also warns where most of them spread evenly over many
// values of a number. Sizes are finite and not negative; they need not be
// whole: remainders are carried from one to the next, so that no sum of consecutive sizes is off by
// more than one record. Sizes, regions and stream belong to the records from here on.
func AddRecords(release *algorithms.Release, schema *datasets.Schema, sizes []float64,
	d Drawing, stream *random.Stream) error {
	total := 0.0
	for _, size := range sizes {
		total += size
	}
	if !(total >= 0) || math.IsInf(total, 1) {
		return fmt.Errorf("%w: noisy counts beyond all numbers, epsilon is too small",
			algorithms.ErrTooLarge)
	}
	factor, rows := 1.0, total
	if limit := float64(d.MaxRows); total > limit {
		factor, rows = total/limit, 0
		for _, size := range sizes { // as wholeRecords adds them
			rows += size / factor
		}
		release.Warnings = append(release.Warnings,
			fmt.Sprintf("the noisy counts add up to %.0f records: the table holds one in %.4g of"+
				" them, with that weight (max_rows %d)", total, factor, d.MaxRows))
	}
	regions := release.Regions
	release.Lazy = &algorithms.LazyRecords{
		Rows: int(math.Round(rows)), Weight: factor,
		Draw: func(ctx context.Context) (*datasets.Table, error) {
			return synthesize(ctx, schema, regions, wholeRecords(sizes, factor), d.Values, stream)
		},
	}
	for _, name := range schema.Names(datasets.Sensitive) {
		release.Warnings = append(release.Warnings,
			name+": a sensitive attribute, drawn uniformly from its public domain")
	}
	for dim, attribute := range regions.Attributes {
		a := &schema.Attributes[attribute]
		if a.Kind == datasets.Numeric && a.Missing != nil {
			release.Warnings = append(release.Warnings, fmt.Sprintf("%s: missing values are cut "+
				"off like a number above all others; where they were not, they are drawn as one "+
				"cell of the interval, too often or too rarely: releases from marginals and "+
				"privbayes keep their share", a.Name))
		}
		if a.Kind != datasets.Numeric || a.Cells() <= fewCells {
			continue
		}
		if low, high, share := crowd(regions, dim, sizes, total); high-low > fewCells {
			release.Warnings = append(release.Warnings, Crowded(a, low, high, share,
				"closer bounds help (docs/your-table.md, Wide columns, has more)"))
		}
	}
	return nil
}

// fewCells is how many cells records may be spread over without a warning.
const fewCells = 256

// crowd is the interval that regions of more than half of the records have on a dimension, with its
// share of the records; 0 for none. The one interval that can have so many is found by letting
// records of different intervals cancel out (Boyer & Moore's majority vote).
func crowd(regions *algorithms.Regions, dim int, sizes []float64,
	total float64) (low, high uint32, share float64) {
	size := func(region int) (n float64) {
		for _, s := range sizes[region*regions.Classes : (region+1)*regions.Classes] {
			n += s
		}
		return n
	}
	votes := 0.0
	for region := range regions.Len() {
		from, to := regions.Interval(region, dim)
		switch n := size(region); {
		case from == low && to == high:
			votes += n
		case n > votes:
			low, high, votes = from, to, n-votes
		default:
			votes -= n
		}
	}
	records := 0.0
	for region := range regions.Len() {
		if from, to := regions.Interval(region, dim); from == low && to == high {
			records += size(region)
		}
	}
	if !(2*records > total) {
		return 0, 0, 0
	}
	return low, high, records / total
}

// Crowded warns that so large a share of the records is drawn evenly from the cells [low, high) of
// an attribute, and says what helps.
func Crowded(a *datasets.Attribute, low, high uint32, share float64, help string) string {
	return fmt.Sprintf("%s: %.0f %% of the records are in one interval, from %s to %s, and "+
		"spread evenly over it: means and quantiles are far off where the original's are not "+
		"even; %s", a.Name, 100*share, a.Named(low), a.Named(high-1), help)
}

// wholeRecords divides sizes by factor and rounds them, carrying the remainder along.
func wholeRecords(sizes []float64, factor float64) []int {
	whole := make([]int, len(sizes))
	sum, given := 0.0, 0.0
	for i, size := range sizes {
		sum += size / factor
		target := math.Round(sum)
		whole[i] = int(target - given)
		given = target
	}
	return whole
}

// Values says which point of its interval stands for an ordered attribute of a drawn record.
// Categorical attributes always get a uniformly drawn member of the interval or taxonomy node.
type Values string

const (
	Uniform  Values = "uniform"  // a uniformly drawn point
	Midpoint Values = "midpoint" // the middle; of an even number of discrete cells the lower one
	Low      Values = "low"      // the lower end
)

func (Values) Enum() []string { return algorithms.Words(Uniform, Midpoint, Low) }

// Drawing are the parameters of records drawn from a release's regions.
type Drawing struct {
	Values  Values `yaml:"values" doc:"the point of its interval that a numeric attribute of a drawn record gets"`
	MaxRows int    `yaml:"max_rows" doc:"the largest number of drawn records; beyond it all regions are thinned alike, records get a weight and the release a warning" min:"1" max:"2147483647"`
}

// DefaultDrawing are uniformly drawn points and at most two million records.
func DefaultDrawing() Drawing { return Drawing{Values: Uniform, MaxRows: 2e6} }

// LimitRows sets MaxRows: an audit makes releases that are thinned.
func (d *Drawing) LimitRows(most int) { d.MaxRows = most }
