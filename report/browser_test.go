package report

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// browser finds Chromium under the names that systems give it.
func browser(t *testing.T) string {
	t.Helper()
	names := []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skipf("NO BROWSER: none of %s is installed, nobody looks at the page here", strings.Join(names, ", "))
	return ""
}

// probe shows the page in a frame of a given width, as Chromium's own window is never as narrow as a phone's, opens all details
// and writes down what can be measured.
const probe = `<!DOCTYPE html><link rel="icon" href="data:,"><body style="margin:0"><pre id="out"></pre>
<iframe id="f" src="/report.html" style="border:0;width:%dpx;height:900px"></iframe>
<script>
const frame = document.getElementById('f');
frame.onload = () => {
  const d = frame.contentDocument, root = d.documentElement, wide = [];
  for (const e of d.querySelectorAll('details')) e.open = true;
  for (const e of d.body.querySelectorAll('*')) {
    if (e.closest('.scroll') && !e.classList.contains('scroll') || e.closest('svg') && e.tagName !== 'svg') continue;
    const r = e.getBoundingClientRect();
    if (r.width > 0 && (r.right > root.clientWidth + 1 || r.left < -1)) wide.push(e.tagName + '.' + e.getAttribute('class') + ' ' + Math.round(r.left) + '..' + Math.round(r.right));
  }
  const figures = [...d.querySelectorAll('figure svg')].map(e => { const r = e.getBoundingClientRect(), b = e.getBBox(); return [r.width, r.height, b.width, b.height]; });
  const bars = [...d.querySelectorAll('svg.bar, svg.verdicts')].map(e => e.getBoundingClientRect()).map(r => [r.width, r.height]);
  document.getElementById('out').textContent = 'BEGIN' + JSON.stringify({client: root.clientWidth, scroll: root.scrollWidth, wide: wide.slice(0, 10), figures, bars,
    small: [...d.querySelectorAll('p, td, li')].filter(e => parseFloat(getComputedStyle(e).fontSize) < 11).length}) + 'END';
};
</script>`

// measured is what the probe writes.
type measured struct {
	Client, Scroll float64
	Wide           []string
	Figures, Bars  [][]float64
	Small          int
}

var consoleLine = regexp.MustCompile(`(?m)^.*CONSOLE.*$`)

// look opens a page in a browser of its own and returns what the probe measured at a width and what the browser's console said.
func look(t *testing.T, path string, page []byte, width int) (measured, []string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch r.URL.Path {
		case "/report.html":
			w.Write(page)
		case "/":
			fmt.Fprintf(w, probe, width)
		default:
			t.Errorf("the page asks for %s", r.URL.Path)
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	// Without -no-sandbox Chromium refuses to run as root, as in containers; all it opens is our own page.
	command := exec.CommandContext(ctx, path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--enable-logging=stderr", "--user-data-dir="+t.TempDir(), "--window-size=1400,1000",
		"--virtual-time-budget=20000", "--dump-dom", server.URL)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	command.WaitDelay = 10 * time.Second
	if err := command.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", path, err, stderr.String())
	}
	_, rest, _ := strings.Cut(stdout.String(), ">BEGIN")
	text, _, found := strings.Cut(rest, "END<")
	var m measured
	if !found || json.Unmarshal([]byte(html.UnescapeString(text)), &m) != nil {
		t.Fatalf("the page was not measured: %.500s\n%s", stdout.String(), stderr.String())
	}
	return m, consoleLine.FindAllString(stderr.String(), -1)
}

// TestInBrowser looks at the page as a desk and as a phone shows it, all details open: nothing sticks out to the side, every
// figure is there, and the browser has nothing to complain about. $PPDP_REPORT names another page to look at.
func TestInBrowser(t *testing.T) {
	path := browser(t)
	var b bytes.Buffer
	if _, err := Write(&b, toyInput(t)); err != nil {
		t.Fatal(err)
	}
	page, figures := b.Bytes(), 1
	if other := os.Getenv("PPDP_REPORT"); other != "" {
		text, err := os.ReadFile(filepath.Clean(other))
		if err != nil {
			t.Fatal(err)
		}
		page, figures = text, bytes.Count(text, []byte("<figure>"))
	}
	for _, width := range []int{1280, 390} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			m, console := look(t, path, page, width)
			if len(console) > 0 {
				t.Errorf("the console says %q", console)
			}
			if m.Scroll > m.Client || len(m.Wide) > 0 {
				t.Errorf("%v wide on a screen of %v, because of %q", m.Scroll, m.Client, m.Wide)
			}
			if m.Client < float64(width)-20 || m.Client > float64(width) {
				t.Errorf("measured at a width of %v, want %d", m.Client, width)
			}
			if len(m.Figures) != figures {
				t.Errorf("%d figures, want %d", len(m.Figures), figures)
			}
			for i, f := range m.Figures {
				if f[0] < 250 || f[1] < 150 || f[2] < 100 || f[3] < 100 {
					t.Errorf("figure %d takes %v by %v and holds %v by %v", i, f[0], f[1], f[2], f[3])
				}
			}
			if len(m.Bars) == 0 {
				t.Error("no bars")
			}
			for i, bar := range m.Bars {
				if bar[0] < 100 || bar[1] < 8 {
					t.Errorf("bar %d takes %v by %v", i, bar[0], bar[1])
				}
			}
			if m.Small > 0 {
				t.Errorf("%d paragraphs are too small to read", m.Small)
			}
		})
	}
}

// TestBrowserNotices: the looking itself finds what it looks for: something too wide, a request, an error, a missing figure.
func TestBrowserNotices(t *testing.T) {
	path := browser(t)
	m, console := look(t, path, []byte(`<!DOCTYPE html><link rel="icon" href="data:,"><div style="width:2000px">wide</div><figure><svg style="width:0"></svg></figure><script>throw new Error("planted")</script>`), 390)
	if m.Scroll < 2000 || len(m.Wide) == 0 || len(m.Figures) != 1 || m.Figures[0][0] != 0 {
		t.Errorf("measured %+v", m)
	}
	if len(console) == 0 || !strings.Contains(strings.Join(console, " "), "planted") {
		t.Errorf("the console says %q, want the planted error", console)
	}
}
