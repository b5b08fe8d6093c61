package lint

import (
	"bufio"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"ppdp/internal/must"
)

// The size of a Go file. A tab counts as tabWidth columns and any other character as one.
const (
	maxColumns = 100
	maxLines   = 600
	tabWidth   = 4
)

// layoutProblems reports lines that are too wide and a file that is too long. The inner lines of
// raw strings, which are data, are left out, and so are lines with a tag, which cannot be broken.
func layoutProblems(f file) (problems []string) {
	data := make(map[int]bool) // numbers of lines of raw strings
	literals(f, func(at int, text string) {
		for i := range strings.Count(text, "\n") {
			data[at+i] = true
		}
	})
	lines := strings.Split(strings.TrimSuffix(f.text, "\n"), "\n")
	for i, line := range lines {
		columns := utf8.RuneCountInString(line) + (tabWidth-1)*strings.Count(line, "\t")
		if columns > maxColumns && !data[i+1] && !strings.Contains(line, ":\"") {
			problems = append(problems, fmt.Sprintf("%s:%d: %d columns, must be at most %d", f.path,
				i+1, columns, maxColumns))
		}
	}
	if len(lines) > maxLines {
		problems = append(problems, fmt.Sprintf("%s: %d lines, must be at most %d", f.path,
			len(lines), maxLines))
	}
	return problems
}

// TestLayout applies the rule to every Go file of the module, whatever its build constraints.
func TestLayout(t *testing.T) {
	for _, f := range must.Get(texts()) {
		if path.Ext(f.path) == ".go" {
			for _, problem := range layoutProblems(f) {
				t.Error(problem)
			}
		}
	}
	wide := file{"f.go", "package p\n\n//" + strings.Repeat("ε", 99) + "\n"}
	if found := layoutProblems(wide); len(found) != 1 || !strings.Contains(found[0], ":3: 101") {
		t.Errorf("a line of 101 columns: %q", found)
	}
}

// commentProblems reports a missing package comment, and a baseline whose package comment does not
// end with its deviations from the paper.
func commentProblems(_ *token.FileSet, p *Package) []string {
	if text := packageComment(p); len(p.Files) > 0 && text == "" {
		return []string{p.Path + ": no package comment"}
	} else if isBaseline(p) && !deviations.MatchString(text) {
		return []string{p.Path + ": package comment must end with Deviations:"}
	}
	return nil
}

// deviations matches the beginning of a package comment's last part.
var deviations = regexp.MustCompile(`(?m)^(# )?Deviations:?\s`)

// isBaseline reports whether p is a release algorithm.
func isBaseline(p *Package) bool {
	name, ok := strings.CutPrefix(p.Room(), "algorithms/")
	return ok && name != "all" && !strings.Contains(name, "/")
}

func packageComment(p *Package) string {
	for _, file := range p.Files {
		if text := file.Doc.Text(); text != "" {
			return text
		}
	}
	return ""
}

// use is of functions that only some rooms may call.
type use struct {
	functions *regexp.Regexp // by package and name, "time.Now"
	but       *regexp.Regexp // these
	rooms     []string
	advice    string
}

// uses are checked by name.
var uses = map[string]use{
	// Timers and contexts with a deadline are allowed: they end work, but no result depends on
	// them.
	"clock": {regexp.MustCompile(`^time\.(Now|Since|Until)$`), regexp.MustCompile(`^$`),
		[]string{"cmd/..."}, "reads the clock, inject it"},
	// Of package math those are left that have one right answer, and give it everywhere. The others
	// have assembly for some processors, or are built on such.
	"arithmetic": {
		regexp.MustCompile(`^(math|math/cmplx)\.|^math/rand/v2\.(Norm|Exp)Float64$`),
		regexp.MustCompile(`^math\.(Abs|Ceil|Copysign|Dim|FMA|Float(32|64)(from)?bits|Floor|` +
			`Frexp|Ilogb|Inf|IsInf|IsNaN|Ldexp|Logb|Max|Min|Modf?|NaN|Nextafter|Remainder|` +
			`Round(ToEven)?|Signbit|Sqrt|Trunc)$`),
		[]string{drawing}, "differs between processors, use package elementary"},
}

