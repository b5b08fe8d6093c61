package cmd

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestDamagedProgress: a file with any bit turned over is refused, or says the same.
func TestDamagedProgress(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, progressName)
	began := time.Date(2026, 1, 2, 3, 4, 5, 678, time.UTC)
	at := reached{Jobs: 1234, Done: 700, Cached: 20, Failed: 3, Began: began,
		Heard: began.Add(time.Hour)}
	noError(t, at.write(dir))
	text := must(os.ReadFile(path))
	if got, err := readReached(dir); err != nil || *got != at {
		t.Fatalf("%+v, %v; want %+v", got, err, at)
	}
	for bit := range 8 * len(text) {
		text[bit/8] ^= 1 << (bit % 8)
		noError(t, os.WriteFile(path, text, 0o666))
		if got, err := readReached(dir); err == nil && *got != at {
			t.Errorf("bit %d: %s read as %+v", bit, text, got)
		}
		text[bit/8] ^= 1 << (bit % 8)
	}
}
