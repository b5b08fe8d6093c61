package language

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"

	"ppdp/experiments"
	"ppdp/internal/spelling"
)

// Embedded returns the spec of an experiment that comes with the program.
func Embedded(name string) (*Spec, error) {
	text, ok := experiments.Text(name)
	if !ok {
		return nil, fmt.Errorf("no experiment %q%s", name, near(name))
	}
	return Parse("experiments/"+name+".yaml", text)
}

// near says which experiments a word may be meant for, the most alike and those of the same paper,
// and where all are.
func near(word string) string {
	paper, _, _ := strings.Cut(word, "/")
	same := slices.DeleteFunc(experiments.Names(), func(name string) bool {
		return !strings.HasPrefix(name, paper+"/")
	})
	text := spelling.Hint(word, experiments.Names())
	if len(same) > 0 {
		text += "; of " + paper + " there are " + strings.Join(same, ", ")
	}
	return text + "; ppdp list experiments has all"
}

// Find returns the spec a user means: a file's path, or the name of an experiment that comes with
// the program.
func Find(word string) (*Spec, error) {
	if _, ok := experiments.Text(word); ok {
		return Embedded(word)
	}
	if _, err := os.Stat(word); err != nil {
		return nil, fmt.Errorf("%s is neither a file nor an experiment%s", word,
			near(strings.TrimSuffix(word, ".yaml")))
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
