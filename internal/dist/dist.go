// Command dist builds ppdp for other machines, from this checkout: archives, Python wheels that
// hold the program, the modules in each program, an OCI image and the checksums of them all. The
// same commit and Go give the same bytes, but for the image's certificates: times are the commit's,
// and owners and modes are fixed.
//
//	go run ./internal/dist -out packages
package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// target is a machine to build for, and how packages name it.
type target struct {
	os, arch string
	wheel    string // platform tags: the program is static; macOS as Go 1.26 needs it
}

var targets = []target{
	{"linux", "amd64", "manylinux_2_17_x86_64.musllinux_1_1_x86_64"},
	{"linux", "arm64", "manylinux_2_17_aarch64.musllinux_1_1_aarch64"},
	{"darwin", "amd64", "macosx_12_0_x86_64"},
	{"darwin", "arm64", "macosx_12_0_arm64"},
	{"windows", "amd64", "win_amd64"},
	{"windows", "arm64", "win_arm64"},
}

// file is a file of a package.
type file struct {
	name string
	mode fs.FileMode
	data []byte
}

// packed is what packages of one target are made from.
type packed struct {
	target
	version string // as ppdp --version prints it: v1.2.0
	commit  time.Time
	program file
	texts   []file // the licence and what else goes beside the program
	modules []byte // in the program, as "go version -m" shows them
	noise   []byte // the module of programs that ask for noise: ppdp.noise in a wheel
}

func main() {
	log.SetFlags(0)
	out := flag.String("out", "packages", "the folder to write to; what is in it is removed")
	flag.Parse()
	if err := build(*out); err != nil {
		log.Fatal("dist: ", err)
	}
}

// build makes the packages of all targets in a folder.
func build(out string) error {
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	var sums strings.Builder
	write := func(f file) error {
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(f.data), f.name)
		return os.WriteFile(filepath.Join(out, f.name), f.data, 0o666)
	}
	var layers []file
	for _, t := range targets {
		p, err := t.build()
		if err != nil {
			return err
		}
		base := fmt.Sprintf("ppdp-%s-%s-%s", p.version, t.os, t.arch)
		archive := file{base + ".tar.gz", 0, p.tarball(p.all(base))}
		if t.os == "windows" {
			archive = file{base + ".zip", 0, p.zip(p.all(base))}
		}
		files := []file{archive, p.wheel(), {base + ".modules.txt", 0, p.modules}}
		if t.os == "linux" {
			layers = append(layers, file{t.arch, 0, p.layer()})
		} else if layers != nil { // all of Linux are made
			files, layers = append(files, p.image(layers)), nil
		}
		for _, f := range files {
			if err := write(f); err != nil {
				return err
			}
		}
	}
	return os.WriteFile(filepath.Join(out, "SHA256SUMS"), []byte(sums.String()), 0o666)
}

// build compiles the program of a target as make build does.
func (t target) build() (p *packed, err error) {
	dir, err := os.MkdirTemp("", "dist")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	p = &packed{target: t, program: file{name: "ppdp", mode: 0o755}}
	if t.os == "windows" {
		p.program.name += ".exe"
	}
	path := filepath.Join(dir, p.program.name)
	command := exec.Command("go", "build", "-trimpath", "-buildvcs=true", "-o", path, "./cmd/ppdp")
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+t.os, "GOARCH="+t.arch,
		"GOAMD64=v1")
	command.Stderr = os.Stderr
	if err := command.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w", command, err)
	}
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return nil, err
	}
	p.modules = []byte(info.String())
	p.version = cmp.Or(info.Main.Version, "(devel)")
	for _, s := range info.Settings {
		if s.Key == "vcs.time" {
			p.commit, err = time.Parse(time.RFC3339, s.Value)
		}
	}
	if err != nil || p.commit.IsZero() {
		return nil, fmt.Errorf("no commit, must be a git checkout (%w)", err)
	}
	if p.program.data, err = os.ReadFile(path); err != nil {
		return nil, err
	}
	for _, name := range []string{"LICENSE", "README.md", "CITATION.cff"} {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		p.texts = append(p.texts, file{name, 0o644, text})
	}
	p.noise, err = os.ReadFile("docs/examples/python/ppdp.py")
	return p, err
}

