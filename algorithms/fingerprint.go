package algorithms

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
)

// Fingerprint is the SHA-256, in hexadecimal, of everything a release publishes, to the last bit of
// every number: equal releases have equal fingerprints on every machine. Records that are not drawn
// yet are drawn. Warnings and structure are not published and left out.
func (r *Release) Fingerprint(ctx context.Context) (string, error) {
	h := sha256.New()
	part := func(name string, present bool, values ...any) {
		fmt.Fprintf(h, "%s %t\n", name, present)
		for _, v := range values {
			fmt.Fprintf(h, "%d\n", binary.Size(v))
			if err := binary.Write(h, binary.LittleEndian, v); err != nil {
				panic(err) // only for types that are not of fixed size: none below
			}
		}
	}
	table, weights, err := r.Records(ctx)
	if err != nil {
		return "", err
	}
	part("table", table != nil)
	if table != nil {
		fmt.Fprintln(h, table.Checksum())
	}
	part("weights", weights != nil, weights)
	part("regions", r.Regions != nil)
	if q := r.Regions; q != nil {
		fmt.Fprintln(h, q.Attributes, q.Classes)
		low, high, nodes := q.Low, q.High, q.Nodes
		if q.Sides != nil { // shared or not, they say the same
			low, high, nodes = spread(low, q.Sides), spread(high, q.Sides), spread(nodes, q.Sides)
		}
		part("boxes", true, low, high, q.Counts)
		part("nodes", nodes != nil, nodes)
		for _, axis := range q.Axes {
			part("axis", axis != nil)
			if axis != nil {
				part("ranks", true, axis.Rank)
				for _, node := range axis.Taxonomy.Nodes {
					fmt.Fprintf(h, "%q %d\n", node.Name, node.Parent)
				}
			}
		}
		part("tight", q.TightLow != nil, q.TightLow, q.TightHigh)
		part("means", q.Means != nil, q.Means)
		part("assignment", q.Assignment != nil, q.Assignment)
		part("suppressed", q.Suppressed != nil, q.Suppressed)
		part("tree", q.Tree != nil)
		for _, cut := range q.Tree {
			fmt.Fprintln(h, cut.Dim, cut.At, cut.Left, cut.Right)
		}
	}
	part("degrees", r.Degrees != nil, r.Degrees)
	for i := range r.Marginals {
		m := &r.Marginals[i]
		fmt.Fprintf(h, "marginal %d %d %q\n", m.Attributes, m.Values, m.Purpose)
		part("counts", true, m.Counts, m.Cost)
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
