package spelling

import (
	"strings"
	"testing"

	"ppdp/internal/must"

	"pgregory.net/rapid"
)

func TestNearest(t *testing.T) {
	names := []string{"accuracy", "c45", "naive-bayes", "naive-bayes-categorical", "rps",
		"rps-graph"}
	for word, want := range map[string]string{
		"acuracy": "accuracy", "naivebayes": "naive-bayes", "rsp": "rps", "RPS": "rps",
		"c4.5": "c45", "rps_graph": "rps-graph",
		"mondrian": "", "": "", strings.Repeat("r", 60): "",
	} {
		must.Be(t, Nearest(word, names), want, word)
	}
	must.Be(t, Hint("rsp", names), " (did you mean rps?)", "hint")
	must.Be(t, Hint("mondrian", names), "", "hint")
}

// What a distance must be, and what one edit of each kind must come to.
func TestEdits(t *testing.T) {
	word := rapid.StringOfN(rapid.RuneFrom([]rune("abc")), 0, 6, -1)
	rapid.Check(t, func(t *rapid.T) {
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		d := edits(a, b)
		if d != edits(b, a) {
			t.Fatal("not symmetric")
		}
		if (d == 0) != (a == b) || d > max(len(a), len(b)) ||
			d < max(len(a), len(b))-min(len(a), len(b)) {
			t.Fatalf("distance %d", d)
		}
		at := rapid.IntRange(0, len(a)).Draw(t, "at")
		if edits(a, a[:at]+"x"+a[at:]) != 1 {
			t.Fatal("one insertion is not one edit")
		}
	})
	must.Be(t, edits("rps", "rsp"), 1, "a swap of neighbours is one edit")
}
