package graph

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"archive/zip"

	"pgregory.net/rapid"

	"ppdp/datasets"
	"ppdp/internal/must"
)

func canonical(t testing.TB, g *datasets.Graph) string {
	t.Helper()
	var b strings.Builder
	must.Do(t, g.WriteEdges(&b))
	return b.String()
}

func zipped(t testing.TB, files ...string) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		must.Get(must.Get(w.Create(files[i])).Write([]byte(files[i+1])))
	}
	must.Do(t, w.Close())
	return b.Bytes()
}

func gzipped(t testing.TB, content string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	must.Get(w.Write([]byte(content)))
	must.Do(t, w.Close())
	return b.String()
}

// The path 0-1-2-3 with the chord 0-2, written in every way the loaders know.
const want = "0 1\n0 2\n1 2\n2 3\n"

const mtxHeader = "%%MatrixMarket matrix coordinate "

func TestRead(t *testing.T) {
	directed := "# Directed graph\n# Nodes: 4 Edges: 8\n# FromNodeId\tToNodeId\n0\t1\n0\t2\n" +
		"1\t0\n1\t2\n2\t0\n2\t1\n2\t3\n3\t2\n"
	for _, test := range []struct {
		name, content string
		reading       Reading
		nodes         int
		selfLoops     int
		duplicates    int
	}{
		{"plain", want, Reading{}, 4, 0, 0},
		{"no final newline, blanks, commas, CRLF", "  2 , 3\r\n1,0\n\n0\t2 \n2 1",
			Reading{}, 4, 0, 0},
		{"comments", "# one\n% two\n" + want, Reading{}, 4, 0, 0},
		{"gzip", gzipped(t, want), Reading{}, 4, 0, 0},
		{"counted from 1", "1 2\n1 3\n2 3\n3 4\n", Reading{Base: 1}, 4, 0, 0},
		{"SNAP, both directions", directed, Reading{Simplify: true}, 4, 0, 4},
		{"SNAP, nodes without edges", "# Nodes: 9 Edges: 4\n" + want, Reading{}, 9, 0, 0},
		{"nodes stated", want, Reading{Nodes: 9}, 9, 0, 0},
		{"nodes stated as announced", "# Nodes: 9 Edges: 4\n" + want, Reading{Nodes: 9}, 9, 0, 0},
		{"gaps, nodes stated",
			"7 9000000000\n7 9000000007\n9000000000 9000000007\n9000000007 9000000008\n",
			Reading{Relabel: true, Nodes: 6}, 6, 0, 0},
		{"mtx, nodes stated", mtxHeader + "pattern symmetric\n% text\n4 4 4\n2 1\n3 1\n3 2\n4 3\n",
			Reading{Nodes: 4}, 4, 0, 0},
		{"self loops and repetitions", want + "1 1\n3 2\n2 3\n0 0\n",
			Reading{Simplify: true}, 4, 2, 2},
		{"gaps", "7 9000000000\n7 9000000007\n9000000000 9000000007\n9000000007 9000000008\n",
			Reading{Relabel: true}, 4, 0, 0},
		{"mtx symmetric", mtxHeader + "pattern symmetric\n% text\n4 4 4\n2 1\n3 1\n3 2\n4 3\n",
			Reading{}, 4, 0, 0},
		{"mtx of the Network Repository",
			mtxHeader[1:] + "pattern symmetric\n4 4 4\n2 1\n3 1\n3 2\n4 3\n",
			Reading{}, 4, 0, 0},
		{"mtx general", mtxHeader + "pattern general\n4 4 6\n2 1\n3 1\n3 2\n4 3\n4 3\n4 4\n",
			Reading{Simplify: true}, 4, 1, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			loaded := must.Get(Read("file", []byte(test.content), test.reading))
			if got := canonical(t, loaded.Graph); got != want {
				t.Errorf("edges\n%swant\n%s", got, want)
			}
			must.Be(t, loaded.Graph.Nodes(), test.nodes, "nodes")
			must.Be(t, loaded.SelfLoops, test.selfLoops, "self loops dropped")
			must.Be(t, loaded.Duplicates, test.duplicates, "duplicates dropped")
		})
	}
}

