package datasets

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// OpenFile opens a file of the user's for reading. Only a regular file is opened: to open a pipe
// may take for ever, and a device may never end. The error names the path.
func OpenFile(path string) (*os.File, error) {
	if _, err := regular(path); err != nil {
		return nil, err
	}
	return os.Open(path)
}

// ReadFile reads a file of the user's, which must be regular and hold at most limit bytes. The
// error names the path.
func ReadFile(path string, limit int64) ([]byte, error) {
	info, err := regular(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > limit {
		return nil, fmt.Errorf("%s: %d bytes, must be at most %d", path, info.Size(), limit)
	}
	return os.ReadFile(path)
}

func regular(path string) (fs.FileInfo, error) {
	info, err := os.Stat(path)
	if err != nil {
		if at := (*fs.PathError)(nil); errors.As(err, &at) {
			at.Op = "open" // which is what was asked for
		}
		return nil, err
	}
	what := "a device or a socket"
	switch {
	case info.Mode().IsRegular():
		return info, nil
	case info.IsDir():
		what = "a folder"
	case info.Mode()&fs.ModeNamedPipe != 0:
		what = "a pipe"
	}
	return nil, fmt.Errorf("%s: %s, must be a file", path, what)
}

// ResolvePaths makes relative paths relative to base, the folder of the spec that names them. Empty
// ones stay empty.
func ResolvePaths(base string, paths ...*string) {
	for _, path := range paths {
		if *path != "" && !filepath.IsAbs(*path) {
			*path = filepath.Join(base, *path)
		}
	}
}

// MaxUnpacked is how many bytes a packed file of the given size may unpack to before it is taken
// for a trap. Tables and graphs pack to between a third and a fiftieth.
func MaxUnpacked(packed int64) int64 { return 16<<20 + 100*packed }

// ErrUnpacked is wrapped by the error of a packed file that unpacks to more than MaxUnpacked.
var ErrUnpacked = errors.New("unpacks to more than 16 MiB and 100 times its size; if it is meant " +
	"to be so, unpack it first")

// Unzip returns the one file of an archive whose name has the ending, in small letters, of at most
// limit bytes.
func Unzip(content []byte, ending string, limit int64) ([]byte, error) {
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil, fmt.Errorf("zip: %w", err)
	}
	var found *zip.File
	for _, file := range archive.File {
		if !strings.HasSuffix(strings.ToLower(file.Name), ending) {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("zip: both %s and %s, must hold one %s file", found.Name,
				file.Name, ending)
		}
		found = file
	}
	if found == nil {
		return nil, fmt.Errorf("zip: no %s file", ending)
	}
	packed, err := found.Open()
	if err != nil {
		return nil, fmt.Errorf("zip: %s: %w", found.Name, err)
	}
	defer packed.Close()
	text, err := readLimited(packed, limit)
	if err != nil {
		return nil, fmt.Errorf("zip: %s: %w", found.Name, err)
	}
	return text, nil
}
