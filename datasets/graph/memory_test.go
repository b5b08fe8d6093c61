package graph

import (
	"bytes"
	"compress/gzip"
	"runtime"
	"strings"
	"testing"
)

// TestReadMemory: comments and one long line take little memory beside the text itself.
func TestReadMemory(t *testing.T) {
	var comments bytes.Buffer
	z := gzip.NewWriter(&comments)
	for range 10 {
		z.Write(bytes.Repeat([]byte("# nobody reads this line of a hundred bytes, which says "+
			"nothing at all, however often it is said\n"), 1<<14))
	}
	z.Close()
	long := strings.Repeat("1 ", 5<<20)
	for name, content := range map[string]string{
		"edges of comments": comments.String(),
		"long.edges":        "1 2\n" + long,
		"long header.mtx":   "%%MatrixMarket " + long,
		"long.mtx":          "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n" + long,
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := Read(name, []byte(content), Reading{}); err == nil &&
			name != "edges of comments" {
			t.Errorf("%s is read", name)
		}
		runtime.ReadMemStats(&after)
		if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 24 {
			t.Errorf("%s took %d MiB", name, took)
		}
	}
}
