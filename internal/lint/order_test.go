package lint

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"strings"
)

// orderFree marks, with a reason after it, a loop over a map whose order cannot be seen.
const orderFree = "// order-free:"

const orderAdvice = "sort the keys, or say why order does not matter: " + orderFree + " reason"

// orderProblems reports loops and iterators over maps whose random order could reach output or a
// floating-point sum. Allowed are a loop that only collects keys or values into a slice that the
// same function sorts, one that only copies into another map under the same keys, an iterator
// passed to one of the slices.Sorted functions, and anything with an order-free comment that gives
// a reason, on its line or on the line above.
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
					if (into == "" || !p.sorts(declaration, into)) && !copies(n) {
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

// copies reports whether a loop only sets another map's value under its own key, to an expression
// without calls: each key is written once, whatever the order.
func copies(loop *ast.RangeStmt) bool {
	if len(loop.Body.List) != 1 || loop.Key == nil {
		return false
	}
	assign, ok := loop.Body.List[0].(*ast.AssignStmt)
	if !ok || assign.Tok != token.ASSIGN || len(assign.Lhs) != 1 {
		return false
	}
	index, ok := assign.Lhs[0].(*ast.IndexExpr)
	if !ok || types.ExprString(index.Index) != types.ExprString(loop.Key) {
		return false
	}
	return !contains(assign.Rhs[0], func(*ast.CallExpr) bool { return true })
}

// contains reports whether some call below a node is as wanted.
func contains(n ast.Node, wanted func(*ast.CallExpr) bool) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		found = found || ok && wanted(call)
		return !found
	})
	return found
}

// sorting names the functions that sort a slice in place.
var sorting = regexp.MustCompile(
	`^(sort\.(Strings|Ints|Float64s|Slice|SliceStable)|slices\.Sort(Func|StableFunc)?)$`)

// sorts reports whether a declaration sorts the slice called name.
func (p *Package) sorts(declaration ast.Decl, name string) bool {
	return contains(declaration, func(call *ast.CallExpr) bool {
		return sorting.MatchString(p.callee(call)) && types.ExprString(call.Args[0]) == name
	})
}
