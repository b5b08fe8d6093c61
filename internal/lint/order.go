package lint

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// orderFree marks, with a reason after it, a loop over a map whose order cannot be seen.
const orderFree = "// order-free:"

// orderProblems reports loops over maps, and iterators over maps, whose random order could reach
// output or a floating-point sum. Allowed are: a loop that only collects keys or values into a slice
// that the same function sorts, one that only copies under the same keys into another map, an iterator handed straight to one of the slices.Sorted functions, and
// anything with an order-free comment that gives a reason, on its line or on the line above.
func orderProblems(fset *token.FileSet, p *Package) []string {
	var problems []string
	for _, file := range p.Files {
		excused := excusedLines(fset, file)
		report := func(at token.Pos, what string) {
			position := fset.Position(at)
			if !excused[position.Line] && !excused[position.Line-1] {
				problems = append(problems, fmt.Sprintf("%s: %s in random order: sort the keys first, or say why it does not matter in a comment %q", position, what, orderFree+" reason"))
			}
		}
		for _, declaration := range file.Decls {
			sorted := make(map[*ast.CallExpr]bool) // iterators handed to a sort
			ast.Inspect(declaration, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CallExpr:
					if strings.HasPrefix(p.callee(n), "slices.Sorted") || p.callee(n) == "slices.SortedStableFunc" {
						if inner, ok := ast.Unparen(n.Args[0]).(*ast.CallExpr); ok {
							sorted[inner] = true
						}
					}
					switch p.callee(n) {
					case "maps.Keys", "maps.Values", "maps.All":
						if !sorted[n] {
							report(n.Pos(), p.callee(n))
						}
					}
				case *ast.RangeStmt:
					t := p.Info.Types[n.X].Type
					if t == nil {
						return true
					}
					if _, isMap := t.Underlying().(*types.Map); !isMap {
						return true
					}
					if into := collects(n); (into == "" || !p.sorts(declaration, into)) && !copies(n) {
						report(n.Pos(), "range over a map")
					}
				}
				return true
			})
		}
	}
	return problems
}

// excusedLines are the lines whose order-free comment gives a reason.
func excusedLines(fset *token.FileSet, file *ast.File) map[int]bool {
	lines := make(map[int]bool)
	for _, group := range file.Comments {
		for _, comment := range group.List {
			if reason, ok := strings.CutPrefix(comment.Text, orderFree); ok && strings.TrimSpace(reason) != "" {
				// A reason may run over several comment lines: the last one is next to the loop.
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
	switch indexed := fun.(type) { // explicit type arguments
	case *ast.IndexExpr:
		fun = indexed.X
	case *ast.IndexListExpr:
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

// collects returns the name of the slice that a loop does nothing but append to, or "".
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
	if types.ExprString(call.Fun) != "append" || into != from {
		return ""
	}
	return into
}

// copies reports whether a loop does nothing but set another map's value under its own key, to
// something no call has a say in: each key is written once, whatever the order.
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
	calls := false
	ast.Inspect(assign.Rhs[0], func(n ast.Node) bool {
		_, isCall := n.(*ast.CallExpr)
		calls = calls || isCall
		return !calls
	})
	return !calls
}

// sorts reports whether a declaration sorts the slice called name.
func (p *Package) sorts(declaration ast.Decl, name string) bool {
	found := false
	ast.Inspect(declaration, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && len(call.Args) > 0 && types.ExprString(call.Args[0]) == name {
			switch p.callee(call) {
			case "sort.Strings", "sort.Ints", "sort.Float64s", "sort.Slice", "sort.SliceStable",
				"slices.Sort", "slices.SortFunc", "slices.SortStableFunc":
				found = true
			}
		}
		return !found
	})
	return found
}
