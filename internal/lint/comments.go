package lint

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
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
		problems = append(problems, fmt.Sprintf("%s: package comment must begin with %q", p.Path, wanted))
	}
	if isBaseline(p) && !deviations.MatchString(text) {
		problems = append(problems, fmt.Sprintf("%s: a baseline's package comment must end with a paragraph \"Deviations:\"", p.Path))
	}
	documented := documentedTypes(p)
	for _, file := range p.Files {
		for _, declaration := range file.Decls {
			for _, name := range undocumented(declaration, documented) {
				problems = append(problems, fmt.Sprintf("%s: exported %s without a comment", fset.Position(name.Pos()), name.Name))
			}
		}
	}
	return problems
}

// deviations matches a text whose last part, from a line that begins so, lists deviations.
var deviations = regexp.MustCompile(`(?m)^(# )?Deviations:?\s`)

// isBaseline reports whether p is a release algorithm: a package directly below algorithms that
// is not one of the packages all baselines share.
func isBaseline(p *Package) bool {
	name, ok := strings.CutPrefix(p.Room(), "algorithms/")
	return ok && !strings.Contains(name, "/") && name != "all" && name != "partition" && name != "degrees" && name != "conformance"
}

func packageComment(p *Package) string {
	for _, file := range p.Files {
		if text := file.Doc.Text(); text != "" {
			return text
		}
	}
	return ""
}

// documentedTypes are the names of the package's types that have a comment.
func documentedTypes(p *Package) map[string]bool {
	names := make(map[string]bool)
	for _, file := range p.Files {
		for _, declaration := range file.Decls {
			general, ok := declaration.(*ast.GenDecl)
			if !ok || general.Tok != token.TYPE {
				continue
			}
			for _, spec := range general.Specs {
				spec := spec.(*ast.TypeSpec)
				if general.Doc != nil || spec.Doc != nil || spec.Comment != nil {
					names[spec.Name.Name] = true
				}
			}
		}
	}
	return names
}

// wellKnown methods mean the same everywhere; a comment would repeat the interface's.
var wellKnown = map[string]bool{"String": true, "Error": true, "Unwrap": true, "Len": true, "Less": true, "Swap": true,
	"MarshalJSON": true, "UnmarshalJSON": true, "MarshalText": true, "UnmarshalText": true,
	"Info": true, "Params": true, "Validate": true, "Enum": true, "Anonymity": true}

// undocumented lists the exported names of a declaration that no comment covers. A comment on a
// group covers its members, and so does the comment of a typed constant's type.
func undocumented(declaration ast.Decl, documented map[string]bool) []*ast.Ident {
	var names []*ast.Ident
	switch d := declaration.(type) {
	case *ast.FuncDecl:
		if d.Doc == nil && d.Name.IsExported() && (d.Recv == nil || exportedReceiver(d.Recv) && !wellKnown[d.Name.Name]) {
			names = append(names, d.Name)
		}
	case *ast.GenDecl:
		if d.Doc != nil {
			return nil
		}
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				if s.Doc == nil && s.Comment == nil && s.Name.IsExported() {
					names = append(names, s.Name)
				}
			case *ast.ValueSpec:
				of, typed := s.Type.(*ast.Ident)
				if s.Doc != nil || s.Comment != nil || d.Tok == token.CONST && typed && documented[of.Name] {
					continue
				}
				for _, name := range s.Names {
					if name.IsExported() {
						names = append(names, name)
					}
				}
			}
		}
	}
	return names
}

// exportedReceiver reports whether a method's receiver is of an exported type. The first identifier
// met is the type's name, also behind a pointer and before type parameters.
func exportedReceiver(receiver *ast.FieldList) bool {
	name := ""
	ast.Inspect(receiver.List[0].Type, func(n ast.Node) bool {
		if identifier, ok := n.(*ast.Ident); ok && name == "" {
			name = identifier.Name
		}
		return name == ""
	})
	return ast.IsExported(name)
}
