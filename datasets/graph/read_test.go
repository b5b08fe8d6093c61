package graph

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"archive/zip"

	"pgregory.net/rapid"

	"ppdp/datasets"
)

func canonical(t testing.TB, g *datasets.Graph) string {
	t.Helper()
	var b strings.Builder
	noError(t, g.WriteEdges(&b))
	return b.String()
}

func zipped(t testing.TB, files ...string) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		f, err := w.Create(files[i])
		if err == nil {
			_, err = f.Write([]byte(files[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	noError(t, w.Close())
	return b.Bytes()
}

func gzipped(t testing.TB, content string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	must(w.Write([]byte(content)))
	noError(t, w.Close())
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
		format        Format
		reading       Reading
		nodes         int
		selfLoops     int
		duplicates    int
		oneWay        int
	}{
		{"plain", want, Auto, Reading{}, 4, 0, 0, 0},
		{"no final newline, blanks, commas, CRLF", "  2 , 3\r\n1,0\n\n0\t2 \n2 1",
			EdgeList, Reading{}, 4, 0, 0, 0},
		{"comments", "# one\n% two\n" + want, Auto, Reading{}, 4, 0, 0, 0},
		{"gzip", gzipped(t, want), Auto, Reading{}, 4, 0, 0, 0},
		{"counted from 1", "1 2\n1 3\n2 3\n3 4\n", Auto, Reading{Base: 1}, 4, 0, 0, 0},
		{"SNAP, both directions", directed, Auto, Reading{Simplify: true}, 4, 0, 4, 0},
		{"SNAP, nodes without edges", "# Nodes: 9 Edges: 4\n" + want, Auto, Reading{}, 9, 0, 0, 0},
		{"nodes stated", want, Auto, Reading{Nodes: 9}, 9, 0, 0, 0},
		{"nodes stated as announced", "# Nodes: 9 Edges: 4\n" + want, Auto,
			Reading{Nodes: 9}, 9, 0, 0, 0},
		{"gaps, nodes stated",
			"7 9000000000\n7 9000000007\n9000000000 9000000007\n9000000007 9000000008\n",
			Auto, Reading{Relabel: true, Nodes: 6}, 6, 0, 0, 0},
		{"mtx, nodes stated", mtxHeader + "pattern symmetric\n% text\n4 4 4\n2 1\n3 1\n3 2\n4 3\n",
			Auto, Reading{Nodes: 4}, 4, 0, 0, 0},
		{"self loops and repetitions", want + "1 1\n3 2\n2 3\n0 0\n",
			Auto, Reading{Simplify: true}, 4, 2, 2, 0},
		{"gaps", "7 9000000000\n7 9000000007\n9000000000 9000000007\n9000000007 9000000008\n",
			Auto, Reading{Relabel: true}, 4, 0, 0, 0},
		{"mtx symmetric", mtxHeader + "pattern symmetric\n% text\n4 4 4\n2 1\n3 1\n3 2\n4 3\n",
			Auto, Reading{}, 4, 0, 0, 0},
		{"mtx of the Network Repository",
			mtxHeader[1:] + "pattern symmetric\n4 4 4\n2 1\n3 1\n3 2\n4 3\n",
			Auto, Reading{}, 4, 0, 0, 0},
		{"mtx general with a zero",
			mtxHeader + "real general\n4 4 9\n2 1 1\n3 1 2\n3 2 1e3\n4 3 1\n1 2 1\n1 3 1\n2 3 1\n" +
				"3 4 1\n4 1 0\n", Auto, Reading{}, 4, 0, 0, 0},
		{"mtx one way", mtxHeader +
			"integer general\n4 4 6\n2 1 1\n3 1 1\n3 2 1\n4 3 1\n4 3 1\n4 4 1\n",
			Auto, Reading{Simplify: true}, 4, 1, 1, 4},
	} {
		t.Run(test.name, func(t *testing.T) {
			loaded := must(Read("file", []byte(test.content), test.format, test.reading))
			if got := canonical(t, loaded.Graph); got != want {
				t.Errorf("edges\n%swant\n%s", got, want)
			}
			if got := loaded.Graph.Nodes(); got != test.nodes {
				t.Errorf("%d nodes, want %d", got, test.nodes)
			}
			if loaded.SelfLoops != test.selfLoops || loaded.Duplicates != test.duplicates ||
				loaded.OneWay != test.oneWay {
				t.Errorf("dropped %d self loops and %d duplicates, %d one way; want %d, %d, %d",
					loaded.SelfLoops, loaded.Duplicates, loaded.OneWay,
					test.selfLoops, test.duplicates, test.oneWay)
			}
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
			Reading{Nodes: 4}, []string{"file: nodes: 4, but the matrix has 3"}},
		{"truncated gzip", gzipped(t, strings.Repeat(want, 100))[:40], Reading{},
			[]string{"gzip stream of 40 bytes is cut off"}},
		{"altered gzip", gzipped(t, want)[:len(gzipped(t, want))-8] + "12345678",
			Reading{}, []string{"file: gzip, after unpacking 16 bytes", "checksum"}},
		{"gzip header", "\x1f\x8bxxxxxxxxxxxx", Reading{}, []string{"file: gzip header"}},
		{"mtx: array", "%%MatrixMarket matrix array real general\n2 2\n",
			Reading{}, []string{"file:1: ", "must be %%MatrixMarket matrix coordinate"}},
		{"mtx: complex hermitian", mtxHeader + "complex hermitian\n",
			Reading{}, []string{`field "complex"`, `symmetry "hermitian"`}},
		{"mtx: no size", mtxHeader + "pattern general\n% only\n",
			Reading{}, []string{"ends without a size"}},
		{"mtx: bad size", mtxHeader + "pattern general\n2 x 3\n",
			Reading{}, []string{"file:2: ", "rows, columns, entries"}},
		{"mtx: oblong", mtxHeader + "pattern general\n2 3 1\n1 1\n",
			Reading{}, []string{"file:2: 2 rows and 3 columns", "square"}},
		{"mtx: huge", mtxHeader + "pattern general\n2000000000 2000000000 1\n1 1\n",
			Reading{}, []string{"file:2: 1 entries over 2000000000 nodes"}},
		{"mtx: cut off", mtxHeader + "pattern symmetric\n3 3 2\n2 1\n",
			Reading{}, []string{"2 entries announced, 1 found"}},
		{"mtx: far cut off", mtxHeader + "pattern symmetric\n3 3 2000000\n2 1\n",
			Reading{}, []string{"2000000 entries announced in a file of"}},
		{"mtx: outside", mtxHeader + "pattern symmetric\n3 3 1\n4 1\n",
			Reading{}, []string{"file:3: ", "in [1, 3]"}},
		{"mtx: columns", mtxHeader + "real symmetric\n3 3 1\n2 1\n",
			Reading{}, []string{"file:3: ", "3 numbers"}},
		{"mtx: value", mtxHeader + "real symmetric\n3 3 1\n2 1 x\n",
			Reading{}, []string{`file:3: value "x"`}},
		{"mtx: not a number", mtxHeader + "real symmetric\n3 3 1\n2 1 NaN\n",
			Reading{}, []string{`file:3: value "NaN"`}},
		{"mtx: diagonal", mtxHeader + "pattern symmetric\n3 3 1\n2 2\n",
			Reading{}, []string{"file:3: self loop at row and column 2"}},
		{"mtx: repeated", mtxHeader + "pattern general\n3 3 4\n2 1\n1 2\n2 1\n1 2\n",
			Reading{}, []string{"file:5: entry (2, 1) is listed already", "file:6: entry (1, 2)"}},
		{"mtx: one way", mtxHeader + "pattern general\n3 3 1\n2 1\n",
			Reading{}, []string{"file:3: entry (2, 1) without (1, 2)"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			loaded, err := Read("file", []byte(test.content), Auto, test.reading)
			if err == nil {
				t.Fatalf("read as a graph of %d edges", loaded.Graph.Edges())
			}
			for _, part := range test.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error %q does not say %q", err, part)
				}
			}
		})
	}
	if _, err := Read("file", nil, "gml", Reading{}); err == nil ||
		!strings.Contains(err.Error(), `format "gml", must be one of`) {
		t.Errorf("format gml: %v", err)
	}
}

// TestManyProblems: a file of nothing but mistakes gives a bounded message.
func TestManyProblems(t *testing.T) {
	_, err := Read("file", []byte(strings.Repeat("x\n", 1000)), Auto, Reading{})
	if err == nil || strings.Count(err.Error(), "\n") > 21 ||
		!strings.Contains(err.Error(), "and 980 more problems") {
		t.Errorf("error %.200q", err)
	}
}

// TestRoundTrip: what WriteEdges writes is what ReadEdgeList reads, for any graph; and so is the
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
			loaded := must(ReadEdgeList("file", []byte(content), Reading{Simplify: true}))
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
		"matlab":  matFile(t, binary.LittleEndian, true, "local_info", "A"),
		"already": []byte(want),
		"packed":  []byte(gzipped(t, want)),
		"zip+mat": zipped(t, "A.MAT", string(matFile(t, binary.BigEndian, false, "A"))),
	} {
		got, err := Canonical(content)
		if err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for content, part := range map[string]string{
		string(zipped(t, "readme.html", "")):         "no .mtx and no .mat",
		string(zipped(t, "a.mtx", mtx, "b.mat", "")): "both a.mtx and b.mat",
		string(zipped(t, "a.mtx", mtx)[:50]):         "zip: ",
		"0 1\nPK\n":                                  "download:2:",
	} {
		if _, err := Canonical([]byte(content)); err == nil ||
			!strings.Contains(err.Error(), part) {
			t.Errorf("%.20q: %v, want %q", content, err, part)
		}
	}
}

