package results

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// CombinedName is the file name, without extension, of an experiment's figures side by side. Where
// these take more than one page, the others are called combined-2, combined-3 and so on.
const CombinedName = "combined"

var (
	word         = `[A-Za-z0-9][A-Za-z0-9._-]*`
	nameForm     = regexp.MustCompile(`^` + word + `(/` + word + `)*$`)
	figureForm   = regexp.MustCompile(`^` + word + `$`)
	combinedForm = regexp.MustCompile(`^` + CombinedName + `(-\d+)?$`)
)

// CheckExperimentName returns nil for a name that can be a folder of results on every system.
func CheckExperimentName(name string) error {
	if !nameForm.MatchString(name) || strings.HasSuffix(name, ".") || strings.Contains(name, "./") {
		return fmt.Errorf("%q, must be words of letters, digits, '.', '_' or '-' joined by '/', "+
			"such as rps/fig3: the folder of the results", name)
	}
	return nil
}

// CheckFigureName returns nil for a name that can be a file's beside the other files of a run.
func CheckFigureName(name string) error {
	if !figureForm.MatchString(name) || strings.HasSuffix(name, ".") {
		return fmt.Errorf("%q, must be letters, digits, '.', '_' or '-': it names files", name)
	}
	if combinedForm.MatchString(name) {
		return fmt.Errorf("%q, must be another name: it is that of all figures side by side", name)
	}
	return nil
}

// maxSeries is the longest name of a curve, in characters: longer ones fit no legend.
const maxSeries = 200

// CheckSeriesName returns nil for a name that can be shown in a legend and on a terminal.
func CheckSeriesName(name string) error {
	if name == "" || !utf8.ValidString(name) || utf8.RuneCountInString(name) > maxSeries ||
		strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return fmt.Errorf("%.60q, must be 1 to %d printable characters", name, maxSeries)
	}
	return nil
}

// ExperimentNamePattern is the regular expression of CheckExperimentName, for editors.
func ExperimentNamePattern() string { return nameForm.String() }