// drawing are the rooms whose numbers end in pictures, which gonum/plot computes with package math.
const drawing = "plots/..."

// useProblems returns the rule of that name.
func useProblems(name string) func(*token.FileSet, *Package) []string {
	rule := uses[name]
	return func(fset *token.FileSet, p *Package) (problems []string) {
		if withinAny(p.Room(), rule.rooms) {
			return nil
		}
		for _, file := range p.Files {
			ast.Inspect(file, func(n ast.Node) bool {
				identifier, ok := n.(*ast.Ident)
				if !ok {
					return true
				}
				f, ok := p.Info.Uses[identifier].(*types.Func)
				if !ok || f.Pkg() == nil {
					return true
				}
				name := f.Pkg().Path() + "." + f.Name()
				if rule.functions.MatchString(name) && !rule.but.MatchString(name) {
					problems = append(problems, fmt.Sprintf("%s: %s %s", fset.Position(n.Pos()),
						name, rule.advice))
				}
				return true
			})
		}
		return problems
	}
}

// generators are the packages of random numbers.
var generators = []string{"math/rand", "math/rand/v2", "crypto/rand",
	"gonum.org/v1/gonum/mathext/prng"}

// randomProblems reports imports of random number generators outside package random, in tests too:
// only what is drawn from a named stream can be replayed.
func randomProblems(fset *token.FileSet, p *Package) (problems []string) {
	for _, file := range slices.Concat(p.Files, p.Tests) {
		for _, spec := range file.Imports {
			path := importPath(spec)
			if slices.Contains(generators, path) && p.Room() != "numeric/random" {
				problems = append(problems, fmt.Sprintf("%s: %s imported, use package random",
					fset.Position(spec.Pos()), path))
			}
		}
	}
	return problems
}

// orderFree marks, with a reason after it, a loop over a map whose order cannot be seen.
const orderFree = "// order-free:"

const orderAdvice = "sort the keys, or say why order does not matter: " + orderFree + " reason"

// orderProblems reports loops and iterators over maps whose random order could reach output or a
// floating-point sum. Allowed are a loop that only collects keys or values into a slice that the
// same function sorts, an iterator passed to one of the slices.Sorted functions, and anything with
// an order-free comment that gives a reason, on its line or on the line above.
func orderProblems(fset *token.FileSet, p *Package) []string {
	var problems []string
	for _, file := range p.Files {
		excused := excusedLines(fset, file)
		report := func(at token.Pos, what string) {
			position := fset.Position(at)
			if !excused[position.Line] && !excused[position.Line-1] {
				problems = append(problems, fmt.Sprintf("%s: %s in random order: %s",
					position, what, orderAdvice))
			}
		}
		for _, declaration := range file.Decls {
			sorted := make(map[ast.Expr]bool) // arguments of slices.Sorted functions
			ast.Inspect(declaration, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CallExpr:
					switch callee := p.callee(n); {
					case strings.HasPrefix(callee, "slices.Sorted"):
						sorted[ast.Unparen(n.Args[0])] = true
					case mapIterator.MatchString(callee) && !sorted[n]:
						report(n.Pos(), callee)
					}
				case *ast.RangeStmt:
					if t := p.Info.Types[n.X].Type; t == nil || !isMap(t) {
						return true
					}
					into := collects(n)
					if into == "" || !p.sorts(declaration, into) {
						report(n.Pos(), "range over a map")
					}
				}
				return true
			})
		}
	}
	return problems
}

var mapIterator = regexp.MustCompile(`^maps\.(Keys|Values|All)$`)

func isMap(t types.Type) bool {
	_, ok := t.Underlying().(*types.Map)
	return ok
}

