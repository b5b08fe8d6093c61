package publish

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/internal/must"
	"ppdp/internal/results"
	"ppdp/numeric/random"
	"ppdp/privacy"
)

// skewed is a table of one wide number, attributes of 12, 5, 3 and 2 values and a class that
// depends on one; low codes are frequent.
func skewed(rows int, key uint64) *datasets.Table {
	words := []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"}
	schema := &datasets.Schema{Attributes: []datasets.Attribute{
		{Name: "amount", Kind: datasets.Numeric, High: 1000, Step: 1},
		{Name: "region", Kind: datasets.Categorical, Values: words},
		{Name: "age", Kind: datasets.Numeric, Low: 20, High: 70, Step: 10},
		{Name: "town", Kind: datasets.Categorical, Values: words[:3]},
		{Name: "sex", Kind: datasets.Categorical, Values: words[:2]},
		{Name: "y", Kind: datasets.Categorical, Role: datasets.Class, Values: words[:2]},
	}}
	b, stream := datasets.NewBuilder(schema, rows), random.NewKey(key).Stream()
	for range rows {
		row := b.AddRow()
		for i := range schema.Attributes {
			u := stream.Open01()
			b.Set(row, i, uint32(u*u*u*float64(schema.Attributes[i].Cells())))
		}
	}
	return b.Table()
}

// measured is a release with a seed, and a certificate that says what its noise is.
func measured(t *testing.T, table *datasets.Table, name string, epsilon, delta float64,
	seed uint64, params ...string) (*algorithms.Release, *Certificate) {
	t.Helper()
	algorithm := must.Get(algorithms.Lookup(name))
	settings := algorithm.Params()
	must.Do(t, set(params...).decode(settings))
	budget := privacy.NewApproximate(epsilon, delta)
	release := must.Get(algorithm.Release(t.Context(), algorithms.Input{Table: table,
		Rows: table.AllRows(), Params: settings, Variant: algorithms.Strict, Budget: budget,
		Noise: random.NewStreams(random.NewKey(seed))}))
	c := &Certificate{}
	for _, e := range budget.Ledger() {
		c.Mechanisms = append(c.Mechanisms, Mechanism{Purpose: e.Purpose, Mechanism: e.Mechanism,
			Sensitivity: float64(e.Proven)})
	}
	return release, c
}

// TestSoundNoise: of sound releases by every algorithm that publishes counts at most a twentieth
// has a doubt that is refused at a level of a twentieth, for its own counts or for the original's:
// chances are bounds, so that what holds there holds at the level of verify. More are allowed by
// four standard deviations of a binomial law. Seeds are fixed.
func TestSoundNoise(t *testing.T) {
	const level = 0.05
	trials := 10
	if os.Getenv("PPDP_LONG") != "" {
		trials = 100
	}
	releases, alone, compared := 0, 0, 0
	for _, name := range []string{"independent", "nb-model", "mst", "mst-target", "aim",
		"aim-logistic"} {
		info := must.Get(algorithms.Lookup(name)).Info()
		for _, budget := range [][2]float64{{0.1, 0}, {1, 0}, {8, 0}, {0.5, 1e-6}, {5, 1e-6}} {
			if budget[1] > 0 && !info.Variants[0].Approximate {
				continue
			}
			for trial := range trials {
				params := []string{"iterations=" + []string{"1", "3", "100"}[trial%3],
					"max_rows=" + []string{"2000000", "50"}[trial/3%2]}
				if trial%4 == 0 {
					params = append(params, "cut=private")
				}
				table := skewed([]int{20, 300, 3000}[trial%3], uint64(trial))
				release, c := measured(t, table, name, budget[0], budget[1],
					uint64(releases), params...)
				records, weights, err := release.Records(t.Context())
				must.Do(t, err)
				refused := func(of string, doubts []doubt) int {
					least := slices.MinFunc(doubts, func(d, o doubt) int {
						return int(math.Copysign(1, d.chance-o.chance))
					})
					chance := least.chance * float64(len(doubts))
					if chance >= level {
						return 0
					}
					t.Logf("%s %v %v: %s: %v of %d", name, budget, params, least.what, least.chance,
						len(doubts))
					return 1
				}
				alone += refused("alone", append(c.agreement(table.Schema(), release.Marginals),
					c.drawn(records, weights, release.Marginals)...))
				compared += refused("compared", c.residuals(table, release.Marginals))
				releases++
			}
		}
	}
	most := level*float64(releases) + 4*math.Sqrt(level*float64(releases))
	t.Logf("%d releases: %d refused alone, %d with the original", releases, alone, compared)
	if float64(alone) > most || float64(compared) > most {
		t.Errorf("of %d releases %d are refused alone and %d with the original, must be %v or "+
			"fewer", releases, alone, compared, most)
	}
}

