package datasets

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

var (
	// ErrMissing is wrapped when a data file lies in none of the searched directories.
	ErrMissing = errors.New("data file is missing")
	// ErrChecksum is wrapped when a data file's content is not the pinned one.
	ErrChecksum = errors.New("data file is altered")
)

// Files finds data files: each directory is searched in order (--data, $PPDP_DATA, ./data, the
// user's cache directory).
type Files struct {
	Dirs []string
	// Download is the directory that fetched files go to; empty when there is none.
	Download string
	// Progress is called with how far one of the user's own files has been read; may be nil.
	Progress func(path string, done, total int64)
}

// DefaultFiles returns the directories in the order of search: data (what --data gave, "" for
// nothing), $PPDP_DATA, ./data, and ppdp in the user's cache directory. Downloads go to data when
// it is given, else to the cache.
func DefaultFiles(data string) Files {
	var files Files
	for _, dir := range []string{data, os.Getenv("PPDP_DATA"), "data"} {
		if dir != "" {
			files.Dirs = append(files.Dirs, dir)
		}
	}
	files.Download = data
	// Without a home there is no cache, which is no error as long as the data lie elsewhere.
	if cache, err := os.UserCacheDir(); err == nil {
		cache = filepath.Join(cache, "ppdp")
		files.Dirs = append(files.Dirs, cache)
		if files.Download == "" {
			files.Download = cache
		}
	}
	return files
}

// Open returns the verified canonical content of a file. In each directory the plain file is tried
// before the one with .gz. A copy whose checksum is wrong is never used, but a right one in a later
// directory is; only when there is none does the error (wrapping ErrChecksum) list the wrong
// ones. A file found nowhere is an error wrapping ErrMissing.
func (f Files) Open(file File) ([]byte, error) {
	content, _, err := f.find(file)
	return content, err
}

// find is Open that also reports where the content was found.
func (f Files) find(file File) (content []byte, path string, err error) {
	local := filepath.FromSlash(file.Path)
	if !filepath.IsLocal(local) {
		return nil, "", fmt.Errorf("data file %q: must be a path below the data directory",
			file.Path)
	}
	var refused []error
	for _, dir := range f.Dirs {
		for _, suffix := range []string{"", ".gz"} {
			path := filepath.Join(dir, local+suffix)
			content, err := readVerified(path, file)
			if err == nil {
				return content, path, nil
			}
			if !errors.Is(err, fs.ErrNotExist) {
				refused = append(refused, err)
			}
		}
	}
	const advice = "run `ppdp datasets fetch`"
	if len(refused) > 0 {
		return nil, "", fmt.Errorf("%w; %s", errors.Join(refused...), advice)
	}
	return nil, "", fmt.Errorf("%s: %w: looked in %s (also for .gz), expected SHA-256 %s; %s",
		file.Path, ErrMissing, strings.Join(f.Dirs, ", "), file.SHA256, advice)
}

// readVerified returns the canonical content of the file at path, unpacked when it is gzip.
func readVerified(path string, file File) ([]byte, error) {
	opened, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	raw, err := readLimited(opened, file.limit())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	content, err := file.verify(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return content, nil
}

// limit keeps a wrong address, or a small .gz that unpacks without end, from filling the memory.
func (f *File) limit() int64 { return cmp.Or(f.Limit, 1<<30) }

// verify unpacks raw where it is gzip, brings it into canonical form and compares checksums.
func (f *File) verify(raw []byte) ([]byte, error) {
	content := raw
	if bytes.HasPrefix(raw, []byte{0x1f, 0x8b}) {
		unpacker, err := gzip.NewReader(bytes.NewReader(raw))
		if err == nil {
			content, err = readLimited(unpacker, f.limit())
		}
		if err != nil {
			return nil, fmt.Errorf("%w: gzip: %w", ErrChecksum, err)
		}
	}
	found := checksum(content)
	if strings.EqualFold(found, f.SHA256) {
		return content, nil
	}
	if f.Canonical != nil {
		canonical, err := f.Canonical(content)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrChecksum, err)
		}
		if found = checksum(canonical); strings.EqualFold(found, f.SHA256) {
			return canonical, nil
		}
	}
	return nil, fmt.Errorf("%w: found SHA-256 %s, expected %s", ErrChecksum, found, f.SHA256)
}

func checksum(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// readLimited reads all of r and refuses more than limit bytes.
func readLimited(r io.Reader, limit int64) ([]byte, error) {
	var buffer bytes.Buffer
	if n, err := buffer.ReadFrom(io.LimitReader(r, limit+1)); err != nil {
		return nil, err
	} else if n > limit {
		return nil, tooLong(limit)
	}
	return buffer.Bytes(), nil
}

func tooLong(limit int64) error {
	return fmt.Errorf("%w: more than the %d bytes it may have", ErrChecksum, limit)
}

// FileStatus is what Verify found out about one file.
type FileStatus struct {
	File File
	Path string // where the verified copy lies, empty where there is none
	Err  error  // why there is none, else nil
}

// Verify checks every file of the named sources or, without names, of all that are registered: each
// file once, in the order of names. Errors are those of unknown names.
func Verify(files Files, names []string) (statuses []FileStatus, unknown []error) {
	if len(names) == 0 {
		names = Names()
	}
	seen := make(map[string]bool)
	for _, name := range slices.Sorted(slices.Values(names)) {
		source, err := Lookup(name)
		if err != nil {
			unknown = append(unknown, err)
			continue
		}
		for _, file := range source.Info().Files {
			if seen[file.Path] {
				continue
			}
			seen[file.Path] = true
			_, path, err := files.find(file)
			statuses = append(statuses, FileStatus{file, path, err})
		}
	}
	return statuses, unknown
}
