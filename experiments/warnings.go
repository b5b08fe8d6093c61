package experiments

import (
	"fmt"
	"strings"
)

// warnings collects what releases warn of. Those that differ only in numbers are logged once,
// with how many more there are: a search that ends at its limit does so in most cells, each with
// numbers of its own.
type warnings struct {
	groups  []warningGroup // in the order of their first warnings
	byShape map[string]int // index of a group
}

type warningGroup struct {
	first string
	count int
}

// add takes a warning.
func (w *warnings) add(message string) {
	if w.byShape == nil {
		w.byShape = make(map[string]int)
	}
	shape := withoutNumbers(message)
	i, known := w.byShape[shape]
	if !known {
		i = len(w.groups)
		w.byShape[shape] = i
		w.groups = append(w.groups, warningGroup{first: message})
	}
	w.groups[i].count++
}

// log reports what was collected.
func (w *warnings) log(say func(message string)) {
	for _, g := range w.groups {
		message := "warning: " + g.first
		if g.count > 1 {
			message += fmt.Sprintf(" (the first of %d like it)", g.count)
		}
		say(message)
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
