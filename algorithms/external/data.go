package external

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"ppdp/algorithms"
	"ppdp/datasets"
	csvtable "ppdp/datasets/csv"
)

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
		rows, plain := in.Table.Select(in.Rows), a.inFiles(in.Table.Schema())
		if a.d.Values == codeValues {
			rows = recoded(rows, plain)
		} else {
			rows, err = rows.WithSchema(plain)
		}
		if err == nil {
			err = csvtable.Write(w, rows, nil, nil)
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
