package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestClean: what a terminal would obey is shown as text, wherever writes cut it; all else passes.
func TestClean(t *testing.T) {
	const text = "ε ≤ 1\t🙂\n\x1b[31mred\x1b]0;title\x07 a\rb \x9b1m \u009b \u202e live \x7f\xe2\x82"
	const want = "ε ≤ 1\t🙂\n" + `\x1b[31mred\x1b]0;title\x07 a\x0db \x9b1m \u009b \u202e live \x7f`
	for size := 1; size < 9; size++ {
		var b strings.Builder
		w := clean(&b)
		for rest := text; len(rest) > 0; rest = rest[min(size, len(rest)):] {
			part := rest[:min(size, len(rest))]
			if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
				t.Fatalf("%d of %d bytes, %v", n, len(part), err)
			}
		}
		if b.String() != want {
			t.Errorf("in parts of %d: %q, want %q", size, b.String(), want)
		}
	}
}

// TestCleanMessages: what a verb prints is clean.
func TestCleanMessages(t *testing.T) {
	var stdout, stderr strings.Builder
	env := environment{ctx: t.Context(), now: time.Now}
	run([]string{"run", "\x1b[31m.yaml"}, &stdout, &stderr, env)
	if got := stderr.String(); strings.Contains(got, "\x1b") || !strings.Contains(got, `\x1b[31m`) {
		t.Errorf("%q", got)
	}
}

// TestManyMessages: what is wrong is said in a screenful or two, and in lines that end.
func TestManyMessages(t *testing.T) {
	var keys strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&keys, "key%d: 1\n", i)
	}
	path := filepath.Join(t.TempDir(), "a.yaml")
	noError(t, os.WriteFile(path, []byte(keys.String()), 0o666))
	for path, want := range map[string]string{
		path:                           "more lines",
		strings.Repeat("a", 1_000_000): "... (cut: ",
	} {
		var stdout, stderr strings.Builder
		env := environment{ctx: t.Context(), now: time.Now}
		run([]string{"plan", path}, &stdout, &stderr, env)
		if said := stderr.String(); len(said) > 100_000 || !strings.Contains(said, want) {
			t.Errorf("%d bytes, must say %q: %.200q", len(said), want, said)
		}
	}
}
