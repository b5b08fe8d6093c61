package datasets

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// ErrOffline is wrapped when a download is asked for while PPDP_OFFLINE is set.
var ErrOffline = errors.New("downloads are switched off by PPDP_OFFLINE")

// defaultStallTimeout also bounds looking up and reaching a server: offline some resolvers hang.
const defaultStallTimeout = 20 * time.Second

// Fetcher downloads data files from their public homes. The zero value with a Dir is ready for use;
// it is not safe for concurrent use, but several processes may fetch into one directory.
type Fetcher struct {
	// Dir is the data directory files are written below: Files.Download.
	Dir string
	// Offline refuses every download at once. DefaultFetcher sets it from PPDP_OFFLINE.
	Offline bool
	// StallTimeout bounds the time in which nothing arrives; 0 means 20 s.
	StallTimeout time.Duration
	// Progress, when not nil, is called from the goroutine of Fetch after every piece received,
	// with the bytes so far and in all, -1 where the server does not say.
	Progress func(path string, done, total int64)
}

// DefaultFetcher returns a fetcher into files.Download that honours PPDP_OFFLINE (any value but
// "" and "0" switches downloads off).
func DefaultFetcher(files Files) *Fetcher {
	offline := os.Getenv("PPDP_OFFLINE")
	return &Fetcher{Dir: files.Download, Offline: offline != "" && offline != "0"}
}

// Fetch downloads a file into Dir and returns its path there. A copy that is already there and
// right is left alone. Content is verified before anything of it is written; what is wrong or too
// long is dropped. Errors wrap ErrOffline, ErrChecksum or the network's and the file system's own.
func (f *Fetcher) Fetch(ctx context.Context, file File) (string, error) {
	local := filepath.FromSlash(file.Path)
	if !filepath.IsLocal(local) {
		return "", fmt.Errorf("data file %q: must be a path below the data directory", file.Path)
	}
	if f.Dir == "" {
		return "", fmt.Errorf("%s: no directory to download to: no cache directory for this "+
			"user, use --data", file.Path)
	}
	path := filepath.Join(f.Dir, local)
	if _, err := readVerified(path, file); err == nil {
		return path, nil
	}
	if f.Offline {
		return "", fmt.Errorf("%s: %w; unset it or put the file at %s", file.Path, ErrOffline, path)
	}
	if file.URL == "" {
		return "", fmt.Errorf("%s: no public address is known; put the file at %s", file.Path, path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return "", fmt.Errorf("%s: %w", file.Path, err)
	}
	content, err := f.download(ctx, file)
	if err == nil {
		content, err = file.verify(content)
	}
	if err == nil {
		err = install(content, path)
	}
	if err != nil {
		return "", fmt.Errorf("%s: not fetched: %s: %w; it may also be put at %s by hand",
			file.Path, file.URL, err, path)
	}
	return path, nil
}

// download returns what the file's address holds, unless it is longer than the file may be.
func (f *Fetcher) download(ctx context.Context, file File) ([]byte, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	patience := cmp.Or(f.StallTimeout, defaultStallTimeout)
	stalled := fmt.Errorf("nothing arrived for %v", patience)
	watch := time.AfterFunc(patience, func() { cancel(stalled) })
	defer watch.Stop()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, file.URL, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept-Encoding", "identity") // files that are gzip stay as they are
	request.Header.Set("User-Agent", "ppdp")
	response, err := http.DefaultClient.Do(request)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	} else if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the server answered %q", response.Status)
	}
	if response.ContentLength > file.limit() {
		return nil, tooLong(file.limit())
	}
	received := &Counted{Reader: response.Body}
	received.Report = func(done int64) {
		watch.Reset(patience)
		if f.Progress != nil {
			f.Progress(file.Path, done, response.ContentLength)
		}
	}
	content, err := readLimited(received, file.limit())
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil && !errors.Is(err, ErrChecksum):
		return nil, fmt.Errorf("interrupted after %d bytes: %w", received.done, err)
	}
	return content, err
}

// Counted is a text that reports how much of it has been read, after every piece.
type Counted struct {
	io.Reader
	Report func(done int64)
	done   int64
}

func (c *Counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if c.done += int64(n); n > 0 {
		c.Report(c.done)
	}
	return n, err
}

// install puts verified content at path in one step.
func install(content []byte, path string) error {
	out, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.new")
	if err != nil {
		return err
	}
	defer os.Remove(out.Name()) // fails once it is renamed
	_, err = out.Write(content)
	err = errors.Join(err, out.Chmod(0o644), out.Sync(), out.Close())
	if err == nil {
		err = os.Rename(out.Name(), path)
	}
	return err
}
