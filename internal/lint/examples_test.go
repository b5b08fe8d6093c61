package lint

import (
	"go/format"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
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
	text := must(os.ReadFile(filepath.Join(moduleRoot(t), page)))
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
		problems, _ := layoutProblems(l.path, l.text)
		for _, problem := range problems {
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
// nothing wrong with the examples. It is the fast relative of TestNewcomer.
func TestExamples(t *testing.T) {
	t.Parallel()
	dir, packages, names := withExamples(t)
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
		if !strings.Contains(out, "--- PASS: "+name+" ") {
			t.Errorf("%s did not run:\n%s", name, out)
		}
	}
}

// TestNewcomer: with the examples of all pages in the tree "go test ./..." passes as it stands. The
// tests that make copies skip in there, because the examples are part of that tree.
func TestNewcomer(t *testing.T) {
	if os.Getenv(newcomer) == "" {
		t.Skipf("the whole suite in a copy of the tree takes minutes: %s=1 runs it", newcomer)
	}
	dir, _, _ := withExamples(t)
	command(t, dir, newcomer+"=", "go", "test", "-trimpath", "-timeout", "60m", "./...")
}
