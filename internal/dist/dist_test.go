package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"ppdp/internal/must"
)

// program is packed in place of ppdp: packages do not care.
func program(t target) *packed {
	return &packed{target: t, version: "v0.0.0-20260102030405-0123456789ab",
		commit:  time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("", 3600)),
		program: file{"ppdp", 0o755, []byte("#!/bin/sh\necho \"ppdp $*\"\n")},
		texts:   []file{{"LICENSE", 0o644, []byte("licence\n")}}}
}

func TestPackagesAreReproducible(t *testing.T) {
	for _, on := range targets {
		make := func() [][]byte {
			p := program(on)
			return [][]byte{p.wheel().data, p.tarball(p.all("x")), p.zip(p.all("x")),
				p.image([]file{{"amd64", 0, p.layer()}}).data}
		}
		first, second := make(), make()
		for i := range first {
			if !bytes.Equal(first[i], second[i]) {
				t.Errorf("%s/%s: package %d differs", on.os, on.arch, i)
			}
		}
	}
	p := program(targets[0])
	zipped := must.Get(gzip.NewReader(bytes.NewReader(p.tarball(p.all("x")))))
	h := must.Get(tar.NewReader(zipped).Next())
	if h.Name != "x/ppdp" || h.Mode != 0o755 || !h.ModTime.Equal(p.commit) || h.Uid != 0 ||
		h.Uname != "" {
		t.Errorf("the program in the archive: %+v", h)
	}
}

// TestVersions: each is one that pip reads and orders (PEP 440).
func TestVersions(t *testing.T) {
	for version, want := range map[string]string{
		"v1.2.0":                                   "1.2.0",
		"v0.0.0-20260102030405-0123456789ab":       "0.0.0.dev20260102030405+0123456789ab",
		"v0.0.0-20260102030405-0123456789ab+dirty": "0.0.0.dev20260102030405+0123456789ab.dirty",
		"v1.2.1-0.20260102030405-0123456789ab":     "1.2.1.dev20260102030405+0123456789ab",
		"v1.2.0+dirty":                             "1.2.0+dirty",
	} {
		must.Be(t, wheelVersion(version), want, version)
	}
}

// TestImage: every blob has the digest of its name, and manifest, configuration and layer name each
// other (OCI Image Format 1.1).
func TestImage(t *testing.T) {
	p := program(targets[0])
	layer := p.layer()
	files := make(map[string][]byte)
	for r := tar.NewReader(bytes.NewReader(p.image([]file{{"amd64", 0, layer}}).data)); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		must.Do(t, err)
		data := must.Get(io.ReadAll(r))
		files[h.Name] = data
		if sum, ok := strings.CutPrefix(h.Name, "blobs/sha256/"); ok && sum != "" &&
			fmt.Sprintf("%x", sha256.Sum256(data)) != sum {
			t.Errorf("%s has another digest", h.Name)
		}
	}
	type blob struct {
		Digest    string
		Size      int
		Manifests []blob
		Config    json.RawMessage
		Layers    []blob
		RootFS    struct {
			Diffs []string `json:"diff_ids"`
		}
	}
	read := func(from blob) []byte {
		data := files["blobs/sha256/"+strings.TrimPrefix(from.Digest, "sha256:")]
		if len(data) != from.Size || from.Size == 0 {
			t.Errorf("%+v: %d bytes", from, len(data))
		}
		return data
	}
	decode := func(data []byte) (b blob) {
		must.Do(t, json.Unmarshal(data, &b))
		return b
	}
	manifest := decode(read(decode(files["index.json"]).Manifests[0]))
	config := decode(read(decode(manifest.Config)))
	unzipped := must.Get(gzip.NewReader(bytes.NewReader(read(manifest.Layers[0]))))
	got := must.Get(io.ReadAll(unzipped))
	if want := fmt.Sprintf("sha256:%x", sha256.Sum256(layer)); !bytes.Equal(got, layer) ||
		config.RootFS.Diffs[0] != want {
		t.Errorf("layer %v, want %v", config.RootFS, want)
	}
}

// TestWheel: the record has every file with its digest, and pip installs it.
func TestWheel(t *testing.T) {
	on := targets[0]
	for _, of := range targets {
		if of.os == runtime.GOOS && of.arch == runtime.GOARCH {
			on = of
		}
	}
	wheel := program(on).wheel()
	r := must.Get(zip.NewReader(bytes.NewReader(wheel.data), int64(len(wheel.data))))
	var record string
	lines := make(map[string]string)
	for _, f := range r.File {
		data := must.Get(io.ReadAll(must.Get(f.Open())))
		sum := sha256.Sum256(data)
		lines[f.Name] = fmt.Sprintf("%s,sha256=%s,%d", f.Name,
			base64.RawURLEncoding.EncodeToString(sum[:]), len(data))
		if strings.HasSuffix(f.Name, "/RECORD") {
			record, lines[f.Name] = string(data), f.Name+",,"
		}
	}
	for _, line := range lines {
		must.Say(t, record, line+"\n")
	}
	dir := t.TempDir()
	if out, err := exec.Command("python3", "-m", "venv", dir).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: no virtual environment of Python (%v): %s", err, out)
	}
	path := filepath.Join(dir, wheel.name)
	must.Do(t, os.WriteFile(path, wheel.data, 0o666))
	out, err := exec.Command(filepath.Join(dir, "bin", "pip"), "install", "--no-index", "--no-deps",
		path).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	const use = "import ppdp; print(ppdp.call('list', 'algorithms', json=True, k=[1, 2], no=None))"
	out, err = exec.Command(filepath.Join(dir, "bin", "python"), "-c", use).Output()
	if want := "ppdp list algorithms --json --k=1,2\n\n"; err != nil || string(out) != want {
		t.Errorf("%q, want %q (%v)", out, want, err)
	}
}