// all is the program and what lies beside it, below a folder.
func (p *packed) all(folder string) (files []file) {
	for _, f := range append([]file{p.program}, p.texts...) {
		files = append(files, file{folder + "/" + f.name, f.mode, f.data})
	}
	return files
}

// sure is for writers into memory, which do not fail.
func sure(err error) {
	if err != nil {
		panic(err)
	}
}

func (p *packed) tarball(files []file) []byte { return zipped(p.tar(files)) }

func zipped(data []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write(data)
	sure(errors.Join(err, w.Close()))
	return b.Bytes()
}

// tar writes files, and folders, whose names end with a slash.
func (p *packed) tar(files []file) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		h := &tar.Header{Name: f.name, Mode: int64(f.mode), Size: int64(len(f.data)),
			ModTime: p.commit, Format: tar.FormatPAX}
		if strings.HasSuffix(f.name, "/") {
			h.Typeflag = tar.TypeDir
		}
		sure(w.WriteHeader(h))
		_, err := w.Write(f.data)
		sure(err)
	}
	sure(w.Close())
	return b.Bytes()
}

func (p *packed) zip(files []file) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: p.commit.UTC()}
		h.SetMode(f.mode)
		entry, err := w.CreateHeader(h)
		sure(err)
		_, err = entry.Write(f.data)
		sure(err)
	}
	sure(w.Close())
	return b.Bytes()
}

//go:embed python/ppdp/__init__.py
var module []byte

// pseudo is the version that Go gives a commit without a tag: v0.0.0-20261127003301-7bd4b37c32e3.
var pseudo = regexp.MustCompile(`^(\d+\.\d+\.\d+)-(?:\w+\.)*(?:0\.)?(\d{14})-(\w{12})$`)

// wheelVersion is a version by PEP 440: 1.2.0, or 0.0.0.dev20261127003301+7bd4b37c32e3.
func wheelVersion(version string) string {
	version, dirty, _ := strings.Cut(strings.TrimPrefix(version, "v"), "+")
	if parts := pseudo.FindStringSubmatch(version); parts != nil {
		version = parts[1] + ".dev" + parts[2] + "+" + parts[3]
		if dirty != "" {
			version += "." + dirty
		}
		return version
	}
	if dirty != "" {
		version += "+" + dirty
	}
	return version
}

// wheel is a Python package with the program among its scripts (PEP 427).
func (p *packed) wheel() file {
	version := wheelVersion(p.version)
	info := "ppdp-" + version + ".dist-info/"
	files := []file{
		{"ppdp/__init__.py", 0o644, module},
		{"ppdp/noise.py", 0o644, p.noise},
		{"ppdp/py.typed", 0o644, nil},
		{"ppdp-" + version + ".data/scripts/" + p.program.name, 0o755, p.program.data},
		{info + "METADATA", 0o644, fmt.Appendf(nil, "Metadata-Version: 2.1\nName: ppdp\n"+
			"Version: %s\nSummary: A benchmark harness for privacy-preserving data publishing\n"+
			"License: BSD-3-Clause\nRequires-Python: >=3.9\nProvides-Extra: pandas\n"+
			"Requires-Dist: pandas; extra == 'pandas'\n", version)},
		{info + "LICENSE", 0o644, p.texts[0].data},
	}
	head := "Wheel-Version: 1.0\nGenerator: ppdp\nRoot-Is-Purelib: false\n"
	for tag := range strings.SplitSeq(p.target.wheel, ".") {
		head += "Tag: py3-none-" + tag + "\n"
	}
	files = append(files, file{info + "WHEEL", 0o644, []byte(head)})
	var record strings.Builder
	for _, f := range files {
		sum := sha256.Sum256(f.data)
		fmt.Fprintf(&record, "%s,sha256=%s,%d\n", f.name,
			base64.RawURLEncoding.EncodeToString(sum[:]), len(f.data))
	}
	fmt.Fprintf(&record, "%sRECORD,,\n", info)
	files = append(files, file{info + "RECORD", 0o644, []byte(record.String())})
	return file{"ppdp-" + version + "-py3-none-" + p.target.wheel + ".whl", 0, p.zip(files)}
}