func TestReadErrors(t *testing.T) {
	for _, test := range []struct {
		name, content string
		reading       Reading
		want          []string // parts of the message
	}{
		{"self loop", "0 1\n# x\n2 2\n",
			Reading{}, []string{"file:3: self loop at node 2", "simplify: true"}},
		{"duplicates, all named", "0 1\n\n1 0\n1 2\n0 1\n",
			Reading{}, []string{"file:3: edge 1 0 is on an earlier line",
				"file:5: edge 0 1 is on an earlier line"}},
		{"negative", "0 1\n0 -1\n",
			Reading{}, []string{`file:2: "0 -1", must not hold a negative node id`}},
		{"words", "0 1\na b\n", Reading{}, []string{`file:2: "a b", must be two node ids`}},
		{"one column", "0\n", Reading{}, []string{"file:1: ", "two node ids"}},
		{"weights", "0 1 2.5\n", Reading{}, []string{`file:1: "0 1 2.5", must be two node ids`,
			"cut weights and times off"}},
		{"letters behind", "0 1x\n", Reading{}, []string{"file:1: ", "two node ids"}},
		{"too large", "0 99999999999999999999\n", Reading{}, []string{"file:1: ", "two node ids"}},
		{"below base", "0 1\n1 2\n",
			Reading{Base: 1}, []string{"file:1: node id 0, must be at least 1 (base: 1)"}},
		{"base 2", "", Reading{Base: 2}, []string{"base 2, must be 0 or 1"}},
		{"gaps", "0 2000000000\n",
			Reading{}, []string{"1 edges over 2000000001 nodes", "relabel: true"}},
		{"header: cut off", "# Nodes: 4 Edges: 8\n0 1\n",
			Reading{}, []string{"file:1: the header announces 8 edges, but 1 lines hold one"}},
		{"header: too few nodes", "# Nodes: 2 Edges: 1\n0 5\n",
			Reading{}, []string{"file:1: the header announces 2 nodes, but the ids need 6"}},
		{"nodes stated: too few", "0 1\n0 5\n",
			Reading{Nodes: 5}, []string{"file: nodes: 5, but the ids need 6"}},
		{"nodes stated: too few relabelled", "0 1\n0 5\n", Reading{Nodes: 2, Relabel: true},
			[]string{"file: nodes: 2, but the ids need 3"}},
		{"nodes stated and announced", "# Nodes: 9 Edges: 1\n0 5\n",
			Reading{Nodes: 8}, []string{"file:1: the header announces 9 nodes, but nodes: is 8"}},
		{"nodes stated: matrix", mtxHeader + "pattern symmetric\n3 3 1\n2 1\n",
			Reading{Nodes: 4}, []string{"file:2: the header announces 3 nodes, but nodes: is 4"}},
		{"truncated gzip", gzipped(t, strings.Repeat(want, 100))[:40], Reading{},
			[]string{"gzip stream of 40 bytes is cut off"}},
		{"altered gzip", gzipped(t, want)[:len(gzipped(t, want))-8] + "12345678",
			Reading{}, []string{"file: gzip, after unpacking 16 bytes", "checksum"}},
		{"gzip header", "\x1f\x8bxxxxxxxxxxxx", Reading{}, []string{"file: gzip header"}},
		{"mtx: array", "%%MatrixMarket matrix array real general\n2 2\n",
			Reading{}, []string{"file:1: ", "must be %%MatrixMarket matrix coordinate"}},
		{"mtx: values", mtxHeader + "real general\n2 2 1\n1 2 1\n",
			Reading{}, []string{"file:1: ", "leave out values"}},
		{"mtx: hermitian", mtxHeader + "pattern hermitian\n",
			Reading{}, []string{`symmetry "hermitian"`}},
		{"mtx: no size", mtxHeader + "pattern general\n% only\n",
			Reading{}, []string{"ends without a size"}},
		{"mtx: bad size", mtxHeader + "pattern general\n2 x 3\n",
			Reading{}, []string{"file:2: ", "rows, columns, entries"}},
		{"mtx: oblong", mtxHeader + "pattern general\n2 3 1\n1 1\n",
			Reading{}, []string{"file:2: 2 rows and 3 columns", "square"}},
		{"mtx: huge", mtxHeader + "pattern general\n2000000000 2000000000 1\n1 1\n",
			Reading{}, []string{"file: 1 edges over 2000000000 nodes"}},
		{"mtx: cut off", mtxHeader + "pattern symmetric\n3 3 2\n2 1\n",
			Reading{}, []string{"file:2: the header announces 2 edges, but 1 lines"}},
		{"mtx: outside", mtxHeader + "pattern symmetric\n3 3 1\n4 1\n",
			Reading{}, []string{"file:2: the header announces 3 nodes, but the ids need 4"}},
		{"mtx: diagonal", mtxHeader + "pattern symmetric\n3 3 1\n2 2\n",
			Reading{}, []string{"file:3: self loop at node 2"}},
		{"mtx: repeated", mtxHeader + "pattern general\n3 3 4\n2 1\n1 2\n2 1\n1 2\n",
			Reading{}, []string{"file:4: edge 1 2 is on an earlier line", "file:5: edge 2 1",
				"file:6: edge 1 2"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			loaded, err := Read("file", []byte(test.content), test.reading)
			if err == nil {
				t.Fatalf("read as a graph of %d edges", loaded.Graph.Edges())
			}
			must.Say(t, err.Error(), test.want...)
		})
	}
}

