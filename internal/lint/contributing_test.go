package lint

import (
	"encoding/json"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// block is a Go listing in CONTRIBUTING.md with the path it is for.
var block = regexp.MustCompile("(?s)<!-- (\\S+\\.go) -->\n```go\n(.*?)```")

// TestContributingExample takes the example of a new baseline from CONTRIBUTING.md as a reader
// would, lays it over the module without touching a file, and runs the conformance suite on it.
func TestContributingExample(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := block.FindAllStringSubmatch(string(text), -1)
	if len(blocks) != 2 {
		t.Fatalf("%d listings with a path in CONTRIBUTING.md, want the baseline and its line in algorithms/all", len(blocks))
	}
	baseline, line := blocks[0], blocks[1]
	formatted, err := format.Source([]byte(baseline[2]))
	if err != nil {
		t.Fatal(err)
	}
	if string(formatted) != baseline[2] {
		t.Errorf("%s in CONTRIBUTING.md is not formatted as gofmt would", baseline[1])
	}
	if _, err := os.Stat(filepath.Join(root, baseline[1])); err == nil {
		t.Fatalf("%s exists: the example must be a baseline that does not", baseline[1])
	}
	all, err := os.ReadFile(filepath.Join(root, line[1]))
	if err != nil {
		t.Fatal(err)
	}
	listed := strings.Replace(string(all), "import (\n", "import (\n"+line[2], 1)
	if listed == string(all) {
		t.Fatalf("%s has no import block to add a line to", line[1])
	}

	dir := t.TempDir()
	overlay := struct{ Replace map[string]string }{make(map[string]string)}
	for i, file := range []struct{ path, text string }{{baseline[1], baseline[2]}, {line[1], listed}} {
		path := filepath.Join(dir, fmt.Sprintf("%d.go", i))
		if err := os.WriteFile(path, []byte(file.text), 0o666); err != nil {
			t.Fatal(err)
		}
		overlay.Replace[filepath.Join(root, file.path)] = path
	}
	encoded, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, encoded, 0o666); err != nil {
		t.Fatal(err)
	}
	name := filepath.Base(filepath.Dir(baseline[1]))
	// Without vet, which wants to stand in the package's folder: there is none.
	command := exec.Command("go", "test", "-count=1", "-v", "-vet=off", "-overlay", list, "-run", "TestConformance/^"+name+"$", "./algorithms/all")
	command.Dir = root
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !strings.Contains(string(out), "--- PASS: TestConformance/"+name+" ") {
		t.Fatalf("the conformance suite did not run on %s:\n%s", name, out)
	}
}
