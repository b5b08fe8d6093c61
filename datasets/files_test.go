package datasets

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"ppdp/internal/must"
)

// abc is the test vector of FIPS 180-2, so the checksum has an oracle outside this project.
var abc = File{
	Path:   "toy/abc.txt",
	SHA256: "BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD",
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	must.Do(t, os.MkdirAll(filepath.Dir(path), 0o777))
	must.Do(t, os.WriteFile(path, content, 0o666))
}

func packed(t *testing.T, content []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	must.Get(w.Write(content))
	must.Do(t, w.Close())
	return b.Bytes()
}

func TestOpen(t *testing.T) {
	strip := func(content []byte) ([]byte, error) {
		if bytes.HasPrefix(content, []byte("!")) {
			return nil, errors.New("line 1: a bang, must be # or a letter")
		}
		return bytes.TrimPrefix(content, []byte("#")), nil
	}
	gz := string(packed(t, []byte("abc")))
	tests := []struct {
		name      string
		files     map[string]string
		canonical func([]byte) ([]byte, error)
		limit     int64
		want      error
		mentions  []string
	}{
		{name: "plain", files: map[string]string{"first/toy/abc.txt": "abc"}},
		{name: "packed", files: map[string]string{"first/toy/abc.txt.gz": gz}},
		{name: "packed under the plain name", files: map[string]string{"first/toy/abc.txt": gz}},
		{name: "second directory", files: map[string]string{"second/toy/abc.txt": "abc"}},
		{name: "altered, but right further on",
			files: map[string]string{"first/toy/abc.txt": "abd", "second/toy/abc.txt": "abc"}},
		{name: "altered beside a right .gz",
			files: map[string]string{"first/toy/abc.txt": "abd", "first/toy/abc.txt.gz": gz}},
		{"made canonical", map[string]string{"first/toy/abc.txt": "#abc"}, strip, 0, nil, nil},
		{"canonical already", map[string]string{"first/toy/abc.txt": "abc"}, strip, 0, nil, nil},
		{"cannot be made canonical", map[string]string{"first/toy/abc.txt": "!abc"}, strip, 0,
			ErrChecksum, []string{"line 1: a bang"}},
		{"missing", nil, nil, 0, ErrMissing, []string{"toy/abc.txt", "first", "second", abc.SHA256,
			"ppdp datasets fetch"}},
		// SHA-256("abd"), from coreutils' sha256sum.
		{"altered", map[string]string{"first/toy/abc.txt": "abd"}, nil, 0, ErrChecksum,
			[]string{filepath.Join("first", "toy", "abc.txt"), abc.SHA256, "ppdp datasets fetch",
				"a52d159f262b2c6ddb724a61840befc36eb30c88877a4030b65cbe86298449c9"}},
		{"truncated gzip", map[string]string{"first/toy/abc.txt.gz": gz[:len(gz)-6]}, nil, 0,
			ErrChecksum, []string{"abc.txt.gz", "gzip"}},
		{"too long", map[string]string{"first/toy/abc.txt": "abc"}, nil, 2, ErrChecksum,
			[]string{"2 bytes"}},
		{"unpacks to too much", map[string]string{"first/toy/abc.txt.gz": string(packed(t,
			make([]byte, 1<<20)))}, nil, 4096, ErrChecksum, []string{"4096 bytes"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			files := Files{Dirs: []string{filepath.Join(dir, "first"),
				filepath.Join(dir, "second")}}
			for path, content := range test.files {
				write(t, filepath.Join(dir, path), []byte(content))
			}
			file := abc
			file.Canonical, file.Limit = test.canonical, test.limit
			content, err := files.Open(file)
			if !errors.Is(err, test.want) {
				t.Fatalf("error %v, want %v", err, test.want)
			}
			if test.want == nil {
				must.Be(t, string(content), "abc")
				return
			}
			must.Say(t, err.Error(), test.mentions...)
		})
	}
}

func TestOpenStaysBelowItsDirectories(t *testing.T) {
	for _, path := range []string{"../abc.txt", "/etc/passwd", ""} {
		must.Fail(t, must.Err((Files{Dirs: []string{t.TempDir()}}).Open(File{Path: path})),
			"below the data directory", path)
	}
}

func TestDefaultFiles(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", "/nowhere/cache")
	t.Setenv("HOME", "/nowhere")
	cache := must.Get(os.UserCacheDir())
	cache = filepath.Join(cache, "ppdp")
	for _, test := range []struct {
		data, env, download string
		dirs                []string
	}{
		{"/d", "/e", "/d", []string{"/d", "/e", "data", cache}},
		{"", "/e", cache, []string{"/e", "data", cache}},
		{"", "", cache, []string{"data", cache}},
	} {
		t.Setenv("PPDP_DATA", test.env)
		files := DefaultFiles(test.data)
		must.Equal(t, files.Dirs, test.dirs, test.data, test.env)
		must.Be(t, files.Download, test.download, test.data, test.env)
	}
}

type toySource struct{ info Info }

func (s toySource) Info() Info  { return s.info }
func (s toySource) Params() any { return nil }
func (s toySource) Load(context.Context, Request) (*Dataset, error) {
	return nil, errors.New("not for loading")
}

func TestVerify(t *testing.T) {
	missing, altered := abc, abc
	missing.Path, altered.Path = "toy/missing.txt", "toy/altered.txt"
	Register(toySource{Info{Name: "toy-1", Files: []File{abc, missing}}})
	Register(toySource{Info{Name: "toy-2", Files: []File{abc, altered}}})
	dir := t.TempDir()
	write(t, filepath.Join(dir, "toy/abc.txt.gz"), packed(t, []byte("abc")))
	write(t, filepath.Join(dir, "toy/altered.txt"), []byte("abd"))
	got, _ := Verify(Files{Dirs: []string{dir}}, nil)
	want := []struct {
		file, path string
		err        error
	}{
		{abc.Path, filepath.Join(dir, "toy/abc.txt.gz"), nil},
		{missing.Path, "", ErrMissing},
		{altered.Path, "", ErrChecksum},
	}
	if len(got) != len(want) {
		t.Fatalf("%d files, want %d: %+v", len(got), len(want), got)
	}
	for i := range want {
		g, w := got[i], want[i]
		if g.File.Path != w.file || !errors.Is(g.Err, w.err) || g.Path != w.path {
			t.Errorf("file %d: %+v, want %+v", i, g, w)
		}
	}
}

// TestUnzip: the file that is asked for, unless it is longer than it may be.
func TestUnzip(t *testing.T) {
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	for _, name := range []string{"IDs.csv", "folder/Table.csv"} {
		must.Get(must.Get(w.Create(name)).Write([]byte("of " + name)))
	}
	must.Do(t, w.Close())
	text, err := Unzip(archive.Bytes(), "table.csv", 19)
	if err != nil || string(text) != "of folder/Table.csv" {
		t.Errorf("%q, %v", text, err)
	}
	if text, err := Unzip(archive.Bytes(), "table.csv", 18); err == nil {
		t.Errorf("too long: %q", text)
	}
}
