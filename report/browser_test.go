package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ppdp/internal/must"
	"ppdp/internal/results"
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
	t.Skipf("NO BROWSER: none of %s is installed, the page is not checked",
		strings.Join(names, ", "))
	return ""
}

// probe shows the page in a frame of a given width, as Chromium's own window is never as narrow as
// a phone's, opens all details and writes down what can be measured.
const probe = `<!DOCTYPE html><link rel="icon" href="data:,">
<body style="margin:0"><pre id="out"></pre>
<iframe id="f" src="/report.html" style="border:0;width:%dpx;height:900px"></iframe>
<script>
const frame = document.getElementById('f');
frame.onload = () => {
  const d = frame.contentDocument, root = d.documentElement, wide = [];
  for (const e of d.querySelectorAll('details')) e.open = true;
  for (const e of d.body.querySelectorAll('*')) {
    if (e.closest('.scroll') && !e.classList.contains('scroll')) continue;
    if (e.closest('svg') && e.tagName !== 'svg') continue;
    const r = e.getBoundingClientRect();
    if (r.width > 0 && (r.right > root.clientWidth + 1 || r.left < -1))
      wide.push(e.tagName + '.' + e.getAttribute('class') + ' ' + Math.round(r.left) + '..' +
        Math.round(r.right));
  }
  const all = selector => [...d.querySelectorAll(selector)];
  const figures = all('figure svg').map(e => {
    const r = e.getBoundingClientRect(), b = e.getBBox();
    return [r.width, r.height, b.width, b.height];
  });
  const cut = all('figure svg text').filter(e => {
    const t = e.getBoundingClientRect(), p = e.closest('.paper').getBoundingClientRect();
    return t.left < p.left || t.right > p.right || t.top < p.top || t.bottom > p.bottom;
  }).map(e => e.textContent);
  let level = 0, skipped = [];
  for (const e of d.querySelectorAll('h1, h2, h3, h4, h5')) {
    const own = +e.tagName[1];
    if (own > level + 1) skipped.push(e.textContent);
    level = own;
  }
  document.getElementById('out').textContent = 'BEGIN' + JSON.stringify({
    client: root.clientWidth, scroll: root.scrollWidth, wide: wide.slice(0, 10), figures,
    cut: cut.slice(0, 10), skipped,
    sideways: all('.ranking').filter(e =>
      e.parentElement.scrollWidth > e.parentElement.clientWidth + 1).length,
    unnamed: all('svg').filter(e => !e.getAttribute('aria-label') &&
      !e.getAttribute('aria-hidden')).length,
    unreachable: all('.scroll').filter(e => e.tabIndex < 0).length,
    small: all('p, td, li').filter(e => parseFloat(getComputedStyle(e).fontSize) < 11).length,
  }) + 'END';
};
</script>`

// measured is what the probe writes.
type measured struct {
	Client, Scroll float64
	Wide           []string
	Cut            []string // texts of figures that their frame does not show whole
	Skipped        []string // headings more than one level below what is before them
	Figures        [][]float64
	Sideways       int // rankings that are cut off at the side
	Unnamed        int // pictures without a description
	Unreachable    int // tables that only a mouse can scroll
	Small          int // paragraphs too small to read
}

var consoleLine = regexp.MustCompile(`(?m)^.*CONSOLE.*$`)

// browse opens a document that has a page in a frame, reads the result that it writes down and
// returns what the browser's console shows.
func browse(t *testing.T, path string, page []byte, document string, result any) []string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch r.URL.Path {
		case "/report.html":
			w.Write(page)
		case "/":
			io.WriteString(w, document)
		default:
			t.Errorf("the page asks for %s", r.URL.Path)
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	// Without -no-sandbox Chromium refuses to run as root, as in containers; all it opens is our
	// own page.
	command := exec.Command(path, "--headless", "--no-sandbox", "--disable-gpu",
		"--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
		"--enable-logging=stderr", "--user-data-dir="+t.TempDir(), "--window-size=1400,1000",
		"--virtual-time-budget=20000", "--dump-dom", server.URL)
	// Files, not pipes, whose end would be waited for as long as a child of the browser lives.
	printed := func(name string) *os.File {
		file := must.Get(os.Create(filepath.Join(t.TempDir(), name)))
		t.Cleanup(func() { file.Close() })
		return file
	}
	content := func(file *os.File) string {
		return string(must.Get(os.ReadFile(file.Name())))
	}
	stdout, stderr := printed("stdout"), printed("stderr")
	command.Stdout, command.Stderr = stdout, stderr
	if err := command.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", path, err, content(stderr))
	}
	_, rest, _ := strings.Cut(content(stdout), ">BEGIN")
	text, _, found := strings.Cut(rest, "END<")
	if !found || json.Unmarshal([]byte(html.UnescapeString(text)), result) != nil {
		t.Fatalf("the page was not measured: %.500s\n%s", content(stdout), content(stderr))
	}
	return consoleLine.FindAllString(content(stderr), -1)
}

