package cmd

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/experiments"
	"ppdp/internal/must"
	"ppdp/publish"
	"ppdp/report/claims"
)

type completionCommand struct {
	Shell string   `arg:"" enum:"bash,zsh,fish,words" help:"One of ${enum}. The scripts call words, which prints what a command line may go on with."`
	Words []string `arg:"" optional:"" passthrough:"" help:"For words: those of the command line after ppdp, the last one as far as it is written."`
}

func (completionCommand) Help() string {
	return `Prints a script by which the shell completes commands, flags, the words that they take
and the names of experiments, algorithms, datasets and claims; where none fits, files.

Examples:

  source <(ppdp completion bash)

  source <(ppdp completion zsh)

  ppdp completion fish > ~/.config/fish/completions/ppdp.fish`
}

const bashScript = `_ppdp() {
	COMPREPLY=($(ppdp completion words "${COMP_WORDS[@]:1:COMP_CWORD}"))
}
complete -o default -F _ppdp ppdp
`

// scripts have the program itself say what may follow.
var scripts = map[string]string{
	"bash": bashScript,
	"zsh":  "autoload -U +X compinit bashcompinit && compinit && bashcompinit\n" + bashScript,
	"fish": "complete -c ppdp -a '(ppdp completion words (commandline -opc)[2..] " +
		"(commandline -ct))'\n",
}

func (c completionCommand) Run(con *console, command *kong.Context) error {
	if script, ok := scripts[c.Shell]; ok {
		_, err := io.WriteString(con.stdout, script)
		return err
	}
	last := max(0, len(c.Words)-1)
	written, err := kong.Trace(command.Kong, c.Words[:last]) // as far as it can be read
	if err != nil {
		return err
	}
	node := cmp.Or(written.Selected(), command.Model.Node)
	for _, word := range following(node) {
		if word != "" && strings.HasPrefix(word, strings.Join(c.Words[last:], "")) {
			fmt.Fprintln(con.stdout, word)
		}
	}
	return nil
}

// namesOf are what an argument of a name may be, of all commands or of one.
var namesOf = map[string]func() []string{
	"spec": experiments.Names, "experiment": experiments.Names, "dataset": datasets.Names,
	"claim": claimIDs, "audit what": algorithms.Names, "release algorithm": publish.Releasable,
	"list name": func() []string { return append(algorithms.Names(), datasets.Names()...) },
}

// claimIDs are of claims that come with the program.
func claimIDs() []string { return must.Get(readClaims(claims.Papers())).names() }

// following are the words that may come after a command.
func following(node *kong.Node) (words []string) {
	for _, child := range node.Children {
		if !child.Hidden {
			words = append(words, child.Name)
		}
	}
	for _, positional := range node.Positional {
		words = append(words, positional.EnumSlice()...)
		for _, name := range []string{positional.Name, node.Name + " " + positional.Name} {
			if names := namesOf[name]; names != nil {
				words = append(words, names()...)
			}
		}
	}
	for _, flag := range node.Flags {
		words = append(words, "--"+flag.Name)
	}
	return words
}
