package lint

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ppdp/classifiers"
	_ "ppdp/classifiers/all"
	"ppdp/datasets"
	_ "ppdp/datasets/all"
)

// TestPluginFolders: a folder that registers classifiers, regressors or datasets has a line in the
// package all, or else it would silently be missing from the program, and is called like one of
// them, without its hyphens, or like the repository that all of them come from.
func TestPluginFolders(t *testing.T) {
	for kind, names := range map[string][]string{
		"classifiers": append(classifiers.Names(), classifiers.Regressors()...),
		"datasets":    datasets.Names(),
	} {
		folders := map[string]bool{"uci": true}
		for i := range names {
			folders[strings.ReplaceAll(names[i], "-", "")] = true
		}
		all := must(os.ReadFile(filepath.Join("..", "..", kind, "all", "all.go")))
		sources := must(filepath.Glob(filepath.Join("..", "..", kind, "*", "*.go")))
		var found []string
		for _, source := range sources {
			text := must(os.ReadFile(source))
			folder := filepath.Base(filepath.Dir(source))
			if strings.HasSuffix(source, "_test.go") || slices.Contains(found, folder) ||
				!strings.Contains(string(text), kind+".Register(") &&
					!strings.Contains(string(text), kind+".RegisterRegressor(") &&
					!strings.Contains(string(text), "}.Register(") {
				continue
			}
			found = append(found, folder)
			if !folders[folder] {
				t.Errorf("%s/%s: must be called like one of %s, without hyphens",
					kind, folder, strings.Join(names, ", "))
			}
			line := fmt.Sprintf("\t_ %q\n", path.Join(Module, kind, folder))
			if !strings.Contains(string(all), line) {
				t.Errorf("%s/all/all.go does not import %s", kind, folder)
			}
		}
		if listed := strings.Count(string(all), "\t_ "); len(found) != listed {
			t.Errorf("%s/all/all.go imports %d packages, %d register something",
				kind, listed, len(found))
		}
	}
}
