//go:build unix && !solaris && !aix

package external

import (
	"os"
	"path/filepath"
	"testing"

	"ppdp/internal/must"
)

// TestHomes: the next folder for data takes away those that nobody holds any more, and no others.
// A kill lets go of the file as closing it does.
func TestHomes(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var paths [3]string
	var held [3]*os.File
	for i := range paths {
		var err error
		if paths[i], held[i], err = newHome("a"); err != nil {
			t.Fatal(err)
		}
		defer held[i].Close()
	}
	must.Do(t, os.WriteFile(filepath.Join(paths[1], "data"), []byte("secret"), 0o600))
	starting := filepath.Join(os.TempDir(), "ppdp-baseline-b-1") // and not yet held
	other := filepath.Join(os.TempDir(), "other")
	for _, dir := range []string{starting, other} {
		must.Do(t, os.Mkdir(dir, 0o700))
	}
	held[1].Close()
	path, last, err := newHome("b")
	if err != nil {
		t.Fatal(err)
	}
	defer last.Close()
	if _, err := os.Stat(paths[1]); !os.IsNotExist(err) {
		t.Errorf("%s is still there: %v", paths[1], err)
	}
	for _, kept := range []string{paths[0], paths[2], starting, other, path} {
		if _, err := os.Stat(kept); err != nil {
			t.Error(err)
		}
	}
}