// certificates are those of public authorities, where Debian keeps them: fetching data needs them.
const certificates = "/etc/ssl/certs/ca-certificates.crt"

// layer is the file system that the Dockerfile makes. Certificates are the building machine's; an
// image made without them cannot fetch data.
func (p *packed) layer() []byte {
	const anybody = 0o1777
	files := []file{{"usr/", 0o755, nil}, {"usr/local/", 0o755, nil},
		{"usr/local/bin/", 0o755, nil}, {"usr/local/bin/ppdp", 0o755, p.program.data},
		{"tmp/", anybody, nil}, {"ppdp/", anybody, nil}, {"ppdp/results/", anybody, nil},
		{"ppdp/data/", anybody, nil}}
	if text, err := os.ReadFile(certificates); err == nil {
		files = append(files, file{"etc/", 0o755, nil}, file{"etc/ssl/", 0o755, nil},
			file{"etc/ssl/certs/", 0o755, nil}, file{certificates[1:], 0o644, text})
	} else {
		log.Printf("dist: the image cannot fetch data: %v", err)
	}
	return p.tar(files)
}

// image is an OCI image layout in a tar file (OCI Image Format 1.1), with one image for each
// architecture: "skopeo copy oci-archive:FILE ...", "podman load -i FILE".
func (p *packed) image(layers []file) file {
	files := []file{{"oci-layout", 0o644, []byte(`{"imageLayoutVersion":"1.0.0"}`)},
		{"blobs/", 0o755, nil}, {"blobs/sha256/", 0o755, nil}}
	type object = map[string]any
	const media = "application/vnd.oci.image."
	text := func(o object) []byte {
		data, err := json.Marshal(o)
		sure(err)
		return data
	}
	blob := func(kind string, data []byte) object {
		sum := fmt.Sprintf("%x", sha256.Sum256(data))
		files = append(files, file{"blobs/sha256/" + sum, 0o644, data})
		return object{"mediaType": media + kind, "digest": "sha256:" + sum, "size": len(data)}
	}
	var manifests []object
	for _, layer := range layers {
		config := text(object{"created": p.commit.UTC().Format(time.RFC3339), "os": "linux",
			"architecture": layer.name,
			"config": object{"Entrypoint": []string{"/usr/local/bin/ppdp"}, "WorkingDir": "/ppdp",
				"User": "65532:65532", "Env": []string{"PPDP_DATA=/ppdp/data",
					"XDG_CACHE_HOME=/ppdp/data", "PATH=/usr/local/bin"}},
			"rootfs": object{"type": "layers",
				"diff_ids": []string{fmt.Sprintf("sha256:%x", sha256.Sum256(layer.data))}}})
		m := blob("manifest.v1+json", text(object{"schemaVersion": 2,
			"mediaType": media + "manifest.v1+json", "config": blob("config.v1+json", config),
			"layers": []object{blob("layer.v1.tar+gzip", zipped(layer.data))}}))
		m["platform"] = object{"os": "linux", "architecture": layer.name}
		m["annotations"] = object{"org.opencontainers.image.ref.name": p.version}
		manifests = append(manifests, m)
	}
	files = append(files, file{"index.json", 0o644, text(object{"schemaVersion": 2,
		"mediaType": media + "index.v1+json", "manifests": manifests})})
	return file{"ppdp-" + p.version + "-image.tar", 0, p.tar(files)}
}
