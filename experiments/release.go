package experiments

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"ppdp/algorithms"
	csvtable "ppdp/datasets/csv"
	"ppdp/datasets/graph"
	"ppdp/results"
)

// ReleasesFolder is the folder, in an experiment's own, that releases are written to on request.
const ReleasesFolder = "releases"

// releaseFile is where a cell's release is written, without its extension: the number of the cell,
// which is that of its record, and a part of its key, so that a file of the same name holds the
// same release.
func (r *run) releaseFile(i int) string {
	return filepath.Join(r.result.Dir, ReleasesFolder, fmt.Sprintf("%05d-%.8s", i, r.keys[i]))
}

// extensions of files that releases are written to.
const (
	edgesExtension = ".edges"
	tableExtension = ".csv"
)

// written reports whether an earlier run has written a cell's release, or there is nothing to
// write.
func (r *run) written(i int) bool {
	info := &r.plan.Cells[i].Config.Info
	if !info.Can(algorithms.RecordsProduct) && !info.Can(algorithms.DegreesProduct) {
		return true
	}
	return r.writtenFile(i) != ""
}

// writeRelease writes what a cell has published: records as CSV, and a degree sequence as the edge
// list of a random graph that has it, or the nearest one that a graph can have. Making a graph
// reads nothing but the release and so costs no privacy; its randomness is the cell's own. Regions
// alone are not written.
func (r *run) writeRelease(ctx context.Context, i int, release *algorithms.Release) error {
	path := r.releaseFile(i)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	if release.Degrees != nil {
		stream := r.plan.noiseKey(&r.plan.Cells[i], r.checksum(i)).Derive("written release",
			"graph").Stream()
		g, distance, err := graph.Realise(ctx, stream, release.Degrees)
		if err != nil {
			return err
		}
		return results.WriteFile(path+edgesExtension, func(w io.Writer) error {
			// The second line is what readers of the SNAP collection's files know, this program's
			// among them: it keeps nodes without edges.
			_, err := fmt.Fprintf(w,
				"# random graph of released degrees, %d away from them in all (%s)\n# Nodes: %d "+
					"Edges: %d\n",
				distance, r.plan.describe(&r.plan.Cells[i]), g.Nodes(), g.Edges())
			if err != nil {
				return err
			}
			return g.WriteEdges(w)
		})
	}
	table, weights, err := release.Records(ctx)
	if err != nil || table == nil {
		return err
	}
	return results.WriteFile(path+tableExtension, func(w io.Writer) error {
		return csvtable.Write(w, table, weights)
	})
}