// excusedLines are the lines whose order-free comment gives a reason.
func excusedLines(fset *token.FileSet, file *ast.File) map[int]bool {
	lines := make(map[int]bool)
	for _, group := range file.Comments {
		for _, comment := range group.List {
			reason, ok := strings.CutPrefix(comment.Text, orderFree)
			if ok && strings.TrimSpace(reason) != "" {
				// A reason may have several lines: the last one is next to the loop.
				lines[fset.Position(comment.Pos()).Line] = true
				lines[fset.Position(group.End()).Line] = true
			}
		}
	}
	return lines
}

// callee is the name of the package-level function a call goes to, "slices.Sort", or "".
func (p *Package) callee(call *ast.CallExpr) string {
	fun := ast.Unparen(call.Fun)
	if indexed, ok := fun.(*ast.IndexExpr); ok { // an explicit type argument
		fun = indexed.X
	}
	selector, ok := fun.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	used, ok := p.Info.Uses[selector.Sel].(*types.Func)
	if !ok || used.Pkg() == nil || used.Signature().Recv() != nil {
		return ""
	}
	return used.Pkg().Path() + "." + used.Name()
}

// collects returns the name of the slice that a loop only appends to, or "".
func collects(loop *ast.RangeStmt) string {
	body := loop.Body.List
	if len(body) == 1 {
		if filter, ok := body[0].(*ast.IfStmt); ok && filter.Init == nil && filter.Else == nil {
			body = filter.Body.List
		}
	}
	if len(body) != 1 {
		return ""
	}
	assign, ok := body[0].(*ast.AssignStmt)
	if !ok || len(assign.Lhs) != 1 || len(assign.Rhs) != 1 {
		return ""
	}
	call, ok := assign.Rhs[0].(*ast.CallExpr)
	if !ok || len(call.Args) < 2 {
		return ""
	}
	into, from := types.ExprString(assign.Lhs[0]), types.ExprString(call.Args[0])
	if types.ExprString(call.Fun) == "append" && into == from {
		return into
	}
	return ""
}

// sorting names the functions that sort a slice in place.
var sorting = regexp.MustCompile(
	`^(sort\.(Strings|Ints|Float64s|Slice|SliceStable)|slices\.Sort(Func|StableFunc)?)$`)

// sorts reports whether a declaration sorts the slice called name.
func (p *Package) sorts(declaration ast.Decl, name string) (found bool) {
	ast.Inspect(declaration, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		found = found || ok && sorting.MatchString(p.callee(call)) &&
			types.ExprString(call.Args[0]) == name
		return !found
	})
	return found
}

// fused is an instruction that rounds once where the source multiplies and adds, in the compiler's
// listing for arm64, with its place.
var fused = regexp.MustCompile(`\((\S+\.go:\d+)\)\tFN?M(?:ADD|SUB)[DS]\t`)

// TestNothingIsFused compiles the module for a processor on which the compiler fuses x*y+z, also
// across assignments and calls: float64(x*y)+z prevents it. In pictures products are not rounded:
// that some of these are found shows that the compiler's listing still is what this test reads.
func TestNothingIsFused(t *testing.T) {
	if os.Getenv("PPDP_LONG") == "" {
		t.Skip("PPDP_LONG is not set: make test-long compiles the module for arm64")
	}
	_, packages := load(t)
	arguments := []string{"build", "-gcflags=-S"}
	for _, p := range packages {
		if len(p.Files) > 0 {
			arguments = append(arguments, p.Path)
		}
	}
	command := exec.Command("go", arguments...)
	command.Dir = filepath.Join("..", "..")
	command.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	listing := must.Get(command.StderrPipe())
	must.Do(t, command.Start())
	drawn := 0
	lines := bufio.NewScanner(listing)
	lines.Buffer(nil, 1<<26) // strings of the program are lines too
	for lines.Scan() {
		if found := fused.FindStringSubmatch(lines.Text()); found == nil {
			continue
		} else if strings.Contains(found[1], "/plot") { // ours or the library's
			drawn++
		} else {
			t.Errorf("%s: a product is added without being rounded: use float64(x*y)", found[1])
		}
	}
	if err := errors.Join(lines.Err(), command.Wait()); err != nil || drawn == 0 {
		t.Errorf("%d products of pictures are fused: %v", drawn, err)
	}
}