// TestRoundTrip: what WriteEdges writes is what Read reads, for any graph; and so is the
// list shuffled, turned round, repeated and relabelled.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "nodes")
		present := make([]bool, n*n)
		var lines, messy []string
		for u := range n {
			for v := u + 1; v < n; v++ {
				if rapid.Bool().Draw(t, "edge") {
					present[u*n+v] = true
					lines = append(lines, fmt.Sprintf("%d %d\n", u, v))
					messy = append(messy, fmt.Sprintf("%d %d\n", v, u),
						fmt.Sprintf("%d\t%d\n", u, v))
				}
			}
		}
		text := strings.Join(lines, "")
		if len(messy) > 0 {
			messy = rapid.Permutation(messy).Draw(t, "order")
		}
		for _, content := range []string{text, strings.Join(messy, "")} {
			loaded := must.Get(Read("file", []byte(content), Reading{Simplify: true}))
			var b strings.Builder
			loaded.Graph.WriteEdges(&b)
			if b.String() != text {
				t.Fatalf("wrote %q, want %q", b.String(), text)
			}
		}
	})
}

func TestCanonical(t *testing.T) {
	mtx := mtxHeader + "pattern symmetric\n4 4 4\n2 1\n3 1\n3 2\n4 3\n"
	for name, content := range map[string][]byte{
		"zip":     zipped(t, "readme.html", "<p>", "socfb.mtx", mtx),
		"messy":   []byte("# head\n1 0\n0 1\n0 2\n2 1\n3 2\n3 3\n"),
		"already": []byte(want),
		"packed":  []byte(gzipped(t, want)),
	} {
		got, err := Canonical(content)
		if err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for content, part := range map[string]string{
		string(zipped(t, "readme.html", "")):         "no .mtx",
		string(zipped(t, "a.mtx", mtx, "b.MTX", "")): "both a.mtx and b.MTX",
		string(zipped(t, "a.mtx", mtx)[:50]):         "zip: ",
		"0 1\nPK\n":                                  "download:2:",
	} {
		must.Fail(t, must.Err(Canonical([]byte(content))), part)
	}
}

// TestBombs: a small file that unpacks to a hundred times its size and more is refused before much
// is read.
func TestBombs(t *testing.T) {
	bomb := gzipped(t, strings.Repeat("1 2\n", 1<<23))
	_, err := Read("a.edges", []byte(bomb), Reading{})
	if !errors.Is(err, datasets.ErrUnpacked) || !strings.HasPrefix(err.Error(), "a.edges: ") {
		t.Errorf("%d bytes: %v", len(bomb), err)
	}
}

func TestUserFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "own.edges.gz")
	must.Do(t, os.WriteFile(path, []byte(gzipped(t, "1 2\n1 3\n3 1\n2 3\n3 4\n")), 0o600))
	source := must.Get(datasets.Lookup("graph"))
	params := source.Params().(*FileParams)
	params.Path, params.Base, params.Simplify = path, 1, true
	dataset := must.Get(source.Load(context.Background(), datasets.Request{Params: params}))
	if canonical(t, dataset.Graph) != want || len(dataset.Notes) != 2 ||
		!strings.Contains(dataset.Notes[0], "number of nodes is read off the edges") ||
		dataset.Notes[1] != "1 repeated edges dropped" {
		t.Errorf("edges %q, notes %q", canonical(t, dataset.Graph), dataset.Notes)
	}
	params.Nodes = 4
	if dataset, err := source.Load(context.Background(),
		datasets.Request{Params: params}); err != nil || len(dataset.Notes) != 1 {
		t.Errorf("four nodes stated: %+v, %v", dataset, err)
	}
	for _, test := range []struct {
		content string
		params  FileParams
		want    string // of the error; empty for a graph that is read
	}{
		{"# none\n", FileParams{}, "no edge in the file"},
		{"1 2\n2 3\n", FileParams{}, "ids go up to 3, but 0 does not occur; nodes: 4 makes"},
		{"1 2\n2 3\n", FileParams{Reading: Reading{Base: 1}}, ""},
		{"1 2\n2 4\n", FileParams{Reading: Reading{Base: 1}},
			"ids go up to 4, but 3 does not occur; nodes: 4"},
		{"1 2\n2 4\n", FileParams{Reading: Reading{Base: 1, Nodes: 4}}, ""},
		{"1 2\n2 4\n", FileParams{Reading: Reading{Relabel: true}}, ""},
		{"# Nodes: 5 Edges: 1\n0 1\n", FileParams{}, ""},
	} {
		own := test.params
		own.Path = filepath.Join(t.TempDir(), "own.edges")
		must.Do(t, os.WriteFile(own.Path, []byte(test.content), 0o600))
		_, err := source.Load(t.Context(), datasets.Request{Params: &own})
		if test.want == "" && err != nil ||
			test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%q, base %d: %v, want %q", test.content, own.Base, err, test.want)
		}
	}
	params.Path = filepath.Join(t.TempDir(), "absent")
	must.Fail(t, must.Err(source.Load(t.Context(), datasets.Request{Params: params})), "",
		"an absent file")
}