// matFile writes a MATLAB 5 file with the named variables: A is the sparse adjacency of want,
// others are full matrices whose values are garbage that would not parse.
func matFile(t testing.TB, order binary.ByteOrder, compressed bool, names ...string) []byte {
	var file bytes.Buffer
	text := "MATLAB 5.0 MAT-file, written by a test"
	file.WriteString(text + strings.Repeat(" ", 124-len(text)))
	binary.Write(&file, order, uint16(0x0100))
	if order == binary.ByteOrder(binary.LittleEndian) {
		file.WriteString("IM")
	} else {
		file.WriteString("MI")
	}
	for _, name := range names {
		class, body := byte(6), []byte(strings.Repeat("\xff", 64))
		if name == "A" {
			class = mxSPARSE
			body = sparseBody(order, []int32{1, 2, 0, 2, 0, 1, 3, 2}, []int32{0, 2, 4, 7, 8})
		}
		matrix := matMatrix(order, class, name, 4, body)
		if compressed {
			var packed bytes.Buffer
			w := zlib.NewWriter(&packed)
			w.Write(matrix)
			w.Close()
			binary.Write(&file, order, []uint32{miCOMPRESSED, uint32(packed.Len())})
			file.Write(packed.Bytes())
		} else {
			file.Write(matrix)
		}
	}
	return file.Bytes()
}

