package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

// program is packed in place of ppdp: packages do not care.
func program(t target) *packed {
	return &packed{target: t, version: "v0.0.0-20260102030405-0123456789ab",
		commit:  time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("", 3600)),
		program: file{"ppdp", 0o755, []byte("#!/bin/sh\necho \"ppdp $*\"\n")},
		texts:   []file{{"LICENSE", 0o644, []byte("licence\n")}}}
}

// untar reads a tar file, zipped or not, and returns its entries by name.
func untar(t *testing.T, data []byte) map[string]*tar.Header {
	t.Helper()
	var r io.Reader = bytes.NewReader(data)
	if zipped, err := gzip.NewReader(bytes.NewReader(data)); err == nil {
		r = zipped
	}
	entries := make(map[string]*tar.Header)
	for files := tar.NewReader(r); ; {
		h, err := files.Next()
		if err == io.EOF {
			return entries
		}
		if err != nil {
			t.Fatal(err)
		}
		entries[h.Name] = h
	}
}

func TestPackagesAreReproducible(t *testing.T) {
	for _, on := range targets {
		make := func() [][]byte {
			p := program(on)
			return [][]byte{p.wheel().data, p.deb().data, p.tarball(p.all("x")), p.zip(p.all("x")),
				p.image([]file{{"amd64", 0, p.layer()}}).data, p.materials(&debug.BuildInfo{})}
		}
		first, second := make(), make()
		for i := range first {
			if !bytes.Equal(first[i], second[i]) {
				t.Errorf("%s/%s: package %d differs", on.os, on.arch, i)
			}
		}
	}
	p := program(targets[0])
	h := untar(t, p.tarball(p.all("x")))["x/ppdp"]
	if h == nil || h.Mode != 0o755 || !h.ModTime.Equal(p.commit) || h.Uid != 0 || h.Uname != "" {
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
		if got := wheelVersion(version); got != want {
			t.Errorf("%s: %s, want %s", version, got, want)
		}
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
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files[h.Name] = data
		if sum, ok := strings.CutPrefix(h.Name, "blobs/sha256/"); ok && sum != "" &&
			fmt.Sprintf("%x", sha256.Sum256(data)) != sum {
			t.Errorf("%s has another digest", h.Name)
		}
	}
	read := func(from map[string]any) (to map[string]any) {
		digest := strings.TrimPrefix(fmt.Sprint(from["digest"]), "sha256:")
		data := files["blobs/sha256/"+digest]
		if fmt.Sprint(len(data)) != fmt.Sprint(from["size"]) {
			t.Errorf("%v: %d bytes", from, len(data))
		}
		if json.Unmarshal(data, &to) != nil {
			to = map[string]any{"digest": fmt.Sprintf("sha256:%x", sha256.Sum256(unzip(t, data)))}
		}
		return to
	}
	var index struct{ Manifests []map[string]any }
	if err := json.Unmarshal(files["index.json"], &index); err != nil {
		t.Fatal(err)
	}
	manifest := read(index.Manifests[0])
	config := read(manifest["config"].(map[string]any))
	got := read(manifest["layers"].([]any)[0].(map[string]any))["digest"]
	want := config["rootfs"].(map[string]any)["diff_ids"].([]any)[0]
	if got != want || got != fmt.Sprintf("sha256:%x", sha256.Sum256(layer)) {
		t.Errorf("layer %v, want %v", got, want)
	}
	if untar(t, layer)["ppdp/data/"].Mode != 0o1777 {
		t.Error("not everybody may write to the data")
	}
}

func unzip(t *testing.T, data []byte) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	data, err = io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
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
	r, err := zip.NewReader(bytes.NewReader(wheel.data), int64(len(wheel.data)))
	if err != nil {
		t.Fatal(err)
	}
	var record string
	lines := make(map[string]string)
	for _, f := range r.File {
		opened, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(opened)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(data)
		lines[f.Name] = fmt.Sprintf("%s,sha256=%s,%d", f.Name,
			base64.RawURLEncoding.EncodeToString(sum[:]), len(data))
		if strings.HasSuffix(f.Name, "/RECORD") {
			record, lines[f.Name] = string(data), f.Name+",,"
		}
	}
	for _, line := range lines {
		if !strings.Contains(record, line+"\n") {
			t.Errorf("no %s in the record", line)
		}
	}
	dir := t.TempDir()
	if out, err := exec.Command("python3", "-m", "venv", dir).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: no virtual environment of Python (%v): %s", err, out)
	}
	path := filepath.Join(dir, wheel.name)
	if err := os.WriteFile(path, wheel.data, 0o666); err != nil {
		t.Fatal(err)
	}
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

// TestDebian: dpkg reads the package, where there is one.
func TestDebian(t *testing.T) {
	deb := program(targets[0]).deb()
	path := filepath.Join(t.TempDir(), deb.name)
	if err := os.WriteFile(path, deb.data, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		t.Skip("SKIPPED: no dpkg-deb")
	}
	info, err := exec.Command("dpkg-deb", "--info", path).CombinedOutput()
	files, errOfFiles := exec.Command("dpkg-deb", "--contents", path).CombinedOutput()
	out := string(info) + string(files)
	err = errors.Join(err, errOfFiles)
	for _, want := range []string{"Version: 0.0.0~20260102030405~0123456789ab", "./usr/bin/ppdp",
		"-rwxr-xr-x 0/0"} {
		if err != nil || !strings.Contains(out, want) {
			t.Errorf("no %q (%v): %s", want, err, out)
		}
	}
}
