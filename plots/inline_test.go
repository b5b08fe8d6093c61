package plots

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
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
	wantPaths, wantText := content(t, file)
	gotPaths, gotText := content(t, inline)
	if len(wantPaths) < 10 || strings.Join(gotPaths, "\n") != strings.Join(wantPaths, "\n") {
		t.Errorf("%d shapes, want the %d of the file", len(gotPaths), len(wantPaths))
	}
	if gotText, wantText = strings.Trim(gotText, "|"),
		strings.Trim(wantText, "|"); wantText == "" || gotText != wantText {
		t.Errorf("text %q, want %q", gotText, wantText)
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

// content reads an SVG's paths and text.
func content(t *testing.T, svg []byte) (paths []string, text string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(string(svg)))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return paths, text
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			for _, a := range token.Attr {
				if token.Name.Local == "path" && a.Name.Local == "d" {
					paths = append(paths, a.Value)
				}
			}
		case xml.CharData:
			text += strings.TrimSpace(string(token)) + "|"
		}
	}
}
