// Package external runs baselines that are programs of their own, in any language: a descriptor (a
// *.baseline.yaml) says how one is started, and lines of JSON over its standard input and output
// ask it for releases. docs/extend.md describes both.
//
// A program that crashes, hangs, answers with nonsense or exceeds its limits costs one release and
// no more. It sees the private data and is trusted with them: a process group and a temporary
// folder do not keep it from copying them elsewhere.
//
// What a program claims of its guarantee is declared; nothing here proves it.
//
// Deviations: none, the package leaves out every algorithm.
package external

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"ppdp/algorithms"
	"ppdp/datasets"
	csvtable "ppdp/datasets/csv"
	"ppdp/internal/process"
	"ppdp/privacy"
)

// Algorithm is a program outside of ppdp, as its descriptor describes it. It is safe for concurrent
// use; Close ends what it has started.
type Algorithm struct {
	d      *descriptor
	dir    string // of the descriptor
	digest string // of the descriptor and its files

	mu   sync.Mutex // guards what follows
	home string     // temporary: data, and a folder for each request
	held io.Closer  // the lock that keeps others from removing it
	pool *process.Pool
	data []*data // the last one used last
}

// Info describes the program as its descriptor does.
func (a *Algorithm) Info() algorithms.Info { return a.d.info(a.digest) }

// Params returns the descriptor's defaults.
func (a *Algorithm) Params() algorithms.Params { return newParams(a.d.Params) }

// Close ends the processes and removes what they left. The algorithm can be used again.
func (a *Algorithm) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.home == "" {
		return nil
	}
	a.pool.Close()
	home, held := a.home, a.held
	a.pool, a.data, a.home, a.held = nil, nil, "", nil
	return errors.Join(os.RemoveAll(home), held.Close())
}

// Release asks the program for one.
func (a *Algorithm) Release(ctx context.Context, in algorithms.Input) (*algorithms.Release, error) {
	params, err := algorithms.CheckInput[*Params](ctx, a, in)
	if err != nil {
		return nil, err
	}
	own, cancel := context.WithCancel(ctx)
	release, err := a.release(own, in, params)
	cancel()
	if ended := ctx.Err(); ended != nil {
		return nil, ended
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.d.Name, err)
	}
	return release, nil
}

func (a *Algorithm) release(ctx context.Context, in algorithms.Input,
	params *Params) (*algorithms.Release, error) {
	if in.Table != nil && in.Table.Schema().Contributions > 1 && in.Budget.Delta() > 0 {
		return nil, fmt.Errorf("delta %v: %w, must be 0 where persons have %d records: a program "+
			"that means a record's epsilon and delta says nothing of them together",
			in.Budget.Delta(), privacy.ErrUnit, in.Table.Schema().Contributions)
	}
	folder, err := a.newFolder()
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	d, err := a.dataOf(in)
	if err != nil {
		return nil, err
	}
	defer a.releaseData(d)
	said, err := a.ask(ctx, a.request(in, params, d, folder))
	if err != nil {
		return nil, err
	}
	if said.Error != "" {
		return nil, fmt.Errorf("the program says: %s", process.Printable(said.Error))
	}
	release := &algorithms.Release{}
	for _, warning := range said.Warnings {
		release.Warnings = append(release.Warnings, a.d.Name+": "+process.Printable(warning))
	}
	if err := a.charge(in, said.Spent); err != nil {
		return nil, err
	}
	return release, a.read(ctx, in, folder, said.File, release)
}

// request is what the program is asked.
func (a *Algorithm) request(in algorithms.Input, params *Params, d *data,
	folder string) *request {
	var seed [32]byte
	stream := in.Noise.Open("seed of the program")
	for i := range 4 {
		binary.BigEndian.PutUint64(seed[8*i:], stream.Uint64())
	}
	q := &request{Seed: fmt.Sprintf("%x", seed), Variant: string(in.Variant),
		Epsilon: in.Budget.Epsilon(), Delta: in.Budget.Delta(), Unit: string(in.Budget.Unit()),
		Total: in.Budget.Total(), Params: maps.Clone(params.values), Data: d.name, Folder: folder}
	q.ID = filepath.Base(folder)
	if in.Graph != nil {
		nodes := in.Graph.Nodes()
		q.Edges, q.Nodes = d.path, &nodes
		return q
	}
	records := len(in.Rows)
	q.Rows, q.Records, q.Values = d.path, &records, a.d.Values
	q.Attributes = attributesOf(in.Table.Schema())
	return q
}

// ask hands a request to a process.
func (a *Algorithm) ask(ctx context.Context, q *request) (*answer, error) {
	a.mu.Lock()
	pool := a.pool
	a.mu.Unlock()
	said := new(answer)
	err := pool.Ask(ctx, mustJSON(q), a.d.Limits.time, func(line []byte) (bool, error) {
		*said = answer{}
		if err := parse(line, said); err != nil {
			return true, err
		}
		if said.ID != q.ID {
			return true, fmt.Errorf("it answered request %.40q, must be %q", said.ID, q.ID)
		}
		return true, nil
	})
	return said, err
}

