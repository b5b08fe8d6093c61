package results

import (
	"os"
	"path/filepath"
	"testing"

	"ppdp/internal/must"
)

func TestUsage(t *testing.T) {
	dir := t.TempDir()
	if u, err := ReadUsage(dir); u != nil || err != nil {
		t.Fatalf("of an empty folder: %v, %v", u, err)
	}
	// A run of 10 records that was stopped, and one that did the other 30 on more workers.
	want := Usage{Jobs: 40, Workers: 4, Seconds: 9.5, PeakBytes: 300, Cores: 2, MemoryBytes: 9000}
	sum := Usage{Jobs: 10, Workers: 2, Seconds: 2, PeakBytes: 300}.Add(Usage{Jobs: 30, Workers: 4,
		Seconds: 7.5, PeakBytes: 200, Cores: 2, MemoryBytes: 9000})
	must.Do(t, WriteUsage(dir, sum))
	if u := must.Get(ReadUsage(dir)); *u != want {
		t.Errorf("read %+v, want %+v", u, want)
	}
	must.Do(t, os.WriteFile(filepath.Join(dir, UsageFile), []byte(`{"minutes":1}`), 0o666))
	if _, err := ReadUsage(dir); err == nil {
		t.Error("no error for an unknown key")
	}
}
