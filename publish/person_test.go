package publish

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ppdp/algorithms"
	"ppdp/internal/must"
)

// personal is a request for a table of 360 records of 120 persons: one has as many as six, and the
// schema keeps three.
func personal(t testing.TB) (dir string, request *Request) {
	t.Helper()
	dir, r := files(t, 360)
	lines := strings.Split(strings.TrimSpace(read(t, r.Table)), "\n")
	lines[0] += ";patient"
	for i := range lines[1:] {
		lines[i+1] += fmt.Sprintf(";patient-%d", min(i%120, i%119))
	}
	write(t, r.Table, strings.Join(lines, "\n")+"\n")
	write(t, r.Schema, "person: patient\ncontributions: 3\n"+schemaText)
	return dir, r
}

// TestPersons: what protects persons says so in certificate and account, at the cost of a person,
// by noise for all their records, and names nobody.
func TestPersons(t *testing.T) {
	dir, _ := personal(t)
	for _, c := range []struct {
		algorithm string
		delta     float64
		params    []string
	}{{"independent", 0, nil}, {"independent", 1e-6, nil}, {"mst", 1e-6, nil},
		{"rps", 0, []string{"depth=3"}},
		{"mondrian", 0, []string{"k=7"}}, {"mondrian", 0, []string{"k=7", "mode=relaxed"}},
		{"mondrian", 0, []string{"k=7", "split=workload"}}, {"incognito", 0, []string{"k=7"}},
		{"koptimize", 0, []string{"k=7"}}, {"endgame", 0, []string{"k=7"}}} {
		r := requestIn(dir)
		name := fmt.Sprint(c.algorithm, c.delta, strings.Join(c.params, ""))
		r.Algorithm, r.Params, r.Delta, r.Out = c.algorithm, set(c.params...), c.delta,
			filepath.Join(dir, name)
		r.Account, r.TotalDelta = filepath.Join(dir, name+".account"), 10*c.delta
		anonymous := c.params != nil && c.params[0] == "k=7"
		if anonymous {
			r.Epsilon = 0
		}
		made := must.Get(Make(t.Context(), r))
		report := must.Get(Verify(t.Context(), r.Out, &Original{Table: r.Table, Schema: r.Schema}))
		must.Do(t, report.Err())
		g := made.Certificate.Guarantee
		if g.Unit != "person" || g.Contributions != 3 || !strings.Contains(g.Sentence, "person") {
			t.Errorf("%s: %+v", name, g)
		}
		cost := 0.0
		for _, m := range made.Certificate.Mechanisms {
			cost += m.Cost
			if c.algorithm == "independent" && m.Sensitivity != 3 {
				t.Errorf("%s: a sensitivity of %v, want 3: %+v", name, m.Sensitivity, m)
			}
		}
		_, whole := costUnit(1, c.delta)
		switch {
		case anonymous:
			counted := slices.ContainsFunc(report.Checks, func(s string) bool {
				return strings.Contains(s, "persons or more (k is 7)")
			})
			if g.Relation != "none" || !counted || made.Certificate.Anonymity.K < 7 {
				t.Errorf("%s: %+v, %q", name, g, report.Checks)
			}
		case g.Relation != algorithms.AddOrRemovePerson || cost > whole*(1+1e-9) || cost < whole/2:
			t.Errorf("%s: %s, mechanisms cost %v of %v", name, g.Relation, cost, whole)
		case !strings.Contains(read(t, r.Account), `"protects":"person"`):
			t.Errorf("%s: the account does not say person", name)
		}
		for _, file := range made.Certificate.Files {
			if text := read(t, filepath.Join(r.Out, file.Name)); strings.Contains(text, "patient") {
				t.Errorf("%s: %s names a person, or their column", name, file.Name)
			}
		}
	}
	// What protects records cannot be added to what protects persons.
	r := requestIn(dir)
	r.Algorithm, r.Account, r.Out = "independent", filepath.Join(dir, "independent0.account"),
		filepath.Join(dir, "records")
	write(t, r.Schema, schemaText)
	must.Fail(t, must.Err(Make(t.Context(), r)), "it adds up what protects a person",
		"one account for persons and records")
	// What a visit has spent is not what its patient has.
	text := read(t, r.Table)
	write(t, r.Table, strings.Replace(text, ";patient\n", ";visit\n", 1))
	write(t, r.Schema, "person: visit\ncontributions: 3\n"+schemaText)
	r.Changed = true
	must.Fail(t, must.Err(Make(t.Context(), r)), "another column names", "other persons")
	write(t, r.Table, text)
	write(t, r.Schema, schemaText)
	r.Changed, r.Contributions = false, 2
	must.Fail(t, must.Err(Make(t.Context(), r)), "no person:, must name the column",
		"contributions of nobody")
	r.Contributions = -1
	must.Fail(t, must.Err(Make(t.Context(), r)), "contributions: -1, must be from 0 to 1000",
		"-1 contributions")
}

// TestContributions: fewer records than the schema's are taken on request, and a certificate that
// is forged to say more of them is seen.
func TestContributions(t *testing.T) {
	_, r := personal(t)
	r.Algorithm, r.Epsilon, r.Params, r.Contributions = "mondrian", 0, set("k=5"), 1
	made := must.Get(Make(t.Context(), r))
	must.Be(t, made.Certificate.Anonymity.Records, 119)
	report := must.Get(Verify(t.Context(), r.Out, &Original{Table: r.Table, Schema: r.Schema}))
	if report.Err() != nil || *report.Suppressed != 0 {
		t.Errorf("%v, %d suppressed", report.Err(), *report.Suppressed)
	}
	forged := forge(t, r.Out, "", edit{"guarantee.contributions": 3}.change)
	for original, want := range map[*Original]string{ // order-free: each for itself
		nil:                                "up to 3 of each",
		{Table: r.Table, Schema: r.Schema}: "235 of the original's 354 records are suppressed",
	} {
		must.Fail(t, must.Get(Verify(t.Context(), forged, original)).Err(), want)
	}
}