func matElement(order binary.ByteOrder, kind uint32, data any) []byte {
	var body bytes.Buffer
	binary.Write(&body, order, data)
	var b bytes.Buffer
	if n := body.Len(); n <= 4 && n > 0 { // the small form
		binary.Write(&b, order, uint32(n)<<16|kind)
	} else {
		binary.Write(&b, order, []uint32{kind, uint32(n)})
	}
	b.Write(body.Bytes())
	for b.Len()%8 != 0 {
		b.WriteByte(0)
	}
	return b.Bytes()
}

func matMatrix(order binary.ByteOrder, class byte, name string, n int32, body []byte) []byte {
	inner := matElement(order, miUINT32, []uint32{uint32(class), 8})
	inner = append(inner, matElement(order, miINT32, []int32{n, n})...)
	inner = append(inner, matElement(order, miINT8, []byte(name))...)
	inner = append(inner, body...)
	return matElement(order, miMATRIX, inner)
}

func sparseBody(order binary.ByteOrder, rows, starts []int32) []byte {
	values := make([]float64, len(rows))
	for i := range values {
		values[i] = 1
	}
	body := matElement(order, miINT32, rows)
	body = append(body, matElement(order, miINT32, starts)...)
	return append(body, matElement(order, miDOUBLE, values)...)
}

