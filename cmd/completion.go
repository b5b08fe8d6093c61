package cmd

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/experiments"
	"ppdp/publish"
	"ppdp/report/claims"
)

// completionCommand is "ppdp completion".
type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"One of ${enum}."`
}

// Help is the second part of the verb's help text.
func (completionCommand) Help() string {
	return `Prints a script by which the shell completes commands, flags, the words that they take
and the names of experiments, algorithms, datasets and claims; where none fits, files.

Examples:

  source <(ppdp completion bash)

  source <(ppdp completion zsh)

  ppdp completion fish > ~/.config/fish/completions/ppdp.fish`
}

// Run prints the script.
func (c completionCommand) Run(con *console, command *kong.Context) error {
	all := completions(command.Model.Node)
	if c.Shell == "fish" {
		return writeFish(con.stdout, all)
	}
	return writeBash(con.stdout, all, c.Shell == "zsh")
}

// completion is what may follow a command, "" for ppdp itself.
type completion struct {
	command string // "datasets fetch"
	help    string // what it is for
	words   []string
}

// namesOf are what an argument of a name may be, of all commands or of one.
var namesOf = map[string]func() []string{
	"spec": experiments.Names, "experiment": experiments.Names, "dataset": datasets.Names,
	"claim": claimIDs, "audit what": algorithms.Names, "release algorithm": publish.Releasable,
	"list name": func() []string { return append(algorithms.Names(), datasets.Names()...) },
}

func claimIDs() (ids []string) {
	all, err := readClaims(claims.Papers())
	if err != nil {
		panic(err) // they come with the program
	}
	for _, file := range all.files {
		for i := range file.Claims {
			ids = append(ids, file.Claims[i].ID)
		}
	}
	return ids
}

// completions lists the commands below a node, each after those within it.
func completions(node *kong.Node) (all []completion) {
	own := completion{help: node.Help}
	if node.Type == kong.CommandNode {
		own.command = strings.TrimPrefix(node.Path(), "ppdp ")
	}
	for _, child := range node.Children {
		if child.Hidden {
			continue
		}
		own.words = append(own.words, child.Name)
		all = append(all, completions(child)...)
	}
	for _, positional := range node.Positional {
		own.words = append(own.words, positional.EnumSlice()...)
		for _, name := range []string{positional.Name, node.Name + " " + positional.Name} {
			if names := namesOf[name]; names != nil {
				own.words = append(own.words, names()...)
			}
		}
	}
	for _, flag := range node.Flags {
		own.words = append(own.words, "--"+flag.Name)
	}
	own.words = slices.DeleteFunc(own.words, func(word string) bool { return word == "" })
	return append(all, own)
}

// writeBash writes a function that finds the command among the words before the cursor. zsh reads
// it, too.
func writeBash(w io.Writer, all []completion, zsh bool) error {
	var b strings.Builder
	if zsh {
		b.WriteString("autoload -U +X compinit bashcompinit && compinit && bashcompinit\n")
	}
	b.WriteString("_ppdp() {\n\tlocal words\n\tcase \"${COMP_WORDS[*]:1:COMP_CWORD-1} \" in\n")
	for _, c := range all {
		pattern := "*"
		if c.command != "" {
			pattern = fmt.Sprintf("%q*", c.command+" ")
		}
		fmt.Fprintf(&b, "\t%s) words=%q ;;\n", pattern, strings.Join(c.words, " "))
	}
	b.WriteString("\tesac\n\tCOMPREPLY=($(compgen -W \"$words\" -- " +
		"\"${COMP_WORDS[COMP_CWORD]}\"))\n}\ncomplete -o default -F _ppdp ppdp\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// writeFish writes a line for each command.
func writeFish(w io.Writer, all []completion) error {
	for _, c := range all {
		condition := "__fish_use_subcommand"
		if c.command != "" {
			condition = "__fish_seen_subcommand_from " + c.command
			if i := strings.LastIndex(c.command, " "); i >= 0 {
				condition = "__fish_seen_subcommand_from " + c.command[:i] +
					"; and __fish_seen_subcommand_from " + c.command[i+1:]
			}
		}
		if _, err := fmt.Fprintf(w, "complete -c ppdp -n '%s' -a '%s'\n", condition,
			strings.Join(c.words, " ")); err != nil {
			return err
		}
	}
	return nil
}