// TestInBrowser checks the page as a desk and as a phone shows it, all details open: nothing
// sticks out to the side, every figure is there, and the browser has nothing to complain about.
// $PPDP_REPORT names another page to check.
func TestInBrowser(t *testing.T) {
	path := browser(t)
	var b bytes.Buffer
	must.Get(Write(&b, toyInput(t)))
	page, figures := b.Bytes(), 1
	if other := os.Getenv("PPDP_REPORT"); other != "" {
		text := must.Get(os.ReadFile(filepath.Clean(other)))
		page, figures = text, bytes.Count(text, []byte("<figure>"))
	}
	for _, width := range []int{1280, 390} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			var m measured
			if console := browse(t, path, page, fmt.Sprintf(probe, width), &m); len(console) > 0 {
				t.Errorf("console: %q", console)
			}
			if m.Scroll > m.Client || len(m.Wide) > 0 {
				t.Errorf("%v wide on a screen of %v, because of %q", m.Scroll, m.Client, m.Wide)
			}
			if m.Client < float64(width)-20 || m.Client > float64(width) {
				t.Errorf("measured at a width of %v", m.Client)
			}
			must.Be(t, len(m.Figures), figures)
			for i, f := range m.Figures {
				if f[0] < 250 || f[1] < 150 || f[2] < 100 || f[3] < 100 {
					t.Errorf("figure %d takes %v by %v and holds %v by %v", i, f[0], f[1], f[2],
						f[3])
				}
			}
			if len(m.Cut)+len(m.Skipped)+m.Sideways+m.Unnamed+m.Unreachable+m.Small > 0 {
				t.Errorf("%+v", m)
			}
		})
	}
}

// TestRankingInBrowser: the ranking of a user's table fits, with six tasks and a long command: a
// number whose last digits cannot be seen is another number.
func TestRankingInBrowser(t *testing.T) {
	path := browser(t)
	var b bytes.Buffer
	must.Get(Write(&b, Input{Runs: []*results.Summary{own(map[string][4]float64{
		"Original": {0.9, 0.7, 0, 24002}, "A": {0.8123, 0.7, 0.21, 24002},
		"B": {0.7, 0.7, 0.1, 24002}})},
		Release: func(*results.Setting) (string, string) {
			return "ppdp release noisy my.csv --schema " + strings.Repeat("long", 30), ""
		}}))
	task := regexp.MustCompile(`<th>(Naive Bayes|Distance).*?</th>|<td data-label="(Naive Bayes|` +
		`Distance).*?</td>`)
	page := task.ReplaceAll(b.Bytes(), []byte("$0$0$0"))
	if n := len(task.FindAll(page, -1)); n < 4*6 {
		t.Fatalf("%d cells of tasks, want six in each of four lines", n)
	}
	for _, width := range []int{1280, 400} {
		var m measured
		browse(t, path, page, fmt.Sprintf(probe, width), &m)
		if m.Sideways > 0 || m.Scroll > m.Client || len(m.Wide) > 0 {
			t.Errorf("at %d: %+v", width, m)
		}
	}
}

