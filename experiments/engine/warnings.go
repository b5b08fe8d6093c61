package engine

import (
	"fmt"
	"strings"
)

// warnings collects the warnings of releases. Those that differ only in numbers are logged once,
// with how many there are: a search that ends at its limit does so in most jobs, each with other
// numbers.
type warnings struct {
	first []string       // of those that are alike
	count map[string]int // by the warning without its numbers
}

// add takes a warning.
func (w *warnings) add(message string) {
	if w.count == nil {
		w.count = make(map[string]int)
	}
	shape := withoutNumbers(message)
	if w.count[shape]++; w.count[shape] == 1 {
		w.first = append(w.first, message)
	}
}

// log reports what was collected.
func (w *warnings) log(report func(message string)) {
	for _, message := range w.first {
		suffix := ""
		if n := w.count[withoutNumbers(message)]; n > 1 {
			suffix = fmt.Sprintf(" (the first of %d like it)", n)
		}
		report("warning: " + message + suffix)
	}
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
