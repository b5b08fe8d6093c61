package algorithms

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

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
