package engine

import (
	"fmt"
	"slices"
	"strings"
)

// warnings collects the warnings of releases. Those that differ only in numbers are logged once,
// with how many there are: a search that ends at its limit does so in most jobs, each with other
// numbers.
type warnings struct {
	first []string            // of those that are alike
	count map[string]int      // by the warning without its numbers
	from  map[string][]string // the releases, likewise
}

// add takes a warning of a release.
func (w *warnings) add(release, message string) {
	if w.count == nil {
		w.count, w.from = make(map[string]int), make(map[string][]string)
	}
	shape := withoutNumbers(message)
	if w.count[shape]++; w.count[shape] == 1 {
		w.first = append(w.first, message)
	}
	if !slices.Contains(w.from[shape], release) {
		w.from[shape] = append(w.from[shape], release)
	}
}

// log reports what was collected.
func (w *warnings) log(report func(message string)) {
	for _, message := range w.first {
		shape, suffix := withoutNumbers(message), ""
		if n := w.count[shape]; n > 1 {
			suffix = fmt.Sprintf(" (the first of %d like it)", n)
		}
		report("warning: " + named(w.from[shape], message) + suffix)
	}
}

// mostNamed is how many releases a warning names.
const mostNamed = 4

// named is a message behind the releases that gave it, unless it begins with the only one.
func named(releases []string, message string) string {
	if len(releases) == 1 && strings.HasPrefix(message, releases[0]) {
		return message
	}
	text := strings.Join(releases[:min(mostNamed, len(releases))], ", ")
	if more := len(releases) - mostNamed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text + ": " + message
}

// withoutNumbers drops all digits and points, so that messages that agree elsewhere become equal.
func withoutNumbers(message string) string {
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' || r == '.' {
			return -1
		}
		return r
	}, message)
}
