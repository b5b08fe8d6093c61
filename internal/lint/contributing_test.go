package lint

import (
	"encoding/json"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// block is a Go listing in a page, with the path it is for.
var block = regexp.MustCompile("(?s)<!-- (\\S+\\.go) -->\n```go\n(.*?)```")

// registered is the name a plug-in registers under, in its source.
var registered = regexp.MustCompile(`Name:\s+"([^"]+)"`)

// TestExamples takes the example of every kind of plug-in from its page as a reader would, lays it
// over the module without touching a file, and runs the kind's conformance suite on it.
func TestExamples(t *testing.T) {
	for page, suite := range map[string]string{
		"CONTRIBUTING.md":             "./algorithms/all",
		"docs/adding-a-metric.md":     "./metrics",
		"docs/adding-a-dataset.md":    "./datasets/all",
		"docs/adding-a-classifier.md": "./classifiers/all",
	} {
		t.Run(filepath.Base(page), func(t *testing.T) {
			t.Parallel()
			runExample(t, page, suite)
		})
	}
}

// runExample runs TestConformance of the package suite with the example of a page: one Go file and,
// but for metrics, one line for the package suite's all.go.
func runExample(t *testing.T, page, suite string) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, page))
	if err != nil {
		t.Fatal(err)
	}
	blocks := block.FindAllStringSubmatch(string(text), -1)
	want := 2
	if suite == "./metrics" {
		want = 1
	}
	if len(blocks) != want {
		t.Fatalf("%d listings with a path, want the plug-in and, but for metrics, its line in "+
			"all.go", len(blocks))
	}
	path, source := blocks[0][1], blocks[0][2]
	formatted, err := format.Source([]byte(source))
	if err != nil {
		t.Fatal(err)
	}
	if string(formatted) != source {
		t.Errorf("%s is not formatted as gofmt would", path)
	}
	if _, err := os.Stat(filepath.Join(root, path)); err == nil {
		t.Fatalf("%s exists: the example must be a plug-in that does not", path)
	}
	files := map[string]string{path: source}
	for _, line := range blocks[1:] {
		all, err := os.ReadFile(filepath.Join(root, line[1]))
		if err != nil {
			t.Fatal(err)
		}
		files[line[1]] = strings.Replace(string(all), "import (\n", "import (\n"+line[2], 1)
		if files[line[1]] == string(all) {
			t.Fatalf("%s has no import block to add a line to", line[1])
		}
	}

	dir := t.TempDir()
	overlay := struct{ Replace map[string]string }{make(map[string]string)}
	for path, text := range files {
		copied := filepath.Join(dir, strings.ReplaceAll(path, "/", "-"))
		if err := os.WriteFile(copied, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		overlay.Replace[filepath.Join(root, path)] = copied
	}
	encoded, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, encoded, 0o666); err != nil {
		t.Fatal(err)
	}
	name := registered.FindStringSubmatch(source)
	if name == nil {
		t.Fatalf("%s registers no name", path)
	}
	// Without vet, which runs in the package's folder: there is none.
	command := exec.Command("go", "test", "-count=1", "-v", "-vet=off", "-overlay", list,
		"-run", "TestConformance/^"+name[1]+"$", suite)
	command.Dir = root
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !strings.Contains(string(out), "--- PASS: TestConformance/"+name[1]+" ") {
		t.Fatalf("the conformance suite did not run on %s:\n%s", name[1], out)
	}
}
