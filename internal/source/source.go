// Package source tells which code of this program may change a result: digests of packages and of
// all that they import of this module, from the source that is embedded in the program. Comments
// and white space do not count, nor do tests; files that a package embeds do.
//
// It does not know which functions of a package are called: a change of a package counts for all
// that import it. Code of other modules has no digest here; see Of.
package source

import (
	"crypto/sha256"
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"

	"ppdp"
)

// Code maps what a result depends on, mostly packages of this module, to its digest.
type Code map[string]string

// Digest is of all of it. (fmt prints maps in the order of keys.)
func (c Code) Digest() string { return digest(fmt.Appendf(nil, "%q", c)) }

func digest(text []byte) string { return fmt.Sprintf("%x", sha256.Sum256(text))[:16] }

// Program stands for the whole program in Code, where a package is not among the embedded ones: a
// plug-in of another module, or one that a test registers.
const Program = "the program"

// Of is the code of packages, given by import path, and of what they import of this module.
func Of(packages ...string) Code {
	code := make(Code)
	for queue := slices.Clone(packages); len(queue) > 0; queue = queue[1:] {
		name := queue[0]
		if code[name] != "" {
			continue
		}
		p := embedded(name)
		if p.digest == "" {
			name, p.digest = Program, executable()
		}
		code[name] = p.digest
		queue = append(queue, p.imports...)
	}
	return code
}

// Digest is of a package without its imports; empty if it is not embedded.
func Digest(name string) string { return embedded(name).digest }

// Toolchain is what every result depends on beside code of this module: the version of Go, whose
// sorting and compiler are its own, and those of all other modules in the program.
var Toolchain = sync.OnceValue(func() string {
	text := []byte(runtime.Version())
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, m := range build.Deps {
			if m.Path == module { // whose packages have digests of their own
				continue
			}
			if m.Replace != nil {
				m = m.Replace
			}
			text = fmt.Appendf(text, "\n%s %s %s", m.Path, m.Version, m.Sum)
		}
	}
	return digest(text)
})

// executable is the digest of the program's file. A program that cannot read its own file reuses
// nothing of other processes.
var executable = sync.OnceValue(func() string {
	path, err := os.Executable()
	text, readErr := os.ReadFile(path)
	if err != nil || readErr != nil {
		return fmt.Sprintf("process %d", os.Getpid())
	}
	return digest(text)
})

// module is this module's path.
const module = "ppdp"

// parsed is what embedded knows of a package.
type parsed struct {
	imports []string // of this module
	digest  string   // empty if the package is not embedded
}

// known are the packages that have been read, by import path.
var known sync.Map

// embedded reads a package, once.
func embedded(name string) (p parsed) {
	if p, ok := known.Load(name); ok {
		return p.(parsed)
	}
	if dir, own := strings.CutPrefix(name, module+"/"); own {
		p = read(ppdp.Source, dir, module)
	}
	known.Store(name, p)
	return p
}

// read reads the package in a folder of the module. Build constraints do not matter: all files
// count.
func read(from fs.FS, dir, module string) (p parsed) {
	var text []byte
	sources := 0
	err := fs.WalkDir(from, dir, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || strings.HasSuffix(file, "_test.go") || file == dir {
			return err
		}
		if entry.IsDir() { // data that the package embeds, or other packages
			inside, err := fs.Glob(from, file+"/*.go")
			if len(inside) > 0 || entry.Name() == "testdata" {
				return fs.SkipDir
			}
			return err
		}
		content, err := fs.ReadFile(from, file)
		if path.Ext(file) == ".go" && path.Dir(file) == dir {
			sources++
			var imports []string
			content, imports = meaning(content)
			for _, path := range imports {
				if path == module || strings.HasPrefix(path, module+"/") {
					p.imports = append(p.imports, path)
				}
			}
		}
		text = fmt.Appendf(text, "%s %s\n", strings.TrimPrefix(file, dir), digest(content))
		return err
	})
	if err == nil && sources > 0 {
		p.digest = digest(text)
	}
	return p
}

// meaning is a Go file's tokens, a line each, and its imports. Of the comments only directives are
// left, such as go:embed.
func meaning(text []byte) (tokens []byte, imports []string) {
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(text)), text, nil, scanner.ScanComments)
	head := true // before the first declaration that is no import
	for {
		_, kind, literal := s.Scan()
		switch kind {
		case token.EOF:
			return tokens, imports
		case token.COMMENT:
			if !strings.HasPrefix(literal, "//go:") {
				continue
			}
		case token.SEMICOLON:
			literal = "" // says whether it was a line's end
		case token.CONST, token.VAR, token.TYPE, token.FUNC:
			head = false
		case token.STRING:
			if head {
				imports = append(imports, strings.Trim(literal, "\"`"))
			}
		}
		tokens = append(strconv.AppendQuote(append(tokens, byte(kind)), literal), '\n')
	}
}
