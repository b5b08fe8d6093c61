package spec

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"ppdp/experiments"
	"ppdp/internal/spelling"
)

// Embedded returns the spec of an experiment that comes with the program.
func Embedded(name string) (*Spec, error) {
	text, ok := experiments.Text(name)
	if !ok {
		return nil, fmt.Errorf("no experiment %q, must be one of %s", name,
			strings.Join(experiments.Names(), ", "))
	}
	return Parse("experiments/"+name+".yaml", text)
}

// Find returns the spec a user means: a file's path, or the name of an experiment that comes with
// the program.
func Find(word string) (*Spec, error) {
	if _, ok := experiments.Text(word); ok {
		return Embedded(word)
	}
	if _, err := os.Stat(word); err != nil {
		hint := spelling.Hint(strings.TrimSuffix(word, ".yaml"), experiments.Names())
		return nil, fmt.Errorf("%s is neither a file nor an experiment%s, must be a spec's file "+
			"or one of %s", word, hint, strings.Join(experiments.Names(), ", "))
	}
	spec, err := Load(word)
	if err != nil {
		return nil, err
	}
	if text, ok := experiments.Text(spec.Name); ok && !bytes.Equal(text, spec.Text) {
		return nil, fmt.Errorf("%s: name: %s is an experiment that comes with ppdp, which has "+
			"another spec; must be another name, or the results of both would share a folder",
			word, spec.Name)
	}
	return spec, nil
}
