package lint

import (
	"go/format"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// block is a listing in CONTRIBUTING.md with the path it is for.
var block = regexp.MustCompile("(?s)<!-- (\\S+) -->\n```[a-z]*\n(.*?)```")

// moduleRoot is the module's folder.
func moduleRoot(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// contributing returns the listings of CONTRIBUTING.md by their paths. The test is skipped where
// the example baseline is part of the tree already, as in the copy that TestExampleInTree makes.
func contributing(t *testing.T, paths ...string) map[string]string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds programs")
	}
	root := moduleRoot(t)
	text, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	listings := make(map[string]string)
	for _, match := range block.FindAllStringSubmatch(string(text), -1) {
		listings[match[1]] = match[2]
	}
	for _, path := range paths {
		if listings[path] == "" {
			t.Fatalf("CONTRIBUTING.md has no listing of %s", path)
		}
	}
	for path, listing := range listings { // order-free: each is checked
		if !strings.HasSuffix(path, ".go") || path == allPath {
			continue
		}
		formatted, err := format.Source([]byte(listing))
		if err != nil || string(formatted) != listing {
			t.Errorf("%s in CONTRIBUTING.md is not formatted as by gofmt: %v", path, err)
		}
		problems, _ := layoutProblems(path, listing)
		for _, problem := range problems {
			t.Errorf("CONTRIBUTING.md: %s", problem)
		}
	}
	if own, err := os.ReadFile(filepath.Join(root, baselinePath)); err == nil {
		if string(own) != listings[baselinePath] {
			t.Fatalf("%s exists and is not CONTRIBUTING.md's example", baselinePath)
		}
		t.Skip("the example is part of this tree")
	}
	return listings
}

// The listings of CONTRIBUTING.md.
const (
	baselinePath = "algorithms/marginals/marginals.go"
	allPath      = "algorithms/all/all.go"
	mainPath     = "mine/main.go"
	modPath      = "mine/go.mod"
	specPath     = "mine/tiny.yaml"
)

// TestExampleInTree: CONTRIBUTING.md's example and its one line in algorithms/all, added to a copy
// of the tree, pass vet, the conformance suite, the house rules and the tests of the JSON Schema.
func TestExampleInTree(t *testing.T) {
	t.Parallel()
	listings := contributing(t, baselinePath, allPath)
	dir := t.TempDir()
	copyTree(t, moduleRoot(t), dir)
	write(t, filepath.Join(dir, baselinePath), listings[baselinePath])
	all, err := os.ReadFile(filepath.Join(dir, allPath))
	if err != nil {
		t.Fatal(err)
	}
	listed := strings.Replace(string(all), "import (\n", "import (\n"+listings[allPath], 1)
	if listed == string(all) {
		t.Fatalf("%s has no import block to add a line to", allPath)
	}
	write(t, filepath.Join(dir, allPath), listed)

	// Builds with -trimpath do not depend on the folder: the next run finds them in the cache.
	goCommand := func(args ...string) string {
		return command(t, dir, "GOFLAGS=-trimpath", "go", args...)
	}
	goCommand("vet", "./algorithms/marginals", "./algorithms/all")
	const tests = "^(TestConformance|TestHouseRules|TestEvery.*|TestErrata.*|TestSchemaAccepts)$" +
		"/^(marginals|imports|randomness|clock|order|comments)$"
	out := goCommand("test", "-v", "-run", tests,
		"./algorithms/marginals", "./algorithms/all", "./internal/lint", "./cmd")
	ran := []string{"TestConformance/marginals", "TestHouseRules/imports", "TestSchemaAccepts"}
	for _, name := range ran {
		if !strings.Contains(out, "--- PASS: "+name+" ") {
			t.Errorf("%s did not run:\n%s", name, out)
		}
	}
}

// TestExampleOutOfTree: a separate module with the example's package and CONTRIBUTING.md's main
// has every verb, lists its baseline and runs a spec that names it.
func TestExampleOutOfTree(t *testing.T) {
	t.Parallel()
	listings := contributing(t, baselinePath, mainPath, modPath, specPath)
	root := moduleRoot(t)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "marginals", "marginals.go"), listings[baselinePath])
	write(t, filepath.Join(dir, "main.go"), listings[mainPath])
	write(t, filepath.Join(dir, "tiny.yaml"), listings[specPath])
	mod := strings.Replace(listings[modPath], "../ppdp", root, 1)
	if mod == listings[modPath] {
		t.Fatalf("%s in CONTRIBUTING.md does not replace ppdp by ../ppdp", modPath)
	}
	// The rest is what "go mod tidy" adds: without network it cannot look for it.
	own, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	_, required, _ := strings.Cut(string(own), "\nrequire ")
	write(t, filepath.Join(dir, "go.mod"), mod+"\nrequire "+required)
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

// command runs a program in a folder without network and returns what it prints.
func command(t *testing.T, dir, setting, name string, args ...string) string {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), setting,
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
	err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
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
	})
	if err != nil {
		t.Fatal(err)
	}
}

// write writes a file and the folders above it.
func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
