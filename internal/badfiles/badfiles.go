// Package badfiles tests that what is wrong with a file is reported to the letter: each file ends
// with the messages that are expected of it. It is for tests alone and knows no format.
package badfiles

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false,
	"write the messages in testdata anew; read them before committing")

// Name is the name under which Run's files are read: messages begin with it.
const Name = "f.yaml"

// want begins a line at a file's end that holds one message without its file name.
const want = "# want: "

// Run reads every file in testdata/bad, each of which has one mistake, and in testdata/several.
// read returns what is wrong with a file's text before the messages, one problem a line.
func Run(t *testing.T, read func(text []byte) error) {
	for _, folder := range []string{"bad", "several"} {
		files, err := filepath.Glob(filepath.Join("testdata", folder, "*.yaml"))
		if err != nil || len(files) == 0 {
			t.Errorf("no files in testdata/%s: %v", folder, err)
		}
		for _, file := range files {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
				data, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				text, _, _ := strings.Cut(string(data), want)
				problems := read([]byte(text))
				if problems == nil {
					t.Fatal("no problem found")
				}
				lines := strings.Split(problems.Error(), "\n")
				got := text
				for _, line := range lines {
					got += want + strings.TrimPrefix(line, Name+":") + "\n"
				}
				if *update {
					err = os.WriteFile(file, []byte(got), 0o666)
				} else if diff := cmp.Diff(string(data), got); diff != "" {
					t.Error(diff)
				}
				if err != nil || (len(lines) == 1) != (folder == "bad") {
					t.Errorf("%d problems in testdata/%s: %v", len(lines), folder, err)
				}
			})
		}
	}
}
