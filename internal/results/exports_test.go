package results

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestExports: each file by hand, from its header.
func TestExports(t *testing.T) {
	dir := t.TempDir()
	r := fullRun()
	second := failed(fullRecord())
	second.Setting = &Setting{Dataset: Dataset{Name: "adult-standin", StandsFor: "adult"},
		Algorithm: "identity",
		Params:    map[string]string{"b": "x=y;z", "a": "1"}, Series: `Original, "raw"`}
	second.Ledger, second.Regions, second.Original, second.Fold = nil, nil, nil, nil
	second.Trial = 0
	r.Records, r.Timings = append(r.Records, second), nil
	r.Records[0].Trial = 0
	noError(t, r.write(dir))
	for name, want := range map[string]string{
		SummaryFile: "experiment,series,dataset,algorithm,variant,params,epsilon,delta," +
			"metric,classifier,n,failed,mean,se,lo95,hi95\n" +
			"rps/fig3,RPS <5> & more (strict),gaussian " +
			"n=9,rps,strict,depth=50;n=9;shape=flat;stop=5,0.1,,accuracy,c45,1,0,0.8125,,,\n" +
			"rps/fig3,RPS <5> & more (strict),gaussian " +
			"n=9,rps,strict,depth=50;n=9;shape=flat;stop=5,0.1,,w1,,0,1,,,,\n" +
			`rps/fig3,"Original, ""raw""",adult-standin,identity,,a=1;b=x\=y\;z,,,` +
			"accuracy,c45,0,1,,,,\n" +
			`rps/fig3,"Original, ""raw""",adult-standin,identity,,a=1;b=x\=y\;z,,,` +
			"w1,,0,1,,,,\n",
		LedgerFile: "cell,purpose,mechanism,claimed,proven,calls,unit,cost,loss,composition\n" +
			"0,cuts,laplace,1,2,1099511627776,epsilon,0.1,Inf,sequential\n",
	} {
		got := must(os.ReadFile(filepath.Join(dir, name)))
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	// Another run that keeps less leaves nothing of this one behind.
	less := fullRun()
	less.Timings = nil
	noError(t, less.write(dir))
	for _, name := range []string{TimingsFile} {
		if _, err := os.Stat(filepath.Join(dir, name)); !os.IsNotExist(err) {
			t.Errorf("%s of an earlier run is still there: %v", name, err)
		}
	}
}

// TestFormulas: what a spreadsheet would compute is text, numbers stay numbers.
func TestFormulas(t *testing.T) {
	var b strings.Builder
	w := newCSV(&b)
	for _, record := range []string{"a", "=1+1", "+cmd", "-x", "@SUM(A1)", "\t=1", "-1", "+2.5",
		"-1e-7", "-Inf", "", "a=1", "-"} {
		w.line(record)
	}
	err := w.end()
	want := "a\n'=1+1\n'+cmd\n'-x\n'@SUM(A1)\n'\t=1\n-1\n+2.5\n-1e-7\n-Inf\n\"\"\na=1\n'-\n"
	want = strings.Replace(want, "\"\"\n", "\n", 1)
	if err != nil || b.String() != want {
		t.Errorf("%v: %q, want %q", err, b.String(), want)
	}
}
