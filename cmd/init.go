package cmd

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"ppdp/algorithms"
	"ppdp/docs/examples"
	"ppdp/internal/must"
	"ppdp/internal/terminal"
)

type initCommand struct {
	Baseline initBaselineCommand `cmd:"" help:"Write a baseline in another language, to be made your own."`
}

type initBaselineCommand struct {
	Language string `arg:"" help:"Language: ${enum}." enum:"python,r,go,c"`
	Name     string `arg:"" help:"Name of the baseline, and of its folder: a-z, 0-9 and -."`
}

func (initBaselineCommand) Help() string {
	return `Writes a folder with a complete baseline: a descriptor and a program that passes ppdp
conformance. Put your algorithm in place of its own, and say in the descriptor what it is and what
it promises. The one in Python asks ppdp for its noise, with ppdp.py beside it, so that it can be
replayed; the others draw their own. In Python, R and Go they need what comes with the language. In
C and Go they must be compiled first.

Examples:

  ppdp init baseline python my-method && ppdp conformance my-method/my-method.baseline.yaml

  ppdp init baseline r my-method && ppdp conformance my-method/my-method.baseline.yaml

  ppdp init baseline go my-method && cd my-method && go build -o my-method my-method.go

  ppdp init baseline c my-method && cc -O2 -o my-method/my-method my-method/my-method.c -lm`
}

// skeleton is an example that ppdp init copies: a program, the descriptor beside it with the
// command that runs it, and a file that the program needs, if any.
type skeleton struct{ folder, stem, name, extension, command, needs string }

var templates = map[string]skeleton{
	"python": {"python", "histograms", "python-histograms", ".py", "[python3, NAME.py]", "ppdp.py"},
	"r": {"randomised-response", "randomised", "randomised-response", ".R",
		"[Rscript, NAME.R]", ""},
	"go": {"randomised-response", "randomised", "randomised-response", ".go", "[./NAME]", ""},
	"c":  {"marginals", "marginals", "c-marginals", ".c", "[./NAME]", ""},
}

var (
	commandLine = regexp.MustCompile(`(?m)^command: .*$`)
	filesLine   = regexp.MustCompile(`(?m)^files: .*$`)
	// onlyExample keeps a Go example out of this module.
	onlyExample = "//go:build ignore\n\n"
)

var baselineName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,39}$`)

func (c initBaselineCommand) Run(con *console) error {
	if !baselineName.MatchString(c.Name) {
		return terminal.InputError(fmt.Errorf("%q, must be up to 40 of a-z, 0-9 and -, a letter "+
			"first",
			c.Name))
	}
	if _, err := algorithms.Lookup(c.Name); err == nil {
		return terminal.InputError(fmt.Errorf("%s comes with ppdp, must be another name", c.Name))
	}
	if err := os.Mkdir(c.Name, 0o777); err != nil {
		return terminal.InputError(err)
	}
	t := templates[c.Language]
	var errs []error
	read := func(name string) []byte {
		return must.Get(examples.Files.ReadFile(t.folder + "/" + name)) // it is embedded
	}
	write := func(name string, text []byte) {
		path := filepath.Join(c.Name, name)
		errs = append(errs, os.WriteFile(path, text, 0o666))
		fmt.Fprintln(con.stdout, filepath.ToSlash(path))
	}
	files := c.Name + t.extension
	if t.needs != "" {
		files += ", " + t.needs
		write(t.needs, read(t.needs))
	}
	for _, extension := range []string{t.extension, ".baseline.yaml"} {
		own := strings.TrimPrefix(string(read(t.stem+extension)), onlyExample)
		own = strings.NewReplacer("name: "+t.name, "name: "+c.Name, t.stem+t.extension,
			c.Name+t.extension, "-o "+t.stem, "-o "+c.Name).Replace(own)
		if extension == ".baseline.yaml" {
			command := strings.ReplaceAll(t.command, "NAME", c.Name)
			own = commandLine.ReplaceAllString(own, "command: "+command)
			own = filesLine.ReplaceAllString(own, "files: ["+files+"]")
		}
		write(c.Name+extension, []byte(own))
	}
	return errors.Join(errs...)
}