// TestForgedNoise: what a forger does to counts or records is refused, however well certificate,
// pages and digests are made to fit: with the original always, alone by the algorithms that count
// enough twice.
func TestForgedNoise(t *testing.T) {
	dir, r := files(t, 2000)
	r.Params = set("cut=equal") // 36 counts of independent; 12 would pass now and then
	methods := []string{"mst", "aim", "nb-model", "independent"}
	original := &Original{Table: r.Table, Schema: r.Schema}
	table, _, err := r.load(t.Context())
	must.Do(t, err)
	rewrite := func(c *Certificate, dir string, marginals []algorithms.Marginal) {
		must.Do(t, results.WriteFile(filepath.Join(dir, MarginalsFile), func(w io.Writer) error {
			return c.writeMarginals(w, table.Schema(), marginals)
		}))
		c.Noise = c.noise(table.Schema(), marginals)
		for i := range c.Files {
			c.Files[i] = must.Get(describeFile(dir, c.Files[i].Name))
		}
	}
	counts := func(change func(i int, m *algorithms.Marginal)) func(c *Certificate, dir string) {
		return func(c *Certificate, dir string) {
			marginals := must.Get(c.readMarginals(dir, table.Schema()))
			for i := range marginals {
				change(i, &marginals[i])
			}
			rewrite(c, dir, marginals)
		}
	}
	stated := func(epsilon float64) func(c *Certificate, dir string) {
		return func(c *Certificate, dir string) {
			by := epsilon / c.Guarantee.Epsilon
			marginals := must.Get(c.readMarginals(dir, table.Schema()))
			for i := range c.Mechanisms {
				c.Mechanisms[i].Cost *= by
			}
			for i := range marginals {
				marginals[i].Cost *= by
			}
			rewrite(c, dir, marginals)
			c.Guarantee.Epsilon, c.Guarantee.Sentence = epsilon, sentence(epsilon, 0, 0)
			c.Budget.Cost = epsilon
		}
	}
	records := func(lines func(all []string) []string) func(c *Certificate, dir string) {
		return func(_ *Certificate, dir string) {
			path := filepath.Join(dir, RecordsFile)
			all := strings.SplitAfter(strings.TrimSuffix(read(t, path), "\n"), "\n")
			all[len(all)-1] += "\n"
			write(t, path, all[0]+strings.Join(lines(all[1:]), ""))
		}
	}
	plants := map[string]struct {
		alone  []string // algorithms whose release gives it away by itself, for certain
		want   string   // with the original
		change func(c *Certificate, dir string)
	}{
		"a count raised": {[]string{"mst", "aim", "nb-model"}, "too far from the original",
			counts(func(i int, m *algorithms.Marginal) {
				if i == 1 {
					m.Counts[len(m.Counts)/2] += 1000
				}
			})},
		"a marginal of zeros": {[]string{"mst", "aim", "nb-model"}, "too far from the original",
			counts(func(i int, m *algorithms.Marginal) {
				if i == 1 {
					clear(m.Counts)
				}
			})},
		"no noise": {[]string{"mst"}, "too near to the original",
			counts(func(_ int, m *algorithms.Marginal) { copy(m.Counts, tally(m, table, nil)) })},
		"epsilon .1 for 1":  {[]string{"mst"}, "too near to the original", stated(.1)},
		"epsilon .01 for 1": {[]string{"mst"}, "too near to the original", stated(.01)},
		// nb-model gives it away by itself too, but for 3 releases of 100
		"epsilon 10 for 1": {[]string{"mst", "aim"}, "too far from the original", stated(10)},
		"no record": {methods, "records, records.csv 0: by the certificate's noise",
			records(func([]string) []string { return nil })},
		"a tenth of the records": {methods, "records, records.csv ",
			records(func(all []string) []string { return all[:len(all)/10] })},
		"one record again and again": {methods, "farther from them than records drawn without",
			records(func(all []string) []string { return slices.Repeat(all[:1], len(all)) })},
		"blank lines": {methods, "records.csv: blank lines",
			records(func(all []string) []string { return append(all, "\n") })},
	}
	for _, name := range methods {
		for _, r.Delta = range []float64{0, 1e-6} {
			r.Algorithm, r.Out = name, filepath.Join(dir, fmt.Sprint(name, r.Delta))
			r.Account = filepath.Join(dir, fmt.Sprint("account", r.Delta))
			r.TotalDelta = 100 * r.Delta
			must.Get(Make(t.Context(), r))
			for plant, f := range plants { // order-free: separate checks
				if r.Delta > 0 && strings.Contains(plant, "epsilon") {
					continue // costs are in another unit
				}
				forged := forge(t, r.Out, "", f.change)
				if slices.Contains(f.alone, name) {
					err := must.Get(Verify(t.Context(), forged, nil)).Err()
					must.Fail(t, err, "", name, r.Delta, plant, "alone")
				}
				err := must.Get(Verify(t.Context(), forged, original)).Err()
				must.Fail(t, err, f.want, name, r.Delta, plant)
			}
		}
	}
}
