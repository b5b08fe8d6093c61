// Package external runs baselines that are programs of their own, in any language: a descriptor (a
// *.baseline.yaml) says how one is started, and lines of JSON over its standard input and output
// ask it for releases. docs/extend.md describes both.
//
// A program that crashes, hangs, answers with nonsense or exceeds its limits costs one release and
// no more. It sees the private data and is trusted with them: a process group and a temporary
// folder do not keep it from copying them elsewhere.
//
// What a program claims of its guarantee is declared; nothing here proves it. One that asks ppdp
// for its noise, call by call, can be replayed.
//
// Deviations: none, the package leaves out every algorithm.
package external

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"ppdp/algorithms"
	"ppdp/internal/process"
	"ppdp/numeric/random"
	"ppdp/privacy"
)

// Algorithm is a program outside of ppdp, as its descriptor describes it. It is safe for concurrent
// use; Close ends what it has started.
type Algorithm struct {
	d      *descriptor
	dir    string // of the descriptor
	digest string // of the descriptor and its files

	mu   sync.Mutex // guards what follows
	home string     // temporary: a folder for each request
	held io.Closer  // the lock that keeps others from removing it

	stray atomic.Bool // whether a request met the answer to another
	pool  *process.Pool
}

// Info describes the program as its descriptor does.
func (a *Algorithm) Info() algorithms.Info { return a.d.info(a.digest) }

// Params returns the descriptor's defaults.
func (a *Algorithm) Params() algorithms.Params {
	params := reflect.New(a.d.Params.defaults.Type())
	params.Elem().Set(a.d.Params.defaults)
	return params.Interface()
}

// Close ends the processes and removes what they left. The algorithm can be used again.
func (a *Algorithm) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.home == "" {
		return nil
	}
	a.pool.Close()
	home, held := a.home, a.held
	a.pool, a.home, a.held = nil, "", nil
	err := errors.Join(os.RemoveAll(home), held.Close())
	if a.stray.Swap(false) {
		err = errors.Join(err, errors.New("it answered other requests than it was asked, which "+
			"were then asked of fresh processes and took long: print one answer to each"))
	}
	return err
}

// Release asks the program for one.
func (a *Algorithm) Release(ctx context.Context, in algorithms.Input) (*algorithms.Release, error) {
	params, err := algorithms.CheckInput[algorithms.Params](ctx, a, in)
	if own := a.Params(); err == nil && reflect.TypeOf(params) != reflect.TypeOf(own) {
		err = fmt.Errorf("%s: parameters of type %T, must be %T", a.d.Name, params, own)
	}
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
	params algorithms.Params) (*algorithms.Release, error) {
	asks := a.d.asks(in.Variant)
	if !asks && in.Table != nil && in.Table.Schema().Contributions > 1 &&
		in.Budget.Delta() > 0 {
		return nil, fmt.Errorf("delta %v: %w, must be 0 where persons have %d records: a program "+
			"that means a record's epsilon and delta says nothing of them together",
			in.Budget.Delta(), privacy.ErrUnit, in.Table.Schema().Contributions)
	}
	folder, err := a.newFolder()
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	asked, err := a.request(in, params, folder)
	if err != nil {
		return nil, err
	}
	said, err := a.ask(ctx, in, asked)
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
	if !asks {
		err = a.charge(in, said.Spent)
	} else if len(said.Spent) > 0 {
		err = errors.New("spent: must be left out, what was asked for is in the ledger")
	}
	if err == nil {
		err = a.read(ctx, in, folder, said.File, release)
	}
	return release, err
}

