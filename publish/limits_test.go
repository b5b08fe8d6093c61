package publish

import (
	"path/filepath"
	"strings"
	"testing"

	"ppdp/internal/must"
)

// TestLimits: a release under limits says so, and verifies; one whose records do not keep what its
// certificate promises does not, and with the original neither does one that leaves out more
// records than was promised.
func TestLimits(t *testing.T) {
	_, r := files(t, 300)
	original := &Original{Table: r.Table, Schema: r.Schema}
	for _, params := range [][]string{
		{"incognito", "k=5", "l=3", "t=0.2", "suppression=0.1"},
		{"incognito", "k=5", "l=2", "diversity=entropy", "suppression=0.1"},
		{"incognito", "k=5", "l=2", "diversity=recursive", "c=1.5"},
		{"mondrian", "k=5", "l=3", "t=0.3"},
		{"mondrian", "k=5", "t=0.3"},
		{"endgame", "k=5", "l=3", "t=0.3"},
	} {
		r.Algorithm, r.Epsilon, r.Params = params[0], 0, set(params[1:]...)
		r.Out = filepath.Join(filepath.Dir(r.Table), strings.ReplaceAll(strings.Join(params, "-"),
			" ", ""))
		made := must.Get(Make(t.Context(), r))
		report := must.Get(Verify(t.Context(), r.Out, original))
		must.Do(t, report.Err())
		must.Say(t, strings.Join(report.Checks, "\n"), "keeps the limits")
		sentence := strings.ToLower(made.Certificate.Guarantee.Sentence)
		must.Say(t, sentence, "of each sensitive")
		forged := forge(t, r.Out, "", func(_ *Certificate, dir string) {
			records := read(t, filepath.Join(dir, RecordsFile))
			for _, town := range []string{",y,", ",z,"} {
				records = strings.ReplaceAll(records, town, ",x,")
			}
			write(t, filepath.Join(dir, RecordsFile), records)
		})
		report = must.Get(Verify(t.Context(), forged, nil))
		if strings.Contains(strings.Join(params, " "), "l=") {
			must.Fail(t, report.Err(), "town: a class has", "one town for all", params)
		}
		if params[0] != "incognito" {
			continue
		}
		forged = forge(t, r.Out, "", func(_ *Certificate, dir string) {
			lines := strings.SplitAfter(read(t, filepath.Join(dir, RecordsFile)), "\n")
			write(t, filepath.Join(dir, RecordsFile), strings.Join(lines[:len(lines)-40], ""))
		})
		report = must.Get(Verify(t.Context(), forged, original))
		must.Fail(t, report.Err(), "of the original's 300 records are suppressed, must be ", params)
	}
	for param, want := range map[string]string{ // order-free: each for itself
		"l=4":                   "l: 4, must be at most 3, the number of values of town",
		"t=1.5":                 "t: 1.5, must be from 0 to 1",
		"t=NaN":                 "t",
		"suppression=1.1":       "suppression: 1.1, must be from 0 to 1",
		"suppression=-0.1":      "suppression: -0.1, must be from 0 to 1",
		"l=0":                   "l: 0, must be from 1 to",
		"diversity=many":        "diversity: \"many\", must be one of distinct, entropy, recursive",
		"c=0":                   "c: 0, must be above 0",
		"distance=ordered":      "", // asks nothing without a t
		"distance=hierarchical": "",
	} {
		r.Algorithm, r.Params = "incognito", set("k=5", param)
		err := r.Refusal(t.Context())
		if (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, must say %q", param, err, want)
		}
	}
	r.Params = set("t=0.5", "distance=ordered")
	must.Fail(t, r.Refusal(t.Context()), "the values of town have no order", "no order")
}
