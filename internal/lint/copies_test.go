package lint

import (
	"fmt"
	"go/build"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// moduleRoot is the module's folder.
func moduleRoot(t *testing.T) string {
	t.Helper()
	return must(filepath.Abs(filepath.Join("..", "..")))
}

// fetched has the modules of all packages and their tests in the module cache. "go test" of this
// package alone fetches only its own, and copies of the tree are built without network.
var fetched = sync.OnceValue(func() error {
	c := exec.Command("go", "list", "-deps", "-test", "./...")
	c.Dir = filepath.Join("..", "..")
	out, err := c.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", c, err, out)
	}
	return nil
})

// command runs a program in a folder without network and returns what it prints.
func command(t *testing.T, dir, setting, name string, args ...string) string {
	t.Helper()
	noError(t, fetched())
	c := exec.Command(name, args...)
	c.Dir = dir
	// Tests built with -trimpath do not know by themselves where the standard library is.
	c.Env = append(os.Environ(), setting, "GOROOT="+build.Default.GOROOT,
		"GOPROXY=off", "GOWORK=off", "GOTOOLCHAIN=local", "PPDP_OFFLINE=1")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// copyTree copies the module's files without what git ignores: programs, data and results.
func copyTree(t *testing.T, from, to string) {
	t.Helper()
	noError(t, filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == from {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		switch {
		case entry.IsDir():
			made := name == "bin" || name == "dist" || name == "data" ||
				filepath.Dir(name) == "results"
			if made && entry.Name() != "testdata" || strings.HasPrefix(entry.Name(), ".") {
				return filepath.SkipDir
			}
			return nil
		case !entry.Type().IsRegular():
			return nil
		}
		data, err := os.ReadFile(path)
		if err == nil {
			write(t, filepath.Join(to, name), string(data))
		}
		return err
	}))
}

// write writes a file and the folders above it.
func write(t *testing.T, path, text string) {
	t.Helper()
	noError(t, os.MkdirAll(filepath.Dir(path), 0o777))
	noError(t, os.WriteFile(path, []byte(text), 0o666))
}
