package publish

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"ppdp/datasets"
	"ppdp/internal/results"
	"ppdp/publish/risk"
)

// folder is a release's folder in the making: a hidden one beside it, so that it appears whole or
// not at all.
type folder struct {
	out, temporary string
	day            time.Time
	files          []File
	key            ed25519.PrivateKey // nil: nothing is signed
}

func newFolder(out string, now time.Time) (*folder, error) {
	out = filepath.Clean(out)
	if _, err := os.Lstat(out); err == nil {
		return nil, fmt.Errorf("%s: exists already, must be a new folder", out)
	}
	temporary, err := os.MkdirTemp(filepath.Dir(out), "."+filepath.Base(out)+".unfinished-")
	if err != nil {
		return nil, fmt.Errorf("%s: no new folder can be made in %s: %w; make that one first, or "+
			"name another", out, filepath.Dir(out), err)
	}
	return &folder{out: out, temporary: temporary, day: now.UTC().Truncate(24 * time.Hour)}, nil
}

// remove clears away what was not published.
func (f *folder) remove() { os.RemoveAll(f.temporary) }

// write writes a file and notes its digest.
func (f *folder) write(name string, write func(w io.Writer) error) error {
	path := filepath.Join(f.temporary, name)
	if err := results.WriteFile(path, write); err != nil {
		return err
	}
	// When a file was written says how long the release took.
	if err := os.Chtimes(path, f.day, f.day); err != nil {
		return err
	}
	file, err := describeFile(f.temporary, name)
	f.files = append(f.files, file)
	return err
}

// certify adds what follows from the records, and the certificate, and returns its digest.
func (f *folder) certify(c *Certificate, schema *datasets.Schema, records *records,
	measured *risk.Report) (string, error) {
	for _, part := range c.parts(schema, records, measured) {
		err := f.write(part.name, func(w io.Writer) error { return part.write(w, f.files) })
		if err != nil {
			return "", err
		}
	}
	c.Files = f.files
	var text bytes.Buffer
	if err := results.WriteJSON(&text, c); err != nil {
		return "", err
	}
	if err := f.write(CertificateFile, results.Text(text.Bytes())); err != nil {
		return "", err
	}
	digest := f.files[len(f.files)-1].SHA256
	if f.key == nil {
		return digest, nil
	}
	return digest, f.write(SignatureFile, results.Text(ed25519.Sign(f.key, text.Bytes())))
}

// publish gives the folder its name.
func (f *folder) publish() error {
	if err := os.Chmod(f.temporary, 0o755); err != nil {
		return err
	}
	if err := results.SyncFolder(f.temporary); err != nil {
		return err
	}
	if err := os.Chtimes(f.temporary, f.day, f.day); err != nil {
		return err
	}
	if err := os.Rename(f.temporary, f.out); err != nil {
		return err
	}
	return results.SyncFolder(filepath.Dir(f.out))
}

// describeFile is a file of a folder with its size and digest.
func describeFile(dir, name string) (File, error) {
	path := filepath.Join(dir, name)
	info, err := os.Lstat(path) // the size of a link is not that of its file
	if err != nil {
		return File{}, err
	}
	f, err := datasets.OpenFile(path)
	if err != nil {
		return File{}, err
	}
	defer f.Close()
	digest := sha256.New()
	_, err = io.Copy(digest, f)
	return File{Name: name, SHA256: fmt.Sprintf("%x", digest.Sum(nil)), Bytes: info.Size()}, err
}
