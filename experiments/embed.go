// Package experiments holds the specs that come with the program, one YAML file a figure or table.
// Package spec reads them, package engine runs them, and package comparison makes the one that
// compares all baselines on a user's table.
package experiments

import (
	"embed"
	"io/fs"
	"strings"

	"ppdp/internal/must"
)

//go:embed rps/*.yaml mondrian/*.yaml diffmulti/*.yaml compare/*.yaml leaderboard/*.yaml
var specs embed.FS

// Names lists the experiments, such as "rps/fig1", in alphabetical order.
func Names() []string {
	names := must.Get(fs.Glob(specs, "*/*.yaml"))
	for i, file := range names {
		names[i] = strings.TrimSuffix(file, ".yaml")
	}
	return names
}

// Text is the spec of an experiment; ok is false where there is none of that name.
func Text(name string) (text []byte, ok bool) {
	text, err := specs.ReadFile(name + ".yaml")
	return text, err == nil
}

// Texts returns the specs of all experiments by name.
func Texts() map[string]string {
	texts := make(map[string]string)
	for _, name := range Names() {
		text, _ := Text(name)
		texts[name] = string(text)
	}
	return texts
}
