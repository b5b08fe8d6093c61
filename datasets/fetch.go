package datasets

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// ErrOffline is wrapped when a download is asked for while PPDP_OFFLINE is set.
var ErrOffline = errors.New("downloads are switched off by PPDP_OFFLINE")

const (
	defaultConnectTimeout = 5 * time.Second
	defaultStallTimeout   = 20 * time.Second
	// maxAttempts bounds how often one address is asked again after a broken connection; each time
	// the download goes on where it broke off.
	maxAttempts = 3
)

// Fetcher downloads data files from their public homes. The zero value with a Dir is ready for use;
// it is not safe for concurrent use, but several processes may fetch into one directory.
type Fetcher struct {
	// Dir is the data directory files are written below: Files.Download.
	Dir string
	// Offline refuses every download at once. DefaultFetcher sets it from PPDP_OFFLINE.
	Offline bool
	// ConnectTimeout bounds looking up and reaching a server, at every address tried; 0 means 5 s.
	ConnectTimeout time.Duration
	// StallTimeout bounds the time in which nothing arrives; 0 means 20 s.
	StallTimeout time.Duration
	// Progress, when not nil, is called from the goroutine of Fetch after every piece received.
	Progress func(Progress)
}

// Progress reports how far a download is.
type Progress struct {
	File  string // File.Path
	URL   string
	Done  int64 // bytes on disk, those of an earlier, interrupted download included
	Total int64 // bytes in all, -1 when the server does not say
}

// DefaultFetcher returns a fetcher into files.Download that honours PPDP_OFFLINE (any value but
// "" and "0" switches downloads off).
func DefaultFetcher(files Files) *Fetcher {
	offline := os.Getenv("PPDP_OFFLINE")
	return &Fetcher{Dir: files.Download, Offline: offline != "" && offline != "0"}
}

// Fetch downloads a file into Dir and returns its path there. A copy that is already there and
// right is left alone. The addresses are tried in order; a broken download is kept beside its
// destination as a .part file and continued, at the next call too, where the server allows it.
// Content is verified before it appears under its final name; what is wrong or too long is deleted.
//
// Errors wrap ErrOffline, ErrChecksum or the network's and the file system's own errors and report
// of every address. A directory that cannot be written ends the attempt at once.
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
	if len(file.URLs) == 0 {
		return "", fmt.Errorf("%s: no public address is known; put the file at %s", file.Path, path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return "", fmt.Errorf("%s: %w", file.Path, err)
	}
	client, transport := f.client()
	defer transport.CloseIdleConnections()
	var errs []error
	for _, url := range file.URLs {
		err := f.fetchFrom(ctx, client, url, path, file)
		if err == nil {
			return path, nil
		}
		errs = append(errs, fmt.Errorf("%s: %w", url, err))
		var disk *diskError
		if ctx.Err() != nil || errors.As(err, &disk) {
			break
		}
	}
	return "", fmt.Errorf("%s: not fetched: %w; it may also be put at %s by hand",
		file.Path, errors.Join(errs...), path)
}

func (f *Fetcher) client() (*http.Client, *http.Transport) {
	// The dialer's timeout covers the look-up of the name too: without a network some resolvers
	// hang.
	connect := f.connectTimeout()
	transport := &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: connect}).DialContext,
		TLSHandshakeTimeout:   connect,
		ResponseHeaderTimeout: f.stallTimeout(),
		ForceAttemptHTTP2:     true,
	}
	return &http.Client{Transport: transport}, transport
}

func (f *Fetcher) connectTimeout() time.Duration {
	if f.ConnectTimeout > 0 {
		return f.ConnectTimeout
	}
	return defaultConnectTimeout
}

func (f *Fetcher) stallTimeout() time.Duration {
	if f.StallTimeout > 0 {
		return f.StallTimeout
	}
	return defaultStallTimeout
}

// diskError marks errors that no other address would cure.
type diskError struct{ err error }

func (e *diskError) Error() string { return e.err.Error() }
func (e *diskError) Unwrap() error { return e.err }

// errInterrupted marks a body that broke off: asking again may continue it.
var errInterrupted = errors.New("download interrupted")

// partPath is where an unfinished download is kept. It belongs to one address: mirrors may hold the
// same content packed differently.
func partPath(path, url string) string {
	sum := sha256.Sum256([]byte(url))
	return path + "." + hex.EncodeToString(sum[:4]) + ".part"
}

