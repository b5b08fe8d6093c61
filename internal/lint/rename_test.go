package lint

import (
	"flag"
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var moduleFlag = flag.String("module", unchanged, "rewrite this tree to have another module path")

// unchanged stands for no flag: an empty path is a mistake.
const unchanged = "-"

// publicPath is a module path that the go command can fetch: its first element has a dot.
var publicPath = regexp.MustCompile(`^[a-z0-9-]+(\.[a-z0-9-]+)+(/[A-Za-z0-9._~-]+)*$`)

// renameModule gives the module in a folder another path: in go.mod, in imports and every text that
// names a package, in the listings of pages, and in the constant Module. Texts that only begin like
// the path, such as the names of random streams, stay: what follows must be one of the folders.
func renameModule(root, to string) error {
	if !publicPath.MatchString(to) {
		return fmt.Errorf("module path %q, must be like example.org/ppdp: a dot before the first /",
			to)
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		return err
	}
	var folders []string
	for _, entry := range entries {
		if entry.IsDir() && !strings.HasPrefix(entry.Name(), ".") {
			folders = append(folders, regexp.QuoteMeta(entry.Name()))
		}
	}
	from, folder := regexp.QuoteMeta(Module), "(?:"+strings.Join(folders, "|")+`)\b`
	forms := []*regexp.Regexp{
		regexp.MustCompile("(?m)(^|[\\s\"`(])" + from + "(/" + folder + ")"),
		regexp.MustCompile(`(?m)^((?:module|require|replace) )` + from + `(\s)`),
		regexp.MustCompile(`(?m)^(const Module = "|\t")` + from + `("$)`),
	}
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != root && strings.HasPrefix(entry.Name(), "."):
			return filepath.SkipDir
		}
		switch filepath.Ext(path) {
		case ".go", ".mod", ".md":
		default:
			return nil
		}
		old, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text := string(old)
		for _, form := range forms {
			text = form.ReplaceAllString(text, "${1}"+to+"${2}")
		}
		if text == string(old) {
			return nil
		}
		if filepath.Ext(path) == ".go" { // imports are in another order
			formatted, err := format.Source([]byte(text))
			if err != nil {
				return err
			}
			text = string(formatted)
		}
		return os.WriteFile(path, []byte(text), 0o666)
	})
}

// TestRenameModule: a copy of the tree with another module path has all its imports and, with
// PPDP_NEWCOMER set, builds and keeps to the house rules. "make rename-module" has it rewrite the
// tree itself.
func TestRenameModule(t *testing.T) {
	if *moduleFlag != unchanged {
		noError(t, renameModule(moduleRoot(t), *moduleFlag))
		return
	}
	if testing.Short() {
		t.Skip("-short: the tree is not copied")
	}
	t.Parallel()
	const to = "example.org/ppdp"
	dir := t.TempDir()
	copyTree(t, moduleRoot(t), dir)
	for _, wrong := range []string{"", "ppdp", "ppdp.", "a b.org/x", "$1.org"} {
		if renameModule(dir, wrong) == nil {
			t.Errorf("%q is taken for a module's path", wrong)
		}
	}
	noError(t, renameModule(dir, to))
	goCommand := func(args ...string) string {
		return command(t, dir, "GOFLAGS=-trimpath", "go", args...)
	}
	if got := goCommand("list", "-m"); got != to+"\n" {
		t.Errorf("the module is %q", got)
	}
	for _, path := range strings.Fields(goCommand("list", "-deps", "-test", "./...")) {
		if path == Module || strings.HasPrefix(path, Module+"/") {
			t.Errorf("%s is still imported", path)
		}
	}
	if os.Getenv(newcomer) != "" {
		goCommand("build", "./...")
		goCommand("vet", "./internal/lint", "./cmd")
		goCommand("test", "-short", "./internal/lint", "./algorithms/all", "-run",
			"HouseRules|Layout|Rules|Every|Errata|PluginFolders")
	}
}
