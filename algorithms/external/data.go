package external

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"ppdp/algorithms"
	csvtable "ppdp/datasets/csv"
)

// writeData writes the rows or edges of an input to a file in a request's folder. name is the
// digest of what the file holds.
func (a *Algorithm) writeData(in algorithms.Input, folder string) (path, name string, err error) {
	path = filepath.Join(folder, "input")
	file, err := os.Create(path)
	if err != nil {
		return "", "", err
	}
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
		return "", "", fmt.Errorf("data for the program: %w", err)
	}
	return path, fmt.Sprintf("%x", digest.Sum(nil)[:16]), nil
}
