package lint

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// ownModule makes the module that a page lists below a folder, and returns where it is: beside no
// checkout as on the page, but with this tree's place in its go.mod.
func ownModule(t *testing.T, page, folder string) (dir string) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: no program is built")
	}
	root, dir := moduleRoot(t), t.TempDir()
	for _, l := range listings(t, page) {
		name, own := strings.CutPrefix(l.path, folder+"/")
		if !own {
			continue
		}
		if name == "go.mod" {
			mod := strings.Replace(l.text, "=> ../ppdp", "=> "+root, 1)
			if mod == l.text {
				t.Fatalf("%s in %s does not replace the module by ../ppdp", l.path, page)
			}
			// The rest is what "go mod tidy" adds: without network it cannot look for it.
			text := must(os.ReadFile(filepath.Join(root, "go.mod")))
			_, required, _ := strings.Cut(string(text), "\nrequire ")
			l.text = mod + "\nrequire " + required
		}
		write(t, filepath.Join(dir, name), l.text)
	}
	sums := must(os.ReadFile(filepath.Join(root, "go.sum")))
	write(t, filepath.Join(dir, "go.sum"), string(sums))
	return dir
}

// TestExampleOutOfTree: a separate module with the example's package and CONTRIBUTING.md's main
// has every verb, lists its baseline and runs a spec that names it.
func TestExampleOutOfTree(t *testing.T) {
	t.Parallel()
	const page, baseline = "CONTRIBUTING.md", "marginals/marginals.go"
	if _, err := os.Stat(filepath.Join(moduleRoot(t), "algorithms", baseline)); err == nil {
		t.Skip("this tree has the example already")
	}
	dir := ownModule(t, page, "mine")
	for _, l := range listings(t, page) {
		if l.path == "algorithms/"+baseline {
			write(t, filepath.Join(dir, baseline), l.text)
		}
	}
	program := filepath.Join(dir, "mine.exe")
	command(t, dir, "GOFLAGS=-mod=mod", "go", "build", "-o", program, ".")
	list := command(t, dir, "", program, "list", "algorithms")
	for _, name := range []string{"\nmarginals ", "\nrps "} {
		if !strings.Contains(list, name) {
			t.Errorf("the list lacks%s:\n%s", name, list)
		}
	}
	const want = "mine/tiny: 2 jobs, 0 failed"
	if out := command(t, dir, "", program, "run", "tiny.yaml"); !strings.Contains(out, want) {
		t.Errorf("the run does not report %q:\n%s", want, out)
	}
}

// TestLibraryPage: the program of docs/extend.md builds and prints two whole numbers.
func TestLibraryPage(t *testing.T) {
	t.Parallel()
	dir := ownModule(t, "docs/extend.md", "count")
	out := command(t, dir, "GOFLAGS=-mod=mod", "go", "run", ".")
	if !regexp.MustCompile(`^\[-?[0-9]+ -?[0-9]+\]\n$`).MatchString(out) {
		t.Errorf("the program prints %q", out)
	}
}
