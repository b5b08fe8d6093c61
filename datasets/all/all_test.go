package all

import (
	"os"
	"path/filepath"
	"testing"

	"ppdp/datasets"
	"ppdp/datasets/conformance"
	csvtable "ppdp/datasets/csv"
	"ppdp/datasets/graph"
)

// TestConformance runs the suite over everything registered; the sources of user-supplied files get
// some.
func TestConformance(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	settings := map[string]any{
		"csv": &csvtable.Params{
			CSV:    write("a.csv", "age,job\n30,clerk\n52,smith\n"),
			Schema: write("a.schema.yaml", "attributes:\n- {name: age, kind: numeric, low: 0, high: 99}\n- {name: job, kind: categorical, values: [clerk, smith]}\n"),
		},
		"graph":         &graph.FileParams{Path: write("a.edges", "0 1\n1 2\n"), Format: graph.Auto},
		"configuration": &graph.ConfigurationParams{Degrees: []int{2, 2, 2, 1, 1}},
	}
	var files datasets.Files
	if data := os.Getenv("PPDP_DATA"); data != "" {
		files.Dirs = []string{data}
	}
	for _, name := range datasets.Names() {
		t.Run(name, func(t *testing.T) {
			source, err := datasets.Lookup(name)
			if err != nil {
				t.Fatal(err)
			}
			if params, ok := settings[name]; ok {
				conformance.Run(t, source, files, params)
			} else {
				conformance.Run(t, source, files)
			}
		})
	}
}
