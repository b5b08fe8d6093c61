package all

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ppdp/datasets"
	"ppdp/datasets/discrete"
)

// A folder of datasets that is not imported here would silently be missing from the program.
func TestEveryFolderThatRegistersIsImported(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "all.go", nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	imported := make(map[string]bool)
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		imported[strings.TrimPrefix(path, "ppdp/datasets/")] = true
	}
	sources, err := filepath.Glob(filepath.Join("..", "*", "*.go"))
	if err != nil || len(sources) == 0 {
		t.Fatalf("no sources found (%v)", err)
	}
	for _, source := range sources {
		if strings.HasSuffix(source, "_test.go") {
			continue
		}
		text, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		folder := filepath.Base(filepath.Dir(source))
		if strings.Contains(string(text), "datasets.Register(") && !imported[folder] {
			t.Errorf("datasets/%s registers datasets, but all.go does not import it", folder)
		}
	}
}

// TestForeignParameters: parameters of another source are refused by every source that has some, and none at all are the
// defaults or an error.
func TestForeignParameters(t *testing.T) {
	type foreign struct{ discrete.Params }
	for _, name := range datasets.Names() {
		source, err := datasets.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if source.Params() == nil {
			continue
		}
		if _, err := source.Load(t.Context(), datasets.Request{Params: &foreign{}}); err == nil || !strings.Contains(err.Error(), "parameters of type *all.foreign, must be *") {
			t.Errorf("%s: %v", name, err)
		}
		if set, err := source.Load(t.Context(), datasets.Request{}); (set == nil) == (err == nil) {
			t.Errorf("%s without parameters: %v, %v", name, set, err)
		}
	}
}

// What is shown to people must be there for every dataset, and what is fetched must be checked.
func TestInfoIsComplete(t *testing.T) {
	for _, name := range datasets.Names() {
		source, err := datasets.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		info := source.Info()
		if info.Name != name || info.Title == "" {
			t.Errorf("%s: name %q, title %q", name, info.Name, info.Title)
		}
		if info.StandIn != strings.HasSuffix(name, "-standin") {
			t.Errorf("%s: StandIn is %t: the name must say so, and only then", name, info.StandIn)
		}
		if info.StandIn && len(info.Files) > 0 {
			t.Errorf("%s: a stand-in needs no files", name)
		}
		for _, file := range info.Files {
			if len(file.SHA256) != 64 || len(file.URLs) == 0 || file.Limit <= 0 || info.Citation == "" || info.License == "" {
				t.Errorf("%s: %s needs a checksum, an address, a limit, a citation and a license", name, file.Path)
			}
		}
		if params, ok := source.Params().(interface{ Validate() error }); ok && len(info.Files) > 0 {
			if err := params.Validate(); err != nil {
				t.Errorf("%s: the defaults: %v", name, err)
			}
		}
	}
}
