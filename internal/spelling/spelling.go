// Package spelling finds the word that was probably meant by a mistyped one, for error messages.
package spelling

import "strings"

// longest is the length, in bytes, above which a word is not compared with any name.
const longest = 40

// Nearest is the first of the names with the fewest edits to word, ignoring case; "" if all of them
// need more than one edit for every three bytes of the word, or than one for a shorter word.
func Nearest(word string, names []string) string {
	if len(word) > longest {
		return ""
	}
	best, least := "", max(1, len(word)/3)
	for _, name := range names {
		d := edits(strings.ToLower(word), strings.ToLower(name))
		if d < least || d == least && best == "" {
			best, least = name, d
		}
	}
	return best
}

// Hint is " (did you mean NAME?)" with the nearest name, "" without one.
func Hint(word string, names []string) string {
	if nearest := Nearest(word, names); nearest != "" {
		return " (did you mean " + nearest + "?)"
	}
	return ""
}

// edits is the optimal string alignment distance: insertions, deletions, replacements and swaps of
// neighbours.
func edits(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row = last, row, before
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replace := last[j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			row[j] = min(replace, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}
