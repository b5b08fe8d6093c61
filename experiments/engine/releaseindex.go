package engine

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"ppdp/algorithms"
	"ppdp/experiments/spec"
	"ppdp/internal/results"
)

// Files beside written releases that describe them.
const (
	// ReleaseIndex has a line for each file of the ReleasesFolder: where it comes from and what it
	// guarantees.
	ReleaseIndex = "index.csv"
	// ReleaseNotice says what to know before one of the files is published.
	ReleaseNotice = "README.txt"
)

var releaseIndexHeader = []string{"file", "content", "job", "series", "dataset", "algorithm",
	"variant", "params", "epsilon", "delta", "trial", "fold", "rows",
	"guarantee", "unit", "neighbours", "status", "proven", "errata", "note"}

// unfit is why a file with the guarantee must not be taken for a private one; nothing for one that
// holds.
func unfit(g *algorithms.Guarantee) string {
	switch {
	case g.Model == algorithms.NoPrivacy:
		return "NO PRIVACY: the data themselves, or what follows from them"
	case g.Status == algorithms.Declared:
		return fmt.Sprintf("ONLY DECLARED: %s is the word of a program that nothing here has "+
			"checked", g.Model)
	case g.Status == algorithms.Broken:
		return fmt.Sprintf("NOT PRIVATE: the claim of %s is broken, no finite bound is known%s",
			g.Model, errataOf(g))
	case g.Status == algorithms.Short:
		return fmt.Sprintf("LESS PRIVATE THAN CLAIMED: %s, but by more than the epsilon stated%s",
			g.Model, errataOf(g))
	}
	return ""
}

func errataOf(g *algorithms.Guarantee) string {
	if len(g.Errata) == 0 {
		return ""
	}
	return " (errata " + strings.Join(g.Errata, ", ") + ")"
}

// writeReleaseIndex writes ReleaseIndex and ReleaseNotice and warns of the releases that are not
// private.
func (r *run) writeReleaseIndex() error {
	folder := filepath.Join(r.result.Dir, ReleasesFolder)
	var lines [][]string
	var unprivate []string
	warned := make(map[string]bool)
	for i := range r.plan.Jobs {
		written := r.writtenContents(i)
		if len(written) == 0 {
			continue
		}
		c := &r.plan.Jobs[i]
		for _, content := range written {
			lines = append(lines, r.indexLine(i, content))
		}
		g := r.guarantee(i)
		if why := unfit(&g); why != "" {
			what := fmt.Sprintf("%s (%s, %s): %s", c.Config.Label(), c.Config.Algorithm,
				c.Config.Variant, why)
			if !warned[what] {
				warned[what] = true
				unprivate = append(unprivate, what)
			}
		}
	}
	if len(lines) == 0 {
		return nil
	}
	err := results.WriteFile(filepath.Join(folder, ReleaseIndex), func(w io.Writer) error {
		return results.WriteCSV(w, releaseIndexHeader, func(line func(...string)) {
			for i := range lines {
				line(lines[i]...)
			}
		})
	})
	if err != nil {
		return err
	}
	if err := results.WriteFile(filepath.Join(folder, ReleaseNotice),
		results.Text(r.notice(len(lines), unprivate))); err != nil {
		return err
	}
	for _, what := range unprivate {
		r.opts.Log("warning: releases of " + what)
	}
	if part := released(r.plan, &r.plan.Jobs[0]); part != "all" {
		r.opts.Log("warning: each release covers " + part + " of the rows, the others were held " +
			"out to measure with: a spec without folds and train releases all")
	}
	r.opts.Log(fmt.Sprintf("read %s before you publish any of the releases there",
		filepath.ToSlash(filepath.Join(folder, ReleaseNotice))))
	return nil
}

func (r *run) indexLine(i int, content content) []string {
	c := &r.plan.Jobs[i]
	o := r.unproved(i, r.finished(i))
	g := r.guarantee(i)
	fold, proven, status := "", "", string(g.Status)
	if c.Fold >= 0 {
		fold = strconv.Itoa(c.Fold)
	}
	if o.Spent != nil {
		proven = o.Spent.Proven.String()
		if o.Spent.Rho > 0 {
			proven = o.Spent.ProvenEpsilon.String()
		}
	}
	if g.Model == algorithms.NoPrivacy {
		status = "" // nothing is promised
	}
	return []string{filepath.Base(r.releaseFile(i)) + extensions[content], string(content),
		strconv.Itoa(i), c.Config.Label(), c.Config.Dataset.Label(),
		c.Config.Algorithm, c.Config.Variant, results.FormatParams(c.Config.AllParams()),
		c.Config.EpsilonText(), c.Config.DeltaText(), strconv.Itoa(c.Trial), fold,
		released(r.plan, c),
		string(g.Model), g.Unit, g.Relation, status, proven, strings.Join(g.Errata, " "),
		g.Note}
}

// released is the part of the rows that a job releases: "all", or what folds and train leave.
func released(p *spec.Plan, c *spec.Job) string {
	switch {
	case c.Fold >= 0:
		return fmt.Sprintf("%d/%d", p.Folds-1, p.Folds)
	case p.Spec.Train.Share > 0:
		return p.Spec.Train.String()
	case p.Spec.Train.Set():
		return "the first " + p.Spec.Train.String()
	}
	return "all"
}

// notice is the text of ReleaseNotice.
func (r *run) notice(files int, unprivate []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `Releases of %s, made for measurements: %d. Before you publish one:

1. %s lists every file with its guarantee, the data it protects, and whether the guarantee holds.
   A file that is not listed there belongs to an earlier run.
`, r.plan.Spec.Name, files, ReleaseIndex)
	if len(unprivate) > 0 {
		b.WriteString("   Never publish files of:\n")
		for _, what := range unprivate {
			fmt.Fprintf(&b, "     %s\n", what)
		}
	}
	fmt.Fprintf(&b, `2. The noise follows from the seed, which is %d and is in the manifest.
   With it anybody can remove the noise. Run again with --seed and a number from 0 to
   18446744073709551615 that nobody can guess, use it for this one run only, and publish neither
   the seed nor the other files of the run.
3. An epsilon is for one file. All files here are of the same people: the epsilons of those that you
   publish add up, and so do the deltas. Choosing a file by its figures uses the private data once
   more.
4. The figures, records and summaries of the run were measured on the private data. They are not
   private.
`, r.plan.Seed)
	if r.plan.Jobs[0].Fold >= 0 || r.plan.Spec.Train.Set() {
		b.WriteString("5. Rows were held out to measure with. " +
			"A spec without folds and train releases all rows.\n   " + trainedOn + "\n")
	}
	b.WriteString(`
A guarantee assumes a schema that is public knowledge, ideal randomness and exact arithmetic. The
page on the privacy model says what that leaves open.
`)
	return b.String()
}
