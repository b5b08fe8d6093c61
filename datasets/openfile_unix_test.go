//go:build unix

package datasets

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ppdp/internal/must"
)

// Opening a pipe that nobody writes to would wait for ever, and a device may never end.
func TestOnlyRegularFilesAreOpened(t *testing.T) {
	dir := t.TempDir()
	pipe, file := filepath.Join(dir, "pipe"), filepath.Join(dir, "file")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skipf("no pipes here: %v", err)
	}
	must.Do(t, os.WriteFile(file, []byte("four"), 0o600))
	for path, want := range map[string]string{
		pipe: "a pipe, must be a file", dir: "a folder, must be a file", "/dev/zero": "a device",
		filepath.Join(dir, "none"): "no such file",
	} {
		opened, err := OpenFile(path)
		if err == nil {
			opened.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
		must.Fail(t, must.Err(ReadFile(path, 1)), want, path)
	}
	if text, err := ReadFile(file, 4); string(text) != "four" || err != nil {
		t.Errorf("four bytes of four: %q, %v", text, err)
	}
	must.Fail(t, must.Err(ReadFile(file, 3)), "4 bytes, must be at most 3", "four bytes of three")
}
