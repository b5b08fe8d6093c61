package engine

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ppdp/experiments/language"
)

// TestGeneralisedTable: what is written of a release under k-anonymity is a k-anonymous table as a
// file, with all attributes and rows, and the records drawn from it where there are some. That it
// is true of the rows, and not in their order, package publish tests, which writes it.
func TestGeneralisedTable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		params string
		k      int
		files  int
		kept   bool // no row may be suppressed
	}{
		{"mondrian, params: {k: 5}", 5, 2, true},
		{"mondrian, params: {k: 7, mode: relaxed}", 7, 2, true},
		{"incognito, params: {k: 5}", 5, 1, true},
		{"koptimize, params: {k: 6, suppression: 1}", 6, 1, false},
	} {
		plan := mustPlan(t, fmt.Sprintf("name: test/own\nseed: 3\n"+
			"dataset: {name: discrete, n: 300, attributes: 2}\nalgorithms: [{name: %s}]\n"+
			"measure: [{metric: discernibility}]\n", c.params), language.Overrides{})
		opts := options(t, t.TempDir())
		opts.WriteReleases = true
		mustRun(t, plan, opts)
		if again := mustRun(t, plan, opts); again.Cached != 1 {
			t.Errorf("%s: a written release is made again", c.params)
		}
		files := releaseFiles(t, opts.Out, "test/own")
		if len(files) != c.files {
			t.Errorf("%s: %d files", c.params, len(files))
		}
		schema := must(plan.Load(t.Context(), opts.Files, plan.Configs[0].Data, 0)).Table.Schema()
		for name, text := range files { // order-free: each is checked
			if strings.HasSuffix(name, drawnFile) {
				continue
			}
			rows := must(csv.NewReader(strings.NewReader(text)).ReadAll())
			if !slices.Equal(rows[0], schema.Names()) || c.kept && len(rows) != 301 {
				t.Errorf("%s: %d rows of %q", c.params, len(rows)-1, rows[0])
			}
			classes := make(map[string]int)
			for _, row := range rows[1:] {
				key := ""
				for _, attribute := range schema.QuasiIdentifiers() {
					key += row[attribute] + "|"
				}
				classes[key]++
			}
			for class, size := range classes { // order-free: each is checked
				if size < c.k || len(classes) < 2 {
					t.Errorf("%s: class %s of %d has %d rows", c.params, class, len(classes), size)
				}
			}
		}
	}
}