// checkSimple fails unless a loaded graph is simple, symmetric and sorted.
func checkSimple(t *testing.T, loaded *Loaded) {
	g := loaded.Graph
	for v := range g.Nodes() {
		last := int32(-1)
		for _, u := range g.Adjacent(int32(v)) {
			if u <= last || int(u) == v || int(u) >= g.Nodes() {
				t.Fatalf("node %d has neighbours %v", v, g.Adjacent(int32(v)))
			}
			if last = u; !slices.Contains(g.Adjacent(u), int32(v)) {
				t.Fatalf("%d has neighbour %d but not the other way round", v, u)
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{want, "# Nodes: 9 Edges: 4\n" + want, "1,2\r\n", "0 -1\n",
		"% x\n1 1\n", "9000000000 7\n",
		mtxHeader + "pattern symmetric\n4 4 4\n2 1\n3 1\n3 2\n4 3\n",
		mtxHeader + "pattern general\n2 2 2\n1 2\n2 1\n"} {
		f.Add([]byte(seed), 0, false, false)
		f.Add([]byte(seed), 1, true, true)
	}
	f.Fuzz(func(t *testing.T, content []byte, base int, simplify, relabel bool) {
		r := Reading{Base: base, Simplify: simplify, Relabel: relabel}
		if loaded, err := Read("file", content, r); err == nil {
			checkSimple(t, loaded)
		}
	})
}

func FuzzCanonical(f *testing.F) {
	f.Add(zipped(f, "a.mtx", mtxHeader+"pattern symmetric\n2 2 1\n2 1\n"))
	f.Add([]byte(gzipped(f, want)))
	f.Fuzz(func(t *testing.T, content []byte) {
		once, err := Canonical(content)
		if err != nil {
			return
		}
		twice, err := Canonical(once)
		if err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("canonical form %q is not its own: %q, %v", once, twice, err)
		}
	})
}
