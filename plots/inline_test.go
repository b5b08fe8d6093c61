package plots

import (
	"bytes"
	"math"
	"regexp"
	"slices"
	"strconv"
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
	const group = "<g class=\"curve\"><title>s</title>\n"
	_, curve, _ := strings.Cut(string(inline), group)
	curve, _, _ = strings.Cut(curve, "</g>")
	centre := regexp.MustCompile(`M([0-9.]+),([0-9.]+)A(?s:.*?)cx="([0-9.]+)" cy="([0-9.]+)"` +
		` r="6"><title>(.*?)</title>`)
	var says []string
	for _, m := range centre.FindAllStringSubmatch(curve, -1) {
		right, x := must(strconv.ParseFloat(m[1], 64)), must(strconv.ParseFloat(m[3], 64))
		if m[2] != m[4] || math.Abs(right-2.5-x) > 0.01 { // a disc begins at its right
			t.Errorf("a point at %s, %s is on a disc from %s, %s on", m[3], m[4], m[1], m[2])
		}
		says = append(says, m[5])
	}
	want = []string{"at 0.1: 10 ± 0.1, n = 2", "at 1: 1 ± 0.1, n = 2", "at 10: 0.1 ± 0.1, n = 2"}
	if !slices.Equal(says, want) || strings.Count(string(inline), group) != 1 ||
		!strings.Contains(string(inline), `<g class="entry"><title>s</title>`) {
		t.Errorf("the points say %q, want %q", says, want)
	}
	if bytes.Contains(file, []byte("<title>")) {
		t.Error("the file has tags, too")
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