func TestReadMATLAB(t *testing.T) {
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		for _, compressed := range []bool{false, true} {
			// local_info comes first and holds bytes no element could: it is passed over.
			loaded, err := Read("file", matFile(t, order, compressed, "local_info", "A"),
				Auto, Reading{})
			if err != nil {
				t.Fatalf("%v, compressed %t: %v", order, compressed, err)
			}
			if got := canonical(t, loaded.Graph); got != want {
				t.Errorf("%v, compressed %t: edges %q", order, compressed, got)
			}
		}
	}
}

// TestBombs: small files that unpack to a hundred times their size and more are refused before much
// is read.
func TestBombs(t *testing.T) {
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	binary.Write(w, binary.LittleEndian, []uint32{miMATRIX, 1 << 30})
	zeros := make([]byte, 1<<20)
	for range 32 {
		w.Write(zeros)
	}
	w.Close()
	mat := bytes.NewBuffer(matFile(t, binary.LittleEndian, true))
	binary.Write(mat, binary.LittleEndian, []uint32{miCOMPRESSED, uint32(packed.Len())})
	mat.Write(packed.Bytes())
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	for range 32 {
		z.Write(bytes.Repeat([]byte("1 2\n"), 1<<18))
	}
	z.Close()
	for name, content := range map[string][]byte{"a.mat": mat.Bytes(), "a.edges": zipped.Bytes()} {
		_, err := Read(name, content, Auto, Reading{})
		if !errors.Is(err, datasets.ErrUnpacked) || !strings.HasPrefix(err.Error(), name+": ") {
			t.Errorf("%s of %d bytes: %v", name, len(content), err)
		}
	}
}

func TestReadMATLABErrors(t *testing.T) {
	little := binary.LittleEndian
	header := string(matFile(t, little, false))
	whole := string(matFile(t, little, false, "A"))
	packed := string(matFile(t, little, true, "A"))
	with := func(class byte, n int32, body []byte) string {
		return header + string(matMatrix(little, class, "A", n, body))
	}
	complexFlags := []byte(whole)
	complexFlags[matHeader+8+8+1] |= 0x08
	for _, test := range []struct{ name, content, want string }{
		{"short", "MATLAB", "offset 0: no MATLAB 5 header"},
		{"byte order", header[:126] + "XX", "offset 126: byte order mark"},
		{"HDF5", header[:124] + "\x00\x02IM", "offset 124: version 0x0200"},
		{"nothing", header, "holds no matrix A"},
		{"no A", string(matFile(t, little, true, "local_info")),
			`holds no matrix A but "local_info"`},
		{"full", with(6, 4, nil), "offset 128: matrix A is a full double array, must be sparse"},
		{"cell", with(1, 4, nil), "matrix A is a cell array"},
		{"odd class", with(99, 4, nil), "of unknown class"},
		{"complex", string(complexFlags), "matrix A is complex"},
		{"cut off", whole[:len(whole)-9], "the file is cut off"},
		{"cut off at a tag", header + "1234", "4 bytes left"},
		{"cut off, packed", packed[:len(packed)-9], "the file is cut off"},
		{"packed garbage", header + "\x0f\x00\x00\x00\x04\x00\x00\x00abcd",
			"offset 128: compressed element"},
		{"element type", header + "\x07\x00\x00\x00\x00\x00\x00\x00", "data element of type 7"},
		{"column starts", with(mxSPARSE, 4, sparseBody(little, []int32{1, 0}, []int32{0, 1, 2})),
			"3 column starts for 4 columns"},
		{"starts beyond", with(mxSPARSE, 2, sparseBody(little, []int32{1, 0}, []int32{0, 1, 9})),
			"column starts"},
		{"starts descend", with(mxSPARSE, 3,
			sparseBody(little, []int32{1, 0, 0}, []int32{0, 2, 1, 3})), "must ascend"},
		{"row outside", with(mxSPARSE, 2, sparseBody(little, []int32{2, 0}, []int32{0, 1, 2})),
			"row index 2 in column 1"},
		{"one way", with(mxSPARSE, 2, sparseBody(little, []int32{1}, []int32{0, 1, 1})),
			"entry (2, 1) without (1, 2)"},
		{"diagonal", with(mxSPARSE, 2, sparseBody(little, []int32{0}, []int32{0, 1, 1})),
			"self loop at row and column 1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := ReadMATLAB("file", []byte(test.content), Reading{})
			if err == nil || !strings.Contains(err.Error(), test.want) ||
				!strings.HasPrefix(err.Error(), "file: ") {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

func TestUserFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "own.edges.gz")
	noError(t, os.WriteFile(path, []byte(gzipped(t, "1 2\n1 3\n3 1\n2 3\n3 4\n")), 0o600))
	source := must(datasets.Lookup("graph"))
	params := source.Params().(*FileParams)
	params.Path, params.Base, params.Simplify = path, 1, true
	dataset := must(source.Load(context.Background(), datasets.Request{Params: params}))
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
		{"1 2\n2 3\n", FileParams{Base: 1}, ""},
		{"1 2\n2 4\n", FileParams{Base: 1}, "ids go up to 4, but 3 does not occur; nodes: 4"},
		{"1 2\n2 4\n", FileParams{Base: 1, Nodes: 4}, ""},
		{"1 2\n2 4\n", FileParams{Relabel: true}, ""},
		{"# Nodes: 5 Edges: 1\n0 1\n", FileParams{}, ""},
	} {
		own := test.params
		own.Format, own.Path = Auto, filepath.Join(t.TempDir(), "own.edges")
		noError(t, os.WriteFile(own.Path, []byte(test.content), 0o600))
		_, err := source.Load(t.Context(), datasets.Request{Params: &own})
		if test.want == "" && err != nil ||
			test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%q, base %d: %v, want %q", test.content, own.Base, err, test.want)
		}
	}
	wrong := &FileParams{Format: "gml", Base: 7, Nodes: -1}
	for _, key := range []string{"path: ", "format: ", "base: ", "nodes: "} {
		if err := wrong.Validate(); err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("Validate: %v, want %q", err, key)
		}
	}
	params.Path = filepath.Join(t.TempDir(), "absent")
	if _, err := source.Load(context.Background(), datasets.Request{Params: params}); err == nil {
		t.Error("an absent file was loaded")
	}
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
			last = u
			mirrored := false
			for _, w := range g.Adjacent(u) {
				mirrored = mirrored || int(w) == v
			}
			if !mirrored {
				t.Fatalf("%d has neighbour %d but not the other way round", v, u)
			}
		}
	}
}