// explorer shows the page by a link and does what a reader would, each line of which is a question.
const explorer = `<!DOCTYPE html><link rel="icon" href="data:,"><pre id="out"></pre>
<iframe id="f" src="/report.html%s" style="width:1000px;height:900px"></iframe>
<script>
f.onload = () => {
  const d = f.contentDocument, w = f.contentWindow, one = selector => d.querySelector(selector);
  const made = one('#made'), tools = made.previousElementSibling;
  const rows = () => [...made.tBodies[0].rows].filter(r => !r.hidden)
    .map(r => r.cells[0].textContent).join('');
  const set = (c, value) => { c.value = value; c.dispatchEvent(new w.Event('input')); };
  const head = i => made.tHead.rows[0].cells[i], press = i => head(i).firstChild.click();
  const sorts = () => [0, 1, 2].map(i => head(i).ariaSort);
  const seen = () => [...d.querySelectorAll('.curve')].map(e => w.getComputedStyle(e).opacity);
  const figure = one('.paper').nextElementSibling, [curve, slider, says] = figure.children;
  let copied;
  w.document.execCommand = () => { copied = d.activeElement.value; };
  const answers = {};
  const ask = (name, answer) => { answers[name] = answer; };
  ask('as linked', [rows(), curve.value, w.location.hash]);
  set(tools.querySelector('.order'), ''); set(curve, '');
  ask('as on the page', rows());
  press(1); ask('up', [rows(), ...sorts()]);
  press(1); ask('down', [rows(), ...sorts()]);
  press(1); ask('back', [rows(), ...sorts()]);
  press(0); press(0); ask('by name', rows()); press(0);
  set(one('select[aria-label=verdict]'), 'holds'); ask('chosen', [rows(), tools.lastChild.value]);
  set(one('#made').previousElementSibling.firstChild, 'SIX'); ask('and with a word', rows());
  tools.querySelector('button').click();
  set(tools.firstChild, '');
  set(one('select[aria-label=verdict]'), '');
  slider.focus(); ask('first point', says.value);
  set(slider, 5); ask('last point', [says.value, slider.getAttribute('aria-valuetext')]);
  ask('all curves', seen());
  one('.entry').dispatchEvent(new w.MouseEvent('click', {bubbles: true}));
  ask('one curve', [...seen(), curve.value, w.location.hash]);
  one('.curve circle').dispatchEvent(new w.Event('pointerenter'));
  ask('hovered', [one('.here title').textContent, says.value]);
  ask('unnamed', [...d.querySelectorAll('.tools, .tools > *, .sort')]
    .filter(e => e.tagName !== 'OUTPUT').filter(e => !(e.getAttribute('aria-label') || e.textContent.trim())).length);
  setTimeout(() => {
    ask('copied', copied);
    out.textContent = 'BEGIN' + JSON.stringify(answers) + 'END';
  }, 500);
};
</script>`

// TestExploring: rows are sorted by number where a column has numbers, those without one last; they
// are filtered and copied as they are shown; a figure says the numbers of its points, and a link
// shows what was chosen. The numbers are those of toy, by hand: of A at 0.1, 1, 1.01 and 1.02.
func TestExploring(t *testing.T) {
	path := browser(t)
	var b bytes.Buffer
	must.Get(Write(&b, toyInput(t)))
	table := `<table id="made"><thead><tr><th>row</th><th>value</th>` +
		`<th>verdict</th></tr></thead><tbody>`
	for _, row := range []string{"a|9 ± 1|holds", "b|10|holds", "c||holds", "d|−2|open",
		"e|1e3, \"six\"|holds", "f|≥ 9.5|open"} {
		cells := strings.Split(row, "|")
		table += "<tr><td>" + strings.Join(cells, "</td><td>") + "</td></tr>"
	}
	page := bytes.Replace(b.Bytes(), []byte("</main>"),
		[]byte(table+"</tbody></table></main>"), 1)
	link := "#made~made.t1.sort=1d&run-toy-fig1.f1.curve=B"
	var got map[string]any
	if console := browse(t, path, page, fmt.Sprintf(explorer, link), &got); len(console) > 0 {
		t.Errorf("console: %q", console)
	}
	const first, last = "A, at 0.1: 1.01 ± 0.005774, n = 3",
		"B, at 10: 0.015 ± 0.005, n = 2, 1 failed"
	for name, want := range map[string]string{
		"as linked": `["ebfadc","B","` + link + `"]`, "as on the page": `"abcdef"`,
		"up":     `["dafbec",null,"ascending",null]`,
		"down":   `["ebfadc",null,"descending",null]`,
		"back":   `["abcdef",null,null,null]`,
		"chosen": `["abce","4 of 6 rows"]`, "by name": `"fedcba"`, "and with a word": `"e"`,
		"first point": `"` + first + `"`, "hovered": `["` + first + `","` + first + `"]`,
		"last point": `["` + last + `","` + last + `"]`, "all curves": `["1","1"]`,
		"one curve": `["1","0.1","A","#made~run-toy-fig1.f1.curve=A"]`, "unnamed": "0",
		"copied": `"row,value,verdict\ne,\"1e3, \"\"six\"\"\",holds\n"`,
	} {
		answer := bytes.TrimSpace(must.Get(json.Marshal(got[name])))
		answer = bytes.ReplaceAll(answer, []byte(`\u0026`), []byte("&"))
		must.Be(t, string(answer), want, name, answer)
	}
}