// request is what the program is asked. Its data are in the folder.
func (a *Algorithm) request(in algorithms.Input, params algorithms.Params, folder string) (
	*request, error) {
	path, name, err := a.writeData(in, folder)
	if err != nil {
		return nil, err
	}
	q := &request{Seed: fmt.Sprintf("%x", keyOf(in, "seed of the program")),
		Variant: string(in.Variant),
		Epsilon: in.Budget.Epsilon(), Delta: in.Budget.Delta(), Unit: string(in.Budget.Unit()),
		Total: in.Budget.Total(), Params: valuesOf(params), Data: name, Folder: folder}
	q.ID = filepath.Base(folder)
	if in.Graph != nil {
		q.Edges, q.Nodes = path, new(in.Graph.Nodes())
		return q, nil
	}
	q.Rows, q.Records, q.Values = path, new(len(in.Rows)), a.d.Values
	q.Attributes = attributesOf(in.Table.Schema())
	return q, nil
}

// keyOf draws a key from a stream of its own.
func keyOf(in algorithms.Input, stream string) (key random.Key) {
	from := in.Noise.Open(stream)
	for i := range len(key) / 8 {
		binary.BigEndian.PutUint64(key[8*i:], from.Uint64())
	}
	return key
}

// ask hands a request to a process and answers its calls.
func (a *Algorithm) ask(ctx context.Context, in algorithms.Input, q *request) (*answer, error) {
	a.mu.Lock()
	pool := a.pool
	a.mu.Unlock()
	said := new(line)
	var asked *calls // nil for a program that may not ask
	begin, stray := func() {}, false
	if a.d.asks(in.Variant) {
		key, undo := keyOf(in, "calls of the program"), in.Budget.Undo()
		begin = func() { // also once more
			undo()
			asked = newCalls(in.Budget, key)
		}
	}
	take := func(text []byte) (reply []byte, last bool, err error) {
		*said = line{}
		err = decodeStrictly(text, said)
		calls := said.Call != "" || err != nil && bytes.Contains(text, []byte(`"call"`))
		switch {
		case calls && asked == nil:
			return nil, true, errors.New("it asks for noise, which is for variants with " +
				"mechanisms: ppdp")
		case calls:
			if err != nil && (bytes.Contains(text, []byte("NaN")) ||
				bytes.Contains(text, []byte("Infinity"))) { // as many languages write them
				err = errors.New("numbers must be finite, which NaN and Infinity are not")
			}
			reply, err = asked.answer(&said.call, err)
			return reply, err != nil, err
		case err != nil:
			return nil, true, noLine(text, err)
		case said.ID != q.ID:
			stray = true
			return nil, true, fmt.Errorf("it answered request %.40q, must be %q", said.ID, q.ID)
		}
		return nil, true, nil
	}
	err := pool.Ask(ctx, mustJSON(q), a.d.Limits.time, func() process.Take {
		begin()
		return take
	})
	if stray && err == nil { // the fresh process answered
		a.stray.Store(true)
	}
	if asked != nil && asked.refused != nil {
		return nil, asked.refused // whatever it has made of that
	}
	return &said.answer, err
}

// helloTime is how long a program may take to say hello.
const helloTime = 30 * time.Second

// newPool makes a pool of processes that run in the descriptor's folder; home is theirs for files.
func (a *Algorithm) newPool(home string) *process.Pool {
	return &process.Pool{Program: process.Program{Command: a.d.Command, Dir: a.dir,
		Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + home,
			"LANG=C.UTF-8", "PYTHONHASHSEED=0", "PYTHONDONTWRITEBYTECODE=1"},
		Greeting: mustJSON(hello{protocol, "ppdp"}), Greeted: greeted, StartTime: helloTime,
		Memory: a.d.Limits.bytes, Line: a.d.line(), Words: 2 << 10}}
}

func greeted(line []byte) error {
	var said hello
	if err := decodeStrictly(line, &said); err != nil {
		return noLine(line, err)
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
		purpose, err := purposeOf(s.Mechanism + " " + s.Purpose)
		if err != nil {
			return fmt.Errorf("it has spent something on a %w", err)
		}
		if err := in.Budget.Declare(&root, purpose, s.Amount); err != nil {
			return err
		}
	}
	return nil
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
