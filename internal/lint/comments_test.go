package lint

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

// commentProblems reports a missing package comment, a baseline whose package comment does not
// end with its deviations from the paper, and exported declarations without a comment.
func commentProblems(fset *token.FileSet, p *Package) []string {
	if len(p.Files) == 0 {
		return nil
	}
	var problems []string
	text := packageComment(p)
	wanted := "Package " + p.Name + " "
	if p.Name == "main" {
		wanted = "Command " + p.Path[strings.LastIndex(p.Path, "/")+1:] + " "
	}
	if !strings.HasPrefix(text, wanted) {
		problems = append(problems, p.Path+": package comment must begin with: "+wanted)
	}
	if isBaseline(p) && !deviations.MatchString(text) {
		problems = append(problems, p.Path+": package comment must end with Deviations:")
	}
	for _, file := range p.Files {
		for _, declaration := range file.Decls {
			for _, name := range undocumented(declaration) {
				problems = append(problems, fmt.Sprintf("%s: exported %s without a comment",
					fset.Position(name.Pos()), name.Name))
			}
		}
	}
	return problems
}

// deviations matches the beginning of a package comment's last part.
var deviations = regexp.MustCompile(`(?m)^(# )?Deviations:?\s`)

// sharedByBaselines matches the packages below algorithms that are no baselines.
var sharedByBaselines = regexp.MustCompile(`^(all|partition|degrees|margins|pgm|conformance)$|/`)

// isBaseline reports whether p is a release algorithm.
func isBaseline(p *Package) bool {
	name, ok := strings.CutPrefix(p.Room(), "algorithms/")
	return ok && !sharedByBaselines.MatchString(name)
}

func packageComment(p *Package) string {
	for _, file := range p.Files {
		if text := file.Doc.Text(); text != "" {
			return text
		}
	}
	return ""
}

// wellKnown methods mean the same everywhere: a comment would repeat the interface's.
var wellKnown = regexp.MustCompile(
	`^(String|Error|Unwrap|Len|Less|Swap|(Unm|M)arshal(JSON|Text)|` +
		`Info|Params|Validate|Enum|Anonymity)$`)

// undocumented lists the exported names of a declaration that no comment covers. A comment on a
// group covers its members, and the comment of an exported type its constants.
func undocumented(declaration ast.Decl) []*ast.Ident {
	var names []*ast.Ident
	add := func(name *ast.Ident, comments ...*ast.CommentGroup) {
		if name.IsExported() && !slices.ContainsFunc(comments, isComment) {
			names = append(names, name)
		}
	}
	switch d := declaration.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil || exportedReceiver(d.Recv) && !wellKnown.MatchString(d.Name.Name) {
			add(d.Name, d.Doc)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				add(s.Name, d.Doc, s.Doc, s.Comment)
			case *ast.ValueSpec:
				of, typed := s.Type.(*ast.Ident)
				if typed && d.Tok == token.CONST && of.IsExported() {
					continue
				}
				for _, name := range s.Names {
					add(name, d.Doc, s.Doc, s.Comment)
				}
			}
		}
	}
	return names
}

func isComment(group *ast.CommentGroup) bool { return group != nil }

// exportedReceiver reports whether a method's receiver is of an exported type.
func exportedReceiver(receiver *ast.FieldList) bool {
	return ast.IsExported(strings.TrimLeft(types.ExprString(receiver.List[0].Type), "*"))
}
