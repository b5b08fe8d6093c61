package datasets

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ppdp/internal/must"
)

// site serves one body under several moods.
type site struct {
	*httptest.Server
	body    []byte
	release chan struct{}
}

func newSite(t *testing.T, body []byte) *site {
	s := &site{body: body, release: make(chan struct{})}
	serve := func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(string(s.body)))
	}
	breaks := func(w http.ResponseWriter, length, sent int) {
		w.Header().Set("Content-Length", fmt.Sprint(length))
		w.Write(s.body[:sent])
		w.(http.Flusher).Flush()
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/good", serve)
	mux.HandleFunc("/wrong", func(w http.ResponseWriter, r *http.Request) {
		w.Write(append([]byte("x"), s.body[1:]...))
	})
	mux.Handle("/moved", http.RedirectHandler("/good", http.StatusFound))
	mux.Handle("/circle", http.RedirectHandler("/circle", http.StatusFound))
	mux.HandleFunc("/broken", func(w http.ResponseWriter, r *http.Request) {
		breaks(w, len(s.body), len(s.body)/3)
		panic(http.ErrAbortHandler)
	})
	mux.HandleFunc("/short",
		func(w http.ResponseWriter, r *http.Request) { w.Write(s.body[:len(s.body)/2]) })
	mux.HandleFunc("/slow", func(w http.ResponseWriter, r *http.Request) {
		breaks(w, len(s.body), 10)
		<-s.release
	})
	mux.HandleFunc("/silent", func(w http.ResponseWriter, r *http.Request) { <-s.release })
	mux.HandleFunc("/endless", func(w http.ResponseWriter, r *http.Request) {
		for i := 0; i < 1000; i++ {
			if _, err := w.Write(s.body); err != nil {
				return
			}
		}
	})
	mux.HandleFunc("/announced",
		func(w http.ResponseWriter, r *http.Request) { breaks(w, 1<<40, 1) })
	s.Server = httptest.NewServer(mux)
	t.Cleanup(func() { close(s.release); s.Close() })
	return s
}

func TestFetch(t *testing.T) {
	body := make([]byte, 300_000)
	for i := range body {
		body[i] = byte(i * i >> 7)
	}
	tests := []struct {
		name, url string
		want      error
		mentions  string
	}{
		{name: "straight", url: "/good"},
		{name: "redirected", url: "/moved"},
		{"broken always", "/broken", errAny, "100000 bytes"},
		{"truncated without a length", "/short", ErrChecksum, "SHA-256"},
		{"wrong", "/wrong", ErrChecksum, checksum(body)},
		{"endless", "/endless", ErrChecksum, "300010 bytes"},
		{"announced too long", "/announced", ErrChecksum, "300010 bytes"},
		{"gone", "/gone", errAny, "404|/gone|by hand"},
		{"slow", "/slow", errAny, "nothing arrived"},
		{"silent", "/silent", errAny, "nothing arrived"},
		{"in a circle", "/circle", errAny, "redirects"},
		{"no address", "", errAny, "no public address"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			stall := time.Hour
			if test.url == "/slow" || test.url == "/silent" {
				stall = 100 * time.Millisecond
			}
			server := newSite(t, body)
			file := File{Path: "toy/body", SHA256: checksum(body), Limit: int64(len(body)) + 10}
			if test.url != "" {
				file.URL = server.URL + test.url
			}
			dir := t.TempDir()
			path := filepath.Join(dir, "toy", "body")
			var last, all int64
			fetcher := &Fetcher{Dir: dir, StallTimeout: stall,
				Progress: func(_ string, done, total int64) { last, all = done, total }}
			got, err := fetcher.Fetch(context.Background(), file)
			if test.want != nil {
				if err == nil || test.want != errAny && !errors.Is(err, test.want) {
					t.Fatalf("error %v, want %v", err, test.want)
				}
				must.Say(t, err.Error(), strings.Split(test.mentions, "|")...)
				if _, err := os.Stat(path); err == nil {
					t.Error("a file that was not verified stands under the final name")
				}
				return
			}
			if err != nil || got != path {
				t.Fatalf("got %q, %v", got, err)
			}
			content, err := os.ReadFile(path)
			if err != nil || checksum(content) != checksum(body) {
				t.Errorf("the file's content is wrong (%v)", err)
			}
			entries, _ := os.ReadDir(filepath.Dir(path))
			must.Be(t, len(entries), 1, entries)
			if last != int64(len(body)) || all != last {
				t.Errorf("last progress %d of %d", last, all)
			}
		})
	}
}

var errAny = errors.New("any error")

// served is the file of the test vector, at an address that gives a body.
func served(t *testing.T, body []byte) File {
	file := abc
	file.URL = newSite(t, body).URL + "/good"
	return file
}

func TestFetchUnpacksAndMakesCanonical(t *testing.T) {
	file := served(t, packed(t, []byte("# a comment\nabc")))
	file.Canonical = func(content []byte) ([]byte, error) {
		_, rest, _ := strings.Cut(string(content), "\n")
		return []byte(rest), nil
	}
	path := must.Get((&Fetcher{Dir: t.TempDir()}).Fetch(context.Background(), file))
	if content, err := os.ReadFile(path); err != nil || string(content) != "abc" {
		t.Errorf("content %q, %v", content, err)
	}
}

func TestFetchLeavesARightCopyAlone(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, abc.Path), []byte("abc"))
	file := abc
	file.URL = "http://127.0.0.1:1/" // nobody listens there
	must.Do(t, must.Err((&Fetcher{Dir: dir, Offline: true}).Fetch(context.Background(), file)))
}

func TestFetchReplacesAnAlteredCopy(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, abc.Path), []byte("abd"))
	must.Get((&Fetcher{Dir: dir}).Fetch(context.Background(), served(t, []byte("abc"))))
	if content, err := (Files{Dirs: []string{dir}}).Open(abc); err != nil ||
		string(content) != "abc" {
		t.Errorf("content %q, %v", content, err)
	}
}

func TestFetchOffline(t *testing.T) {
	t.Setenv("PPDP_OFFLINE", "1")
	_, err := DefaultFetcher(Files{Download: t.TempDir()}).Fetch(context.Background(),
		served(t, []byte("abc")))
	if !errors.Is(err, ErrOffline) {
		t.Errorf("error %v, want ErrOffline", err)
	}
}

func TestFetchDiskTrouble(t *testing.T) {
	file, dir := served(t, []byte("abc")), t.TempDir()
	folder, noFolder := filepath.Join(dir, abc.Path), filepath.Join(dir, "a file")
	write(t, filepath.Join(folder, "a file"), nil) // in a folder of the file's name
	write(t, noFolder, nil)
	for dir, want := range map[string]string{dir: folder, noFolder: noFolder, "": "--data"} {
		must.Fail(t, must.Err((&Fetcher{Dir: dir}).Fetch(context.Background(), file)), want)
	}
}

func TestFetchCancelled(t *testing.T) {
	server := newSite(t, make([]byte, 100))
	file := File{Path: "toy/body", SHA256: checksum(make([]byte, 100)), Limit: 100,
		URL: server.URL + "/slow"}
	ctx, cancel := context.WithCancel(context.Background())
	fetcher := &Fetcher{Dir: t.TempDir(), Progress: func(string, int64, int64) { cancel() }}
	if _, err := fetcher.Fetch(ctx, file); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}
