package results_test

import (
	"os"
	"path/filepath"
	"testing"

	"ppdp/internal/results"
)

func TestUsage(t *testing.T) {
	dir := t.TempDir()
	if u, err := results.ReadUsage(dir); u != nil || err != nil {
		t.Fatalf("of an empty folder: %v, %v", u, err)
	}
	// A run of 10 records that was stopped, and one that did the other 30 on more workers.
	want := results.Usage{Jobs: 40, Workers: 4, Seconds: 9.5, PeakBytes: 300, Cores: 2,
		MemoryBytes: 9000}
	sum := results.Usage{Jobs: 10, Workers: 2, Seconds: 2,
		PeakBytes: 300}.Add(results.Usage{Jobs: 30, Workers: 4, Seconds: 7.5, PeakBytes: 200,
		Cores: 2, MemoryBytes: 9000})
	if sum != want {
		t.Errorf("the sum is %+v, want %+v", sum, want)
	}
	if err := results.WriteUsage(dir, want); err != nil {
		t.Fatal(err)
	}
	if u, err := results.ReadUsage(dir); err != nil || *u != want {
		t.Errorf("read %+v, %v; wrote %+v", u, err, want)
	}
	if err := results.WriteUsage(dir, results.Usage{Jobs: 1}); err == nil {
		t.Error("no error for a run with no worker")
	}
	for _, text := range []string{"", "{}", `{"cells":1,"jobs":1,"seconds":-1}`,
		`{"cells":1,"jobs":1,"seconds":1,"minutes":1}`} {
		if err := os.WriteFile(filepath.Join(dir, results.UsageFile), []byte(text),
			0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := results.ReadUsage(dir); err == nil {
			t.Errorf("no error for %q", text)
		}
	}
}
