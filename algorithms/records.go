package algorithms

import (
	"context"
	"fmt"

	"ppdp/datasets"
)

// Undrawn are records that are drawn from a release's regions when somebody first asks for them. To draw a record for each
// count can cost more than all the rest of a release, and whoever reads the regions alone has no use for it.
type Undrawn struct {
	Rows   int     // how many there are
	Weight float64 // of each; 1 where nothing is thinned
	// Draw makes the table of Rows rows. It is post-processing, from a noise stream that nothing else reads, so that it
	// makes no difference when it is called, and by whom. Release.Records calls it once at most.
	Draw func(ctx context.Context) (*datasets.Table, error)
}

// Records returns the published records and their weights, nil for 1 each; a release without records has a nil table.
// Records that are not drawn yet are drawn now, and are Table and Weights from then on. An error ends them, that of the
// context too: the noise is used up, and every further call returns the same error. Not safe for concurrent use.
func (r *Release) Records(ctx context.Context) (table *datasets.Table, weights []float64, err error) {
	undrawn := r.Undrawn
	if undrawn == nil {
		return r.Table, r.Weights, nil
	}
	table, err = undrawn.Draw(ctx)
	if err == nil && table.Len() != undrawn.Rows {
		err = fmt.Errorf("%d records are drawn where %d are published", table.Len(), undrawn.Rows)
	}
	if err != nil {
		undrawn.Draw = func(context.Context) (*datasets.Table, error) { return nil, err }
		return nil, nil, err
	}
	if undrawn.Weight != 1 {
		weights = make([]float64, table.Len())
		for i := range weights {
			weights[i] = undrawn.Weight
		}
	}
	r.Table, r.Weights, r.Undrawn = table, weights, nil
	return table, weights, nil
}

// RecordCount is the sum of the records' weights, which takes no drawing; ok is false for a release without records.
func (r *Release) RecordCount() (n float64, ok bool) {
	switch {
	case r.Undrawn != nil && r.Undrawn.Weight == 1:
		return float64(r.Undrawn.Rows), true
	case r.Undrawn != nil:
		for range r.Undrawn.Rows { // as below, so that drawing does not move the last bit
			n += r.Undrawn.Weight
		}
		return n, true
	case r.Table == nil:
		return 0, false
	case r.Weights == nil:
		return float64(r.Table.Len()), true
	}
	for _, w := range r.Weights {
		n += w
	}
	return n, true
}