// helloTime is how long a program may take to say hello.
const helloTime = 30 * time.Second

// newPool makes a pool of processes that run in the descriptor's folder; home is theirs for files.
func (a *Algorithm) newPool(home string) *process.Pool {
	return &process.Pool{Program: process.Program{Command: a.d.Command, Dir: a.dir,
		Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + home,
			"LANG=C.UTF-8", "PYTHONHASHSEED=0", "PYTHONDONTWRITEBYTECODE=1"},
		Greeting: mustJSON(hello{protocol, "ppdp"}), Greeted: greeted, StartTime: helloTime,
		Memory: a.d.Limits.bytes, Group: true, Line: 1 << 20, Words: 2 << 10}}
}

func greeted(line []byte) error {
	var said hello
	if err := parse(line, &said); err != nil {
		return err
	}
	if said.Protocol != protocol {
		return fmt.Errorf("it speaks protocol %d, must be %d", said.Protocol, protocol)
	}
	return nil
}

// charge enters what the program declares to have spent into the ledger. A release under
// differential privacy has to declare something, one without must not.
func (a *Algorithm) charge(in algorithms.Input, all []spent) error {
	if !(in.Budget.Epsilon() > 0) {
		if len(all) > 0 {
			return errors.New("it says that it has spent a budget, but has none to spend")
		}
		return nil
	}
	if len(all) == 0 {
		return errors.New("it does not say what it has spent")
	}
	root := in.Budget.Root()
	for _, s := range all {
		purpose := strings.TrimSpace(process.Printable(s.Mechanism + " " + s.Purpose))
		if len(purpose) > 80 || purpose == "" {
			return fmt.Errorf("it has spent something on %.90q, must be 1 to 80 letters", purpose)
		}
		if err := in.Budget.Declare(&root, purpose, s.Amount); err != nil {
			return err
		}
	}
	return nil
}

// mostRows bounds what a program may publish: more than that is a mistake that fills the memory.
func mostRows(records int) int { return 10*records + 100_000 }

// mostBytes bounds the file of an answer.
const mostBytes = 4 << 30

// read reads the file that an answer names into the release: records in the input's schema, or
// degrees.
func (a *Algorithm) read(ctx context.Context, in algorithms.Input, folder, name string,
	release *algorithms.Release) error {
	if name == "" {
		return errors.New("it names no file")
	}
	if !filepath.IsLocal(name) {
		return fmt.Errorf("its file %.200q lies outside the request's folder", name)
	}
	root, err := os.OpenRoot(folder) // which no link leads out of
	if err != nil {
		return err
	}
	defer root.Close()
	// A pipe would wait for a writer.
	file, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return fmt.Errorf("its file %.200q cannot be read: %w", name, err)
	}
	defer file.Close()
	info, err := file.Stat()
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("its file %.200q is no file", name)
	case info.Size() > mostBytes:
		return fmt.Errorf("its file has %d bytes, must be at most %d", info.Size(),
			int64(mostBytes))
	}
	if in.Graph != nil {
		release.Degrees, err = readDegrees(name, file, in.Graph.Nodes())
		return err
	}
	schema := in.Table.Schema()
	read := plainNumbers(schema)
	if a.d.Values == codeValues {
		read = codeSchema(schema)
	}
	rows := &lineLimit{from: file, left: mostRows(len(in.Rows)) + 1}
	content, err := csvtable.Plain(read).Read(ctx, name, rows)
	switch {
	case err != nil:
		return err
	case len(content.LeftOut) > 0:
		return fmt.Errorf("%s: columns that the schema has not: %.200s", name,
			strings.Join(content.LeftOut, ", "))
	case content.Dropped > 0:
		return fmt.Errorf("%s: %d rows without all their values", name, content.Dropped)
	}
	if a.d.Values == codeValues {
		release.Table = recoded(content.Table, schema)
		return nil
	}
	release.Table, err = content.Table.WithSchema(schema)
	return err
}

// plainNumbers is the schema with dates and times as the numbers that they stand for.
func plainNumbers(schema *datasets.Schema) *datasets.Schema {
	plain := &datasets.Schema{Attributes: slices.Clone(schema.Attributes)}
	for i := range plain.Attributes {
		plain.Attributes[i].Clock = ""
	}
	return plain
}

// codeSchema describes columns of codes: the integers from 0.
func codeSchema(schema *datasets.Schema) *datasets.Schema {
	codes := &datasets.Schema{}
	for i := range schema.Attributes {
		a := &schema.Attributes[i]
		codes.Attributes = append(codes.Attributes, datasets.Attribute{Name: a.Name, Role: a.Role,
			High: float64(a.Cells()), Step: 1})
	}
	return codes
}

