package engine

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"ppdp/algorithms"
	"ppdp/algorithms/external"
	csvtable "ppdp/datasets/csv"
	"ppdp/datasets/graph"
	"ppdp/experiments/language"
	"ppdp/internal/results"
)

// ReleasesFolder is the folder, in an experiment's own, that releases are written to on request.
const ReleasesFolder = "releases"

// releaseFile is where a job's release is written, without its extension: the number of the job,
// which is that of its record, and a part of its key, so that a file of the same name holds the
// same release.
func (r *run) releaseFile(i int) string {
	return filepath.Join(r.result.Dir, ReleasesFolder, fmt.Sprintf("%05d-%.8s", i, r.keys[i]))
}

// Extensions of the files that releases are written to.
const (
	graphFile = ".edges" // random graph of the released degrees
	tableFile = ".csv"   // records, or a generalised table
)

// anonymous reports whether an algorithm publishes a generalised table.
func anonymous(c *language.Config) bool {
	_, anonymous := c.Parameters.(algorithms.Anonymous)
	return anonymous && c.Info.Can(algorithms.MembershipProduct)
}

// extension is the end of the name of the file that has a job's release, "" without a file.
func extension(c *language.Config) string {
	switch {
	case c.Info.Can(algorithms.DegreesProduct):
		return graphFile
	case anonymous(c), c.Info.Can(algorithms.RecordsProduct):
		return tableFile
	}
	return ""
}

// written reports whether an earlier run has written a job's release, or there is nothing to
// write.
func (r *run) written(i int) bool {
	extension := extension(r.plan.Jobs[i].Config)
	info, err := os.Stat(r.releaseFile(i) + extension)
	return extension == "" || err == nil && info.Mode().IsRegular()
}

// unwrite removes the file of a job, if it has one.
func (r *run) unwrite(i int) {
	_ = os.Remove(r.releaseFile(i) + extension(r.plan.Jobs[i].Config))
}

// writeRelease writes what a job has published: under k-anonymity the generalised table; records as
// CSV; a degree sequence as the edge list of a random graph that has it, or the nearest one that a
// graph can have. Making a graph or bringing the rows of a class into random order reads nothing
// but the release and so costs no privacy; the randomness is the job's own. Regions alone are not
// written.
func (r *run) writeRelease(ctx context.Context, i int, m *trialData,
	release *algorithms.Release) error {
	c, extension := &r.plan.Jobs[i], extension(r.plan.Jobs[i].Config)
	path := r.releaseFile(i) + extension
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	key := r.plan.NoiseKey(c, r.checksum(i))
	switch {
	case extension == graphFile:
		g, distance, err := graph.Realise(ctx, key.Derive("written release", "graph").Stream(),
			release.Degrees)
		if err != nil {
			return err
		}
		return results.WriteFile(path, func(w io.Writer) error {
			// The second line is what readers of the SNAP collection's files know, this program's
			// among them: it keeps nodes without edges.
			_, err := fmt.Fprintf(w, "# random graph of released degrees, %d away from them "+
				"in all (%s)\n# Nodes: %d Edges: %d\n",
				distance, r.plan.Describe(c), g.Nodes(), g.Edges())
			if err != nil {
				return err
			}
			return g.WriteEdges(w)
		})
	case extension == tableFile && anonymous(c.Config):
		train, _ := m.split(c.Fold)
		return results.WriteFile(path, func(w io.Writer) error {
			return external.WriteGeneralised(w, m.data.Table, train, release.Regions,
				key.Derive("written release", "rows").Stream())
		})
	}
	table, weights, err := release.Records(ctx)
	if err != nil || table == nil {
		return err
	}
	return results.WriteFile(path,
		func(w io.Writer) error { return csvtable.Write(w, table, nil, weights) })
}

// warnOfReleases says what the written releases are not. What each of them is, the record of its
// job and the manifest say.
func (r *run) warnOfReleases() {
	var unfit []string
	for i := range r.plan.Jobs {
		c, g := r.plan.Jobs[i].Config, r.guarantee(i)
		what := fmt.Sprintf("%s (%s, %s): %s", c.Label(), c.Algorithm, c.Variant, g.Doubt())
		if g.Doubt() != "" && extension(c) != "" && !slices.Contains(unfit, what) {
			unfit = append(unfit, what)
		}
	}
	for _, what := range unfit {
		r.opts.Log("warning: NOT PRIVATE: releases of " + what)
	}
	r.opts.Log("releases are written to be measured: whoever knows the seed can remove their " +
		"noise, and they leave out rows that are held out; ppdp release makes one to hand out")
}
