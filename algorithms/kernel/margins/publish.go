package margins

import (
	"fmt"
	"math"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/partition"
	"ppdp/algorithms/kernel/pgm"
	"ppdp/datasets"
	"ppdp/random"
)

// Publish draws the model's records: as many as the model has, rounded, up to max_rows. A merged
// value becomes one of its members, a bin one of its points.
func (d *Data) Publish(m *pgm.Model) (*algorithms.Release, error) {
	return d.PublishLabelled(m, 1, func([][]uint32) error { return nil })
}

// PublishLabelled is Publish with copies records drawn for each of the model's. label may change
// their values, by attribute and row, before they are published.
func (d *Data) PublishLabelled(m *pgm.Model, copies int,
	label func(columns [][]uint32) error) (*algorithms.Release, error) {
	total := math.Round(m.Total) * float64(copies)
	rows := int(math.Min(total, float64(d.params.MaxRows)))
	release := &algorithms.Release{Marginals: d.paid}
	if float64(rows) < total {
		release.Weights = make([]float64, rows)
		for row := range release.Weights {
			release.Weights[row] = total / float64(rows)
		}
		release.Warnings = []string{fmt.Sprintf("%.0f records to draw, max_rows is %d: each stands"+
			" for %.4g", total, rows, total/float64(rows))}
	}
	if err := d.ctx.Err(); err != nil {
		return nil, err
	}
	stream := d.in.Noise.Open("records")
	columns := m.Records(rows, stream)
	if err := label(columns); err != nil {
		return nil, err
	}
	b := datasets.NewBuilder(d.schema, rows)
	for range rows {
		b.AddRow()
	}
	for a := range d.schema.Attributes {
		if err := d.ctx.Err(); err != nil {
			return nil, err
		}
		attribute := &d.schema.Attributes[a]
		crowd := make(Crowd)
		for row, value := range columns[a] {
			bin := int(value)
			if members := d.members[a]; members != nil {
				bin = d.member(a, members[value], stream)
			}
			low, high := d.bins[a].Span(uint32(bin), stream)
			partition.SetWithin(b, row, a, attribute, low, high, d.params.Values, stream)
			crowd.Add(low, high)
		}
		if warning := crowd.Warning(attribute, rows, d.params.Cut); warning != "" {
			release.Warnings = append(release.Warnings, warning)
		}
	}
	release.Table = b.Table()
	return release, nil
}

// Crowd counts how many records were drawn from each interval of an attribute's cells.
type Crowd map[[2]uint32]int

// Add counts a record that was drawn from the cells [low, high).
func (c Crowd) Add(low, high uint32) {
	if high-low > 1 {
		c[[2]uint32{low, high}]++
	}
}

// Warning says that more than half of a number of records were drawn evenly from one interval; it
// is "" if no interval has as many.
func (c Crowd) Warning(a *datasets.Attribute, records int, cut Cut) string {
	for span, n := range c { // order-free: at most one has more than half
		if 2*n <= records {
			continue
		}
		advice := "cut: private divides it, and so do bins: or scale: log in the schema"
		if cut == Private {
			advice = "bins: or scale: log in the schema divide it, or a larger epsilon"
		}
		return fmt.Sprintf("%s: %.0f %% of the records are in one bin, from %s to %s, and spread"+
			" evenly over it: means and quantiles are far off where the original's are not even;"+
			" %s", a.Name, 100*float64(n)/float64(records), a.Text(span[0]), a.Text(span[1]-1),
			advice)
	}
	return ""
}

// member draws one of the values that were merged by their shares, uniformly without any.
func (d *Data) member(a int, members []int, stream *random.Stream) int {
	if len(members) == 1 {
		return members[0]
	}
	sum := 0.0
	for _, v := range members {
		sum += d.shares[a][v]
	}
	if sum == 0 {
		return members[stream.IntN(len(members))]
	}
	u := stream.Open01() * sum
	for _, v := range members {
		if u -= d.shares[a][v]; u < 0 {
			return v
		}
	}
	return members[len(members)-1]
}
