package publish

import (
	"encoding/csv"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ppdp/internal/must"
	"ppdp/internal/strictyaml"
)

// TestHolder: owner, purpose and contact are the schema's unless they are asked for, on the page,
// in the metadata and in the registry's entry, which holds what a parser of YAML reads as such.
func TestHolder(t *testing.T) {
	_, r := files(t, 300)
	write(t, r.Schema, schemaText+"title: People\nowner: \"The \\\"Office\\\": A\"\n"+
		"purpose: To plan schools\ncontact: office@example.org\n")
	r.Algorithm, r.Contact = "mst", "desk@example.org"
	must.Get(Make(t.Context(), r))
	must.Do(t, must.Get(Verify(t.Context(), r.Out, nil)).Err())
	page := read(t, filepath.Join(r.Out, PageFile)) + read(t, filepath.Join(r.Out, CroissantFile))
	must.Say(t, page, "<h1>People</h1>", "The &#34;Office&#34;: A", "To plan schools",
		"desk@example.org", `"contactPoint": "desk@example.org"`,
		`"name": "The \"Office\": A"`)
	reader := strictyaml.NewReader(DeploymentFile)
	root := reader.Document([]byte(read(t, filepath.Join(r.Out, DeploymentFile))))
	must.Do(t, reader.Err())
	var keys []string
	for _, e := range reader.Entries(root) {
		keys = append(keys, e.Key)
	}
	must.Equal(t, keys, []string{"basic", "dp_variant", "privacy_loss", "deployment_model",
		"implementation", "administrative"})
	for place, want := range map[string]string{"basic data_curators": `The "Office": A`,
		"basic intended_use": "To plan schools", "basic publication_date": "2026-05-06",
		"dp_variant variant_name":                 "Pure DP",
		"privacy_loss privacy_parameters epsilon": "1",
		"privacy_loss privacy_unit":               "Record-level",
		"administrative authors":                  "desk@example.org"} {
		node := root
		for _, key := range strings.Fields(place) {
			node = strictyaml.Find(node, key)
		}
		if node.Kind == strictyaml.SequenceNode {
			node = node.Content[0]
		}
		must.Be(t, node.Value, want, place)
	}
}

// TestSmallestGroup finds the smallest group of each attribute again, in marginals.csv as text.
func TestSmallestGroup(t *testing.T) {
	_, r := files(t, 900)
	r.Algorithm = "independent"
	made := must.Get(Make(t.Context(), r))
	lines := must.Get(csv.NewReader(strings.NewReader(read(t,
		filepath.Join(r.Out, MarginalsFile)))).ReadAll())
	own := len(marginalColumns)
	for _, n := range made.Certificate.Noise {
		a := slices.Index(lines[0], n.Attribute)
		smallest, hidden := math.Inf(1), 0
		for _, line := range lines[1:] {
			if line[a] == "" {
				continue
			}
			count := must.Get(strconv.ParseFloat(line[own-1], 64))
			deviation := must.Get(strconv.ParseFloat(line[own-2], 64))
			if count < 2*deviation {
				hidden++
			} else {
				smallest = min(smallest, count)
			}
		}
		if n.Smallest != smallest || n.Hidden != hidden ||
			math.Abs(float64(n.Relative*smallest)-n.Error) > 1e-9 {
			t.Errorf("%+v, want %v, and %d hidden", n, smallest, hidden)
		}
	}
	if len(made.Certificate.Noise) < 4 {
		t.Errorf("%d attributes", len(made.Certificate.Noise))
	}
}

// TestDisclosed: the attribute that most classes share is named, with its share by a plain count.
func TestDisclosed(t *testing.T) {
	_, r := files(t, 40)
	r.Algorithm, r.Epsilon, r.Params = "mondrian", 0, set("k=2")
	made := must.Get(Make(t.Context(), r))
	lines := strings.Split(strings.TrimSpace(read(t, filepath.Join(r.Out, RecordsFile))), "\n")
	worst := 0
	for which := range 2 { // y, then town: the last two columns
		classes, shared := make(map[string][]string), 0
		for _, line := range lines[1:] {
			at := strings.LastIndex(line, ",")
			town := strings.LastIndex(line[:at], ",")
			value := []string{line[at:], line[town:at]}[which]
			classes[line[:town]] = append(classes[line[:town]], value)
		}
		for _, values := range classes { // order-free: a sum
			if len(slices.Compact(values)) == 1 {
				shared += len(values)
			}
		}
		worst = max(worst, shared)
	}
	a := made.Certificate.Anonymity
	want := fmt.Sprintf("is disclosed of %.1f %% of the records", 100*float64(worst)/40)
	if worst == 0 || !strings.Contains(a.Disclosure(), want) ||
		!strings.Contains(read(t, filepath.Join(r.Out, PageFile)), want) {
		t.Errorf("%q, want %q: %v", a.Disclosure(), want, a.Unchanged)
	}
}

// TestNoWeights: a release that is handed out has no column of weights unless one is asked for.
func TestNoWeights(t *testing.T) {
	for _, test := range []struct {
		params   Settings
		weighted bool
	}{{nil, false}, {set("copies=3"), true}} {
		_, r := files(t, 200)
		r.Algorithm, r.Params = "aim-logistic", test.params
		made := must.Get(Make(t.Context(), r))
		header, _, _ := strings.Cut(read(t, filepath.Join(r.Out, RecordsFile)), "\n")
		must.Be(t, made.Certificate.Weighted, test.weighted, test.params)
		must.Be(t, strings.HasSuffix(header, ",weight"), test.weighted, test.params, header)
		must.Do(t, must.Get(Verify(t.Context(), r.Out, nil)).Err())
	}
}
