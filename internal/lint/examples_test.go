package lint

import (
	"fmt"
	"go/build"
	"go/format"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"ppdp/internal/must"
)

// newcomer is the environment variable that "make test-newcomer" sets, for tests that take minutes:
// they do to a copy of the tree what somebody new to it would do.
const newcomer = "PPDP_NEWCOMER"

// examplePages have the example of a plug-in each: a Go file and, but for the metric, a line for
// the all.go of its kind.
var examplePages = []string{"CONTRIBUTING.md", "docs/extend.md"}

// block is a listing in a page with the path it is for.
var block = regexp.MustCompile("(?s)<!-- (\\S+) -->\n```[a-z]*\n(.*?)```")

// registered is the name a plug-in registers under, in its source.
var registered = regexp.MustCompile(`Name:\s+"([^"]+)"`)

// listings returns the files, or lines of one, that a page has in full, after checking that Go
// files keep to the module's layout.
func listings(t *testing.T, page string) (all []file) {
	t.Helper()
	text := must.Get(os.ReadFile(filepath.Join(moduleRoot(t), page)))
	for _, match := range block.FindAllStringSubmatch(string(text), -1) {
		l := file{match[1], match[2]}
		all = append(all, l)
		if path.Ext(l.path) != ".go" || path.Base(l.path) == "all.go" {
			continue
		}
		formatted, err := format.Source([]byte(l.text))
		if err != nil || string(formatted) != l.text {
			t.Errorf("%s: %s is not formatted as by gofmt: %v", page, l.path, err)
		}
		for _, problem := range layoutProblems(l) {
			t.Errorf("%s: %s", page, problem)
		}
	}
	return all
}

// withExamples copies the tree and adds the example of every page to the copy, as a reader would.
// It returns the copy's folder, the examples' packages and the names that they register. Where the
// tree has one of them, as such a copy does, the test is skipped.
func withExamples(t *testing.T) (dir string, packages, names []string) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: nothing is built in a copy of the tree")
	}
	dir = t.TempDir()
	copyTree(t, moduleRoot(t), dir)
	for _, page := range examplePages {
		for _, l := range listings(t, page) {
			file := filepath.Join(dir, l.path)
			old, err := os.ReadFile(file)
			switch {
			case strings.HasPrefix(l.path, "mine/"), strings.HasPrefix(l.path, "count/"):
				// modules of their own
			case path.Base(l.path) == "all.go":
				listed := strings.Replace(string(old), "import (\n", "import (\n"+l.text, 1)
				sorted, err := format.Source([]byte(listed))
				if err != nil || listed == string(old) {
					t.Fatalf("%s: a line cannot be added to %s: %v", page, l.path, err)
				}
				write(t, file, string(sorted))
			case err == nil && string(old) != l.text && os.Getenv(newcomer) != "":
				t.Fatalf("%s exists and is not the example of %s: rename it", l.path, page)
			case err == nil:
				t.Skipf("this tree has the example of %s already", page)
			default:
				write(t, file, l.text)
				packages = append(packages, "./"+path.Dir(l.path))
				name := registered.FindStringSubmatch(l.text)
				if name == nil {
					t.Fatalf("%s: %s registers no name", page, l.path)
				}
				names = append(names, name[1])
			}
		}
	}
	if len(names) != len(examplePages) {
		t.Fatalf("the examples of %d pages are %q", len(examplePages), names)
	}
	return dir, packages, names
}

// TestExamples: vet, the suites that run over everything registered, and the house rules find
// nothing wrong with the examples. For newcomer "go test ./..." passes as it stands: the tests that
// make copies skip in there, because the examples are part of that tree.
func TestExamples(t *testing.T) {
	t.Parallel()
	dir, packages, names := withExamples(t)
	if os.Getenv(newcomer) != "" {
		command(t, dir, newcomer+"=", "go", "test", "-trimpath", "-timeout", "60m", "./...")
		return
	}
	// Builds with -trimpath do not depend on the folder: the next run finds them in the cache.
	goCommand := func(args ...string) string {
		return command(t, dir, "GOFLAGS=-trimpath", "go", args...)
	}
	goCommand(append([]string{"vet"}, packages...)...)
	subtests := slices.Clone(names)
	for _, r := range rules {
		subtests = append(subtests, r.name)
	}
	tests := "^(TestConformance|TestHouseRules|TestLayout|TestPluginFolders|TestEvery.*|" +
		"TestArchitecturePage|TestErrata.*|TestParametersSayWhatTheyAre|TestSchemaAccepts|" +
		"TestAlgorithmsPage)$/^(" +
		strings.Join(subtests, "|") + ")$"
	out := goCommand("test", "-v", "-run", tests, "./algorithms/all", "./metrics",
		"./experiments/language", "./internal/lint", "./cmd")
	ran := []string{"TestHouseRules/imports", "TestHouseRules/arithmetic", "TestLayout",
		"TestPluginFolders", "TestParametersSayWhatTheyAre", "TestSchemaAccepts",
		"TestAlgorithmsPage"}
	for _, name := range names {
		ran = append(ran, "TestConformance/"+name)
	}
	for _, name := range ran {
		must.Say(t, out, "--- PASS: "+name+" ")
	}
}

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
			text := must.Get(os.ReadFile(filepath.Join(root, "go.mod")))
			_, required, _ := strings.Cut(string(text), "\nrequire ")
			l.text = mod + "\nrequire " + required
		}
		write(t, filepath.Join(dir, name), l.text)
	}
	sums := must.Get(os.ReadFile(filepath.Join(root, "go.sum")))
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
	command(t, dir, "GOFLAGS=-mod=mod -trimpath", "go", "build", "-o", program, ".")
	list := command(t, dir, "", program, "list", "algorithms")
	must.Say(t, list, "\nmarginals ", "\nrps ")
	const want = "mine/tiny: 2 jobs, 0 failed"
	must.Say(t, command(t, dir, "", program, "run", "tiny.yaml"), want)
}

// TestLibraryPage: the program of docs/extend.md builds and prints two whole numbers.
func TestLibraryPage(t *testing.T) {
	t.Parallel()
	dir := ownModule(t, "docs/extend.md", "count")
	out := command(t, dir, "GOFLAGS=-mod=mod -trimpath", "go", "run", ".")
	if !regexp.MustCompile(`^\[-?[0-9]+ -?[0-9]+\]\n$`).MatchString(out) {
		t.Errorf("the program prints %q", out)
	}
}

// moduleRoot is the module's folder.
func moduleRoot(t *testing.T) string {
	t.Helper()
	return must.Get(filepath.Abs(filepath.Join("..", "..")))
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
	must.Do(t, fetched())
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
	must.Do(t, filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
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
	must.Do(t, os.MkdirAll(filepath.Dir(path), 0o777))
	must.Do(t, os.WriteFile(path, []byte(text), 0o666))
}
