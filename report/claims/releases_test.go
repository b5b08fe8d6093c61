package claims

import (
	"encoding/csv"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ppdp/internal/must"
	"ppdp/internal/results"
)

// releases are values of trials of real releases, by metric and setting. They are resampled, so
// that the truth of each law is known and no law is of our making.
//
// They were run with the settings of the papers' figures, by column: w1 and ks are of rps-graph
// with unit noise and n-1 (rps/fig5), by graph and epsilon; w2 and purity of rps (rps/fig1,
// rps/fig2, stop 5, shallow) by depth and epsilon; count errors of Mondrian (mondrian/fig17, x1);
// penalties of Mondrian there and of DiffMulti and DiffGen (diffmulti/fig5 and fig6, utility dm,
// score children); accuracies of ID3 on releases of DiffMulti (diffmulti/fig9) by h and epsilon.
func releases(t *testing.T) map[string][]float64 {
	t.Helper()
	file := must.Get(os.Open("testdata/releases.csv"))
	defer file.Close()
	rows := must.Get(csv.NewReader(file).ReadAll())
	laws := make(map[string][]float64)
	for _, row := range rows[1:] {
		for i, text := range row {
			if text != "" { // some columns have fewer trials
				name := rows[0][i]
				laws[name] = append(laws[name], must.Get(strconv.ParseFloat(text, 64)))
			}
		}
	}
	return laws
}

// heavy reports whether claims on a metric must be judged by medians: single trials of these
// settings are far from all others.
func heavy(name string) bool {
	return strings.HasPrefix(name, "w1 ") || strings.HasPrefix(name, "ks ") ||
		strings.HasSuffix(name, "diffgen h 8")
}

// draw is a trial of a law.
func (s *source) draw(law []float64) float64 { return law[int(s.uniform()*float64(len(law)))] }

// estimators are those of By.
var estimators = map[string]func([]float64) Point{means: meanOf, medians: medianOf}

// lookAt applies the whole rule to a claim whose points have these laws, look after look: only open
// points get more trials. Each point's bound lies below its truth by the margin.
func lookAt(noise *source, laws [][]float64, truths []float64, by string, margin float64) []Point {
	values := make([][]float64, len(laws))
	points := make([]Point, len(laws))
	for _, look := range Looks {
		for i, law := range laws {
			more := look == Looks[0] || points[i].State == open
			for more && len(values[i]) < look.Trials {
				values[i] = append(values[i], noise.draw(law))
			}
			p := estimators[by](slices.Clone(values[i]))
			points[i] = beyond(truths[i]-margin, false).decide(p, margin)
			points[i].share = share(p.N, true)
		}
		decide(&Judgement{Checks: []Evidence{{Points: points}}})
	}
	return points
}

// TestReleasesErr measures how often a claim has a wrong point where trials are those of real
// releases: bounds at the very truth, which neither state is true of, or a margin below it, where
// neither equal nor opposing is true.
func TestReleasesErr(t *testing.T) {
	laws := releases(t)
	var light, tails [][]float64
	for _, name := range slices.Sorted(maps.Keys(laws)) {
		if heavy(name) {
			tails = append(tails, laws[name])
		} else {
			light = append(light, laws[name])
		}
	}
	family := func(of [][]float64) (all [][]float64) {
		for i := range 24 {
			all = append(all, of[i%len(of)])
		}
		return all
	}
	type claim struct {
		name, by string
		points   [][]float64
		claims   int
		margin   float64
		fails    bool
	}
	cases := []claim{
		{"24 points", means, family(light), 200, 0, false},
		{"24 points", medians, family(tails), 200, 0, false},
		{"24 points", means, family(tails), 50, 0, true},
	}
	for name, law := range laws {
		one := [][]float64{law}
		if heavy(name) {
			cases = append(cases, claim{name, medians, one, 200, 0, false})
		} else {
			cases = append(cases, claim{name, means, one, 200, 0, false},
				claim{name, means, one, 100, meanOf(law).SE * 2, false})
		}
	}
	for _, name := range []string{"w1 email-Enron 1", "w1 email-Enron 10"} {
		cases = append(cases, claim{name, means, [][]float64{laws[name]}, 100, 0, true})
	}
	for _, c := range cases {
		noise := &source{uint64(len(c.name))}
		mistaken := 0
		truths := results.Mapped(c.points, func(law []float64) float64 {
			return estimators[c.by](slices.Clone(law)).Value
		})
		for range c.claims {
			wrong := func(p Point) bool {
				return p.State != open && (p.State != supports || c.margin == 0)
			}
			if slices.ContainsFunc(lookAt(noise, c.points, truths, c.by, c.margin), wrong) {
				mistaken++
			}
		}
		t.Logf("%s by %s, margin %.2g: %.3f", c.name, c.by, c.margin,
			float64(mistaken)/float64(c.claims))
		must.Be(t, float64(mistaken) > allowed(c.claims), c.fails, c.name, c.by, c.margin, mistaken,
			c.claims)
	}
}

