package plots

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ppdp/internal/results"
)

// TestInline: the element of a page is the picture of the SVG file, shape by shape and word by
// word, without anything that fixes its colours or its size.
func TestInline(t *testing.T) {
	var rows []results.Row
	for _, epsilon := range []float64{0.1, 1, 10} {
		rows = append(rows, at(madeUpRow("s", "w1", 2, 1/epsilon, 0.1), epsilon))
	}
	figure := results.Figure{Name: "a", X: "epsilon", Y: "w1"}
	run := runOf(results.Manifest{Experiment: "e", Figures: []results.Figure{figure}}, rows)
	drawings, _, err := Experiment(run)
	if err != nil || len(drawings) != 1 || drawings[0].Figure.Name != "a" {
		t.Fatalf("%d drawings, %v", len(drawings), err)
	}
	inline := must(drawings[0].Inline("W1 by epsilon"))
	file := must(drawings[0].Render("svg"))
	shapes := regexp.MustCompile(` d="[^"]*"|>[^<]*</text>`)
	got, want := shapes.FindAllString(string(inline), -1), shapes.FindAllString(string(file), -1)
	if len(want) < 20 || !slices.Equal(got, want) {
		t.Errorf("%d shapes and texts, want the %d of the file", len(got), len(want))
	}
	if text := string(inline); !strings.HasPrefix(text, "<svg ") || strings.Contains(text, ":#") ||
		strings.Contains(text, `width="340`) {
		t.Errorf("has a prolog, a fixed colour or a fixed size: %.300s", text)
	}
	if inline, err = drawings[0].Inline(`"><script>`); err != nil ||
		!bytes.Contains(inline, []byte(`aria-label="&#34;&gt;&lt;script&gt;"`)) {
		t.Errorf("a label with markup: %v, %.300s", err, inline)
	}
}

// TestXMLText: what XML does not allow is replaced, all else is left.
func TestXMLText(t *testing.T) {
	const text = "RPS <5> & \"ε\"\t\x1b[31m\x00 \xff \ufffe \u009b"
	const want = "RPS <5> & \"ε\"\t\ufffd[31m\ufffd \ufffd \ufffd \ufffd"
	if got := xmlText(text); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
