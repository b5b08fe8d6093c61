package plots

import "testing"

// TestXMLText: what XML does not allow is replaced, all else is left.
func TestXMLText(t *testing.T) {
	const text = "RPS <5> & \"ε\"\t\x1b[31m\x00 \xff \ufffe \u009b"
	const want = "RPS <5> & \"ε\"\t\ufffd[31m\ufffd \ufffd \ufffd \ufffd"
	if got := xmlText(text); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