func FuzzReadEdgeList(f *testing.F) {
	for _, seed := range []string{want, "# Nodes: 9 Edges: 4\n" + want, "1,2\r\n", "0 -1\n",
		"% x\n1 1\n", "9000000000 7\n"} {
		f.Add([]byte(seed), 0, false, false)
		f.Add([]byte(seed), 1, true, true)
	}
	f.Fuzz(func(t *testing.T, content []byte, base int, simplify, relabel bool) {
		r := Reading{Base: base, Simplify: simplify, Relabel: relabel}
		if loaded, err := Read("file", content, EdgeList, r); err == nil {
			checkSimple(t, loaded)
		}
	})
}

func FuzzReadMatrixMarket(f *testing.F) {
	for _, seed := range []string{"pattern symmetric\n4 4 4\n2 1\n3 1\n3 2\n4 3\n",
		"real general\n2 2 2\n1 2 1\n2 1 0\n", "integer general\n3 3 1\n2 2 7\n"} {
		f.Add([]byte(mtxHeader+seed), true)
		f.Add([]byte(mtxHeader+seed), false)
	}
	f.Fuzz(func(t *testing.T, content []byte, simplify bool) {
		if loaded, err := ReadMatrixMarket("file",
			content, Reading{Simplify: simplify}); err == nil {
			checkSimple(t, loaded)
		}
	})
}

func FuzzReadMATLAB(f *testing.F) {
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		f.Add(matFile(f, order, false, "A"), true)
		f.Add(matFile(f, order, true, "local_info", "A"), false)
	}
	f.Fuzz(func(t *testing.T, content []byte, simplify bool) {
		if loaded, err := ReadMATLAB("file", content, Reading{Simplify: simplify}); err == nil {
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

// must returns v, and panics on an error: for the steps that a test takes for granted.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// noError ends the test or benchmark on an error.
func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
