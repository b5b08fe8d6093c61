package fit

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"ppdp/datasets"
	"ppdp/internal/must"
)

var update = flag.Bool("update", false, "write the stand-in's count tables anew")

func realData(t *testing.T) datasets.Files {
	t.Helper()
	dir := os.Getenv("PPDP_DATA")
	if dir == "" {
		t.Skip("PPDP_DATA is not set: the real Adult is needed to fit the stand-in")
	}
	return datasets.Files{Dirs: []string{dir}}
}

func TestCommittedFileIsWhatTheDataGive(t *testing.T) {
	made := must.Get(fit(realData(t)))
	path := filepath.Join("..", "standin.json")
	if *update {
		must.Do(t, os.WriteFile(path, made, 0o644))
	}
	committed := must.Get(os.ReadFile(path))
	if !bytes.Equal(made, committed) {
		t.Error("datasets/adult/standin.json is not what the data give; run go generate " +
			"./datasets/adult")
	}
}