// recoded is a table with the same codes under another schema of the same domains.
func recoded(t *datasets.Table, schema *datasets.Schema) *datasets.Table {
	b := datasets.NewBuilder(schema, t.Len())
	for range t.Len() {
		b.AddRow()
	}
	for i := range schema.Attributes {
		column := t.Column(i)
		for row := range t.Len() {
			b.Set(row, i, column.At(int32(row)))
		}
	}
	return b.Table()
}

// lineLimit reads up to a number of lines and then fails.
type lineLimit struct {
	from io.Reader
	left int
}

func (l *lineLimit) Read(p []byte) (int, error) {
	n, err := l.from.Read(p)
	if l.left -= bytes.Count(p[:n], []byte("\n")); l.left < 0 {
		return 0, errors.New("more rows than ten times the input's and 100000")
	}
	return n, err
}

// readDegrees reads a line for each node: its degree.
func readDegrees(name string, from io.Reader, nodes int) ([]int32, error) {
	degrees := make([]int32, 0, nodes) // not nil: a graph without nodes has a release too
	lines := bufio.NewScanner(from)
	for lines.Scan() {
		degree, err := strconv.ParseInt(lines.Text(), 10, 32)
		if err != nil || degree < 0 || degree >= int64(max(1, nodes)) {
			return nil, fmt.Errorf("%s:%d: %.40q, must be a degree from 0 to %d", name,
				len(degrees)+1, lines.Text(), max(0, nodes-1))
		}
		if degrees = append(degrees, int32(degree)); len(degrees) > nodes {
			break
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(degrees) != nodes {
		return nil, fmt.Errorf("%s: degrees of %d nodes or more, must be of %d", name,
			len(degrees), nodes)
	}
	slices.Sort(degrees)
	return degrees, nil
}

// data is a file of rows or edges that requests share. The algorithm's mutex guards users.
type data struct {
	dataKey
	write sync.Once // makes the following
	name  string    // of the content: its digest
	path  string
	err   error
	users int
}

// dataKey is what makes two inputs the same data.
type dataKey struct {
	table *datasets.Table
	graph *datasets.Graph
	rows  [sha256.Size]byte // digest of the rows' numbers
}

// kept is how many files of data are kept, those in use included: the folds of a few trials.
const kept = 16

// dataOf returns the file of an input, which is written by the first request for it. Without an
// error it is in use until release is called for it.
func (a *Algorithm) dataOf(in algorithms.Input) (*data, error) {
	numbers := make([]byte, 4*len(in.Rows))
	for i, row := range in.Rows {
		binary.LittleEndian.PutUint32(numbers[4*i:], uint32(row))
	}
	key := dataKey{in.Table, in.Graph, sha256.Sum256(numbers)}
	a.mu.Lock()
	d := &data{dataKey: key}
	if i := slices.IndexFunc(a.data, func(d *data) bool { return d.dataKey == key }); i >= 0 {
		d = a.data[i]
		a.data = slices.Delete(a.data, i, i+1)
	}
	a.data = append(a.data, d)
	d.users++
	home := a.home
	a.mu.Unlock()
	d.write.Do(func() { d.err = a.write(d, in, home) })
	if d.err != nil {
		a.releaseData(d)
	}
	return d, d.err
}

// write writes the file of an input, called like its content.
func (a *Algorithm) write(d *data, in algorithms.Input, home string) error {
	file, err := os.CreateTemp(home, "data-*")
	if err != nil {
		return err
	}
	d.path = file.Name()
	digest := sha256.New()
	w := bufio.NewWriterSize(io.MultiWriter(file, digest), 1<<16)
	if in.Graph != nil {
		err = in.Graph.WriteEdges(w)
	} else {
		rows, schema := in.Table.Select(in.Rows), in.Table.Schema()
		if a.d.Values == codeValues {
			rows = recoded(rows, codeSchema(schema))
		} else {
			rows, err = rows.WithSchema(plainNumbers(schema))
		}
		if err == nil {
			err = csvtable.Write(w, rows, nil)
		}
	}
	if err = errors.Join(err, w.Flush(), file.Close()); err != nil {
		return fmt.Errorf("data for the program: %w", err)
	}
	d.name = fmt.Sprintf("%x", digest.Sum(nil)[:16])
	return nil
}

// releaseData ends a request's use of a file of data. One that could not be written is forgotten;
// of more files than are kept, those used the longest time ago are removed.
func (a *Algorithm) releaseData(d *data) {
	a.mu.Lock()
	defer a.mu.Unlock()
	d.users--
	excess := len(a.data) - kept
	a.data = slices.DeleteFunc(a.data, func(old *data) bool {
		if old.users == 0 && excess > 0 {
			os.Remove(old.path)
			excess--
			return true
		}
		return old == d && d.err != nil
	})
}

// newFolder makes the folder of a request. Its name, the request's id, cannot be guessed: whether a
// wrong id is right by chance must not depend on the order of the requests.
func (a *Algorithm) newFolder() (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.home == "" {
		home, held, err := newHome(a.d.Name)
		if err != nil {
			return "", err
		}
		a.home, a.held, a.pool = home, held, a.newPool(home)
	}
	return os.MkdirTemp(a.home, "request-")
}