// fetchFrom downloads from one address and, when the content is right, puts it at path.
func (f *Fetcher) fetchFrom(ctx context.Context, client *http.Client, url, path string,
	file File) error {
	part := partPath(path, url)
	var err error
	for range maxAttempts {
		var resumed bool
		if resumed, err = f.download(ctx, client, url, part, file); err == nil {
			if err = f.install(part, path, file); err == nil {
				for _, url := range file.URLs {
					os.Remove(partPath(path, url)) // most never existed
				}
				return nil
			}
			if !errors.Is(err, ErrChecksum) {
				return err
			}
			os.Remove(part)
			if !resumed {
				return err
			}
			continue // the beginning was an older download's and may be what is wrong
		}
		if !errors.Is(err, errInterrupted) {
			return err
		}
	}
	return err
}

// download appends to part until the body is complete. resumed says that part had a beginning
// from an earlier request.
func (f *Fetcher) download(ctx context.Context, client *http.Client, url, part string,
	file File) (resumed bool, err error) {
	out, err := os.OpenFile(part, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return false, &diskError{err}
	}
	defer out.Close()
	size, err := out.Seek(0, io.SeekEnd)
	if err != nil {
		return false, &diskError{err}
	}
	have := size

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false, err
	}
	// Packing on the way would make byte ranges mean something else.
	request.Header.Set("Accept-Encoding", "identity")
	request.Header.Set("User-Agent", "ppdp")
	if have > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
	}
	response, err := client.Do(request)
	if err != nil {
		return false, err
	}
	defer response.Body.Close()

	switch response.StatusCode {
	case http.StatusOK:
		have = 0
	case http.StatusPartialContent:
		if !strings.HasPrefix(response.Header.Get("Content-Range"),
			fmt.Sprintf("bytes %d-", have)) {
			return false, fmt.Errorf("the server sent range %q for one from %d",
				response.Header.Get("Content-Range"), have)
		}
	case http.StatusRequestedRangeNotSatisfiable:
		// The part is as long as the file, or longer: let the checksum decide, then start anew.
		return true, nil
	default:
		return false, fmt.Errorf("the server answered %q", response.Status)
	}
	total := int64(-1)
	if response.ContentLength >= 0 {
		total = have + response.ContentLength
	}
	tooLong := fmt.Errorf("%w: more than the %d bytes it may have", ErrChecksum, file.limit())
	if total > file.limit() {
		return false, tooLong
	}
	if size > have {
		if err := out.Truncate(have); err != nil {
			return false, &diskError{err}
		}
	}
	if _, err := out.Seek(have, io.SeekStart); err != nil {
		return false, &diskError{err}
	}

	stalled := fmt.Errorf("nothing arrived for %v", f.stallTimeout())
	watch := time.AfterFunc(f.stallTimeout(), func() { cancel(stalled) })
	defer watch.Stop()
	resumed = have > 0
	buffer := make([]byte, 64<<10)
	for {
		n, readErr := response.Body.Read(buffer)
		if n > 0 {
			watch.Reset(f.stallTimeout())
			if have += int64(n); have > file.limit() {
				os.Remove(part)
				return resumed, tooLong
			}
			if _, err := out.Write(buffer[:n]); err != nil {
				return resumed, &diskError{err}
			}
			if f.Progress != nil {
				f.Progress(Progress{File: file.Path, URL: url, Done: have, Total: total})
			}
		}
		switch {
		case readErr == io.EOF:
			if err := out.Close(); err != nil {
				return resumed, &diskError{err}
			}
			return resumed, nil
		case readErr != nil && ctx.Err() != nil:
			return resumed, context.Cause(ctx)
		case readErr != nil:
			return resumed, fmt.Errorf("%w after %d bytes: %w", errInterrupted, have, readErr)
		}
	}
}

// install verifies what was downloaded and puts the canonical content at path in one step. The
// content is written again from what was verified, so that another process that appends to the same
// part cannot come in between.
func (f *Fetcher) install(part, path string, file File) error {
	content, err := readVerified(part, file)
	if err != nil {
		return err
	}
	out, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.new")
	if err != nil {
		return &diskError{err}
	}
	defer os.Remove(out.Name()) // fails once it is renamed
	_, err = out.Write(content)
	err = errors.Join(err, out.Chmod(0o644), out.Sync(), out.Close())
	if err == nil {
		err = os.Rename(out.Name(), path)
	}
	if err != nil {
		return &diskError{err}
	}
	return nil
}
