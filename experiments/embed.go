package experiments

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"ppdp/internal/spelling"
)

// specs are the experiments that come with the program, one YAML file a figure or table.
//
//go:embed rps/*.yaml mondrian/*.yaml diffmulti/*.yaml compare/*.yaml leaderboard/*.yaml
var specs embed.FS

// Names lists the embedded experiments, such as "rps/fig1", in alphabetical order.
func Names() []string {
	names, err := fs.Glob(specs, "*/*.yaml")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	for i, file := range names {
		names[i] = strings.TrimSuffix(file, ".yaml")
	}
	return names
}

// Texts returns the text of every embedded experiment by name.
func Texts() map[string]string {
	texts := make(map[string]string)
	for _, name := range Names() {
		data, err := specs.ReadFile(name + ".yaml")
		if err != nil {
			panic(err) // Names lists the files
		}
		texts[name] = string(data)
	}
	return texts
}

// Embedded returns the spec of an embedded experiment.
func Embedded(name string) (*Spec, error) {
	data, err := specs.ReadFile(name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("no experiment %q, must be one of %s", name,
			strings.Join(Names(), ", "))
	}
	return Parse("experiments/"+name+".yaml", data)
}

// Find returns the spec a user means: a file's path, or the name of an embedded experiment.
func Find(word string) (*Spec, error) {
	if _, err := specs.Open(word + ".yaml"); err == nil {
		return Embedded(word)
	}
	if _, err := os.Stat(word); err != nil {
		hint := spelling.Hint(strings.TrimSuffix(word, ".yaml"), Names())
		return nil, fmt.Errorf("%s is neither a file nor an experiment%s, must be a spec's file "+
			"or one of %s", word, hint, strings.Join(Names(), ", "))
	}
	spec, err := Load(word)
	if err != nil {
		return nil, err
	}
	if text, err := specs.ReadFile(spec.Name + ".yaml"); err == nil &&
		!bytes.Equal(text, spec.text) {
		return nil, fmt.Errorf("%s: name: %s is an experiment that comes with ppdp, which has "+
			"another spec; must be another name, or the results of both would share a folder",
			word, spec.Name)
	}
	return spec, nil
}
