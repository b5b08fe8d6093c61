package lint

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestExampleOutOfTree: a separate module with the example's package and CONTRIBUTING.md's main
// has every verb, lists its baseline and runs a spec that names it.
func TestExampleOutOfTree(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: no program is built")
	}
	root, dir := moduleRoot(t), t.TempDir()
	for _, l := range listings(t, "CONTRIBUTING.md") {
		name, mine := strings.CutPrefix(l.path, "mine/")
		switch {
		case l.path == "algorithms/marginals/marginals.go":
			if _, err := os.Stat(filepath.Join(root, l.path)); err == nil {
				t.Skip("this tree has the example already")
			}
			name = "marginals/marginals.go"
		case !mine:
			continue
		case name == "go.mod":
			mod := strings.Replace(l.text, "../ppdp", root, 1)
			if mod == l.text {
				t.Fatal("mine/go.mod in CONTRIBUTING.md does not replace ppdp by ../ppdp")
			}
			// The rest is what "go mod tidy" adds: without network it cannot look for it.
			own, err := os.ReadFile(filepath.Join(root, "go.mod"))
			if err != nil {
				t.Fatal(err)
			}
			_, required, _ := strings.Cut(string(own), "\nrequire ")
			l.text = mod + "\nrequire " + required
		}
		write(t, filepath.Join(dir, name), l.text)
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "go.sum"), string(sums))

	program := filepath.Join(dir, "mine.exe")
	command(t, dir, "GOFLAGS=-mod=mod", "go", "build", "-o", program, ".")
	list := command(t, dir, "", program, "list", "algorithms")
	for _, name := range []string{"\nmarginals ", "\nrps "} {
		if !strings.Contains(list, name) {
			t.Errorf("the list lacks%s:\n%s", name, list)
		}
	}
	const want = "mine/tiny: 2 cells, 0 failed"
	if out := command(t, dir, "", program, "run", "tiny.yaml"); !strings.Contains(out, want) {
		t.Errorf("the run does not report %q:\n%s", want, out)
	}
}
