package lint

import (
	"go/ast"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRaceDetector: every room that starts goroutines is tested under the race detector, by name in
// the Makefile.
func TestRaceDetector(t *testing.T) {
	text := must(os.ReadFile(filepath.Join("..", "..", "Makefile")))
	_, target, _ := strings.Cut(string(text), "\ntest-race:\n")
	target, _, _ = strings.Cut(target, "endif")
	// The suite runs in algorithms/all, processes in the tests of who starts them.
	rooms := strings.Fields(strings.ReplaceAll(target, "./", "") +
		" audit/conformance internal/process")
	_, packages := load(t)
	for _, p := range packages {
		starts := false
		for _, file := range p.Files {
			ast.Inspect(file, func(n ast.Node) bool {
				_, statement := n.(*ast.GoStmt)
				selector, method := n.(*ast.SelectorExpr) // of a group
				starts = starts || statement || method && selector.Sel.Name == "Go"
				return true
			})
		}
		if starts && !withinAny(p.Room(), rooms) {
			t.Errorf("%s starts goroutines: name it under test-race in the Makefile", p.Room())
		}
	}
}
