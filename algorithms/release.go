package algorithms

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"

	"ppdp/datasets"
	"ppdp/privacy"
)

// Release is what an algorithm publishes. Fields an algorithm does not produce are nil. Records are
// read through the method of that name.
type Release struct {
	Table   *datasets.Table // synthetic records, in the input's schema
	Weights []float64       // of the table's rows; nil means 1 each
	Lazy    *LazyRecords    // in place of Table and Weights: records not yet drawn from Regions
	Regions *Regions
	Degrees []int32 // sorted ascending
	// Marginals are the noisy counts that the records were made from, as they were measured.
	Marginals []Marginal
	// Outside is the share of a file's records that had a value outside the schema or could not be
	// read. Absent are the shares of those without a value by attribute, nil for none: others of
	// the column stand in their place. Nothing of the kind is in what was released here.
	Outside float64
	Absent  []float64
	// Promised is what the certificate says that came with a file.
	Promised Promise
	// Warnings are statistical caveats: stored and shown to the holder of the data, never fatal.
	// They may count what is private and are not published.
	Warnings []string
	// Structure describes how the release came about (regions, depth, nodes): recorded, not
	// published.
	Structure Structure
}

// Promise is a guarantee of differential privacy; its epsilon is 0 for none.
type Promise struct{ Epsilon, Delta float64 }

// Allows is the most that the promise leaves to an attack on membership: to its true-positive rate
// at a false-positive rate, and to the area under its ROC curve.
func (p Promise) Allows(falsePositives float64) (truePositives, area float64) {
	return privacy.MostTruePositives(p.Epsilon, p.Delta, falsePositives),
		privacy.MostArea(p.Epsilon, p.Delta)
}

// Structure counts what a partitioning algorithm built.
type Structure struct {
	Nodes  int // regions visited, inner ones included
	Leaves int
	Depth  int // of the deepest leaf; the root has depth 0
	// Gap is the share of the cost found by a search for the least cost that is not proven
	// necessary, (cost - bound)/cost: 0 for an optimal release, and where nothing is searched.
	Gap float64
}

// Marginal is a count of each cell of some attributes, with noise of its own in every cell.
type Marginal struct {
	Attributes []int // ascending
	// Values are the codes that each value of each attribute stands for. A code is in one of them.
	Values [][][]datasets.Span
	Counts []float64 // by cell; the last attribute's value changes fastest
	// Purpose is that of the noise in the ledger, Cost what it was asked for in the budget's unit.
	Purpose string
	Cost    float64
}

// LazyRecords are records that are drawn from a release's regions when they are first needed.
// Drawing a record for each count can cost more than the rest of a release, and many metrics read
// only the regions.
type LazyRecords struct {
	Rows   int     // how many there are
	Weight float64 // of each; 1 where nothing is thinned
	// Draw makes the table of Rows rows. It is post-processing, from a noise stream that nothing
	// else reads, so that it makes no difference when it runs. Release.Records calls it at most
	// once.
	Draw func(ctx context.Context) (*datasets.Table, error)
}

// Records returns the published records and their weights, nil for 1 each; a release without
// records has a nil table. Lazy records are drawn now, and are Table and Weights from then on.
// After an error, that of the context too, the noise is used up: every further call returns the
// same error. Not safe for concurrent use.
func (r *Release) Records(
	ctx context.Context) (table *datasets.Table, weights []float64, err error) {
	lazy := r.Lazy
	if lazy == nil {
		return r.Table, r.Weights, nil
	}
	table, err = lazy.Draw(ctx)
	if err == nil && table.Len() != lazy.Rows {
		err = fmt.Errorf("%d records are drawn where %d are published", table.Len(), lazy.Rows)
	}
	if err != nil {
		lazy.Draw = func(context.Context) (*datasets.Table, error) { return nil, err }
		return nil, nil, err
	}
	if lazy.Weight != 1 {
		weights = slices.Repeat([]float64{lazy.Weight}, table.Len())
	}
	r.Table, r.Weights, r.Lazy = table, weights, nil
	return table, weights, nil
}

// RecordCount is the sum of the records' weights, without drawing them; ok is false for a release
// without records.
func (r *Release) RecordCount() (n float64, ok bool) {
	switch {
	case r.Lazy != nil && r.Lazy.Weight == 1:
		return float64(r.Lazy.Rows), true
	case r.Lazy != nil:
		for range r.Lazy.Rows { // as below, so that drawing does not move the last bit
			n += r.Lazy.Weight
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

// Fingerprint is the SHA-256, in hexadecimal, of everything a release publishes, to the last bit of
// every number: equal releases have equal fingerprints on every machine. Records that are not drawn
// yet are drawn. Warnings and structure are not published and left out.
func (r *Release) Fingerprint(ctx context.Context) (string, error) {
	table, weights, err := r.Records(ctx)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	add := func(parts ...any) {
		for _, part := range parts { // types and lengths too; floats as no other is written
			if size := binary.Size(part); size > 0 { // numbers: as text, 12 % of a replay
				fmt.Fprintf(h, "%T %d\n", part, size)
				binary.Write(h, binary.LittleEndian, part) // hashes accept everything
				continue
			}
			fmt.Fprintf(h, "%#v\n", part)
		}
	}
	if table != nil {
		add(table.Checksum())
	}
	add(weights, r.Degrees, r.Marginals)
	if q := r.Regions; q != nil {
		low, high, nodes := q.Low, q.High, q.Nodes
		if q.Sides != nil { // shared or not, they say the same
			low, high, nodes = spread(low, q.Sides), spread(high, q.Sides), spread(nodes, q.Sides)
		}
		add(q.Attributes, q.Classes, low, high, nodes, q.Counts, q.TightLow, q.TightHigh, q.Means,
			q.Assignment, q.Suppressed, q.Tree)
		for _, axis := range q.Axes {
			if add(axis != nil); axis != nil {
				add(axis.Rank, axis.Taxonomy.Nodes)
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// spread lists what is said of shared sides side by side; nil where nothing is.
func spread[N uint32 | int32](shared []N, sides []uint32) []N {
	if shared == nil {
		return nil
	}
	all := make([]N, len(sides))
	for i, side := range sides {
		all[i] = shared[side]
	}
	return all
}