// TestExtremesByHand: two settings a against two settings b in three trials, where one-sided p is
// (1 - t/√(2+t²))/2; a spread is the larger one of two differences.
func TestExtremesByHand(t *testing.T) {
	values := map[string][][]float64{"a": {{6, 6, 8}, {5, 7, 9}}, "b": {{1, 2, 5}, {3, 2, 2}}}
	o := grid(tenEpsilons[:2], 3, func(series string, epsilon float64, trial int) float64 {
		return values[series][slices.Index(tenEpsilons, epsilon)][trial]
	})
	above := func(left, right []float64) float64 { // that left - right is above 1
		var d []float64
		for trial, x := range left {
			d = append(d, x-right[trial]-1)
		}
		x := results.Mean(d) / results.StandardError(d)
		return (1 - x/math.Sqrt(2+x*x)) / 2
	}
	p := func(a, b int) float64 { return above(values["a"][a], values["b"][b]) }
	spread := judged(t, fileOf(t, "where: {metric: error, series: a}\n"+
		"range: {of: {take: spread over epsilon}, min: 1}"), o).Checks[0].Points[0].P
	b, c := values["a"][0], values["a"][1]
	// It is below 1 if both are.
	if want := 1 - min(above(b, c), above(c, b)); math.Abs(spread-min(1, 2*want)) > 1e-9 {
		t.Errorf("a spread: p %v, want twice %v", spread, want)
	}
	for _, c := range []struct {
		left, right string
		want        float64 // the one-sided p-value of a difference above 1
	}{
		{"max", "max", 2 * max(min(p(0, 0), p(1, 0)), min(p(0, 1), p(1, 1)))},
		{"min", "max", max(p(0, 0), p(0, 1), p(1, 0), p(1, 1))},
		{"max", "min", 4 * min(p(0, 0), p(0, 1), p(1, 0), p(1, 1))},
		{"min", "min", 2 * max(min(p(0, 0), p(0, 1)), min(p(1, 0), p(1, 1)))},
	} {
		for _, check := range []string{
			"left: {where: {series: a}, take: %s over epsilon}, is: above, " +
				"right: {where: {series: b}, take: %s over epsilon}",
			"right: {where: {series: a}, take: %s over epsilon}, is: below, " +
				"left: {where: {series: b}, take: %s over epsilon}",
		} {
			j := judged(t, fileOf(t, "where: {metric: error}\norder: {"+
				fmt.Sprintf(check, c.left, c.right)+", margin: 1}"), o)
			must.Near(t, j.Checks[0].Points[0].P, min(1, 2*c.want), 1e-9, c.left, c.right, c.want)
		}
	}
}

// TestMedians: the sign test by hand, of ten trials. A trial at the bound is not beyond it, and is
// within a closed bound.
func TestMedians(t *testing.T) {
	for _, c := range []struct {
		check  string
		values []float64
		value  float64
		state  string
		p      float64 // two-sided, in parts of 1024
	}{
		{"order: {left: {where: {series: a}}, is: above, right: {where: {series: b}}}",
			[]float64{1, 2, 3, 4, 5, 6, 7, 8, 1e9, -1}, 4.5, supports, 2 * 11},
		{"order: {left: {where: {series: a}}, is: above, right: {where: {series: b}}}",
			[]float64{1, 2, 3, 4, 5, 6, 7, 8, 0, -1}, 3.5, open, 2 * 56},
		{"range: {of: {where: {series: a}, minus: {where: {series: b}}}, min: 0}",
			[]float64{1, 2, 3, 4, 5, 6, 7, 8, 0, -1}, 3.5, supports, 2 * 11},
		{"range: {of: {where: {series: a}, minus: {where: {series: b}}}, max: 0}",
			[]float64{1, 2, 3, 4, 5, 6, 7, 8, 0, -1}, 3.5, open, 2 * 56},
		{"equal: 9\nrange: {of: {where: {series: a}, minus: {where: {series: b}}}, max: 0}",
			[]float64{1, 2, 3, 4, 5, 6, 7, 8, 0, -1}, 3.5, equal, 2},
	} {
		o := grid(tenEpsilons[:1], 10, func(series string, _ float64, trial int) float64 {
			if series == "a" {
				return c.values[trial] + 100*float64(trial)
			}
			return 100 * float64(trial)
		})
		j := judged(t, fileOf(t, "where: {metric: error}\nby: medians\n"+c.check), o)
		p := j.Checks[0].Points[0]
		if p.Value != c.value || p.State != c.state || math.Abs(p.P-c.p/1024) > 1e-12 {
			t.Errorf("%s of %v: %+v, want %s, p %v/1024", c.check, c.values, p, c.state, c.p)
		}
		if text := j.Checks[0].Predicate; !strings.HasPrefix(text, "median of the trials: ") {
			t.Error(text)
		}
	}
	// Nine of ten curves rise, and their means fall.
	o := grid(tenEpsilons[:3], 10, func(_ string, epsilon float64, trial int) float64 {
		if trial == 0 {
			return -1e6 * epsilon
		}
		return epsilon
	})
	rising := fileOf(t, "where: {metric: error, series: a}\nby: medians\n"+
		"monotone: {of: {}, along: epsilon, is: increasing}")
	if p := judged(t, rising, o).Checks[0].Points[0]; p.State != supports ||
		math.Abs(p.Value-0.09) > 1e-12 || math.Abs(p.P-22./1024) > 1e-12 {
		t.Errorf("%+v, want 0.09, p 22/1024", p)
	}
	// Of 20 trials the interval from the 8th to the 13th has the median with 1-2·137980/2²⁰ = 74 %,
	// that from the 9th to the 12th with 50 %.
	var twenty []float64
	for i := range 20 {
		twenty = append(twenty, float64((i*7)%20+1))
	}
	if p := medianOf(twenty); p.Value != 10.5 || p.SE != 2.5 {
		t.Errorf("%+v, want 10.5 ± 2.5", p)
	}
}
